"""Measure what a person at the page waits for: real recorder, real server process, real Chromium.

python benchmarks/page.py    (make bench)

Prints one row a figure: what it is, the goal of the cost contract, the median, and the spread.
"""

import contextlib
import math
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from toposcope.recorder import SummaryRecord

# Notes when each card first shows points, and when series arrive.
WATCH = """
window.drawn = [];
new MutationObserver(changes => {
  for (const {target: {dataset}} of changes) if (+dataset.drawnPoints > 0) drawn.push([dataset.tag, performance.now()]);
}).observe(document, {subtree: true, attributes: true, attributeFilter: ["data-drawn-points"]});
window.arrived = [];
const json = Response.prototype.json;
Response.prototype.json = async function () {
  const content = await json.call(this);
  if (this.url.includes("/scalars")) arrived.push(performance.now());
  return content;
};
"""
WORK = {"EventDispatch", "FireAnimationFrame", "UpdateLayoutTree", "Layout", "PrePaint", "Paint", "Layerize", "Commit"}


def record_runs(logdir: Path, runs: int, tags: int, steps: int) -> None:
    """Record noisy falling curves."""
    for run in range(runs):
        with SummaryRecord(logdir / f"run-{run:02}") as recorder:
            for step in range(steps):
                value = (1 + run / 20) * math.exp(-3 * step / steps) + 0.1 * math.sin(12.9898 * step + run)
                for tag in range(tags):
                    recorder.add_value("scalar", f"train/metric-{tag:03}", value + tag)
                recorder.record(step)


@contextlib.contextmanager
def serve(logdir: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Serve a logdir; yield the process and its URL once all is loaded."""
    command = [sys.executable, "-m", "toposcope.server.cli", "--logdir", str(logdir), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = re.search(r"http://\S+", process.stdout.readline())
    assert found is not None
    yield process, found[0]
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        process.wait()


@contextlib.contextmanager
def open_page(browser: Browser, url: str) -> Iterator[Page]:
    """Open a page of 1440 x 900 in a browser profile of its own, which has nothing cached."""
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
        assert time.monotonic() < end, f"waited in vain for {expression}"
        page.wait_for_timeout(5)


def wait_loaded(page: Page) -> None:
    """Wait until the server has loaded everything."""
    while page.request.get(page.url.split("#")[0] + "api/health").json()["loading"]:
        page.wait_for_timeout(50)


def first_card(browser: Browser, url: str) -> float:
    """Return milliseconds from opening the page to the first card with points, cold browser."""
    with open_page(browser, url) as page:
        wait(page, "drawn.length > 0")
        return float(page.evaluate("drawn[0][1]"))


def first_view(browser: Browser, url: str) -> float:
    """Return milliseconds from the arrival of the first series to the last card in sight drawn."""
    with open_page(browser, url) as page:
        wait(page, "drawn.length > 0")
        page.wait_for_timeout(1500)
        script = """() => {
          const inSight = [...document.querySelectorAll("scalar-card")]
            .filter(card => card.getBoundingClientRect().top < innerHeight).map(card => card.dataset.tag);
          const firsts = inSight.map(tag => Math.min(...drawn.filter(([name]) => name === tag).map(([, at]) => at)));
          return Math.max(...firsts) - arrived[0];
        }"""
        return float(page.evaluate(script))


def zooms(page: Page) -> list[float]:
    """Drag into a chart until raw points are on screen; return milliseconds from each release to its points drawn."""
    card = page.locator("scalar-card").first
    waits: list[float] = []
    while card.get_attribute("data-drawn-points") != card.get_attribute("data-total"):
        box = card.locator(".u-over").bounding_box()
        assert box is not None
        card.evaluate("""card => {
          window.released = window.settled = 0;
          const before = card.dataset.window;
          addEventListener("mouseup", () => { window.released = performance.now(); }, {capture: true, once: true});
          const look = () => {
            const isDrawn = released && card.dataset.pending === "false" && card.dataset.window !== before;
            if (isDrawn) settled = performance.now(); else setTimeout(look, 1);
          };
          look();
        }""")
        page.mouse.move(box["x"] + 0.50 * box["width"], box["y"] + 40)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.53 * box["width"], box["y"] + 50, steps=3)
        page.mouse.up()
        wait(page, "settled > 0")
        waits.append(float(page.evaluate("settled - released")))
    return waits


def cursor(page: Page, moves: int = 400) -> list[float]:
    """Move the mouse over a chart; return milliseconds of script, layout and paint after each move."""
    box = page.locator("scalar-card .u-over").first.bounding_box()
    assert box is not None
    session = page.context.new_cdp_session(page)
    events: list[dict] = []
    ended: list[object] = []
    session.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    session.on("Tracing.tracingComplete", lambda part: ended.append(part))
    categories = {"includedCategories": ["devtools.timeline"]}
    session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": categories})
    for move in range(moves):
        x = box["x"] + 10 + (box["width"] - 20) * move / moves
        page.mouse.move(x, box["y"] + box["height"] * (0.2 + 0.6 * (move % 37) / 37))
        page.wait_for_timeout(20)
    session.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(20)
    return work_after_moves(events)


def work_after_moves(events: list[dict]) -> list[float]:
    """Return the milliseconds of main-thread work between each mousemove and the next, nested work counted once."""
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


def recorded_to_drawn(browser: Browser, logdir: Path, points: int = 30) -> list[float]:
    """Record and flush points one by one; return milliseconds until each is on the page."""
    with SummaryRecord(logdir / "run") as recorder, serve(logdir) as (_, url), open_page(browser, url) as page:
        waits: list[float] = []
        for step in range(points):
            began = time.time()
            recorder.add_value("scalar", "loss", 1 / (1 + step))
            recorder.record(step)
            recorder.flush()
            wait(page, f"document.querySelector('scalar-card')?.dataset.drawnPoints == {step + 1}")
            drawn_at = page.evaluate("performance.timeOrigin + drawn.at(-1)[1]")
            waits.append(float(drawn_at) - 1000 * began)
            page.wait_for_timeout(100 + 37 * (step % 7))
        return waits[5:]


def ctrl_c(browser: Browser, logdir: Path) -> float:
    """Return milliseconds from Ctrl-C to the end of a server that a page listens to."""
    with serve(logdir) as (process, url), open_page(browser, url) as page:
        wait(page, "drawn.length > 0")
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait()
        return 1000 * (time.monotonic() - began)


def idle_share(url: str, process: subprocess.Popen[str], seconds: float = 10.0) -> float:
    """Return the share of a core, in percent, that an idle server takes."""

    def ticks() -> int:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    before = ticks()
    time.sleep(seconds)
    return 100 * (ticks() - before) / 100 / seconds


def report(what: str, goal: str, waits: list[float], unit: str = "ms") -> None:
    """Print one row."""
    ordered = sorted(waits)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    print(
        f"{what:58} goal {goal:14} median {statistics.median(ordered):7.1f}  p95 {p95:7.1f}  "
        f"max {ordered[-1]:7.1f} {unit}  (n={len(ordered)})",
        flush=True,
    )


def main() -> None:
    """Measure everything."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    folder = Path(tempfile.mkdtemp(prefix="toposcope-bench-"))
    record_runs(folder / "million", runs=1, tags=10, steps=100_000)
    record_runs(folder / "fifty", runs=50, tags=2, steps=1000)
    record_runs(folder / "many", runs=4, tags=300, steps=200)
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        with serve(folder / "million") as (process, url):
            with open_page(browser, url) as page:
                wait_loaded(page)
            report("1,000,000 scalars: open to first card", "<= 1000 ms", [first_card(browser, url) for _ in range(9)])
            waits: list[float] = []
            for _ in range(5):
                with open_page(browser, url) as page:
                    wait(page, "drawn.length > 0")
                    waits += zooms(page)
            report("1,000,000 scalars: mouse released to points drawn", "<= 300 ms", waits)
            report("idle server, share of a core", "< 2 %", [idle_share(url, process)], "%")
        report("1,000,000 scalars: Ctrl-C with the page open", "<= 1000 ms", [ctrl_c(browser, folder / "million")])
        with serve(folder / "fifty") as (_, url), open_page(browser, url + "#size=l") as page:
            wait(page, "drawn.length > 0")
            page.wait_for_timeout(2000)
            report("50 runs: script and render a mouse event (p95 counts)", "p95 <= 8 ms", cursor(page))
        with serve(folder / "many") as (_, url):
            report(
                "300 charts: data arrived to first viewport", "<= 300 ms", [first_view(browser, url) for _ in range(5)]
            )
        report("recorded and flushed to drawn", "<= 500 ms", recorded_to_drawn(browser, folder / "live"))
        browser.close()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
