"""The page on a server of very many runs: waits, memory, bytes and the longest tasks of what a person does there.

Makes the runs as many_runs.py does, loads them once so that the index is written, and opens a new Chromium each round.

many_runs_page.py [--runs 1000 10000 100000] [--folder FOLDER] [--rounds 3] [--screenshots FOLDER]
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from browsing import chromium, heap_bytes, longest_tasks, open_page
from event_logs import scalar_events
from many_runs import wait_idle, write_many
from playwright.sync_api import Browser, Page
from server_process import serve

_TAGS, _STEPS = 10, 5
_METRIC = "group0/metric0"
_MAX_WAITING_S = 120
_ROWS = 'document.querySelectorAll("tr.run-line")'
_VALUE = f'td[data-column="last:{_METRIC}"]'
Figures = dict[str, list[float]]


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--folder", type=Path, help="where to make the runs; about 8 KB a run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--screenshots", type=Path, help="where to save pictures of the page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for runs in options.runs:
            folder = options.folder or Path(temporary)
            logdir, index = folder / f"runs{runs}", folder / f"index{runs}"
            if not logdir.exists():
                write_many(logdir, runs, _TAGS, _STEPS)
            if not index.exists():
                with serve(logdir, index) as server:
                    server.wait_loaded(runs)
                    wait_idle(server.process.pid)
            with serve(logdir, index) as server:
                server.wait_loaded(runs)
                wait_idle(server.process.pid)
                url = f"http://{server.connection.host}:{server.connection.port}/"
                figures: Figures = {}
                for _ in range(options.rounds):
                    with chromium() as browser:
                        use(browser, url, logdir, figures, options.screenshots and options.screenshots / str(runs))
            report(runs, figures)


def report(runs: int, figures: Figures) -> None:
    """Print the medians."""
    print(f"\n{runs} runs")
    for name, values in figures.items():
        print(f"  {name:52} {statistics.median(values):9.1f}", flush=True)


def use(browser: Browser, url: str, logdir: Path, figures: Figures, pictures: Path | None) -> None:
    """Do what a person does on the overview, then open the scalars."""

    def note(name: str, value: float) -> None:
        figures.setdefault(name, []).append(value)

    with open_page(browser, "about:blank") as page:
        received = _count_bytes(page)

        @contextmanager
        def step(name: str, done: str) -> Iterator[None]:
            start, before = time.perf_counter(), sum(received)
            yield
            _wait(page, done)
            note(f"{name}: ms", 1000 * (time.perf_counter() - start))
            page.wait_for_timeout(300)
            note(f"{name}: longest task, ms", max(longest_tasks(page)))
            note(f"{name}: KB received", (sum(received) - before) / 1000)
            if pictures:
                pictures.mkdir(parents=True, exist_ok=True)
                page.screenshot(path=str(pictures / f"{name.replace(' ', '_')}.png"))

        with step("open, first row", f"{_ROWS}.length > 0"):
            page.goto(f"{url}#page=overview")
        with step("first row with a metric", _has_values()):
            pass
        page.wait_for_timeout(3000)
        note("tasks until then: longest, ms", max(longest_tasks(page)))
        note("heap, MB", heap_bytes(page) / 1e6)
        first = page.evaluate(f"{_ROWS}[0].dataset.run")
        with step("sort by a metric", f'{_ROWS}[0]?.dataset.run !== "{first}" && {_has_values()}'):
            page.click(f'th[data-column="last:{_METRIC}"] button.head-label')
        with step("scroll to the end", _has_values()):
            page.evaluate('document.querySelector(".run-table").scrollTo(0, 1e9)')
            page.wait_for_timeout(200)
        with step("type a filter", 'document.querySelector("#over-filter").value === "run-04"'):
            page.locator("#over-filter").press_sequentially("run-04", delay=120)
        page.locator("#over-filter").fill("")
        page.wait_for_timeout(1000)
        longest_tasks(page)
        page.click('[data-key="filter-row"]')
        with step("filter by a value", _has_values()):
            page.locator(f'[data-filter="last:{_METRIC}"]').press_sequentially("<4.05", delay=120)
        page.click('[data-key="filter-row"]')
        page.wait_for_timeout(1000)
        longest_tasks(page)
        with step("a run grows", "+document.body.dataset.revision > revisionBefore"):
            page.evaluate("window.revisionBefore = +document.body.dataset.revision")
            _grow(logdir)
        with step(
            "open the scalars, first card",
            'document.querySelector("scalar-card[data-drawn-points]:not([data-drawn-points=\\"0\\"])")',
        ):
            page.click('[data-page="scalars"]')
        page.wait_for_timeout(3000)
        note("scalars: longest task, ms", max(longest_tasks(page)))
        note("heap at the end, MB", heap_bytes(page) / 1e6)


def _has_values() -> str:
    return f"[...{_ROWS}].some(row => row.querySelector('{_VALUE}')?.textContent.trim())"


def _wait(page: Page, expression: str) -> None:
    end = time.monotonic() + _MAX_WAITING_S
    while not page.evaluate(f"Boolean({expression})"):
        assert time.monotonic() < end, f"timed out waiting for {expression}"
        page.wait_for_timeout(5)


def _count_bytes(page: Page) -> list[float]:
    """Return a list that gets the compressed size of each reply."""
    received: list[float] = []
    session = page.context.new_cdp_session(page)
    session.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    session.send("Network.enable")
    return received


def _grow(logdir: Path) -> None:
    """Append a step to the first run."""
    path = next(Path(logdir, "group-00/run-000").iterdir())
    names = [f"group{tag % 2}/metric{tag}" for tag in range(_TAGS)]
    step = int(time.time())
    with path.open("ab") as file:
        file.writelines(scalar_events("tensorboard", names, step, step + 1))
    os.utime(path)


if __name__ == "__main__":
    main()
