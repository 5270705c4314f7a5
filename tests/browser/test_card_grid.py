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
    """Every row of cards reaches the end of the page, whatever its width; no card is wider than two."""
    page = open_page(server, pages, tmp_path, width)
    rows: dict[float, list[Box]] = {}
    for box in boxes(page, "scalar-card"):
        rows.setdefault(box["top"], []).append(box)
    end = boxes(page, ".groups")[0]["right"]
    fullest = max(len(row) for row in rows.values())
    for row in rows.values():
        assert max(box["width"] for box in row) <= 2 * 340 + 12
        assert row[-1]["right"] <= end + 1
        if len(row) > 1 or fullest == 1:
            assert row[-1]["right"] >= end - 1 or row[-1]["width"] >= 2 * 340 - 12
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


@pytest.mark.parametrize(
    ("chart", "address"),
    [
        ("scalar-card", "y=log"),
        ("scalar-card", "y=log&open=falling"),
        ("lines-panel", urlencode({"page": "workspace", "ws.doc": json.dumps(WORKSPACE)}, quote_via=quote)),
    ],
    ids=["card", "enlarged", "panel"],
)
def test_notes_on_a_chart_are_below_its_plot(
    server: StartServer, pages: Pages, tmp_path: Path, chart: str, address: str
) -> None:
    """They cover no line, and a card with a note is as high as one without."""
    events = [scalar_event(1000.0, step, {"falling": 1.0 - step, "rising": 1.0 + step}) for step in range(3)]
    write_run(tmp_path / "run", events, 1000)
    page = pages.open(width=1440, height=1000)
    page.goto(f"{server(tmp_path).url}#{address}")
    noted = f"{chart}:has([data-note=dropped])"
    expect(page.locator(f"{noted} canvas").first).to_be_visible()
    [plot] = boxes(page, f"{noted} .plot")
    [note] = boxes(page, f"{noted} [data-note=dropped]")
    assert note["top"] >= plot["bottom"]
    assert len({box["height"] for box in boxes(page, chart)}) == 1


def test_toolbar_hides_the_cards_below_it(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """The sticky toolbar is opaque, in both themes."""
    page = open_page(server, pages, tmp_path, 1440)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme="light" if theme == "light" else "dark")
        colour = page.locator("#toolbar").evaluate("bar => getComputedStyle(bar).backgroundColor")
        assert colour.startswith("rgb(")
