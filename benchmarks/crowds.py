"""Benchmarks of the page with hundreds of runs: one chart, rare tags, a workspace of many panels, and a live page."""

import json
import multiprocessing
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import event_logs
from browsing import heap_bytes, longest_tasks, open_page, scroll, serve, wait, wait_loaded, work_of_moves
from playwright.sync_api import Browser
from report import report

RUNS, POINTS = 300, 1000
LIVE_SECONDS, LIVE_RATE = 600.0, 40
PANELS = 40
TAGS = [f"train/metric-{number:02}" for number in range(10)]


def one_chart(browser: Browser, folder: Path) -> None:
    """Measure a chart of three hundred lines: opening it, and the cursor over it."""
    event_logs.write_runs(folder, RUNS, ["loss"], POINTS)
    drawn = f"document.querySelector('scalar-card')?.dataset.total == {RUNS * POINTS}"
    with serve(folder) as (_, url), open_page(browser, url) as first:
        wait_loaded(first)
        waits = []
        for _ in range(5):
            with open_page(browser, f"{url}#page=scalars&size=l") as page:
                wait(page, drawn)
                waits.append(float(page.evaluate("performance.now()")))
        report("300 runs on one chart: open to drawn", "<= 1000 ms", waits)
        with open_page(browser, f"{url}#page=scalars&size=l") as page:
            wait(page, drawn)
            page.wait_for_timeout(2000)
            report("300 runs on one chart: a mouse event (p95 counts)", "p95 <= 8 ms", work_of_moves(page))


def rare_tags(browser: Browser, folder: Path) -> None:
    """Measure 305 runs with 500 tags, of which each run has five."""
    for run in range(305):
        tags = [f"group{tag % 25:02}/metric{tag:03}" for tag in ((5 * run + at) % 500 for at in range(5))]
        event_logs.write_scalars(folder / f"run-{run:03}", "own", tags, 100)
    with serve(folder) as (_, url):
        with open_page(browser, url) as page:
            wait_loaded(page)
        waits, empty = [], 0
        for _ in range(5):
            with open_page(browser, f"{url}#page=scalars") as page:
                wait(page, "drawn.length > 0")
                waits.append(float(page.evaluate("drawn[0][1]")))
                page.wait_for_timeout(2000)
                empty = page.locator('scalar-card[data-total="0"]').count()
                opening = longest_tasks(page)
        report("305 runs, 500 rare tags: open to first card", "<= 1000 ms", waits)
        report("305 runs, 500 rare tags: cards without a line", "0", [float(empty)], "cards")
        report("305 runs, 500 rare tags: tasks over 50 ms, opened", "<= 100 ms", opening)
        with open_page(browser, f"{url}#page=scalars") as page:
            wait(page, "drawn.length > 0")
            page.wait_for_timeout(2000)
            longest_tasks(page)
            scroll(page, 20)
            report("305 runs, 500 rare tags: tasks while scrolling", "<= 100 ms", longest_tasks(page))


def workspace(browser: Browser, folder: Path) -> None:
    """Measure a saved workspace of forty panels of three hundred runs, reopened after a restart in another browser."""
    event_logs.write_runs(folder / "runs", RUNS, TAGS, POINTS)
    data = ["--data-dir", str(folder / "data")]
    panels = [
        {"kind": "lines", "x": at % 3 * 4, "y": at // 3 * 3, "w": 4, "h": 3, "settings": {"tags": [TAGS[at % 10]]}}
        for at in range(PANELS)
    ]
    section = {"name": "All", "collapsed": False, "panels": panels, "settings": {}}
    document = {"version": 1, "sections": [section], "settings": {}}
    with serve(folder / "runs", *data) as (_, url):
        view = {"page": "workspace", "address": "page=workspace", "workspace": document, "base": None}
        _put(f"{url}api/views/forty", view)
        _put(f"{url}api/default-view", {"name": "forty"})
    with serve(folder / "runs", *data) as (_, url), open_page(browser, url) as first:
        wait_loaded(first)
        waits: list[float] = []
        for _ in range(3):
            with open_page(browser, url) as page:
                wait(page, _all_drawn())
                waits.append(float(page.evaluate("performance.now()")))
                page.wait_for_timeout(1000)
                opening = longest_tasks(page)
                scroll(page, 10)
                scrolling = longest_tasks(page)
                used = heap_bytes(page) / 1e6
        report("40 panels x 300 runs: open to visible panels drawn", "", waits)
        report("40 panels x 300 runs: tasks over 50 ms, opened", "<= 100 ms", opening)
        report("40 panels x 300 runs: tasks while scrolling", "<= 100 ms", scrolling)
        report("40 panels x 300 runs: heap at the end", "", [used], "MB")


def ten_minutes(browser: Browser, folder: Path) -> None:
    """Measure a live page for ten minutes at forty events a second: memory and long tasks."""
    runs = [event_logs.write_scalars(folder / f"run-{number}", "own", TAGS, 100) for number in range(4)]
    with serve(folder) as (_, url), open_page(browser, url) as page, _growing(runs):
        wait(page, "drawn.length > 0")
        page.wait_for_timeout(10_000)
        longest_tasks(page)
        before, tasks = heap_bytes(page), []
        end = time.monotonic() + LIVE_SECONDS
        while time.monotonic() < end:
            page.wait_for_timeout(5000)
            tasks += [task for task in longest_tasks(page) if task]
        drawn = page.evaluate("drawn.length / new Set(drawn.map(([tag]) => tag)).size")
        growth = (heap_bytes(page) - before) / 1e6
    report(f"live page, {LIVE_RATE} events/s, 10 minutes: tasks over 50 ms", "<= 100 ms", tasks or [0.0])
    report("live page, 10 minutes: growth of the heap", "", [growth], "MB")
    report("live page, 10 minutes: drawings of a card a second", "<= 2", [drawn / (LIVE_SECONDS + 10)], "per s")


def _all_drawn() -> str:
    """Return an expression that is true once every visible panel shows all runs."""
    panels = "[...document.querySelectorAll('lines-panel')]"
    visible = f"{panels}.filter(panel => panel.getBoundingClientRect().top < innerHeight - 20)"
    return f"(panels => panels.length > 5 && panels.every(panel => panel.dataset.drawnLines == {RUNS}))({visible})"


def _put(url: str, content: dict[str, Any]) -> None:
    body = json.dumps(content).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method="PUT")
    urllib.request.urlopen(request).close()


@contextmanager
def _growing(files: list[Path]) -> Iterator[None]:
    """Append events to the files in another process, which shares no time with the browser's driver."""
    context = multiprocessing.get_context("spawn")
    is_over = context.Event()
    writer = context.Process(target=_write, args=(files, is_over), daemon=True)
    writer.start()
    yield
    is_over.set()
    writer.join()


def _write(files: list[Path], is_over: Event) -> None:
    step = 100
    while not is_over.wait(len(files) / LIVE_RATE):
        for path in files:
            with path.open("ab") as file:
                file.writelines(event_logs.scalar_events("own", TAGS, step, step + 1))
        step += 1
