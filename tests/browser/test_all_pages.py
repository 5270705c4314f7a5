"""Every page in a real browser: accessible, escaped, narrow, under a prefix, with the same runs."""

import json
from pathlib import Path
from urllib.parse import quote, urlencode

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from support.accessibility import faults
from support.page_list import PAGES, USUAL
from support.pages import OF_GRAPHICS, Pages, StartServer

from toposcope.proto import framing, lineage_pb2
from toposcope.recorder import Node, SummaryRecord, SummaryWriter, graph, landscape

HOSTILE = "<img src=x onerror=alert(1)>"
PLAIN = "sweep/a-run-whose-name-is-rather-long_lr0.01_batch256_seed0"
SIDEWAYS = """['html', '#page'].map(name => document.querySelector(name))
    .map(box => box.scrollWidth - box.clientWidth).join()"""
PANEL_SETTINGS = {
    "lines": {"tags": [HOSTILE], "expressions": [], "legend": "on", "title": HOSTILE},
    "bars": {"metric": f"last:{HOSTILE}"},
    "number": {"metric": f"last:{HOSTILE}"},
    "scatter": {"x": f"last:{HOSTILE}", "y": "last:train/loss"},
    "parallel": {"columns": [f"last:{HOSTILE}", "last:train/loss"]},
    "histograms": {"tag": HOSTILE},
    "images": {"tag": HOSTILE},
    "text": {"tag": HOSTILE},
    "markdown": {"text": f"# {HOSTILE}"},
}
PANELS = json.dumps(
    {
        "version": 1,
        "settings": {},
        "sections": [
            {
                "name": HOSTILE,
                "collapsed": False,
                "settings": {},
                "panels": [
                    {"kind": kind, "x": at % 3 * 4, "y": at // 3 * 3, "w": 4, "h": 3, "settings": settings}
                    for at, (kind, settings) in enumerate(PANEL_SETTINGS.items())
                ],
            }
        ],
    }
)
# Every view: its URL parameters, and a selector that matches once it is drawn.
VIEWS = {
    "overview": ({"page": "overview"}, ":is(.run-line, .run-card) .sparkline"),
    "run": ({"page": "overview", "over.run": HOSTILE}, ".tile .bars"),
    "bad run": ({"page": "overview", "over.run": PLAIN}, ".bad-news ~ .damage"),
    "compared run": ({"page": "overview", "over.run": HOSTILE, "app.baseline": PLAIN}, ".facts [data-differs]"),
    "scalars": ({}, "scalar-card[data-drawn-points]"),
    "chart": ({"open": HOSTILE}, "scalar-card[data-drawn-points]"),
    "workspace": ({"page": "workspace"}, ".ws-start, lines-panel[data-drawn-lines]"),
    "panels": ({"page": "workspace", "ws.doc": PANELS}, "lines-panel[data-drawn-lines]"),
    "histograms": ({"page": "histograms"}, "histogram-plot[data-drawn-mode]"),
    "pr_curves": ({"page": "pr_curves"}, "curve-chart[data-curves]"),
    "audio": ({"page": "audio"}, "audio-card audio"),
    "images": ({"page": "images"}, "image-card .cell img"),
    "image": ({"page": "images", "open": HOSTILE}, ".film img"),
    "tensors": ({"page": "tensors"}, ".tensor-row .spark"),
    "tensor": ({"page": "tensors", "tensor.tag": HOSTILE}, 'tensor-table[data-accessible="true"]'),
    "text": ({"page": "text"}, "text-card .markdown"),
    "graph": ({"page": "graph"}, 'graph-view[data-drawn="true"]'),
    "node": ({"page": "graph", "graph.open": "a", "graph.node": "a/dense"}, 'graph-view[data-drawn="true"]'),
    "dataset": ({"page": "graph", "graph.kind": "dataset"}, "[data-stage]"),
    "lineage": ({"page": "lineage"}, "axes-strip[data-drawn-runs]"),
    "lineage data": ({"page": "lineage", "lineage.part": "data"}, "run-scatter[data-drawn-points]"),
    "embeddings": ({"page": "embeddings", "emb.row": "1"}, "embedding-scatter[data-drawn-points]"),
    "meshes": ({"page": "meshes"}, "mesh-pane[data-drawn-vertices]"),
    "landscape": ({"page": "landscape"}, "path.contour"),
    "compare": ({"page": "compare"}, ".compare scalar-card[data-drawn-points]"),
}

assert set(PAGES) <= set(VIEWS)
TITLES = {"pr_curves": "PR curves"}


def record_run(folder: Path, tag: str) -> None:
    """Record every kind of data under one tag, and a loss that ends as NaN."""
    with SummaryRecord(str(folder)) as record:
        nodes = [Node("x", "Parameter"), Node("a/dense", "Dense", ["x"]), Node("y", "Add", ["a/dense"])]
        record.add_value("graph", tag, graph(nodes))
        axis = np.linspace(-1, 1, 5)
        record.add_value("landscape", tag, landscape(axis, axis, np.add.outer(axis**2, axis**2), unit="step"))
        for step in range(5):
            record.add_value("scalar", tag, 1 / (step + 1))
            record.add_value("scalar", "train/loss", float("nan") if step == 3 else 1.0)
            record.add_value("histogram", tag, np.arange(20, dtype=np.float32) * step)
            record.add_value("image", tag, np.full((1, 3, 8, 8), step * 40, dtype=np.float32))
            record.add_value("tensor", tag, np.ones((4, 3), dtype=np.float32) * step)
            record.add_value("text", tag, f"# {HOSTILE}\n\n{HOSTILE} [link](javascript:alert(1)) `{step}`")
            record.record(step)
    with SummaryWriter(str(folder)) as writer:
        writer.add_audio(tag, np.sin(np.arange(8000) / 9), 1, sample_rate=8000)
        writer.add_pr_curve(tag, np.array([0, 1, 1, 0]), np.array([0.1, 0.9, 0.2, 0.4]), 1, num_thresholds=11)
        writer.add_embedding(np.eye(4), [HOSTILE] * 4, None, 1, tag)
        writer.add_mesh(tag, np.eye(3)[None], global_step=1)
    event = lineage_pb2.LineageEvent(wall_time=1.0)
    event.train_lineage.hyper_parameters.optimizer = tag
    event.train_lineage.algorithm.loss = 0.5
    pipeline = lineage_pb2.LineageEvent(wall_time=1.0)
    pipeline.dataset_graph.parameter.mapStr["op_type"] = tag
    version = lineage_pb2.LineageEvent(wall_time=1.0, version="MindSpore.Event:1")
    records = [framing.frame(each.SerializeToString()) for each in (version, event, pipeline)]
    (folder / "events.out.events.summary.1.0.host_MS_lineage").write_bytes(b"".join(records))


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a logdir with a run with hostile names, a damaged run and an empty run."""
    logdir = tmp_path_factory.mktemp("logdir")
    record_run(logdir / HOSTILE, HOSTILE)
    record_run(logdir / PLAIN, "layer/weight")
    (damaged,) = (logdir / PLAIN).glob("*_MS")
    content = bytearray(damaged.read_bytes())
    content[-6] ^= 1
    damaged.write_bytes(content)
    return logdir


@pytest.fixture(scope="module")
def url(shared_server: StartServer, logdir: Path) -> str:
    """Return the URL of a server on the logdir, under a prefix."""
    return shared_server(logdir, "--path-prefix", "/a/b").url


def show(page: Page, url: str, view: str, **more: str) -> None:
    """Open a view and wait until it is drawn; without transitions, so that colours can be measured."""
    page.emulate_media(reduced_motion="reduce")
    parameters, drawn = VIEWS[view]
    page.goto(f"{url}#{urlencode({**parameters, **more}, quote_via=quote)}")
    expect(page.locator(drawn).first).to_be_visible()


@pytest.mark.parametrize("view", VIEWS)
def test_accessible_narrow_and_escaped(url: str, pages: Pages, page: Page, view: str) -> None:
    """No fault, wide and light, narrow and dark; nothing scrolls sideways; no name becomes an element."""
    pages.allowed = OF_GRAPHICS
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    show(page, url, view, theme="light")
    assert faults(page) == []
    expect(page.locator('img[src="x"]')).to_have_count(0)

    page.set_viewport_size({"width": 400, "height": 800})
    show(page, url, view, theme="dark", lang="zh")
    assert faults(page) == []
    assert page.evaluate(SIDEWAYS) == "0,0"
    expect(page.locator(".pages [aria-current]")).to_be_in_viewport(ratio=1)


def test_what_opens_is_accessible(url: str, page: Page) -> None:
    """Open menus, panels, popovers and fields have no fault."""
    show(page, url, "scalars")
    card = page.locator("scalar-card").first
    for opener in (
        card.locator('[data-key="menu"]'),
        page.locator('[data-key="options"]'),
        page.locator(".group-button"),
        page.locator(".keys-switch"),
    ):
        card.hover()
        opener.click()
        assert faults(page) == []
        page.keyboard.press("Escape")
    page.locator('[data-key="views"]').click()
    page.locator(".views-save input").fill("accessible")
    page.keyboard.press("Enter")
    page.locator('[data-view="accessible"] [data-key="delete"]').click()
    assert faults(page) == []
    page.locator('[data-key="sure"]').click()
    page.locator('[data-key="snapshot"]').click()
    expect(page.locator('[data-dialog="snapshot"]')).to_be_visible()
    assert faults(page) == []
    page.keyboard.press("Escape")
    page.locator(".run").first.hover()
    page.locator('.run [data-key="details"]').first.click()
    expect(page.locator("#panel .notes-form")).to_be_visible()
    assert faults(page) == []
    show(page, url, "overview", theme="dark")
    page.locator('[data-key="filter-row"]').click()
    page.locator('[data-key="columns"]').click()
    assert faults(page) == []


def test_pages_keep_the_drawn_runs_and_back_returns(url: str, page: Page, pages: Pages) -> None:
    """The visible runs stay the same from page to page, and Back returns through the pages."""
    pages.allowed = OF_GRAPHICS
    show(page, url, "overview", show=PLAIN)
    shown = page.locator('.run[data-shown="true"]')
    for name in PAGES[1:]:
        page.locator(f'.pages [data-page="{name}"]').click()
        expect(page.locator(f'body[data-page="{name}"] {VIEWS[name][1]}').first).to_be_visible()
        expect(shown).to_have_count(1)
        expect(shown).to_have_attribute("data-run", PLAIN)
        expect(page).to_have_title(f"{TITLES.get(name, name.capitalize())} · Toposcope")
    for name in reversed(PAGES[:-1]):
        page.go_back()
        expect(page.locator(f'body[data-page="{name}"] {VIEWS[name][1]}').first).to_be_visible()
        expect(shown).to_have_attribute("data-run", PLAIN)


def test_empty_pages_say_what_there_is(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A page without data of its kind shows what there is instead; settings appear only where they apply."""
    url = server(tmp_path).url
    page.goto(url)
    for name in USUAL:
        page.locator(f'.pages [data-page="{name}"]').click()
        expect(page.locator(f'body[data-page="{name}"] .empty[data-state="no_runs"]')).to_contain_text(str(tmp_path))
        expect(page.locator("#toolbar")).to_be_hidden()
    assert faults(page) == []

    with SummaryRecord(str(tmp_path / "run")) as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(0)

    for name in ("histograms", "images", "tensors", "text"):
        expect(page.locator(f'.pages [data-page="{name}"]')).to_have_attribute("data-empty", "true")
        page.locator(f'.pages [data-page="{name}"]').click()
        expect(page.locator(f'body[data-page="{name}"] .empty[data-state="no_plugin"]')).to_contain_text("1 scalar")
        expect(page.locator("#toolbar")).to_be_hidden()
    for name in ("compare", "overview", "scalars"):
        expect(page.locator(f'.pages [data-page="{name}"]')).to_have_attribute("data-empty", "false")
        page.locator(f'.pages [data-page="{name}"]').click()
        expect(page.locator(f'body[data-page="{name}"] #toolbar')).to_be_visible()
    assert faults(page) == []
