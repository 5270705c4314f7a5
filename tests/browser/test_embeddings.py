"""The page of embeddings: points drawn with WebGL, their neighbours, a lasso, a search, steps and files."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from support.pages import OF_GRAPHICS, Pages, StartServer

from toposcope.recorder import SummaryWriter

# Three on a line, far from the others, so that components and neighbours are known.
VECTORS = np.array([[0, 0, 0], [1, 0, 0], [3, 0, 0], [20, 4, 0], [21, 0, 1]], np.float32)
METADATA = [["<b>a</b>", "x", 0.5], ["b", "x", 1.5], ["c", "y", 2.5], ["d", "y", 3.5], ["e", "x", 4.5]]


@pytest.fixture
def url(server: StartServer, pages: Pages, tmp_path: Path) -> str:
    """Return the URL of the page of a run with an embedding at two steps."""
    pages.allowed = OF_GRAPHICS
    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_scalar("loss", 1.0, 1)
        for step in (10, 20):
            images = np.linspace(0, 1, 5).reshape(5, 1, 1, 1) * np.ones((5, 1, 4, 4))
            writer.add_embedding(VECTORS * step, METADATA, images, step, "layer", ["name", "group", "size"])
    return server(tmp_path).url + "#page=embeddings"


def place_of(page: Page, label: str) -> tuple[float, float]:
    """Return where the point is that has a label."""
    box = page.locator(".emb-labels span", has_text=label).evaluate(
        """(span) => {
            const { left, top } = span.parentElement.getBoundingClientRect();
            const [x, y] = span.style.translate.split(" ").map(parseFloat);
            return [left + x, top + y];
        }"""
    )
    return box[0], box[1]


def test_a_click_on_a_point_lists_its_neighbours(url: str, page: Page) -> None:
    """Their distances are those of the original space; a label is text, whatever it contains."""
    page.goto(url + "&emb.row=0&emb.metric=euclidean&emb.step=10")
    point = page.locator('[data-part="point"]')
    expect(point).to_have_attribute("data-row", "0")
    expect(point.locator(".emb-neighbours button").nth(0)).to_contain_text("b")
    expect(point.locator(".emb-neighbours button .meta")).to_have_text(["10", "30", "204", "210.2"])
    expect(point.locator("dd")).to_have_text(["<b>a</b>", "x", "0.5"])
    x, y = place_of(page, "<b>a</b>")

    page.locator('[data-key="emb-forget"]').click()
    expect(point).to_have_count(0)
    page.mouse.move(x, y)
    expect(page.locator(".emb-tip dd").nth(0)).to_have_text("<b>a</b>")
    expect(page.locator(".emb-tip .emb-thumbnail")).to_be_visible()
    page.mouse.click(x, y)

    expect(point).to_have_attribute("data-row", "0")
    point.locator(".emb-neighbours button", has_text="d").click()
    expect(point).to_have_attribute("data-row", "3")


def test_points_in_a_lasso_are_saved_with_their_metadata(url: str, page: Page) -> None:
    page.goto(url + "&emb.row=3")
    x, y = place_of(page, "d")
    page.locator('[data-key="emb-forget"]').click()

    page.locator('[data-key="emb-lasso"]').click()
    page.mouse.move(x - 15, y - 15)
    page.mouse.down()
    for corner in ((x + 15, y - 15), (x + 15, y + 15), (x - 15, y + 15)):
        page.mouse.move(*corner)
    page.mouse.up()

    expect(page.locator(".emb-selection p")).to_have_text("1 point selected")
    with page.expect_download() as download:
        page.locator('[data-key="emb-csv"]').click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[0] == "row,name,group,size,dimension 0,dimension 1,dimension 2"
    assert lines[1].startswith("3,d,y,3.5,400.0")
    page.locator('[data-key="emb-clear"]').click()
    expect(page.locator(".emb-selection")).to_have_count(0)


def test_metadata_colour_and_find_points(url: str, page: Page) -> None:
    """A category of the legend selects its points."""
    page.goto(url)
    legend = page.locator('[data-part="legend"]')
    page.locator('[data-select="emb-colour"]').select_option("group")
    expect(legend.locator("button")).to_have_text(["x 3", "y 2"], use_inner_text=True)
    legend.locator("button").nth(1).click()
    expect(page.locator(".emb-selection p")).to_have_text("2 points selected")
    expect(page.locator(".emb-labels span")).to_have_text(["c", "d"])
    page.locator('[data-key="emb-clear"]').click()

    page.locator('[data-select="emb-colour"]').select_option("size")
    expect(legend.locator(".emb-range span")).to_have_text(["0.5", "4.5"])
    page.locator("#tag-filter").fill("<B>A")
    expect(page.locator(".emb-selection p")).to_have_text("1 point found")
    expect(page.locator(".emb-labels span")).to_have_text(["<b>a</b>"])


def test_steps_and_dimensions_are_in_the_address(url: str, page: Page) -> None:
    page.goto(url)
    expect(page.locator('[data-key="emb-step"]')).to_have_attribute("data-step", "20")
    expect(page.locator(".emb-explained dd")).to_have_count(2)

    page.keyboard.press("[")
    expect(page.locator('[data-key="emb-step"]')).to_have_attribute("data-step", "10")
    page.keyboard.press("v")
    expect(page.locator(".emb-explained dd")).to_have_count(3)
    assert "emb.step=10" in page.url
    assert "emb.dims=3" in page.url
    page.reload()
    expect(page.locator('[data-key="emb-step"]')).to_have_attribute("data-step", "10")
    expect(page.locator(".emb-explained dd")).to_have_count(3)


def test_the_points_are_drawn_again_after_another_page(url: str, page: Page) -> None:
    page.goto(url)
    expect(page.locator("embedding-scatter[data-drawn-points='5']")).to_have_count(1)
    page.locator('.pages [data-page="scalars"]').click()
    expect(page.locator("scalar-card")).to_have_count(1)

    page.go_back()

    expect(page.locator("embedding-scatter[data-drawn-points='5']")).to_have_count(1)
    expect(page.locator('[data-note="not_drawn"]')).to_have_count(0)


def test_a_new_step_is_shown_when_it_is_recorded(url: str, page: Page, tmp_path: Path) -> None:
    page.goto(url)
    expect(page.locator('[data-key="emb-step"]')).to_have_attribute("data-step", "20")

    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_embedding(VECTORS, None, None, 30, "layer")

    expect(page.locator('[data-key="emb-step"]')).to_have_attribute("data-step", "30")
    expect(page.locator('[data-part="facts"]')).to_contain_text("5 points · 3 dimensions")


def test_what_cannot_be_read_is_said(url: str, pages: Pages, tmp_path: Path) -> None:
    (tmp_path / "run/00020/layer/tensors.tsv").write_text("1\t2\nx\t3\n")
    pages.allowed = f"410|{OF_GRAPHICS}"
    page = pages.open()
    page.goto(url)

    expect(page.locator('[data-note="failed"]')).to_contain_text("'tensors.tsv' is malformed")
    (tmp_path / "run/00020/layer/tensors.tsv").write_text("1\t2\nnan\t3\n4\t5\n")
    page.locator('[data-note="failed"] button').click()
    expect(page.locator('[data-part="facts"]')).to_contain_text("1 point with a NaN or an infinity is left out.")
    expect(page.locator('[data-part="facts"]')).to_contain_text("'metadata.tsv' has 5 rows for 3 vectors")


def test_the_page_is_greyed_without_embeddings_and_in_chinese(
    server: StartServer, pages: Pages, tmp_path: Path
) -> None:
    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_scalar("loss", 1.0, 1)
    page = pages.open(lang="zh-CN")
    page.goto(server(tmp_path).url)
    expect(page.locator("scalar-card")).to_have_count(1)
    expect(page.get_by_role("link", name="嵌入")).to_have_count(0)

    page.keyboard.press("g")
    page.keyboard.press("e")
    expect(page.locator('.empty[data-state="no_plugin"]')).to_contain_text("这些运行还没有嵌入。")


def test_a_phone_shows_the_points_above_what_is_known_of_them(url: str, pages: Pages) -> None:
    page = pages.open(390, 844, touch=True)
    page.goto(url + "&emb.row=1")

    expect(page.locator(".emb-neighbours button")).to_have_count(3)
    points, aside = page.locator(".emb-scatter").bounding_box(), page.locator(".emb-side").bounding_box()
    assert points
    assert aside
    assert points["y"] + points["height"] <= aside["y"]
    assert points["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
