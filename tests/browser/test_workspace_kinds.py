"""Every kind of panel in a real browser: added, drawn, saved, reopened, and contained in a snapshot."""

import shutil
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import numpy as np
import pytest
from playwright.sync_api import Page, Position, expect
from support.event_files import GOLDEN, write_run
from support.pages import OF_GRAPHICS, Pages, StartServer
from support.snapshots import download
from support.workspaces import document_of, panel, show, workspace

from toposcope.proto import framing, summary_pb2
from toposcope.recorder import SummaryRecord, SummaryWriter

VERTICES = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


class Kind(NamedTuple):
    """The settings of a panel, and what it contains once it is drawn."""

    settings: dict[str, Any]
    drawn: str


KINDS = {
    "lines": Kind({"tags": ["loss"]}, 'lines-panel[data-drawn-lines="1"]'),
    "bars": Kind({"metric": "best:loss"}, "li[data-run]"),
    "scatter": Kind({"x": "best:loss", "y": "last:loss"}, "run-scatter[data-drawn-points]"),
    "parallel": Kind({"columns": ["best:loss", "last:loss"]}, "axes-strip[data-drawn-runs]"),
    "number": Kind({"metric": "best:loss"}, "number-panel[data-value]"),
    "histograms": Kind({"tag": "weights"}, "histogram-plot canvas"),
    "pr_curves": Kind({"tag": "curve"}, "tr[data-run]"),
    "images": Kind({"tag": "picture"}, "image-card canvas, image-card img"),
    "audio": Kind({"tag": "tone"}, "audio"),
    "text": Kind({"tag": "words/text_summary"}, ".text-body"),
    "meshes": Kind({"tag": "shape"}, "mesh-pane canvas"),
    "tensors": Kind({"tensor.tag": "matrix"}, "tensor-table canvas"),
    "embeddings": Kind({}, 'embedding-scatter[data-drawn-points="5"]'),
    "landscape": Kind({}, "landscape-pane .land-map svg"),
    "graph": Kind({}, 'graph-view[data-drawn="true"]'),
    "runs": Kind({}, ".run-line"),
    "importance": Kind({}, ".distribution"),
    "console": Kind({}, "[data-line]"),
    "alerts": Kind({}, "[data-alert]"),
    "markdown": Kind({"text": "**Notes**"}, "strong"),
}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, shared_server: StartServer) -> str:
    """Return the URL of a server of runs that have, together, data for every kind."""
    logdir = tmp_path_factory.mktemp("runs")
    with SummaryWriter(str(logdir / "made")) as writer:
        for step in (1, 2):
            writer.add_scalar("loss", 1 / step, step)
            writer.add_histogram("weights", np.arange(100) * step, step)
            writer.add_pr_curve("curve", np.array([0, 1, 1, 0]), np.array([0.1, 0.9, 0.4, 0.3]), step)
            writer.add_image("picture", np.full((3, 8, 8), 60 * step, np.uint8), step)
            writer.add_audio("tone", np.sin(np.arange(4000) / 9), step, sample_rate=8000)
            writer.add_text("words", "some *words*", step)
            writer.add_mesh("shape", VERTICES[None], faces=FACES[None], global_step=step)
            writer.add_tensor("matrix", np.arange(12.0).reshape(3, 4), step)
        writer.add_embedding(np.random.default_rng(0).random((5, 3)), list("abcde"), tag="layer")
    with SummaryRecord(str(logdir / "alerted")) as record:
        record.alert("Slow", "first line", "error", step=3)
    event = summary_pb2.Event(wall_time=1.0, step=1)
    event.console.lines.add(wall_time=1.0, text="hello")
    write_run(logdir / "printed", [framing.frame(event.SerializeToString())])
    shutil.copytree(GOLDEN / "mindspore" / "digits_momentum", logdir / "trained")
    return shared_server(logdir).url


def drawn(page: Page, kind: str) -> None:
    """Wait until a panel is drawn."""
    frame = page.locator(f'.panel[data-kind="{kind}"]')
    frame.scroll_into_view_if_needed()
    expect(frame.locator(KINDS[kind].drawn).first).to_be_visible()


def test_the_menu_offers_every_kind(url: str, page: Page) -> None:
    page.goto(f"{url}#page=workspace")
    page.locator('[data-key="start-add"]').click()
    kinds = page.locator("#add-panel [data-kind]").evaluate_all("(rows) => rows.map((row) => row.dataset.kind)")
    assert set(kinds) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_panel_of_each_kind_is_added_and_drawn(kind: str, url: str, pages: Pages) -> None:
    """Added from the menu, it opens its form; with its settings it is drawn."""
    pages.allowed = OF_GRAPHICS
    page = pages.open()
    page.goto(f"{url}#page=workspace")
    page.locator('[data-key="start-add"]').click()
    page.locator(f'#add-panel [data-kind="{kind}"]').click()
    expect(page.locator(".ws-editor .ws-own")).to_be_visible()
    assert [each["kind"] for each in document_of(page)["sections"][0]["panels"]] == [kind]

    page.goto("about:blank")
    show(page, url, workspace(panel(kind, (0, 0, 12, 6), **KINDS[kind].settings)))
    drawn(page, kind)


@pytest.mark.parametrize(
    ("kind", "plot", "above_middle"), [("scatter", "run-scatter", 0), ("parallel", "run-lines", 11)]
)
def test_a_click_on_a_plot_opens_the_run_under_the_cursor(
    kind: str, plot: str, above_middle: int, url: str, page: Page
) -> None:
    """Its values are beside the cursor."""
    show(page, url, workspace(panel(kind, (0, 0, 12, 6), **KINDS[kind].settings)))
    drawn(page, kind)
    box = page.locator(plot).bounding_box()
    assert box is not None
    at: Position = {"x": box["width"] / 2, "y": box["height"] / 2 - above_middle}
    page.locator(plot).hover(position=at)
    expect(page.locator(f"{kind}-panel .plot-tip")).to_have_text("made\nloss 0.5\nloss 0.5", use_inner_text=True)
    page.locator(plot).click(position=at)
    expect(page.locator("#panel h2")).to_have_text("made")


def test_a_panel_of_alerts_is_titled_once(url: str, page: Page) -> None:
    """By its frame: the list has the title of the bell's sheet elsewhere."""
    show(page, url, workspace(panel("alerts", (0, 0, 12, 6))))
    drawn(page, "alerts")
    expect(page.locator('.panel[data-kind="alerts"]').get_by_text("Alerts", exact=True)).to_have_count(1)


def of_every_kind() -> dict[str, Any]:
    """Return a workspace with a panel of each kind, one below the other."""
    return workspace(
        *(panel(name, (0, 6 * at, 12, 6), **kind.settings) for at, (name, kind) in enumerate(KINDS.items()))
    )


def test_all_kinds_are_saved_and_reopened_together(url: str, pages: Pages) -> None:
    """What is chosen in a panel is kept in it: saved under a name, and not on the page of the kind."""
    pages.allowed = OF_GRAPHICS
    first = pages.open()
    show(first, url, of_every_kind())
    for kind in KINDS:
        drawn(first, kind)
    graph = first.locator('.panel[data-kind="graph"]')
    graph.scroll_into_view_if_needed()
    graph.locator('[data-choice="direction"] button').last.click()
    settings = {each["kind"]: each["settings"] for each in document_of(first)["sections"][0]["panels"]}
    assert settings["graph"] == {"graph.dir": "right"}
    assert "graph.dir" not in parse_qs(first.evaluate("location.hash.slice(1)"))
    first.locator('[data-key="views"]').click()
    first.locator(".views-save input").fill("everything")
    first.keyboard.press("Enter")
    expect(first.locator('[data-view="everything"]')).to_have_attribute("aria-current", "true")

    second = pages.open()
    second.goto(f"{url}#view=everything")
    expect(second.locator(".panel")).to_have_count(len(KINDS))
    for kind in KINDS:
        drawn(second, kind)
    assert document_of(second) == document_of(first)


def test_a_snapshot_contains_every_kind(url: str, pages: Pages, tmp_path: Path) -> None:
    pages.allowed = OF_GRAPHICS
    page = pages.open()
    show(page, url, of_every_kind())
    path = download(page, tmp_path)
    page.context.close()
    opened = pages.open()
    opened.goto(path.as_uri())
    for kind in KINDS:
        drawn(opened, kind)
