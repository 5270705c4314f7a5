"""Landscapes, graphs and lineage metrics of several runs side by side, and their tiles on the page of a run."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from support.event_files import GOLDEN
from support.pages import Pages, StartServer

from toposcope.proto import framing
from toposcope.proto.tensorboard_pb2 import Event, GraphDef
from toposcope.recorder import SummaryRecord
from toposcope.recorder.messages.lineage import eval_lineage

HOSTILE = "<img src=x onerror=alert(1)>"
NONE = "\N{EN DASH}"
MINDSPORE = GOLDEN / "mindspore/digits_momentum"
PLACE_IN_THE_ROW = """figure => {
    const [own, row] = [figure, figure.parentElement].map((one) => one.getBoundingClientRect());
    return [own.left - row.left, own.top - row.top, own.width];
}"""


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return two runs of MindSpore, and runs with hostile names of a metric and an operation."""
    logdir = tmp_path_factory.mktemp("kinds")
    for name in ("a", "b"):
        shutil.copytree(MINDSPORE, logdir / name)
    with SummaryRecord(str(logdir / "b")) as record:
        record.add_value("eval_lineage", "eval", eval_lineage({"accuracy": 0.9}))
        record.record(1)
    with SummaryRecord(str(logdir / HOSTILE)) as record:
        record.add_value("eval_lineage", "eval", eval_lineage({HOSTILE: 0.5}))
        record.record(1)
    graph = GraphDef()
    graph.node.add(name=b"x", op=b"Placeholder")
    graph.node.add(name=b"net/y", op=HOSTILE.encode(), input=[b"x"])
    events = [
        Event(wall_time=1.0, file_version="brain.Event:2"),
        Event(wall_time=2.0, graph_def=graph.SerializeToString()),
    ]
    (logdir / "c").mkdir()
    path = logdir / "c/events.out.tfevents.1.host"
    path.write_bytes(b"".join(framing.frame(event.SerializeToString()) for event in events))
    return logdir


@pytest.fixture(scope="module")
def url(shared_server: StartServer, logdir: Path) -> str:
    """Return the URL of a server on the logdir."""
    return shared_server(logdir).url


def test_tiles_of_a_run(url: str, pages: Pages) -> None:
    """Tiles of graph, pipeline, lineage and landscapes are drawn from the data, and link to their pages."""
    sees = json.loads((MINDSPORE / "mindinsight_sees.json").read_text())["digits_momentum"]
    page = pages.open()
    page.goto(f"{url}#page=overview&over.run=a")

    page.locator('[data-tile="graph"]').scroll_into_view_if_needed()
    numbers = page.locator('[data-tile="graph"] .tile-graph')
    expect(numbers).to_have_attribute("data-nodes", "150")
    expect(numbers).to_have_attribute("data-source", "mindspore")
    page.locator('[data-tile="dataset_graph"]').scroll_into_view_if_needed()
    stages = page.locator('[data-tile="dataset_graph"] .tile-stages')
    expect(stages).to_have_text("GeneratorDataset → Map → Map → Batch")
    page.locator('[data-tile="lineage"]').scroll_into_view_if_needed()
    lineage = page.locator('[data-tile="lineage"]')
    accuracy = sees["lineage"]["metric"]["accuracy"]
    expect(lineage.locator('[data-fact="accuracy"] dd')).to_have_attribute("title", str(accuracy))
    expect(lineage.locator('[data-fact="optimizer"] dd')).to_have_text("Momentum")
    page.locator('[data-tile="landscape"]').scroll_into_view_if_needed()
    pictures = page.locator('[data-tile="landscape"] .landscape-picture')
    expect(pictures).to_have_count(2)
    expect(pictures.locator(".course[data-points]")).to_have_attribute("data-points", "4")

    for tile, shown in (
        ("graph", 'body[data-page="graph"]'),
        ("dataset_graph", '[data-stage="0"]'),
        ("lineage", 'body[data-page="lineage"]'),
        ("landscape", 'body[data-page="landscape"]'),
    ):
        page.locator(f'[data-key="open-{tile}"]').click()
        expect(page.locator(shown)).to_be_visible()
        expect(page.locator('.run[data-shown="true"]')).to_have_count(1)
        page.go_back()
        expect(page.locator(".run-page")).to_be_visible()


def test_landscapes_on_one_scale(url: str, pages: Pages) -> None:
    """The landscapes of a tag share one scale from the lowest to the highest loss; the URL contains the tag."""
    expected = json.loads((MINDSPORE / "expected.json").read_text())["landscape"]
    page = pages.open()
    page.goto(url + "#page=compare")
    section = page.locator('[data-section="landscape"]')
    section.scroll_into_view_if_needed()
    expect(section.locator("figure .landscape-picture")).to_have_count(2)
    expect(section.locator(".meta").first).to_have_text("Missing in 2 runs")
    for tag in ("landscape_[1, 4]", "landscape_[4]"):
        section.locator("select").select_option(tag)
        expect(section.locator(f'.landscape-picture[data-tag="{tag}"]')).to_have_count(2)
        losses = np.array(expected[tag]["z"])
        scale = section.locator(".landscape-scale")
        low, high = (scale.get_attribute(f"data-{end}") or "" for end in ("lowest", "highest"))
        assert (float(low), float(high)) == pytest.approx((losses.min(), losses.max()), rel=0.01)

    other = pages.open()
    other.goto(page.url)
    expect(other.locator('[data-section="landscape"]')).to_have_attribute("data-section-tag", "landscape_[4]")
    other.locator('[data-section="landscape"] figure[data-run="b"] button').click()
    expect(other.locator('body[data-page="landscape"]')).to_be_visible()
    expect(other).to_have_url(re.compile("land.run=b"))


def test_landscape_fetched_late(url: str, page: Page) -> None:
    """A landscape has its place before it is fetched: a click on another one never opens it."""
    held = []
    page.route(re.compile(r"/api/landscapes\?.*run=a(&|$)"), lambda route: held.append(route))
    page.goto(url + "#page=compare")
    section = page.locator('[data-section="landscape"]')
    section.scroll_into_view_if_needed()
    expect(section.locator('figure[data-run="b"] .landscape-picture')).to_be_visible()
    expect(section.locator('figure[data-run="a"] [data-state="waiting"]')).to_be_visible()
    assert held
    figure = section.locator('figure[data-run="b"]')
    place = figure.evaluate(PLACE_IN_THE_ROW)
    button = figure.locator("button").element_handle()

    for route in held:
        route.continue_()
    expect(section.locator('figure[data-run="a"] .landscape-picture')).to_be_visible()
    assert figure.evaluate(PLACE_IN_THE_ROW) == pytest.approx(place, abs=1)
    button.click()
    expect(page.locator('body[data-page="landscape"]')).to_be_visible()
    expect(page).to_have_url(re.compile("land.run=b"))


def test_graphs_and_metrics(server: StartServer, page: Page, logdir: Path) -> None:
    """Graphs are compared by numbers and operations; the difference table contains the lineage's metrics."""
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(server(logdir, "--path-prefix", "/a/b").url + "#page=compare&lang=en")

    def expect_row(name: str, *values: str) -> None:
        row = page.locator("[data-difference] tr").filter(has=page.get_by_role("rowheader", name=name, exact=True))
        expect(row.locator("td")).to_have_text(list(values))

    expect(page.locator(".compared-run")).to_have_count(4)
    expect(page.locator(".live")).to_have_attribute("data-state", "live")
    runs = [chip.get_attribute("data-run") or "" for chip in page.locator(".compared-run").all()]
    page.locator('[data-section="graph"]').scroll_into_view_if_needed()
    graphs = [run for run in runs if run != HOSTILE]
    expect(page.locator('[data-section="graph"] table').first.locator("thead th")).to_have_text(graphs)
    expect_row("Nodes", *({"c": "2"}.get(run, "150") for run in graphs))
    page.locator('[data-section="graph"]').get_by_role("rowheader", name=HOSTILE).scroll_into_view_if_needed()
    expect(page.locator('[data-section="graph"]').get_by_role("rowheader", name=HOSTILE)).to_be_visible()
    metrics = {"a": "0.84722", "b": "0.9"}
    expect_row("accuracy", *(metrics.get(run, NONE) for run in runs))
    expect(page.locator('[data-section="differences"]').get_by_role("rowheader", name=HOSTILE)).to_be_visible()
    assert page.locator('img[src="x"]').count() == 0
