"""A server that follows 10,000 points a second with five pages open: which points are missing, how its memory grows.

soak.py [--seconds 3600] [--workers 1] [--pages 5]    (make soak DURATION=3600)

Ten runs of ten tags grow by a hundred steps a second. At the end every point that was written must be in the replies of
the server and on every page. The last line compares the memory with that of a server that reads the same files afresh,
with as many pages open, while the runs grow and when they have stopped. Exits with status 1 if a point is missing.
"""

import argparse
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import event_logs
import psutil
from browsing import chromium, open_page
from playwright.sync_api import Error, Page
from server_process import Server, serve

RUNS = [f"run-{number}" for number in range(10)]
TAGS = [f"train/metric-{number}" for number in range(10)]
BURST_STEPS, BURST_SECONDS = 10, 0.1
SAMPLES = 30
"""Lines of the memory curve."""
LAST = 7
"""Lines at its end, of which the memory while the runs grow is the median."""
SETTLE_SECONDS = 15.0
"""After which the servers, which nobody uses any more, have returned what requests and reading have left."""
CATCH_UP_SECONDS = 300.0
"""How long pages that are behind are waited for at the end."""


def main() -> int:
    """Measure, print the curve and what is missing; return the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--pages", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        logdir = Path(folder, "logs")
        paths = [event_logs.write_scalars(logdir / run, "own", TAGS, BURST_STEPS) for run in RUNS]
        context = multiprocessing.get_context("spawn")
        is_over, steps = context.Event(), context.Value("q", BURST_STEPS)
        writer = context.Process(target=write, args=(paths, is_over, steps), daemon=True)
        arguments = [f"--workers={options.workers}"]
        with serve(logdir, Path(folder, "index"), *arguments) as server:
            server.wait_loaded(len(RUNS))
            browser = stack.enter_context(chromium())
            url = f"http://{server.connection.host}:{server.connection.port}/"
            pages = [stack.enter_context(open_page(browser, url)) for _ in range(options.pages)]
            for page in pages:
                page.set_default_timeout(1000 * CATCH_UP_SECONDS)
            writer.start()
            growing = follow(server, pages, steps, options.seconds)
            is_over.set()
            writer.join(30)
            missing = count_missing(server, pages, steps.value)
            pause(pages[0], SETTLE_SECONDS)
            used = memory_mb(server)
        points = steps.value * len(RUNS) * len(TAGS)
        with serve(logdir, Path(folder, "another-index"), *arguments) as fresh:
            fresh.wait_loaded(len(RUNS))
            url = f"http://{fresh.connection.host}:{fresh.connection.port}/"
            for page in pages:
                page.goto(url)
            count_missing(fresh, pages, steps.value)
            pause(pages[0], SETTLE_SECONDS)
            again = memory_mb(fresh)
    print(f"{points:,} points written; missing in replies {missing['replies']}, on pages {missing['pages']}")
    print(f"memory of a fresh start {again:.0f} MB", end="; ")
    print(f"while the runs grew {growing:.0f} MB: {growing / again:.2f} times", end="; ")
    print(f"{SETTLE_SECONDS:.0f} s later {used:.0f} MB: {used / again:.2f} times")
    return 1 if any(missing.values()) else 0


def write(paths: Sequence[Path], is_over: Event, steps: Any) -> None:
    """Append to every run until is_over is set; `steps` is how many each has."""
    due = time.monotonic()
    while not is_over.wait(max(0.0, due - time.monotonic())):
        due += BURST_SECONDS
        burst = b"".join(event_logs.scalar_events("own", TAGS, steps.value, steps.value + BURST_STEPS))
        for path in paths:
            with path.open("ab") as file:
                file.write(burst)
        steps.value += BURST_STEPS


def follow(server: Server, pages: Sequence[Page], steps: Any, seconds: float) -> float:
    """Print the memory of the server while the runs grow; return the median of the last lines, in MB."""
    used = []
    print(f"{'seconds':>8} {'points':>12} {'server MB':>10} {'page behind, steps':>20}", flush=True)
    start = time.monotonic()
    for number in range(SAMPLES + 1):
        if number < SAMPLES and time.monotonic() > start + (number + 1) * seconds / SAMPLES:
            continue  # The pages took longer to answer: lines are left out, and the end is when it should be.
        pause(pages[0], start + number * seconds / SAMPLES - time.monotonic())
        written = steps.value
        behind = max(written - min(totals_of(page), default=0) for page in pages)
        points = written * len(RUNS) * len(TAGS)
        elapsed = time.monotonic() - start
        used.append(memory_mb(server))
        print(f"{elapsed:8.0f} {points:12,} {used[-1]:10.0f} {behind:20d}", flush=True)
    return statistics.median(used[-LAST:])


def memory_mb(server: Server) -> float:
    """Return the memory of all processes of a server; what they share is counted once."""
    process = psutil.Process(server.process.pid)
    shares = []
    for each in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):  # A worker that has ended is started again.
            shares.append(each.memory_full_info().pss)
    return float(sum(shares)) / 1e6


def totals_of(page: Page) -> list[int]:
    """Return how many steps the cards of a page have of each run, as far as they are drawn; none if it has crashed."""
    text = "[...document.querySelectorAll('scalar-card[data-total]')].map(card => +card.dataset.total)"
    try:
        return [total // len(RUNS) for total in page.evaluate(text) if total]
    except Error:
        return []


def pause(page: Page, seconds: float) -> None:
    """Let the pages work for so many seconds, also if this one has crashed."""
    try:
        page.wait_for_timeout(1000 * max(0.0, seconds))
    except Error:
        time.sleep(max(0.0, seconds))


def count_missing(server: Server, pages: Sequence[Page], steps: int) -> dict[str, int]:
    """Return how many points the replies and the drawn cards lack, after waiting for them."""
    deadline = time.monotonic() + CATCH_UP_SECONDS
    while True:
        server.connection.close()  # The server may have closed the idle connection.
        series = server.get("scalars", tag=TAGS, points=4)["series"]
        in_replies = steps * len(RUNS) * len(TAGS) - sum(each["total"] for each in series)
        on_pages = sum(abs(steps - total) for page in pages for total in totals_of(page) or [0])
        if in_replies == on_pages == 0 or time.monotonic() > deadline:
            return {"replies": in_replies, "pages": on_pages}
        pause(pages[0], 0.2)


if __name__ == "__main__":
    sys.exit(main())
