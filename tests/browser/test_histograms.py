"""The histograms page in a browser draws what was recorded."""

import itertools
import json
import math
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from support.element_state import expect_state, state_of
from support.pages import Pages, StartServer

from toposcope.recorder import SummaryRecord

HOSTILE = "<img src=x onerror=alert(1)>"


def record_histograms(folder: Path, steps: int, tag: str = "weights", shift: float = 0.0) -> list[np.ndarray]:
    """Record normal values that drift and widen, and return them."""
    random = np.random.default_rng(7)
    values = [random.normal(shift + step / 10, 1 + step / 20, 400) for step in range(steps)]
    with SummaryRecord(str(folder)) as record:
        for step, value in enumerate(values):
            record.add_value("histogram", tag, value)
            record.record(step)
    return values


def plots(page: Page, tag: str = "weights") -> Locator:
    """Return the plots of a card."""
    return page.locator(f"histogram-card[data-tag={json.dumps(tag)}] histogram-plot")


def point_at(page: Page, plot: Locator, across: float, down: float) -> dict[str, Any]:
    """Point at a position of a plot, as shares of its size, and return the read-out of the pointed run."""
    box = plot.bounding_box()
    assert box
    page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"])
    expect(page.locator("#hist-read-out")).to_be_visible()
    return page.locator("#hist-read-out").evaluate(
        "root => Object.assign({}, ...[...root.querySelectorAll('[data-step], [data-low], .best')].map(e => e.dataset))"
    )


def listing(page: Page, run: str, tag: str = "weights") -> list[dict[str, Any]]:
    """Return the histograms of a series as the server lists them."""
    url = f"{page.url.split('#')[0]}api/histograms?run={quote(run)}&tag={quote(tag)}"
    entries: list[dict[str, Any]] = page.request.get(url).json()["histograms"]
    return entries


def count_between(entry: dict[str, Any], low: float, high: float) -> float:
    """Return the number of values between two edges, assuming them evenly spread within each bucket."""
    count = 0.0
    for left, width, n in entry["buckets"]:
        left, right = max(left, entry["min"]), min(left + width, entry["max"])
        if n and right > left:
            count += n * max(0.0, min(right, high) - max(left, low)) / (right - left)
    return count


def choose(page: Page, button: str) -> None:
    """Press a button among the settings of the view."""
    page.locator('[data-key="options"]').click()
    page.locator(button).click()
    page.keyboard.press("Escape")


def test_drawings_equal_the_data(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Every view contains all values of each step; read-outs show bin counts and percentiles."""
    values = record_histograms(tmp_path / "a", 12)
    record_histograms(tmp_path / "b", 8, shift=2)
    page.goto(server(tmp_path).url + "#page=histograms")

    for mode in ("ridge", "heat"):
        page.locator(f'[data-choice="mode"] [data-value="{mode}"]').click()
        expect(plots(page)).to_have_count(2)
        expect_state(plots(page).nth(0), "steps", [list(range(12))])
        expect_state(plots(page).nth(0), "totals", [400] * 12)
        expect_state(plots(page).nth(1), "totals", [400] * 8)
        expect_state(plots(page).nth(1), "grid", state_of(plots(page).nth(0))["grid"])
        read_out = point_at(page, plots(page).nth(0), 0.4, 0.6)
        entry = listing(page, "a")[int(read_out["step"])]
        low, high = float(read_out["low"]), float(read_out["high"])
        assert read_out["run"] == "a"
        assert float(read_out["count"]) == pytest.approx(count_between(entry, low, high), abs=1e-6)
        assert float(read_out["share"]) == pytest.approx(float(read_out["count"]) / 400)
        assert float(read_out["below"]) == pytest.approx(count_between(entry, -math.inf, low) / 400, abs=1e-9)

    page.locator('[data-choice="mode"] [data-value="single"]').click()
    expect_state(plots(page), "runs", ["a", "b"])
    expect_state(plots(page), "totals", [400, 400])
    expect_state(plots(page), "shownSteps", [11, 7])

    page.locator('[data-choice="mode"] [data-value="bands"]').click()
    step = int(point_at(page, plots(page), 0.5, 0.5)["step"])
    for share in (0, 0.16, 0.5, 0.93, 1):
        shown = page.locator(f'#hist-read-out [data-percentile="{share}"]').get_attribute("data-value")
        assert float(shown or "nan") == pytest.approx(np.quantile(values[step], share), abs=0.12)


SPY = """
  window.bars = [];
  window.outlines = [];
  const { fillRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillRect = function (x, y, width, height) {
    if (this.canvas.closest("histogram-plot")) window.bars.push([x, width, height]);
    return fillRect.call(this, x, y, width, height);
  };
  const { moveTo, lineTo } = Path2D.prototype;
  Path2D.prototype.moveTo = function (x, y) {
    window.outlines.push((this.line = [[x, y]]));
    return moveTo.call(this, x, y);
  };
  Path2D.prototype.lineTo = function (x, y) { this.line.push([x, y]); return lineTo.call(this, x, y); };
"""
"""Records the bars and ridge outlines drawn on plots."""


def test_what_is_drawn_keeps_the_totals(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The heights of bars and ridges on the canvas are the bin counts, and add up to the number of values."""
    values = record_histograms(tmp_path / "run", 6)
    page.add_init_script(SPY)
    page.goto(server(tmp_path).url + "#page=histograms&hist.mode=single")
    expect_state(plots(page), "totals", [400])
    low, high, bins = state_of(plots(page))["grid"]
    edges = np.linspace(low, high, bins + 1)
    entries = listing(page, "run")
    expected = [[count_between(entry, *pair) for pair in itertools.pairwise(edges)] for entry in entries]

    bars = page.evaluate("window.bars")
    heights = np.array([height for *_, height in bars])
    counts = np.array([one for one in expected[-1] if one])
    assert len(bars) == len(counts)
    np.testing.assert_allclose(heights, np.maximum(1, heights.max() * counts / counts.max()), atol=0.01)

    page.evaluate("window.outlines = []")
    page.locator('[data-choice="mode"] [data-value="ridge"]').click()
    expect_state(plots(page), "totals", [400] * 6)
    outlines = page.evaluate("window.outlines")
    left = min(line[0][0] for line in outlines)
    ridges = [line for line in outlines if line[0][0] == left][:6]  # The others are crests, which are drawn over them.
    tallest = max(map(max, expected))
    lift = max(line[0][1] - min(y for _, y in line) for line in ridges)
    for line, row in zip(ridges, expected, strict=True):
        ground = line[0][1]
        wide = (line[-1][0] - line[0][0]) / len(row)
        drawn = {round((x - line[0][0]) / wide - 0.5): (ground - y) / lift * tallest for x, y in line[1:-1]}
        assert sum(drawn.values()) == pytest.approx(len(values[0]), rel=1e-6)
        assert [drawn.get(place, 0) for place in range(len(row))] == pytest.approx(row, abs=1e-6)


def test_url_restores_the_view(server: StartServer, page: Page, pages: Pages, tmp_path: Path) -> None:
    """Settings are kept in the URL, which shows the same view in another window."""
    for name in ("a", "b"):
        record_histograms(tmp_path / name, 20)
    page.goto(server(tmp_path).url)
    page.keyboard.press("g")
    page.keyboard.press("h")
    expect(plots(page)).to_have_count(2)
    page.locator('[data-choice="axis"] [data-value="relative"]').click()
    choose(page, '[data-choice="layout"] [data-value="front"]')
    choose(page, '[data-choice="scale"] [data-value="log"]')
    page.locator('[data-choice="mode"] [data-value="heat"]').click()
    step = point_at(page, plots(page).nth(0), 0.5, 0.5)["step"]
    page.mouse.down()
    page.mouse.up()
    expect(page).to_have_url(re.compile(f"hist.step={step}"))
    for part in ("hist.mode=heat", "hist.axis=relative", "hist.layout=front", "hist.scale=log"):
        expect(page).to_have_url(re.compile(part))

    other = pages.open(width=400)
    other.goto(page.url)
    expect(plots(other).nth(0)).to_have_attribute("data-axis", "relative")
    expect_state(plots(other).nth(0), "shownSteps", [int(step)])
    expect_state(plots(other).nth(0), "totals", state_of(plots(page).nth(0))["totals"])
    assert other.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_steps_by_slider_and_keys_and_live(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The last step is shown first; keys and slider change it; new steps are followed only from the last one."""
    with SummaryRecord(str(tmp_path / "run")) as record:

        def add(step: int) -> None:
            record.add_value("histogram", "weights", np.arange(step + 1.0))
            record.record(step)
            record.flush()

        for step in (0, 10, 20):
            add(step)
        page.goto(server(tmp_path).url + "#page=histograms&hist.mode=single")
        expect_state(plots(page), "shownSteps", [20])
        expect_state(plots(page), "totals", [21])
        add(30)
        expect_state(plots(page), "shownSteps", [30])
        page.keyboard.press("[")
        expect_state(plots(page), "shownSteps", [20])
        page.locator(".step-slider input").focus()
        page.keyboard.press("ArrowLeft")
        expect_state(plots(page), "shownSteps", [10])
        expect_state(plots(page), "totals", [11])
        add(40)
        expect_state(plots(page), "steps", [[0, 10, 20, 30, 40]])
        expect_state(plots(page), "shownSteps", [10])
        expect(page).to_have_url(re.compile("hist.step=10"))
        page.locator(".step-slider input").press("End")
        expect_state(plots(page), "shownSteps", [40])
        expect(page).not_to_have_url(re.compile("hist.step"))


def test_non_finite_and_constant_values(server: StartServer, page: Page, tmp_path: Path) -> None:
    """NaN and infinities are counted in a note, a constant is visible, and the table shows the numbers."""
    with SummaryRecord(str(tmp_path / "run")) as record:
        for step in range(3):
            mixed = np.array([1.0, 2.0, 3.0, np.nan, np.nan, np.inf] if step == 1 else [1.0, 2.0, 3.0])
            record.add_value("histogram", "mixed", mixed)
            record.add_value("histogram", "never", np.full(4, np.nan))
            record.add_value("histogram", "constant", np.full(9, 3.0))
            record.record(step)
    page.goto(server(tmp_path).url + "#page=histograms")
    card = page.locator('histogram-card[data-tag="mixed"]')
    expect(card.locator('[data-note="non_finite"]')).to_have_text(re.compile(r"2 NaN, 1 infinite\s+in 1 step"))
    expect_state(plots(page, "mixed"), "totals", [3, 3, 3])
    expect(page.locator('histogram-card[data-tag="never"] [data-state="no_values"]')).to_be_visible()
    expect_state(plots(page, "constant"), "totals", [9, 9, 9])
    box = plots(page, "constant").bounding_box()
    assert box
    read_out = point_at(page, plots(page, "constant"), (12 + (box["width"] - 58) / 2) / box["width"], 0.84)
    assert float(read_out["low"]) < 3 < float(read_out["high"])
    assert read_out["count"] == "9"
    assert read_out["share"] == "1"

    card.locator('[data-key="table"]').click()
    row = card.locator('tr[data-step="1"] td')
    expect(row).to_have_text(["1", "6", "3", "1.0000", "3.0000", "2.0000", "2.2500"])


def test_outliers_can_be_clipped(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Values that stretch the axis are cut off, unless all are to be shown; a note counts the values outside."""
    random = np.random.default_rng(3)
    with SummaryRecord(str(tmp_path / "run")) as record:
        for step in range(10):
            outliers = [1e6] if step == 4 else [-5e4] if step == 6 else []
            record.add_value("histogram", "weights", np.array([*random.uniform(0, 1, 1000), *outliers]))
            record.record(step)
    page.goto(server(tmp_path).url + "#page=histograms&hist.trim=off")
    expect_state(plots(page), "totals", [1000] * 4 + [1001, 1000, 1001] + [1000] * 3)
    expect(page.locator('[data-note="trimmed"]')).to_have_count(0)

    whole = state_of(plots(page))["grid"]
    choose(page, '[data-choice="trim"] button')
    note = page.locator('[data-note="trimmed"]')
    expect(note).to_be_visible()
    beyond = float(note.get_attribute("data-beyond") or "nan")
    entries = listing(page, "run")
    assert state_of(plots(page))["grid"] != whole
    for mode in ("heat", "single", "ridge"):
        page.locator(f'[data-choice="mode"] [data-value="{mode}"]').click()
        expect(page.locator(f'[data-choice="mode"] [data-value="{mode}"]')).to_have_attribute("aria-pressed", "true")
        expect(plots(page)).to_have_attribute("data-drawn-mode", mode)
        low, high, _ = state_of(plots(page))["grid"]
        assert -5e4 < low < 0.5 < high < 1e6
        inside = sum(count_between(entry, low, high) for entry in entries)
        assert inside == pytest.approx(10_002 - beyond, abs=1e-6)
        assert inside == pytest.approx(10_002 * 0.998, abs=0.1)
    page.locator('[data-choice="mode"] [data-value="bands"]').click()
    expect(note).to_be_visible()
    expect(page).not_to_have_url(re.compile("hist.trim"))
    choose(page, '[data-choice="trim"] button')
    expect(note).to_have_count(0)


def test_one_diverged_run_does_not_hide_the_others(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The others share an axis, and it has one of its own, which a note says; the legend needs one line."""
    random = np.random.default_rng(5)
    for number in range(6):
        with SummaryRecord(str(tmp_path / f"sweep-seed={number}-end")) as record:
            record.add_value("histogram", "weights", random.uniform(-1, 1, 500) * (300 if number == 2 else 1))
            record.record(0)
    page.goto(server(tmp_path).url + "#page=histograms")
    expect(plots(page)).to_have_count(6)
    low, high, _ = state_of(plots(page).nth(0))["grid"]
    assert -1 <= low < -0.9
    assert 0.9 < high <= 1
    assert state_of(plots(page).nth(1))["grid"] == state_of(plots(page).nth(0))["grid"]
    low, high, _ = state_of(plots(page).nth(2))["grid"]
    assert low < -200
    assert high > 200
    expect(page.locator('[data-note="diverged"]')).to_have_text("Own axis")
    expect(page.locator(".hist-pane .run-name").nth(2)).to_have_text("seed=2")
    expect(page.locator(".hist-pane .run-name").nth(2)).to_have_attribute("title", "sweep-seed=2-end")

    choose(page, '[data-choice="range"] button')
    expect(page).to_have_url(re.compile("hist.range=own"))
    expect_state(plots(page).nth(2), "totals", [500])
    expect_state(plots(page).nth(0), "totals", [500])
    expect(page.locator('[data-note="diverged"]')).to_have_count(0)
    expect(page.locator('[data-note="own"]')).to_be_visible()

    page.locator('[data-choice="mode"] [data-value="single"]').click()
    keys = page.locator(".hist-pane .run-key")
    expect(keys).to_have_count(6)
    expect(keys.nth(2)).to_have_attribute("aria-label", "sweep-seed=2-end")
    assert len(set(keys.evaluate_all("keys => keys.map(key => key.getBoundingClientRect().top)"))) == 1


def test_a_larger_card_draws_more_steps(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A note counts the drawn steps; the enlarged card draws all of them, and arrow keys move the read-out."""
    record_histograms(tmp_path / "run", 90)
    page.goto(server(tmp_path).url + "#page=histograms")
    note = page.locator('[data-note="downsampled"]')
    expect(note).to_have_text("50 of 90 steps")
    steps = state_of(plots(page))["steps"][0]
    assert len(steps) == 50
    assert steps[-1] == 89

    page.locator("histogram-card").hover()
    page.keyboard.press("f")
    expect(page.locator("histogram-card")).to_have_class(re.compile("enlarged"))
    expect(note).to_have_count(0)
    expect_state(plots(page), "steps", [list(range(90))])
    expect_state(plots(page), "totals", [400] * 90)

    page.mouse.move(5, 5)
    plots(page).focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.locator('#hist-read-out [data-read="step"]')).to_have_attribute("data-step", "88")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("hist.step=88"))


def test_hostile_tag_under_a_path_prefix(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Markup in a tag is shown as text in every view, under a path prefix and in Chinese."""
    record_histograms(tmp_path / HOSTILE.replace("/", "_"), 5, tag=HOSTILE)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(server(tmp_path, "--path-prefix", "/topo").url + "#page=histograms&lang=zh")
    expect(page.locator("histogram-card h3")).to_have_text(HOSTILE)
    for mode in ("heat", "bands", "single", "ridge"):
        page.locator(f'[data-choice="mode"] [data-value="{mode}"]').click()
        expect_state(plots(page, HOSTILE), "runs", [HOSTILE])
        point_at(page, plots(page, HOSTILE), 0.5, 0.5)
    page.locator('[data-key="table"]').click()
    expect(page.locator(".hist-rows tbody tr")).to_have_count(5)
    assert page.locator("#content img, #hist-read-out img").count() == 0
