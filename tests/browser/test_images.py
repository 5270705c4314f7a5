"""The images page in a browser draws what was recorded."""

import io
import json
import re
from pathlib import Path
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect
from support.element_state import expect_state
from support.pages import Pages, StartServer
from support.summary_values import of_plugin, strings, tensorboard_run

from toposcope.recorder import SummaryRecord

HOSTILE = "<img src=x onerror=alert(1)>"
COLOURS = "pictures => pictures.map(picture => { const one = new OffscreenCanvas(1, 1).getContext('2d');" + (
    "one.drawImage(picture, 0, 0, 1, 1, 0, 0, 1, 1); return [...one.getImageData(0, 0, 1, 1).data].slice(0, 3); })"
)


def picture(red: int, step: int, side: int = 8) -> npt.NDArray[np.uint8]:
    """Return a picture of one colour with a white bottom-right pixel."""
    pixels = np.full((side, side, 3), (red, step, 10), np.uint8)
    pixels[-1, -1] = 255
    return pixels


def record_run(folder: Path, red: int, steps: range, tags: tuple[str, ...] = ("input/a",), side: int = 8) -> None:
    """Record pictures whose colour encodes run and step."""
    with SummaryRecord(str(folder)) as record:
        for step in steps:
            for tag in tags:
                record.add_value("image", tag, picture(red, step, side), dataformats="HWC")
            record.record(step)


def card(page: Page, tag: str = "input/a") -> Locator:
    """Return a card of the page."""
    return page.locator(f"image-card[data-tag={json.dumps(tag)}]")


def expect_steps(page: Page, *steps: int | str, tag: str = "input/a") -> None:
    """Wait until the cells of a card, run by run, show these steps, and their pictures are drawn."""
    cells = card(page, tag).locator(".cell")
    expect(cells).to_have_count(len(steps))
    for place, step in enumerate(steps):
        expect(cells.nth(place)).to_have_attribute("data-step", str(step))
    expect(card(page, tag).locator('still-picture[data-pending="false"] img')).to_have_count(
        sum(step != "" for step in steps)
    )


def colours(page: Page, tag: str = "input/a") -> list[list[int]]:
    """Return the colour of the first pixel of each picture of a card."""
    pixels: list[list[int]] = card(page, tag).locator("img").evaluate_all(COLOURS)
    return pixels


def expect_panes(page: Page, *panes: tuple[str, int]) -> None:
    """Wait until the viewer has drawn these runs at these steps."""
    expect_state(page.locator("image-viewer"), "panes", [list(pane) for pane in panes])
    expect(page.locator('image-pane[data-pending="false"]:not([data-drawn=""])')).to_have_count(len(panes))


def test_cards_show_the_pictures_of_a_step(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Cards show the last picture of each run up to the shared step, pixel for pixel; `[` and `]` move all cards."""
    record_run(tmp_path / "a", 100, range(0, 50, 10))
    record_run(tmp_path / "b", 200, range(5, 45, 20), ("input/a", "other"))
    page.goto(server(tmp_path).url + "#page=images")
    expect_steps(page, 40, 25)
    assert colours(page) == [[100, 40, 10], [200, 25, 10]]

    for _ in range(3):
        page.keyboard.press("[")
    expect_steps(page, 20, 5)
    expect_steps(page, 5, tag="other")
    assert colours(page) == [[100, 20, 10], [200, 5, 10]]
    expect(card(page).locator('.cell[data-run="b"] .own-step')).to_have_class(re.compile("earlier"))

    page.locator('[data-key="page-step"] input').focus()
    page.keyboard.press("Home")
    expect_steps(page, 0, "")
    expect(card(page).locator('.cell[data-run="b"] [data-state="later"]')).to_have_text("No data yet: starts at step 5")
    expect(page).to_have_url(re.compile(r"image\.step=0"))


def test_card_leaves_the_shared_step_and_returns(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A card's slider moves only that card, is kept on reload, and can follow the page again."""
    record_run(tmp_path / "a", 100, range(0, 50, 10), ("input/a", "input/b"))
    page.goto(server(tmp_path).url + "#page=images&image.step=30")
    expect_steps(page, 30)

    card(page).locator('[data-key="card-step-back"]').click()
    expect_steps(page, 20)
    expect_steps(page, 30, tag="input/b")
    expect(page).to_have_url(re.compile(r"image\.at\.input%2Fa=20"))
    page.locator('[data-key="page-step-forth"]').click()
    expect_steps(page, 20)
    expect_steps(page, 40, tag="input/b")
    expect(page).not_to_have_url(re.compile(r"image\.step"))
    page.reload()
    expect_steps(page, 20)
    expect(card(page).locator("footer")).to_have_attribute("data-own", "true")
    card(page).hover()
    page.keyboard.press("[")
    expect_steps(page, 10)

    card(page).locator('[data-key="follow"]').click()
    expect_steps(page, 40)
    expect(card(page).locator("footer")).to_have_attribute("data-own", "false")


def test_live_pictures_arrive(server: StartServer, page: Page, tmp_path: Path) -> None:
    """At the latest step the page follows new ones; a selected step stays."""
    with SummaryRecord(str(tmp_path / "a")) as record:
        for step in (1, 2):
            record.add_value("image", "input/a", picture(50, step), dataformats="HWC")
            record.record(step)
        record.flush()
        page.goto(server(tmp_path).url + "#page=images")
        expect_steps(page, 2)
        record.add_value("image", "input/a", picture(50, 3), dataformats="HWC")
        record.record(3)
        record.flush()
        expect_steps(page, 3)
        page.keyboard.press("[")
        expect_steps(page, 2)
        record.add_value("image", "input/a", picture(50, 4), dataformats="HWC")
        record.record(4)
        record.flush()
        expect(page.locator('[data-key="page-step"] input')).to_have_attribute("max", "3")
        expect_steps(page, 2)


def test_viewer_compares_runs_and_steps(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Panes for runs and steps, their differences, and pixel values under the pointer; the URL restores them."""
    record_run(tmp_path / "a", 100, range(0, 50, 10))
    record_run(tmp_path / "b", 130, range(0, 50, 10))
    page.goto(server(tmp_path).url + "#page=images")
    expect_steps(page, 40, 40)
    card(page).locator('.cell[data-run="a"] .picture').click()
    expect_panes(page, ("a", 40))

    page.locator('.run-chip[data-run="b"]').click()
    expect_panes(page, ("a", 40), ("b", 40))
    page.locator('.pane[data-run="a"] image-pane').click()
    page.locator('.film li[data-step="20"] .frame').click(modifiers=["Shift"])
    expect_panes(page, ("a", 40), ("b", 40), ("a", 20))
    page.keyboard.press("d")

    panes = page.locator("image-pane")
    for place, (mean, largest) in {1: (30 * 63 / 64 / 3, 30), 2: (20 * 63 / 64 / 3, 20)}.items():
        expect(panes.nth(place)).to_have_attribute("data-largest", str(largest))
        assert float(panes.nth(place).get_attribute("data-mean") or "nan") == pytest.approx(mean)
        assert float(panes.nth(place).get_attribute("data-differing") or "nan") == 63 / 64
    expect(panes.nth(0)).not_to_have_attribute("data-mean", re.compile("."))
    panes.nth(1).hover()
    expect(panes.nth(0)).to_have_attribute("data-colour", "100,40,10,255")
    expect(panes.nth(1)).to_have_attribute("data-colour", "30,0,0,255")
    expect(panes.nth(2)).to_have_attribute("data-colour", "0,20,0,255")

    page.mouse.wheel(0, -240)
    expect(page).to_have_url(re.compile(r"image\.part="))
    page.reload()
    expect_panes(page, ("a", 40), ("b", 40), ("a", 20))
    expect(panes.nth(2)).to_have_attribute("data-largest", "20")
    expect(page.locator('[data-key="zoom-fit"]')).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("Escape")
    expect_steps(page, 40, 40)


def test_zoom_keeps_the_pixel_under_the_cursor(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The wheel zooms about the pointer, dragging pans, and fitting shows the whole picture again."""
    record_run(tmp_path / "a", 100, range(1), side=32)
    page.goto(server(tmp_path).url + "#page=images&open=input/a")
    expect_panes(page, ("a", 0))
    pane = page.locator("image-pane")
    box = pane.bounding_box()
    assert box
    scale = min(box["width"], box["height"]) / 32
    left = box["x"] + (box["width"] - 32 * scale) / 2
    top = box["y"] + (box["height"] - 32 * scale) / 2
    page.mouse.move(left + 20.5 * scale, top + 9.5 * scale)
    expect(pane).to_have_attribute("data-pixel", "20,9")
    expect(pane).to_have_attribute("data-colour", "100,0,10,255")

    page.mouse.wheel(0, -240)
    expect(page).to_have_url(re.compile(r"image\.part="))
    expect(pane).to_have_attribute("data-pixel", "20,9")
    page.mouse.down()
    page.mouse.move(left + 14.5 * scale, top + 12.5 * scale, steps=5)
    page.mouse.up()
    expect(pane).to_have_attribute("data-pixel", "20,9")

    page.locator('[data-key="zoom-fit"]').click()
    expect(page).not_to_have_url(re.compile(r"image\.part="))


def test_large_pictures_are_drawn_small_and_large(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A picture larger than its pane is averaged, not subsampled; zoomed in, its pixels are exact."""
    stripes = np.zeros((1400, 1400, 3), np.uint8)
    stripes[:, ::2] = 200
    stripes[700, 700] = (9, 8, 7)
    with SummaryRecord(str(tmp_path / "a")) as record:
        record.add_value("image", "x", stripes, dataformats="HWC")
        record.record(0)
    url = server(tmp_path).url
    drawn = """async pane => {
      await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
      const canvas = pane.querySelector("canvas"), one = new OffscreenCanvas(1, 1).getContext("2d");
      one.drawImage(canvas, canvas.width / 2 + 4, canvas.height / 2 + 4, 1, 1, 0, 0, 1, 1);
      return [...one.getImageData(0, 0, 1, 1).data].slice(0, 3); }"""
    page.goto(f"{url}#page=images&open=x")
    expect_panes(page, ("a", 0))
    pane = page.locator("image-pane")
    assert all(90 <= value <= 110 for value in pane.evaluate(drawn))

    middle = 700.5 / 1400
    page.goto(f"{url}#page=images&open=x&image.part=40,{middle},{middle}")
    pane.hover()
    expect(pane).to_have_attribute("data-pixel", "700,700")
    expect(pane).to_have_attribute("data-colour", "9,8,7,255")
    assert pane.evaluate(drawn) == [9, 8, 7]


def test_pictures_of_other_sizes_and_none(server: StartServer, pages: Pages, page: Page, tmp_path: Path) -> None:
    """Different sizes and undecodable pictures are reported; all pictures of a step are shown."""
    pages.allowed = "Failed to decode"
    record_run(tmp_path / "a", 100, range(1), ("x",), 8)
    record_run(tmp_path / "b", 100, range(1), ("x",), 6)
    with SummaryRecord(str(tmp_path / "c")) as record:
        record.add_value("image", "x", picture(9, 0), dataformats="HWC")
        record.record(0)
    png = next((tmp_path / "c").glob("*.out.events.summary*")).read_bytes()
    png = png[png.index(b"\x89PNG") : png.index(b"IEND") + 8]
    tensorboard_run(tmp_path / "d", [(0, of_plugin("images", "several", strings(b"8", b"8", png, png, b"none")))])
    page.goto(server(tmp_path).url + "#page=images&tags=several")
    expect(card(page, "several").locator("still-picture[data-size='8x8']")).to_have_count(2)
    expect(card(page, "several").locator("still-picture").nth(2)).to_have_text("This image cannot be displayed.")
    assert colours(page, "several") == [[9, 0, 10], [9, 0, 10]]

    page.goto(page.url.split("#")[0] + "#page=images&open=x&show=a&show=b&image.difference=auto")
    expect(page.locator('.pane[data-run="b"] [data-state="sizes"]')).to_contain_text(re.compile("8 . 8.* 6 . 6"))


def test_hostile_tag_under_a_prefix(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Markup in a tag is shown as text in card and viewer, under a path prefix; brightness is kept."""
    record_run(tmp_path / "run", 100, range(2), (HOSTILE,))
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(server(tmp_path, "--path-prefix", "/topo").url + "#page=images&image.bright=150&image.contrast=80")
    expect_steps(page, 1, tag=HOSTILE)
    expect(page.locator("image-card h3")).to_have_text(HOSTILE)
    expect(page.locator("image-card img")).to_have_css("filter", "brightness(1.5) contrast(0.8)")

    page.locator('[data-key="adjust-reset"]').click()
    expect(page.locator("image-card img")).to_have_css("filter", "none")
    expect(page).not_to_have_url(re.compile(r"image\.bright"))
    page.goto(page.url.split("#")[0] + f"#page=images&open={quote(HOSTILE)}&image.panes=%5B%5B%22run%22,0%5D%5D")
    expect_panes(page, ("run", 0))
    expect(page.locator("image-viewer h3")).to_have_text(HOSTILE)


def test_narrow_page(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """At 400 px neither cards nor viewer overflow; long series are downsampled until all steps are requested."""
    for red, name in enumerate("abc"):
        record_run(tmp_path / name, red, range(60))
    page = pages.open(width=400, height=720)
    page.goto(server(tmp_path).url + "#page=images")
    expect_steps(page, 59, 59, 59)
    fits = "document.documentElement.scrollWidth <= 400 && document.querySelector('#page').scrollWidth <= 400"
    assert page.evaluate(fits)
    slider = card(page).locator('[data-key="card-step"] input')
    expect(slider).to_have_attribute("max", "49")
    card(page).get_by_text("50 of 60 steps").click()
    expect(slider).to_have_attribute("max", "59")

    card(page).locator('[data-key="enlarge"]').click()
    expect_panes(page, ("a", 59), ("b", 59), ("c", 59))
    assert page.evaluate(fits)


def test_pictures_of_16_bits_have_their_values(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The pixel under the cursor reads as recorded; black and white are the least and greatest values, or chosen."""
    values = np.full((8, 8), 3850, np.uint16)
    values[:4] = 1000
    file = io.BytesIO()
    Image.fromarray(values).save(file, "PNG")
    content = strings(b"8", b"8", file.getvalue())
    tensorboard_run(tmp_path / "scan", [(0, of_plugin("images", "depth", content))])
    page.goto(server(tmp_path).url + "#page=images&open=depth")
    expect_panes(page, ("scan", 0))
    pane = page.locator("image-pane")
    expect(pane).to_have_attribute("data-pending", "false")
    box = pane.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.75)
    expect(pane).to_have_attribute("data-colour", "3850")
    expect(page.locator('[data-key="window-black"]')).to_have_value("1000")
    expect(page.locator('[data-key="window-white"]')).to_have_value("3850")
    assert shown_grey(page) == 255

    page.locator('[data-key="window-black"]').fill("3800")
    page.locator('[data-key="window-white"]').fill("3900")
    page.locator('[data-key="window-white"]').press("Enter")
    expect(page).to_have_url(re.compile("image.window=3800%2C3900"))
    page.wait_for_function("() => document.querySelector('image-pane').dataset.pending === 'false'")
    assert shown_grey(page) == pytest.approx(128, abs=1)
    page.locator('[data-key="window-reset"]').click()
    expect(page.locator('[data-key="window-black"]')).to_have_value("1000")


def record_scan(folder: Path, values: npt.NDArray[np.uint16], cut: int = 0) -> None:
    """Record a PNG with 16 bits a channel, without some of its last bytes."""
    file = io.BytesIO()
    Image.fromarray(values).save(file, "PNG")
    encoded = file.getvalue()
    content = strings(b"%d" % values.shape[1], b"%d" % values.shape[0], encoded[: len(encoded) - cut])
    tensorboard_run(folder, [(0, of_plugin("images", "depth", content))])


def test_cards_and_differences_have_the_values_of_16_bits(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Values of 3,850 and 3,851 are one grey in the upper eight bits."""
    values = np.full((8, 8), 3850, np.uint16)
    values[:4] = 3840
    record_scan(tmp_path / "a", values)
    record_scan(tmp_path / "b", values + np.uint16(1))
    page.goto(server(tmp_path).url + "#page=images")
    canvases = card(page, "depth").locator("still-picture canvas")
    expect(canvases).to_have_count(2)
    greys = (
        "canvas => { const copy = new OffscreenCanvas(8, 8).getContext('2d', { willReadFrequently: true });"
        "copy.drawImage(canvas, 0, 0); return [1, 6].map(y => copy.getImageData(4, y, 1, 1).data[0]); }"
    )
    assert canvases.nth(0).evaluate(greys) == [0, 255]

    card(page, "depth").locator('[data-key="enlarge"]').click()
    expect_panes(page, ("a", 0), ("b", 0))
    page.keyboard.press("d")
    pane = page.locator("image-pane").nth(1)
    expect(pane).to_have_attribute("data-largest", "1")
    expect(pane).to_have_attribute("data-differing", "1")


def test_an_image_without_its_end_says_so(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A truncated PNG was an empty box."""
    picture = np.random.default_rng(0).integers(0, 255, (64, 64), np.uint8)
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    content = strings(b"64", b"64", file.getvalue()[:2000])
    tensorboard_run(tmp_path / "run", [(0, of_plugin("images", "cut", content))])
    page.goto(server(tmp_path).url + "#page=images")
    expect(card(page, "cut").locator("still-picture")).to_contain_text(
        re.compile("end of this image|cannot be displayed")
    )


def shown_grey(page: Page) -> int:
    """Return how bright the lower middle of the picture is drawn, beside the grid between the pixels."""
    grey: int = page.locator("image-pane canvas").evaluate(
        "canvas => { const one = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });"
        "one.drawImage(canvas, canvas.width * 0.53, canvas.height * 0.7, 1, 1, 0, 0, 1, 1);"
        "return one.getImageData(0, 0, 1, 1).data[0]; }"
    )
    return grey
