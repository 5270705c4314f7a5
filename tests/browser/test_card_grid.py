"""The grid of cards in a real browser uses the width of the page."""

import json
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Page, expect
from support.event_files import scalar_event, write_run
from support.pages import Pages, StartServer

TAGS = [f"{group}/{tag}" for group in ("train", "validation") for tag in ("loss", "accuracy")] + ["a", "b", "c"]

Box = dict[str, float]


def boxes(page: Page, selector: str) -> list[Box]:
    """Return the boxes of elements."""
    found: list[Box] = page.locator(selector).evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().toJSON())"
    )
    return found


def open_page(server: StartServer, pages: Pages, tmp_path: Path, width: int) -> Page:
    """Open the scalars page of a run with two groups of two tags and three other tags."""
    write_run(tmp_path / "run", [scalar_event(1000.0, step, dict.fromkeys(TAGS, 1.0)) for step in range(3)], 1000)
    page = pages.open(width=width, height=1000)
    page.goto(server(tmp_path).url)
    expect(page.locator("scalar-card")).to_have_count(len(TAGS))
    expect(page.locator("section.group").first).to_have_attribute(
        "style", "--tags:2;--row:1" if width == 400 else "--tags:2;--row:2"
    )
    return page


@pytest.mark.parametrize("width", [400, 1024, 1440, 1920, 2560])
def test_cards_fill_the_width(server: StartServer, pages: Pages, tmp_path: Path, width: int) -> None:
    """Every row of cards reaches the end of the page, whatever its width."""
    page = open_page(server, pages, tmp_path, width)
    rows: dict[float, list[Box]] = {}
    for box in boxes(page, "scalar-card"):
        rows.setdefault(box["top"], []).append(box)
    end = boxes(page, ".groups")[0]["right"]
    for row in rows.values():
        assert row[-1]["right"] >= end - 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_small_groups_are_side_by_side(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """Two groups of two tags share a row where four cards fit; a closed group has a line of its own."""
    page = open_page(server, pages, tmp_path, 1920)
    tops = [box["top"] for box in boxes(page, "section.group")]
    assert tops[0] == tops[1] < tops[2]
    page.locator('[data-group="train"] .group-switch').click()
    expect(page.locator("scalar-card")).to_have_count(len(TAGS) - 2)
    closed, other, _ = boxes(page, "section.group")
    assert closed["bottom"] <= other["top"]
    assert closed["width"] > 1400


PANEL = {"kind": "lines", "x": 0, "y": 0, "w": 6, "h": 4, "settings": {"tags": ["falling"], "log": True}}
SECTION = {"name": "One", "collapsed": False, "panels": [PANEL], "settings": {}}
WORKSPACE = {"version": 1, "sections": [SECTION], "settings": {}}


def test_notes_on_a_panel_are_below_its_plot(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """They cover no line."""
    events = [scalar_event(1000.0, step, {"falling": 1.0 - step}) for step in range(3)]
    write_run(tmp_path / "run", events, 1000)
    page = pages.open(width=1440, height=1000)
    address = urlencode({"page": "workspace", "ws.doc": json.dumps(WORKSPACE)}, quote_via=quote)
    page.goto(f"{server(tmp_path).url}#{address}")
    expect(page.locator("lines-panel canvas").first).to_be_visible()
    [plot] = boxes(page, "lines-panel .plot")
    [note] = boxes(page, "lines-panel [data-note=dropped]")
    assert note["top"] >= plot["bottom"]


def test_the_title_of_a_card_has_the_room_of_its_actions(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """They lie over the chart, under the pointer or with the focus; the status of the points is one icon beside it."""
    events = [scalar_event(1000.0, step, {"falling": 1.0 - step}) for step in range(3)]
    write_run(tmp_path / "run", events, 1000)
    page = pages.open(width=1440, height=1000)
    page.goto(f"{server(tmp_path).url}#y=log")
    pin = page.locator('scalar-card [data-key="pin"]')
    expect(pin).to_have_css("opacity", "0")
    page.locator("scalar-card").hover()
    expect(pin).to_have_css("opacity", "1")
    [plot], [actions] = boxes(page, "scalar-card .plot"), boxes(page, "scalar-card .actions")
    assert actions["top"] >= plot["top"]
    [title], [card] = boxes(page, "scalar-card h3"), boxes(page, "scalar-card")
    assert title["width"] > card["width"] - 60

    status = page.locator('scalar-card [data-key="status"]')
    expect(status).to_have_attribute("data-level", "warning")
    status.focus()
    page.keyboard.press("Enter")
    expect(page.locator("scalar-card [data-note=dropped]")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("scalar-card [data-note=dropped]")).to_be_hidden()
    expect(status).to_be_focused()


def test_few_cards_grow_to_the_height_of_the_window(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """A single card fills the row, too."""
    events = [scalar_event(1000.0, step, {"loss": 1.0}) for step in range(3)]
    write_run(tmp_path / "run", events, 1000)
    page = pages.open(width=1440, height=800)
    page.goto(server(tmp_path).url)
    expect(page.locator("scalar-card canvas").first).to_be_visible()
    [card], [content] = boxes(page, "scalar-card"), boxes(page, "#content")
    assert card["height"] > 600
    assert card["width"] > content["width"] - 40


def test_toolbar_hides_the_cards_below_it(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """The sticky toolbar is opaque, in both themes."""
    page = open_page(server, pages, tmp_path, 1440)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme="light" if theme == "light" else "dark")
        colour = page.locator("#toolbar").evaluate("bar => getComputedStyle(bar).backgroundColor")
        assert colour.startswith("rgb(")
