"""Measure the waiting times of a user of the page, with a real recorder, server process and Chromium.

python benchmarks/page.py [MEASUREMENT ...]    (make bench-page)

Prints a row for each figure: its name, its goal, the median and the spread.
"""

import argparse
import math
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import event_logs
import numpy as np
from browsing import (
    chromium,
    longest_tasks,
    open_page,
    scroll,
    serve,
    serve_tensorboard,
    wait,
    wait_loaded,
    work_of_moves,
)
from crowds import one_chart, rare_tags, ten_minutes, workspace
from maps import graphs, landscapes, lineage, record_landscapes, record_trials
from playwright.sync_api import Browser, Page
from report import report

from toposcope.recorder import SummaryRecord, train_lineage

GOLDEN = Path(__file__).resolve().parent.parent / "tests" / "golden"
# Elements that show the first data of each page.
SHOWN = {
    "overview": ".run-line",
    "histograms": "#content [data-drawn-mode]",
    "images": '#content [data-drawn]:not([data-drawn=""])',
    "scalars": '#content scalar-card[data-drawn-points]:not([data-drawn-points="0"])',
    "tensors": "#content .tensor-row .facts",
    "text": "#content .markdown",
    "graph": '#content graph-view[data-drawn="true"]',
    "lineage": "#content axes-strip[data-drawn-runs]",
    "landscape": "#content path.contour",
    "compare": '#content .compare table td, #content [data-state="choose_runs"]',
}


def record_runs(logdir: Path, runs: int, tags: int, steps: int) -> None:
    """Record noisy, decreasing curves."""
    for run in range(runs):
        with SummaryRecord(logdir / f"run-{run:02}") as recorder:
            for step in range(steps):
                value = (1 + run / 20) * math.exp(-3 * step / steps) + 0.1 * math.sin(12.9898 * step + run)
                for tag in range(tags):
                    recorder.add_value("scalar", f"train/metric-{tag:03}", value + tag)
                recorder.record(step)


def record_sweep(logdir: Path, runs: int) -> None:
    """Record many short runs with hyperparameters."""
    for run in range(runs):
        rate = random.choice([0.001, 0.01, 0.1])
        with SummaryRecord(logdir / f"sweep{run % 20:02}" / f"lr{rate}_{run}") as recorder:
            recorder.add_value("train_lineage", "lineage", train_lineage(learning_rate=rate, batch_size=run % 8))
            for step in range(10):
                recorder.add_value("scalar", "train/loss", math.exp(-rate * step) + random.random() / 10)
                recorder.record(step)


def record_kinds(logdir: Path, runs: int) -> None:
    """Record scalars, histograms, images, tensors and text."""
    noise = np.random.default_rng(0)
    for run in range(runs):
        with SummaryRecord(logdir / f"run-{run}") as recorder:
            for step in range(40):
                recorder.add_value("scalar", "train/loss", math.exp(-step / 20))
                recorder.add_value("histogram", "weights", noise.normal(size=1000).astype(np.float32))
                recorder.add_value("image", "samples", noise.random((1, 64, 64, 3)).astype(np.float32))
                recorder.add_value("tensor", "layer", noise.normal(size=(64, 64)).astype(np.float32))
                recorder.add_value("text", "report", f"# Step {step}\n\nAll is *well*.")
                recorder.record(step)


def scrolled(browser: Browser, url: str, screens: int) -> list[float]:
    """Return the milliseconds of each main-thread task over 50 ms while a page of cards is scrolled."""
    with open_page(browser, url) as page:
        wait(page, "drawn.length > 0")
        page.wait_for_timeout(2000)
        longest_tasks(page)
        scroll(page, screens)
        return longest_tasks(page)


def switched(page: Page, name: str) -> float:
    """Switch to a page; return milliseconds from the click to the frame with its first data."""
    page.evaluate(
        """shown => {
      window.clicked = window.drawnAt = 0;
      addEventListener("click", () => { window.clicked = performance.now(); }, {capture: true, once: true});
      const check = () => {
        if (clicked && document.querySelector(shown)) drawnAt = performance.now(); else requestAnimationFrame(check);
      };
      check();
    }""",
        SHOWN[name],
    )
    page.locator(f"#top [data-page={name}]").click()
    wait(page, "drawnAt > 0")
    return float(page.evaluate("drawnAt - clicked"))


def first_card(browser: Browser, url: str) -> float:
    """Return milliseconds from opening the page to the first card with points, with an empty cache."""
    with open_page(browser, url) as page:
        wait(page, "drawn.length > 0")
        return float(page.evaluate("drawn[0][1]"))


def first_peer_card(browser: Browser, url: str) -> float:
    """Return milliseconds from opening TensorBoard's page to the first card with a line, with an empty cache."""
    with open_page(browser, url) as page:
        wait(
            page,
            """[...document.querySelectorAll("scalar-card")].some(
          card => card.querySelector("line-chart svg path") && !card.querySelector("mat-spinner"))""",
        )
        return float(page.evaluate("performance.now()"))


def first_view(browser: Browser, url: str) -> float:
    """Return milliseconds from receiving the first series to drawing the last visible card."""
    with open_page(browser, url) as page:
        wait(page, "drawn.length > 0")
        page.wait_for_timeout(1500)
        script = """() => {
          const visible = [...document.querySelectorAll("scalar-card")]
            .filter(card => card.getBoundingClientRect().top < innerHeight - 20).map(card => card.dataset.tag);
          const firsts = visible.map(tag => Math.min(...drawn.filter(([name]) => name === tag).map(([, at]) => at)));
          return Math.max(...firsts) - arrived[0];
        }"""
        return float(page.evaluate(script))


def zooms(page: Page) -> list[float]:
    """Zoom into a chart until it shows raw points; return milliseconds from each release to its points drawn."""
    card = page.locator("scalar-card").first
    waits: list[float] = []
    while card.get_attribute("data-drawn-points") != card.get_attribute("data-total"):
        box = card.locator(".u-over").bounding_box()
        assert box is not None
        card.evaluate("""card => {
          window.released = window.drawnAt = 0;
          const before = card.dataset.window;
          addEventListener("mouseup", () => { window.released = performance.now(); }, {capture: true, once: true});
          const check = () => {
            const isDrawn = released && card.dataset.pending === "false" && card.dataset.window !== before;
            if (isDrawn) drawnAt = performance.now(); else setTimeout(check, 1);
          };
          check();
        }""")
        page.mouse.move(box["x"] + 0.50 * box["width"], box["y"] + 40)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.53 * box["width"], box["y"] + 50, steps=3)
        page.mouse.up()
        wait(page, "drawnAt > 0")
        waits.append(float(page.evaluate("drawnAt - released")))
    return waits


def recorded_to_drawn(
    browser: Browser, logdir: Path, points: int = 30, *, pause_ms: float = 100.0, arguments: Sequence[str] = ()
) -> list[float]:
    """Record and flush points one by one; return milliseconds until each is drawn."""
    served = serve(logdir, *arguments)
    with SummaryRecord(logdir / "run") as recorder, served as (_, url), open_page(browser, url) as page:
        waits: list[float] = []
        for step in range(points):
            began = time.time()
            recorder.add_value("scalar", "loss", 1 / (1 + step))
            recorder.record(step)
            recorder.flush()
            wait(page, f"document.querySelector('scalar-card')?.dataset.drawnPoints == {step + 1}")
            drawn_at = page.evaluate("performance.timeOrigin + drawn.at(-1)[1]")
            waits.append(float(drawn_at) - 1000 * began)
            page.wait_for_timeout(pause_ms + 37 * (step % 7))
        return waits[5:]


def ctrl_c(browser: Browser, logdir: Path) -> float:
    """Return milliseconds from Ctrl-C to the exit of a server with an open page."""
    with serve(logdir) as (process, url), open_page(browser, url) as page:
        wait(page, "drawn.length > 0")
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait()
        return 1000 * (time.monotonic() - began)


def idle_share(url: str, process: subprocess.Popen[str], seconds: float = 10.0) -> float:
    """Return the share of a core, in percent, that an idle server uses."""

    def ticks() -> int:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    before = ticks()
    time.sleep(seconds)
    return 100 * (ticks() - before) / 100 / seconds


def million(browser: Browser, folder: Path) -> None:
    """Measure a million points: open, zoom, idle, stop."""
    record_runs(folder, runs=1, tags=10, steps=100_000)
    with serve(folder) as (process, url):
        with open_page(browser, url) as page:
            wait_loaded(page)
        report("1,000,000 scalars: open to first card", "<= 500 ms", [first_card(browser, url) for _ in range(9)])
        waits: list[float] = []
        for _ in range(5):
            with open_page(browser, url) as page:
                wait(page, "drawn.length > 0")
                waits += zooms(page)
        report("1,000,000 scalars: mouse released to points drawn", "<= 300 ms", waits)
        report("idle server, share of a core", "< 2 %", [idle_share(url, process)], "%")
    report("1,000,000 scalars: Ctrl-C with the page open", "<= 1000 ms", [ctrl_c(browser, folder)])


def tensorboard(browser: Browser, folder: Path) -> None:
    """Measure opening the same files here and in TensorBoard, which keeps 1,000 points per tag."""
    event_logs.write_scalars(folder / "run", "tensorboard", [f"train/{tag}" for tag in range(10)], 100_000)
    with serve(folder) as (_, url), serve_tensorboard(folder) as peer_url:
        with open_page(browser, url) as page:
            wait_loaded(page)
        ours, theirs = zip(
            *((first_card(browser, url), first_peer_card(browser, peer_url)) for _ in range(5)), strict=True
        )
    report("1,000,000 scalars of a TensorBoard file: first card", "", list(ours))
    report("the same in TensorBoard", "", list(theirs))
    report("TensorBoard's time over ours", "", [peer / own for own, peer in zip(ours, theirs, strict=True)], "x ")


def cursor(browser: Browser, folder: Path) -> None:
    """Measure two large charts of fifty lines under the mouse."""
    record_runs(folder, runs=50, tags=2, steps=1000)
    with serve(folder) as (_, url), open_page(browser, url + "#size=l") as page:
        wait(page, "drawn.length > 0")
        page.wait_for_timeout(2000)
        report("50 runs: script and render a mouse event (p95 counts)", "p95 <= 8 ms", work_of_moves(page))


def charts(browser: Browser, folder: Path) -> None:
    """Measure three hundred charts of four lines."""
    record_runs(folder, runs=4, tags=300, steps=200)
    with serve(folder) as (_, url):
        report("300 charts: data arrived to first viewport", "<= 300 ms", [first_view(browser, url) for _ in range(5)])
        report("300 charts: tasks over 50 ms while scrolling", "none", scrolled(browser, url, 40))


def tags(browser: Browser, folder: Path) -> None:
    """Measure two thousand tags in one run."""
    record_runs(folder, runs=1, tags=2000, steps=100)
    with serve(folder) as (_, url):
        report("2,000 tags: open to first card", "", [first_card(browser, url) for _ in range(3)])
        report("2,000 tags: tasks over 50 ms while scrolling", "none", scrolled(browser, url, 40))


def large(browser: Browser, folder: Path) -> None:
    """Measure fifty runs of 200 tags; all runs are links to the same file, which saves disk space."""
    path = event_logs.write_scalars(folder / "run-00", "own", [f"train/{tag}" for tag in range(200)], 5000)
    for run in range(1, 50):
        copy = folder / f"run-{run:02}"
        copy.mkdir()
        os.link(path, copy / path.name)
    with serve(folder) as (_, url):
        with open_page(browser, url) as page:
            wait_loaded(page)
        with open_page(browser, url) as page:
            wait(page, "drawn.length > 0")
            page.wait_for_timeout(3000)
            report("50 runs x 200 tags x 5,000: tasks over 50 ms, opened", "<= 100 ms", longest_tasks(page))
        report("50 runs x 200 tags x 5,000: tasks while scrolling", "<= 100 ms", scrolled(browser, url, 20))


def runs(browser: Browser, folder: Path) -> None:
    """Measure ten thousand runs on the overview."""
    record_sweep(folder, 10_000)
    with serve(folder) as (_, url):
        with open_page(browser, url) as page:
            wait_loaded(page)
        with open_page(browser, url + "#page=overview") as page:
            wait(page, "document.querySelectorAll('.run-line').length > 0")
            report("10,000 runs: open to first row", "<= 1000 ms", [float(page.evaluate("performance.now()"))])
            report("10,000 runs: tasks over 50 ms, opened", "<= 100 ms", longest_tasks(page))
            scroll(page, 20)
            report("10,000 runs: tasks while scrolling", "none", longest_tasks(page))
            for head in range(3):
                page.locator(".heads [data-column] button").nth(head).click()
                report(f"10,000 runs: tasks while sorting by column {head + 1}", "<= 100 ms", longest_tasks(page))


def switches(browser: Browser, folder: Path) -> None:
    """Measure switching from page to page on a logdir with every kind of data."""
    record_kinds(folder, 3)
    record_trials(folder / "sweep", 20, 4)
    record_landscapes(folder / "landscapes", (40, 65))
    shutil.copytree(GOLDEN / "mindspore" / "digits_momentum", folder / "mindspore")
    waits: dict[str, list[float]] = {name: [] for name in SHOWN}
    with serve(folder) as (_, url), open_page(browser, url) as page:
        wait(page, "drawn.length > 0")
        page.wait_for_timeout(2000)
        for name in [*SHOWN, *SHOWN, *SHOWN]:
            waits[name].append(switched(page, name))
            page.wait_for_timeout(500)
    for name, of_page in waits.items():
        report(f"click on the tab {name} to its first data, first visit", "<= 150 ms", of_page[:1])
        report(f"click on the tab {name} to its first data, later", "<= 150 ms", of_page[1:])


def live(browser: Browser, folder: Path) -> None:
    """Measure a run that grows."""
    quiet = recorded_to_drawn(browser, folder / "quiet", pause_ms=700)
    report("recorded and flushed to drawn, after half a second of quiet", "<= 100 ms", quiet)
    report("recorded and flushed to drawn, three a second", "<= 500 ms", recorded_to_drawn(browser, folder / "busy"))


MEASUREMENTS: dict[str, Callable[[Browser, Path], None]] = {
    function.__name__: function
    for function in (
        million,
        tensorboard,
        cursor,
        charts,
        tags,
        large,
        runs,
        switches,
        live,
        one_chart,
        rare_tags,
        workspace,
        ten_minutes,
        graphs,
        lineage,
        landscapes,
    )
}


def main() -> None:
    """Run the named benchmarks; all if none is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measurement", nargs="*", choices=[*MEASUREMENTS, []], help=f"any of {', '.join(MEASUREMENTS)}")
    chosen = parser.parse_args().measurement or list(MEASUREMENTS)
    with chromium() as browser:
        for name in chosen:
            with tempfile.TemporaryDirectory(prefix="toposcope-bench-") as folder:
                MEASUREMENTS[name](browser, Path(folder))


if __name__ == "__main__":
    main()
