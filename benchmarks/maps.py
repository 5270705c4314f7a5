"""Benchmarks of the pages of graphs, lineage and landscapes: opening scopes, and long tasks."""

import math
import random
import shutil
import sys
from pathlib import Path
from urllib.parse import quote

import numpy as np
import torch
from browsing import longest_tasks, open_page, serve, wait, wait_loaded
from playwright.sync_api import Browser, Page
from report import report
from torch import nn

from toposcope.recorder import SummaryRecord, custom_lineage, eval_lineage, landscape, train_lineage
from toposcope.recorder.frameworks.torch.graph.call_inputs import described
from toposcope.recorder.frameworks.torch.graph.network_graph import graph_of

TESTS = Path(__file__).resolve().parent.parent / "tests"
sys.path.append(str(TESTS))
from support.torch_networks import ResNet  # noqa: E402 - found by the path above

MAX_SCOPES = 25
# Opens scopes through the URL, as a click does; returns milliseconds until the frame that draws them.
OPEN = """address => new Promise(done => {
  const view = document.querySelector("graph-view"), began = performance.now();
  const watch = new MutationObserver(() => {
    if (view.dataset.drawn !== "true") return;
    watch.disconnect();
    requestAnimationFrame(() => done(performance.now() - began));
  });
  watch.observe(view, {attributes: true, attributeFilter: ["data-drawn"]});
  location.hash = address;
})"""


def record_graphs(folder: Path) -> None:
    """Record ResNet-50 and a transformer of 24 layers, as exported by PyTorch, next to MindSpore's golden run."""
    layer = nn.TransformerEncoderLayer(64, 4, 256, batch_first=True)
    networks = {
        "resnet50": (ResNet(), torch.randn(2, 3, 224, 224)),
        "transformer": (nn.TransformerEncoder(layer, 24, enable_nested_tensor=False), torch.randn(2, 32, 64)),
    }
    for name, (network, example) in networks.items():
        with SummaryRecord(folder / name) as recorder:
            recorder.add_value("graph", name, graph_of(network, described((example,), {})))
            recorder.record(0)
    shutil.copytree(TESTS / "golden" / "mindspore" / "digits_momentum", folder / "mindspore")


def scopes(page: Page, run: str, scope: str = "") -> list[str]:
    """Return the scopes of a graph, outer ones first."""
    url = f"{page.url.split('#')[0]}api/graphs/nodes?run={quote(run)}&scope={quote(scope)}&limit=2000"
    inner = [child["name"] for child in page.request.get(url).json()["scope"]["children"] if child["kind"] == "scope"]
    return [*inner, *(deeper for name in inner for deeper in scopes(page, run, name))]


def graphs(browser: Browser, folder: Path) -> None:
    """Measure opening each scope of three graphs, with the scopes around it."""
    record_graphs(folder)
    with serve(folder) as (_, url):
        for run in ("mindspore", "resnet50", "transformer"):
            address = f"page=graph&graph.run={run}"
            with open_page(browser, f"{url}#{address}") as page:
                wait(page, "document.querySelector('graph-view')?.dataset.drawn === 'true'")
                report(
                    f"graph of {run}: page opened to graph drawn", "<= 1000 ms", [page.evaluate("performance.now()")]
                )
                page.wait_for_timeout(1000)
                longest_tasks(page)
                waits, names = [], scopes(page, run)
                for name in names[:: math.ceil(len(names) / MAX_SCOPES)]:
                    parts = name.split("/")
                    path = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
                    open_scopes = quote("\n".join(each for each in path if each in names))
                    waits.append(float(page.evaluate(OPEN, f"{address}&graph.open={open_scopes}")))
                report(f"graph of {run}: scope opened", "<= 300 ms", waits)
                report(f"graph of {run}: tasks over 50 ms meanwhile", "<= 100 ms", longest_tasks(page))


def record_trials(folder: Path, count: int, columns: int) -> None:
    """Record runs with lineage only, with so many custom columns."""
    draw = random.Random(1)
    for number in range(count):
        rate, batch = 10 ** draw.uniform(-4, -0.5), draw.choice([16, 32, 64, 128])
        accuracy = 0.9 - 0.12 * abs(math.log10(rate) + 2) + draw.gauss(0, 0.02)
        values = {f"p{k:02}": draw.random() if k % 3 else draw.choice("abc") for k in range(columns)}
        with SummaryRecord(folder / f"trial{number:04}") as recorder:
            recorder.add_value("train_lineage", "train", train_lineage(learning_rate=rate, batch_size=batch, epoch=10))
            recorder.add_value("eval_lineage", "eval", eval_lineage({"accuracy": accuracy}))
            recorder.add_value("custom_lineage_data", "custom", custom_lineage(values))
            recorder.record(1)


def drag(page: Page, first: tuple[float, float], last: tuple[float, float], moves: int = 60) -> None:
    """Drag the mouse slowly."""
    page.mouse.move(*first)
    page.mouse.down()
    for move in range(1, moves + 1):
        part = move / moves
        page.mouse.move(first[0] + part * (last[0] - first[0]), first[1] + part * (last[1] - first[1]))
        page.wait_for_timeout(16)
    page.mouse.up()


def brush(page: Page) -> None:
    """Brush the second axis from a fifth to four fifths of its length."""
    box = page.locator(".axis .axis-line").nth(1).bounding_box()
    assert box is not None
    x, y, height = box["x"] + 1, box["y"], box["height"]
    drag(page, (x, y + 0.2 * height), (x, y + 0.8 * height))


def turn_wheel(page: Page, over: str, x: int, y: int) -> None:
    """Scroll sixty times with the wheel over an element."""
    page.locator(over).first.hover()
    for _ in range(60):
        page.mouse.wheel(x, y)
        page.wait_for_timeout(16)


def lineage(browser: Browser, folder: Path) -> None:
    """Measure two thousand runs of sixty columns."""
    record_trials(folder, 2000, 57)
    with serve(folder) as (_, url):
        with open_page(browser, url) as page:
            wait_loaded(page)
        with open_page(browser, f"{url}#page=lineage") as page:
            wait(page, "document.querySelector('.lineage')?.dataset.complete === 'true'")
            report("2,000 runs x 60: page opened to all lines", "", [page.evaluate("performance.now()")])
            page.wait_for_timeout(2000)
            report("2,000 runs x 60: tasks over 50 ms, opened", "<= 100 ms", longest_tasks(page))
            brush(page)
            report("2,000 runs x 60: tasks while brushing", "<= 100 ms", longest_tasks(page))
            turn_wheel(page, "lineage-table .run-table", 0, 200)
            report("2,000 runs x 60: tasks while scrolling the table", "none", longest_tasks(page))
            turn_wheel(page, "lineage-table .run-table", 120, 0)
            report("2,000 runs x 60: tasks while scrolling to the right", "none", longest_tasks(page))


def record_landscapes(folder: Path, sizes: tuple[int, ...]) -> None:
    """Record surfaces with so many nodes per axis, each with a path."""
    for nodes in sizes:
        x = np.linspace(-1, 1, nodes)
        z = 0.1 + x[:, None] ** 2 + 2 * x**2 + 0.3 * np.sin(5 * x)[:, None] * np.cos(4 * x)
        path = np.stack([np.linspace(-0.9, 0, 20), np.linspace(0.7, 0, 20), np.linspace(2, 0.2, 20)], axis=1)
        with SummaryRecord(folder / f"nodes{nodes:04}") as recorder:
            recorder.add_value("landscape", "landscape_[1, 20]", landscape(x, x, z, path=path, intervals=range(1, 21)))
            recorder.record(0)


def landscapes(browser: Browser, folder: Path) -> None:
    """Measure landscapes of three sizes as contours and as surfaces; surfaces are drawn in software here."""
    sizes = 40, 256, 1000
    record_landscapes(folder, sizes)
    with serve(folder) as (_, url):
        for nodes in sizes:
            with open_page(browser, f"{url}#page=landscape&land.run=nodes{nodes:04}") as page:
                wait(page, "document.querySelectorAll('path.contour').length > 0")
                report(
                    f"landscape {nodes}x{nodes}: opened to drawn", "<= 1000 ms", [page.evaluate("performance.now()")]
                )
                page.wait_for_timeout(1500)
                report(f"landscape {nodes}x{nodes}: tasks, contours", "<= 100 ms", longest_tasks(page))
                page.locator('[data-choice="land-view"] [data-value="surface"]').click()
                wait(page, "document.querySelector('[data-surface=\"drawn\"]') !== null")
                page.wait_for_timeout(1500)
                report(f"landscape {nodes}x{nodes}: tasks, first surface", "", longest_tasks(page))
