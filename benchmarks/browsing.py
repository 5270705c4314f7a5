"""A server and a browser for benchmarks, and measurements of a page: waits, long tasks, work per mouse move."""

import contextlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

PEERS = Path(__file__).resolve().parent.parent / "build" / "bench" / "peers" / "bin" / "python"
# Records when each card first draws points, and when series are received.
WATCH = """
window.drawn = [];
new MutationObserver(changes => {
  for (const {target: {dataset}} of changes) if (+dataset.drawnPoints > 0) drawn.push([dataset.tag, performance.now()]);
}).observe(document, {subtree: true, attributes: true, attributeFilter: ["data-drawn-points"]});
window.longTasks = [];
new PerformanceObserver(list => longTasks.push(...list.getEntries().map(task => task.duration)))
  .observe({type: "longtask"});
window.arrived = [];
for (const kind of ["json", "arrayBuffer"]) {
  const read = Response.prototype[kind];
  Response.prototype[kind] = async function () {
    const content = await read.call(this);
    if (this.url.includes("/scalars")) arrived.push(performance.now());
    return content;
  };
}
"""
WORK = {"EventDispatch", "FireAnimationFrame", "UpdateLayoutTree", "Layout", "PrePaint", "Paint", "Layerize", "Commit"}


@contextlib.contextmanager
def serve(logdir: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Serve a logdir; yield the process and its URL once everything is loaded."""
    command = [sys.executable, "-m", "toposcope.server.cli", "--logdir", str(logdir), "--port", "0", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    match = re.search(r"http://\S+", process.stdout.readline())
    assert match is not None
    yield process, match[0]
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        process.wait()


@contextlib.contextmanager
def serve_tensorboard(logdir: Path) -> Iterator[str]:
    """Serve a logdir with one run by the TensorBoard of the peers; yield its URL once everything is loaded."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    command = [str(PEERS), "-m", "tensorboard.main", "--logdir", str(logdir), "--port", url.rpartition(":")[2]]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    previous, current = None, b""
    while previous != current or b'"runTagInfo": {"' not in current:  # Loaded if unchanged after a second.
        time.sleep(1)
        with contextlib.suppress(OSError):
            previous, current = current, urllib.request.urlopen(f"{url}/data/plugin/timeseries/tags").read()
    yield f"{url}/#timeseries"
    process.terminate()
    process.wait()


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium."""
    path = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")))
    )
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@contextlib.contextmanager
def open_page(browser: Browser, url: str) -> Iterator[Page]:
    """Open a page of 1440 x 900 in a new browser context, with an empty cache."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(url)
    yield page
    context.close()


def wait(page: Page, expression: str) -> None:
    """Wait until an expression is true; Playwright's own waiting evaluates strings, which the page's policy forbids."""
    end = time.monotonic() + 30
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"timed out waiting for {expression}"
        page.wait_for_timeout(5)


def longest_tasks(page: Page) -> list[float]:
    """Return the milliseconds of main-thread tasks over 50 ms since the last call; [0] if there were none."""
    page.wait_for_timeout(300)  # A task is reported after its end.
    tasks: list[float] = page.evaluate("longTasks.splice(0)")
    return tasks or [0.0]


def heap_bytes(page: Page) -> float:
    """Return the bytes of the page's heap after a collection."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics: list[dict[str, Any]] = session.send("Performance.getMetrics")["metrics"]
    session.detach()
    return float(next(metric["value"] for metric in metrics if metric["name"] == "JSHeapUsedSize"))


def scroll(page: Page, screens: int) -> None:
    """Scroll with the wheel over the middle of the page for so many screens, 25 events each."""
    page.mouse.move(720, 500)
    for _ in range(25 * screens):
        page.mouse.wheel(0, 36)
        page.wait_for_timeout(8)


def wait_loaded(page: Page) -> None:
    """Wait until the server has loaded everything."""
    while page.request.get(page.url.split("#")[0] + "api/health").json()["loading"]:
        page.wait_for_timeout(50)


def work_of_moves(page: Page, moves: int = 400) -> list[float]:
    """Move the mouse over a chart; return milliseconds of script, layout and paint after each move."""
    box = page.locator("scalar-card .u-over").first.bounding_box()
    assert box is not None
    session = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    completions: list[object] = []
    session.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    session.on("Tracing.tracingComplete", lambda part: completions.append(part))
    categories = {"includedCategories": ["devtools.timeline"]}
    session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": categories})
    for move in range(moves):
        x = box["x"] + 10 + (box["width"] - 20) * move / moves
        page.mouse.move(x, box["y"] + box["height"] * (0.2 + 0.6 * (move % 37) / 37))
        page.wait_for_timeout(20)
    session.send("Tracing.end")
    while not completions:
        page.wait_for_timeout(20)
    return work_after_moves(events)


def work_after_moves(events: list[dict[str, Any]]) -> list[float]:
    """Return the milliseconds of main-thread work between each mousemove and the next, without nested work."""
    moves = [e for e in events if e["name"] == "EventDispatch" and e["args"]["data"]["type"] == "mousemove"]
    thread = moves[0]["pid"], moves[0]["tid"]
    busy = sorted(
        (e["ts"], e["ts"] + e["dur"])
        for e in events
        if e["name"] in WORK and e.get("ph") == "X" and (e["pid"], e["tid"]) == thread
    )
    starts = sorted(e["ts"] for e in moves)
    spent = [0.0] * len(starts)
    end, current = 0.0, -1
    for begin, finish in busy:
        while current + 1 < len(starts) and starts[current + 1] <= begin:
            current += 1
        if current >= 0 and finish > end:
            spent[current] += (finish - max(begin, end)) / 1000
        end = max(end, finish)
    return spent
