"""The page of meshes: views drawn with WebGL, turned together, at any step, and what cannot be drawn."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from support.pages import OF_GRAPHICS, Pages, StartServer

from toposcope.recorder import SummaryWriter

VERTICES = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
RED = np.tile(np.array([255, 0, 0], np.uint8), (4, 1))


@pytest.fixture
def url(server: StartServer, pages: Pages, tmp_path: Path) -> str:
    """Return the URL of the page of two runs with a mesh at two steps; one has a cloud of two samples too."""
    pages.allowed = OF_GRAPHICS
    for run in ("a", "b"):
        with SummaryWriter(str(tmp_path / run)) as writer:
            for step in (10, 20):
                faces = np.concatenate([FACES, [[0, 1, 99]]]) if (run, step) == ("b", 20) else FACES
                writer.add_mesh("<b>shape</b>", VERTICES[None] * step, RED[None], faces[None], global_step=step)
            if run == "a":
                writer.add_mesh("cloud", np.stack([VERTICES, VERTICES[:, ::-1]]), global_step=10)
    return server(tmp_path).url + "#page=meshes"


def pane(page: Page, run: str, tag: str = "<b>shape</b>") -> Locator:
    """Return the view of a mesh of a run."""
    return page.locator(f'mesh-card[data-tag="{tag}"] .cell[data-run="{run}"] mesh-pane')


COUNT_RED = """(canvas) => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) count += data[at] > 1.5 * data[at + 1] && data[at] > 40;
    done(count);
})))"""


def red_pixels(of: Locator) -> int:
    """Return how many pixels of a view are red when it has been drawn."""
    return int(of.locator("canvas").evaluate(COUNT_RED))


def test_meshes_have_a_view_for_each_run_in_their_colours(url: str, page: Page) -> None:
    page.goto(url)

    for run in ("a", "b"):
        expect(pane(page, run)).to_have_attribute("data-drawn-faces", "4")
        assert red_pixels(pane(page, run)) > 500
    expect(page.locator("mesh-card h3")).to_have_text(["<b>shape</b>", "cloud"])
    expect(pane(page, "a").locator(".mesh-notes")).to_contain_text("4 vertices · 4 faces")


def test_views_turn_together_until_they_are_apart(url: str, page: Page) -> None:
    """By gestures and keys."""
    page.goto(url)
    one, other = pane(page, "a"), pane(page, "b")
    expect(one).to_have_attribute("data-drawn-faces", "4")
    expect(other).to_have_attribute("data-drawn-faces", "4")
    before = other.locator("canvas").screenshot()

    box = one.locator("canvas").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 60, box["y"] + box["height"] / 2 + 10, steps=3)
    page.mouse.up()
    red_pixels(other)
    turned = other.locator("canvas").screenshot()
    assert turned != before

    page.locator('[data-key="mesh-link"]').click()
    expect(page.locator('[data-key="mesh-link"]')).to_have_attribute("aria-pressed", "false")
    one.locator("canvas").focus()
    page.keyboard.press("ArrowLeft")
    red_pixels(other)
    assert other.locator("canvas").screenshot() == turned


def test_a_step_keeps_the_frame_so_that_growth_is_visible(url: str, page: Page) -> None:
    page.goto(url)
    expect(pane(page, "a")).to_have_attribute("data-drawn-faces", "4")
    large = red_pixels(pane(page, "a"))

    page.keyboard.press("[")
    expect(pane(page, "a")).to_have_attribute("data-drawn-step", "10")
    assert red_pixels(pane(page, "a")) < 0.5 * large


def test_faces_that_point_nowhere_are_named(url: str, page: Page) -> None:
    page.goto(url)

    note = pane(page, "b").locator('[data-note="problem"]')
    expect(note).to_have_text("1 face without its vertices is left out.")
    expect(pane(page, "a").locator('[data-note="problem"]')).to_have_count(0)


def test_meshes_are_drawn_as_surfaces_wireframes_or_points(url: str, page: Page) -> None:
    """A key changes it too; a batch has several meshes."""
    page.goto(url)
    expect(pane(page, "a")).to_have_attribute("data-drawn-faces", "4")
    surface = red_pixels(pane(page, "a"))

    page.keyboard.press("v")
    expect(page.locator('[data-select="mesh-mode"]')).to_have_value("wireframe")
    assert 0 < red_pixels(pane(page, "a")) < surface
    page.locator('[data-select="mesh-mode"]').select_option("points")
    assert 0 < red_pixels(pane(page, "a")) < surface

    cloud = pane(page, "a", "cloud")
    cloud.locator('[data-key="next-sample"]').click()
    expect(cloud.locator(".mesh-sample")).to_contain_text("2 of 2")
