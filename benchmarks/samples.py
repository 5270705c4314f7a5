"""Completions over many steps: seconds, bytes and memory of the routes of samples, and of the page.

samples.py [--samples 20000] [--steps 200]

Each step has so many samples as the quotient; with --steps 1 one step has all of them.
"""

import argparse
import random
import tempfile
import time
from pathlib import Path

from browsing import chromium, heap_bytes, open_page
from process_stats import cpu_ms, memory
from server_process import Server, serve

from toposcope.recorder import SummaryRecord, Table

_MIB = 1 << 20
_TEXT = "the model answers with care because every step of the proof follows from what was shown before"
_PLACE = {"run": "run", "tag": "samples"}


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--steps", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_run(Path(folder) / "logs/run", options.samples // options.steps, options.steps)
        size = sum(path.stat().st_size for path in Path(folder).glob("logs/run/*"))
        print(f"{options.samples} samples over {options.steps} steps, {size / 1e6:.1f} MB")
        with serve(Path(folder) / "logs", Path(folder) / "index", "--data-dir", f"{folder}/data") as server:
            server.wait_loaded()
            measure_routes(server, options.steps)
            measure_page(server, options.steps)


def write_run(folder: Path, number: int, steps: int) -> None:
    """Record completions of about a hundred words."""
    with SummaryRecord(str(folder)) as recorder:
        for step in range(steps):
            words = random.Random(step)
            rows = [
                (f"Prompt {row}?", " ".join(words.choices(_TEXT.split(), k=100)), words.random(), words.randrange(400))
                for row in range(number)
            ]
            recorder.log({"samples": Table(["prompt", "completion", "reward", "tokens"], rows)}, step=step)


def measure_routes(server: Server, steps: int) -> None:
    """Print the seconds and CPU seconds of each route, and the memory of the server after it."""
    print(f"{'route':34} {'s':>7} {'CPU s':>7} {'MiB now':>8} {'MiB most':>8}")
    last = steps - 1
    report(server, "list of steps", "text", **_PLACE, longest=1 << 14)
    report(server, "first rows", "samples", **_PLACE, step=last, limit=20)
    report(server, "sorted", "samples", **_PLACE, step=last, limit=20, sort="reward", descending=True)
    report(server, "search", "samples", **_PLACE, step=last, limit=20, search="PROOF FOLLOWS")
    report(server, "first rows of another step", "samples", **_PLACE, step=0, limit=20)
    key = server.get("samples", **_PLACE, step=last, limit=1)["rows"][0]["key"]
    report(server, "the same sample at another step", "samples/sample", **_PLACE, step=0, key=key)
    for step in range(steps):
        server.get("samples", **_PLACE, step=step, limit=20)
    report(server, "after first rows of every step", "samples", **_PLACE, step=last, limit=20)


def report(server: Server, title: str, route: str, **query: object) -> None:
    """Print the figures of a request."""
    start, cpu = time.perf_counter(), cpu_ms(server.process.pid)
    server.get(route, **query)
    seconds, cpu_seconds = time.perf_counter() - start, (cpu_ms(server.process.pid) - cpu) / 1000
    current, most = memory(server.process.pid)
    print(f"{title:34} {seconds:7.3f} {cpu_seconds:7.3f} {current // _MIB:8} {most // _MIB:8}", flush=True)


def measure_page(server: Server, steps: int) -> None:
    """Print how long the page takes to show the first row, what a search finds, and the differences of a sample."""
    with chromium() as browser, open_page(browser, "about:blank") as page:

        def shown(title: str, selector: str, start: float) -> None:
            page.locator(selector).first.wait_for(timeout=300_000)
            print(f"page: {title:28} {time.perf_counter() - start:7.3f} s", flush=True)

        start = time.perf_counter()
        page.goto(f"http://{server.connection.host}:{server.connection.port}/#page=text")
        shown("first row", ".sample-rows tbody tr", start)
        start = time.perf_counter()
        page.locator(".sample-search input").fill("Prompt 7?")
        shown("search", ".sample-rows tbody tr[data-row='7']:first-child", start)
        if steps > 1:
            page.locator('[data-key="open-sample"]').first.click()
            start = time.perf_counter()
            page.locator('[data-select="beside-step"]').select_option("0")
            shown("differences", "sample-detail mark", start)
        print(f"page: heap                         {heap_bytes(page) / 1e6:7.1f} MB")


if __name__ == "__main__":
    main()
