"""The Scalars page in a real browser: with all settings, the charts equal the data."""

import json
import math
import random
import re
import statistics
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, Response, expect
from support.cbor import decode_cbor
from support.element_state import expect_state, state_of
from support.event_files import scalar_event, write_run
from support.pages import Pages, StartServer

from toposcope.recorder import SummaryRecord

HOSTILE = "<img src=x onerror=alert(1)>"


def record(folder: Path, columns: dict[str, list[float]], start: int = 0) -> None:
    """Record columns of values under their tags, one step per row."""
    with SummaryRecord(str(folder)) as run:
        for place in range(max(map(len, columns.values()))):
            for tag, values in columns.items():
                if place < len(values):
                    run.add_value("scalar", tag, values[place])
            run.record(start + place)


def noisy(points: int, scale: float = 1.0) -> list[float]:
    """Return a falling curve with noise."""
    return [scale * (math.exp(-3 * step / points) + 0.1 * math.sin(step * 12.9898)) for step in range(points)]


def card(page: Page, tag: str = "loss") -> Locator:
    """Return a card of the page."""
    return page.locator(f"scalar-card[data-tag={json.dumps(tag)}]")


def point_at(page: Page, step: float, tag: str = "loss") -> None:
    """Move the cursor over a step of a chart."""
    low, high = map(float, (card(page, tag).get_attribute("data-window") or "").split(","))
    box = card(page, tag).locator(".u-over").bounding_box()
    assert box
    left = box["x"] + (step - low) / (high - low) * box["width"]
    page.mouse.move(left - 6, box["y"] + 50)
    page.mouse.move(left, box["y"] + 50)


def expect_smoothed(page: Page, step: int, value: float, rel: float) -> None:
    """Wait until the read-out has this smoothed value for a step, to a relative error, after other replies."""
    page.wait_for_function(
        """([step, value, most]) => {
            const row = document.querySelector(`#read-out .row[data-shown="true"][data-step="${step}"]`);
            return Math.abs(row?.dataset.smoothed - value) <= most;
        }""",
        arg=[step, value, rel * abs(value)],
    )


def choose(page: Page, name: str, value: str) -> None:
    """Select an option of a list among the settings of the view."""
    page.locator('[data-key="options"]').click()
    page.locator(f'[data-select="{name}"]').select_option(value)
    page.keyboard.press("Escape")


def open_menu(page: Page, tag: str = "loss") -> Locator:
    """Open the menu of a card."""
    card(page, tag).hover()
    card(page, tag).locator('[data-key="menu"]').click()
    expect(page.locator("#card-menu")).to_be_visible()
    return page.locator("#card-menu")


def test_smoothing_methods(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Each method is selected next to the slider, shows its unit, is part of the URL, and draws the server's values."""
    values = noisy(200)
    record(tmp_path / "run", {"loss": values})
    page.goto(server(tmp_path).url)
    expect(card(page)).to_have_attribute("data-drawn-points", "200")

    page.locator('[data-select="smooth"]').select_option("median")
    page.locator("#smooth-number").fill("10")
    page.locator("#smooth-number").press("Enter")
    expect(page.locator("#smooth-number")).to_have_value("11")
    expect(page.locator("[data-unit]")).to_have_text("points")
    page.wait_for_url(re.compile(r"scalar\.smooth=median.*scalar\.window=11"))
    point_at(page, 100)
    expect_smoothed(page, 100, statistics.median(values[95:106]), 1e-12)

    page.locator('[data-select="smooth"]').select_option("time")
    page.locator("#smooth").fill("60")
    page.wait_for_url(re.compile(r"scalar\.half_life=\d+"))
    expect(page.locator("[data-unit]")).to_have_text("steps")
    half_life = float(page.locator("#smooth-number").input_value())
    weights = [2 ** (-(100 - step) / half_life) for step in range(101)]
    expected = sum(weight * value for weight, value in zip(weights, values, strict=False)) / sum(weights)
    point_at(page, 100)
    expect_smoothed(page, 100, expected, 1e-9)


UNPAINTED = """(card, values) => {
  const [low, high] = card.debugState().heights.left;
  const canvas = card.querySelector("canvas.lines:not(.one)");
  const [area, box] = [card.querySelector(".u-over"), canvas.getBoundingClientRect()];
  const { left, top, width, height } = area.getBoundingClientRect();
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return values.filter((value, step) => {
    const x = Math.floor(left - box.left + Math.min((step / (values.length - 1)) * width, width - 1));
    const y = Math.floor(top - box.top + (1 - (value - low) / (high - low)) * height);
    return ![y - 1, y, y + 1].some((row) => data[4 * (row * canvas.width + x) + 3]);
  }).length;
}"""


def test_raw_values_are_a_band_behind_a_smoothed_line(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The band covers every point, also those that are not sent; a line or nothing replaces it, also after a reload."""
    values = noisy(9000)
    for place in range(50, 9000, 997):
        values[place] = 3.0
    record(tmp_path / "run", {"loss": values})
    page.goto(server(tmp_path).url + "#smooth=0.99&scalar.outliers=drawn")
    expect(card(page)).to_have_attribute("data-total", "9000")
    page.wait_for_function("() => document.querySelector('scalar-card canvas.lines')?.width > 300")
    assert card(page).evaluate(UNPAINTED, values) == 0

    page.locator('[data-key="options"]').click()
    page.locator('[data-choice="raw"] [data-value="off"]').click()
    page.keyboard.press("Escape")
    page.wait_for_url(re.compile(r"scalar\.raw=off"))
    page.reload()
    expect(card(page)).to_have_attribute("data-total", "9000")
    page.wait_for_function("() => document.querySelector('scalar-card canvas.lines')?.width > 300")
    assert card(page).evaluate(UNPAINTED, values) > 4500


SMOOTHINGS = "card => card.plot?.lines.map(({ raw, series }) => (raw ? series.smooth : null))"


def test_noisy_series_are_smoothed_until_the_chip_is_clicked(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Few points and clean series stay raw; the choice is in the address, and a chosen smoothing replaces it."""
    generator = random.Random(1)
    values = [value + generator.gauss(0, 0.1) for value in noisy(2000)]
    record(tmp_path / "run", {"loss": values, "lr": noisy(2000), "eval": values[:200]})
    page.goto(server(tmp_path).url)
    chip = page.locator('[data-key="auto-smooth"]')
    expect(chip).to_have_attribute("aria-pressed", "true")
    for tag, smoothing in {"loss": "time:16", "lr": None, "eval": None}.items():
        expect(card(page, tag)).to_have_attribute("data-pending", "false")
        assert card(page, tag).evaluate(SMOOTHINGS) == [smoothing]
    steps, drawn = card(page).evaluate("card => card.plot.lines.map(({ xs, ys }) => [[...xs], [...ys]])[0]")
    total = weights = 0.0
    averages = []
    for value in values:
        total, weights = 2 ** (-1 / 16) * total + value, 2 ** (-1 / 16) * weights + 1
        averages.append(total / weights)
    assert drawn == pytest.approx([averages[step] for step in steps], rel=1e-9)

    chip.click()
    page.wait_for_url(re.compile(r"scalar\.auto=off"))
    page.reload()
    expect(chip).to_have_attribute("aria-pressed", "false")
    expect(card(page)).to_have_attribute("data-total", "2000")
    assert card(page).evaluate(SMOOTHINGS) == [None]
    chip.click()
    expect(chip).to_have_attribute("aria-pressed", "true")
    page.locator("#smooth-number").fill("0.5")
    page.locator("#smooth-number").press("Enter")
    expect(chip).to_have_attribute("aria-pressed", "false")
    page.wait_for_function(
        "() => document.querySelector('scalar-card[data-tag=eval]').plot.lines[0].series.smooth === 'ema:0.5'"
    )


@pytest.mark.parametrize("smooth", ["", "&smooth=0.9"])
def test_growing_run_is_sent_in_parts(server: StartServer, page: Page, tmp_path: Path, smooth: str) -> None:
    """The replies contain the points that the page lacks; it draws what it draws after a reload, also of a restart."""
    values = noisy(3000)
    record(tmp_path / "run", {"loss": values})
    page.goto(f"{server(tmp_path).url}#{smooth[1:]}")
    expect(card(page)).to_have_attribute("data-total", "3000")
    replies: list[Response] = []
    page.on("response", lambda reply: replies.append(reply) if "/api/scalars" in reply.url else None)

    with SummaryRecord(str(tmp_path / "run")) as more:
        for step in range(3000, 3004):
            more.add_value("scalar", "loss", 0.5 + step)
            more.record(step)
            more.flush()
            expect(card(page)).to_have_attribute("data-total", str(step + 1))
    [*_, last] = [
        series
        for reply in replies
        if "cursor" in (reply.request.post_data or "")
        for series in decode_cbor(reply.body())["series"]
    ]
    assert len(last["value"]) < 20 < 500 < last["kept"]

    record(tmp_path / "run", {"loss": values[:30]}, start=2000)
    expect(card(page)).to_have_attribute("data-total", "2030")
    lines = "card => card.plot.lines.map(({ xs, ys, series }) => [xs, ys, series.wall_time].map((each) => [...each]))"
    drawn = card(page).evaluate(lines)
    page.reload()
    expect(card(page)).to_have_attribute("data-total", "2030")
    assert card(page).evaluate(lines) == drawn


def test_outliers_flags_and_logarithmic_steps(server: StartServer, page: Page, pages: Pages, tmp_path: Path) -> None:
    """Spikes are outside the axis and counted, one click shows them; flags mark best points; log x begins above 0."""
    values = noisy(400)
    values[100], values[200] = 50.0, -50.0
    record(tmp_path / "run", {"loss": values})
    page.goto(server(tmp_path).url)
    expect(card(page)).to_have_attribute("data-drawn-points", "400")
    low, high = state_of(card(page))["heights"]["left"]
    inner = sorted(values)[1:-1]
    assert -2 < low < inner[0]
    assert inner[-1] < high < 2
    note = card(page).locator('[data-note="spikes"]')
    expect(note).to_have_accessible_name("2 spikes clipped. Show all")
    expect(note.locator(".count")).to_have_text("▲ 1 ▼ 1")
    note.click()
    page.wait_for_url(re.compile(r"scalar\.whole=loss"))
    page.reload()
    expect(note).to_have_text("Fit to lines")
    expect(card(page)).to_have_attribute("data-drawn-points", "400")
    low, high = state_of(card(page))["heights"]["left"]
    assert low < -50 < 50 < high
    note.click()
    expect(note).to_have_accessible_name(re.compile("^2 spikes"))

    page.locator('[data-key="options"]').click()
    page.locator('[data-choice="outliers"] [data-value="drawn"]').click()
    page.locator('[data-choice="best"] [data-value="max"]').click()
    page.locator('[data-choice="x"] [data-value="log"]').click()
    page.keyboard.press("Escape")
    expect(page.locator("#scalar-options")).to_be_hidden()

    expect_state(card(page), "flags", [["run", 100, 50]])
    expect(card(page)).to_have_attribute("data-window", "1,399")
    expect(note).to_have_count(0)
    assert state_of(card(page))["heights"]["left"][1] > 50
    expect(card(page).locator('[data-note="left"]')).to_have_text("1 point at x ≤ 0 not shown")
    expect(card(page)).to_have_attribute("data-pending", "false")
    before = card(page).evaluate("card => ({...card.dataset, revision: '', ...card.debugState()})")
    other = pages.open()
    other.goto(page.url)
    expect_state(card(other), "flags", [["run", 100, 50]])
    expect(card(other)).to_have_attribute("data-pending", "false")
    assert card(other).evaluate("card => ({...card.dataset, revision: '', ...card.debugState()})") == before


def test_ranks_and_attempts(server: StartServer, page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks and attempts are drawn separately on demand; the settings are hidden if no run has several."""
    for rank in range(2):
        monkeypatch.setenv("RANK", str(rank))
        record(tmp_path / "ranks", {"loss": noisy(20, 1 + rank)})
    monkeypatch.setenv("RANK", "0")
    record(tmp_path / "restarted", {"loss": noisy(20)})
    record(tmp_path / "restarted", {"loss": noisy(20, 3)}, start=10)
    page.goto(server(tmp_path).url)
    expect_state(card(page), "lines", [["ranks"], ["restarted"]])

    choose(page, "rank", "all")
    expect_state(card(page), "lines", [["ranks", "rank 0"], ["ranks", "rank 1"], ["restarted"]])
    choose(page, "attempt", "all")
    lines = [["ranks", "rank 0"], ["ranks", "rank 1"], ["restarted", "attempt 1"], ["restarted", "attempt 2"]]
    expect_state(card(page), "lines", lines)
    expect(card(page)).to_have_attribute("data-drawn-points", "80")
    point_at(page, 12)
    row = page.locator('#read-out .row[data-shown="true"][data-kin="attempt 2"]')
    expect(row).to_have_attribute("data-step", "12")
    assert float(row.get_attribute("data-value") or "nan") == pytest.approx(noisy(20, 3)[2])
    choose(page, "attempt", "2")
    expect_state(card(page), "lines", [["restarted", "attempt 2"]])
    page.goto(page.url.split("#")[0] + "#show=ranks")
    expect(page.locator('[data-select="rank"]')).to_have_count(1)
    expect(page.locator('[data-select="attempt"]')).to_have_count(0)


def test_full_card_with_table(server: StartServer, page: Page, tmp_path: Path) -> None:
    """`f` enlarges a card, with a sortable table of its lines that follows the crosshair; `f` restores it."""
    columns = {f"m{place:02d}": noisy(30) for place in range(40)}
    record(tmp_path / "low", columns)
    record(tmp_path / "high", {tag: [2 * value for value in values] for tag, values in columns.items()})
    page.goto(server(tmp_path).url)
    card(page, "m33").scroll_into_view_if_needed()
    expect(card(page, "m33")).to_have_attribute("data-drawn-points", "60")
    card(page, "m33").hover()
    page.keyboard.press("f")

    expect(page.locator("scalar-card")).to_have_count(1)
    table = page.locator("value-table table")
    rows = table.locator("tbody tr")
    expect(rows).to_have_count(2)
    values = columns["m33"]
    low = table.locator('tr[data-run="low"]')
    assert float(low.locator('[data-column="last"]').inner_text()) == pytest.approx(values[-1], abs=1e-4)
    assert float(low.locator('[data-column="min"]').inner_text()) == pytest.approx(min(values), abs=1e-4)
    expect(low.locator('[data-column="max_step"]')).to_have_text(str(values.index(max(values))))
    table.locator('[data-column="max"] button').click()
    expect(rows.nth(0)).to_have_attribute("data-run", "low")
    table.locator('[data-column="max"] button').click()
    expect(rows.nth(0)).to_have_attribute("data-run", "high")
    expect(table.locator('th[data-column="max"]')).to_have_attribute("aria-sort", "descending")
    expect(card(page, "m33")).to_have_attribute("data-drawn-points", "60")
    point_at(page, 7, "m33")
    expect(low.locator('[data-column="at"]')).not_to_be_empty()
    assert float(low.locator('[data-column="at"]').inner_text()) == pytest.approx(values[7], abs=1e-4)

    page.mouse.move(2, 2)
    page.keyboard.press("f")
    expect(page.locator("scalar-card")).to_have_count(40)
    expect(card(page, "m33")).to_be_in_viewport()


def test_several_tags_thresholds_and_pins(server: StartServer, page: Page, pages: Pages, tmp_path: Path) -> None:
    """A chart gets a second tag on either axis, and thresholds; a card is pinned; the URL contains all of it."""
    record(tmp_path / "a", {"loss": noisy(50), "acc, top-1": [0.01 * step for step in range(50)], "other": noisy(50)})
    record(tmp_path / "b", {"loss": noisy(50, 3.0), "acc, top-1": [0.02 * step for step in range(50)]})
    page.goto(server(tmp_path).url)
    expect(card(page)).to_have_attribute("data-drawn-points", "100")
    menu = open_menu(page)
    menu.locator('input[name="tag"]').fill("acc, top-1")
    menu.locator('input[name="tag"]').press("Enter")
    expect_state(card(page), "lines", [[run, tag] for tag in ("loss", "acc, top-1") for run in ("a", "b")])
    assert state_of(card(page))["heights"]["right"] is None
    menu.locator('[data-choice="side"] [data-value="right"]').click()
    lines = [["a", "loss"], ["b", "loss"], ["a", "acc, top-1", "right"], ["b", "acc, top-1", "right"]]
    expect_state(card(page), "lines", lines)
    left, right = state_of(card(page))["heights"]["left"], state_of(card(page))["heights"]["right"]
    assert left[1] > 3
    assert 0.9 < right[1] < 1.1
    menu.get_by_label("Add a threshold").fill("2")
    menu.get_by_label("Add a threshold").press("Enter")
    expect_state(card(page), "beyond", ["b"])
    expect(card(page).locator('[data-note="limit"]')).to_have_text("Above 2: b")
    menu.locator('[data-choice="direction"] [data-value="below"]').click()
    expect_state(card(page), "beyond", ["a", "b"])
    page.keyboard.press("Escape")
    card(page, "other").hover()
    card(page, "other").locator('[data-key="pin"]').click()
    expect(page.locator('[data-group-of="pins"] scalar-card')).to_have_attribute("data-tag", "other")
    expect(card(page, "other")).to_have_count(1)

    again = pages.open()
    again.goto(page.url)
    expect_state(card(again), "lines", lines)
    expect_state(card(again), "beyond", ["a", "b"])
    expect(again.locator("scalar-card").first).to_have_attribute("data-tag", "other")
    menu = open_menu(again)
    menu.locator('[data-with] [data-key="remove"]').click()
    menu.locator('[data-limit] [data-key="remove"]').click()
    expect_state(card(again), "lines", [["a"], ["b"]])
    expect(again).not_to_have_url(re.compile(r"scalar\.(with|limit)"))


def test_downloads(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Exact values are downloaded as CSV and JSON, the chart as SVG and PNG, for any tag name."""
    values = [*noisy(30), math.nan]
    record(tmp_path / "run", {HOSTILE: values})
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(server(tmp_path).url + f"#scalar.limit={quote(HOSTILE)},above,0.5&scalar.best=min")
    expect(card(page, HOSTILE)).to_have_attribute("data-drawn-points", "31")

    def download(key: str) -> bytes:
        menu = open_menu(page, HOSTILE)
        with page.expect_download() as awaited:
            menu.locator(f'[data-key="{key}"]').click()
        assert awaited.value.suggested_filename == f"_img_src_x_onerror_alert_1_.{key}"
        return awaited.value.path().read_bytes()

    csv = download("csv").decode().splitlines()
    assert len(csv) == 32
    assert float(csv[1].rsplit(",", 1)[1]) == values[0]
    series = json.loads(download("json"))["series"][0]
    assert series["value"] == [*values[:-1], "NaN"]
    svg = ElementTree.fromstring(download("svg"))
    space = "{http://www.w3.org/2000/svg}"
    assert svg.findtext(f"{space}title") == HOSTILE
    assert {"run"} <= {text.text for text in svg.iter(f"{space}text")}
    paths = [path.get("d") or "" for path in svg.iter(f"{space}path")]
    assert max(path.count("L") for path in paths) == 29
    png = download("png")
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20], "big") == 2 * 960


def test_bands_of_groups(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Runs are grouped by name or by a hyperparameter: centre and edges equal the data, also live."""
    runs = {(rate, seed): noisy(20, rate * (1 + seed)) for rate in (1, 10) for seed in range(3)}
    for (rate, seed), values in runs.items():
        record(tmp_path / f"lr{rate}_seed{seed}", {"loss": values})
    page.goto(server(tmp_path).url + "#scalar.band=minmax&runs.group=" + quote("regex:lr\\\\d+"))
    expect_state(card(page), "runs", ["lr1", "lr10"])
    point_at(page, 5)
    row = page.locator('#read-out .row[data-shown="true"][data-run="lr10"]')
    expect(row).to_have_attribute("data-step", "5")
    column = [runs[10, seed][5] for seed in range(3)]
    shown = row.evaluate("row => ({...row.dataset})")
    found = [float(shown[name]) for name in ("value", "low", "high", "count")]
    assert found == pytest.approx([statistics.mean(column), min(column), max(column), 3], rel=1e-6)

    record(tmp_path / "other", {"loss": [math.nan]})
    expect(card(page).locator('[data-note="ungrouped"]')).to_have_text("1 ungrouped run")
    page.locator('[data-menu="group-by-rail"]').click()
    page.locator('[data-choice="band"] [data-value="std"]').click()
    page.locator('#group-by-rail [data-value=""]').click()
    page.locator('#group-by-rail [data-value="all"]').click()
    expect_state(card(page), "runs", [""])
    page.keyboard.press("Escape")
    point_at(page, 5)
    row = page.locator('#read-out .row[data-shown="true"]')
    expect(row.locator(".name")).to_have_text("All runs")
    expect(row).to_have_attribute("data-count", "6")
    expect(card(page).locator('[data-note="non_finite"]')).to_have_count(1)
    record(tmp_path / "lr1_seed3", {"loss": noisy(20)})
    expect(row).to_have_attribute("data-count", "7")
    everything = [values[5] for values in [*runs.values(), noisy(20)]]
    low = float(row.get_attribute("data-low") or "nan")
    assert low == pytest.approx(statistics.mean(everything) - statistics.stdev(everything), rel=1e-6)
    # "other" has the tag, but no finite value.
    expect(card(page).locator('[data-note="fewer"]')).to_have_text("As few as 7 of 8 runs")
    expect(row.locator(".runs")).to_have_text("7 of 8")
    page.locator('[data-menu="group-by-rail"]').click()
    page.locator('#group-by-rail [data-value=""]').click()
    page.keyboard.press("Escape")
    expect(card(page)).to_have_attribute("data-drawn-points", "141")
    expect(card(page).locator('[data-note="fewer"]')).to_have_count(0)


def expect_order(page: Page, *tags: str) -> None:
    """Wait until the cards have this order."""
    for place, tag in enumerate(tags):
        expect(page.locator("scalar-card").nth(place)).to_have_attribute("data-tag", tag)


def test_order_of_cards(server: StartServer, page: Page, pages: Pages, tmp_path: Path) -> None:
    """Cards are ordered by name, by last change or manually; the URL or the browser stores the order."""
    tags = dict.fromkeys(("a", "b", "c", "d", HOSTILE), 1.0)
    write_run(tmp_path / "run", [scalar_event(1000.0 + step, step, tags) for step in range(3)], 1000)
    write_run(tmp_path / "later", [scalar_event(5000.0, 9, {"c": 1.0})], 5000)
    page.goto(server(tmp_path).url)
    expect_order(page, HOSTILE, "a", "b", "c", "d")
    choose(page, "order", "changed")
    expect_order(page, "c", HOSTILE, "a", "b", "d")

    choose(page, "order", "name")
    card(page, "d").locator("h3").drag_to(card(page, "a").locator("h3"))
    expect_order(page, HOSTILE, "d", "a", "b", "c")
    expect(page.locator('[data-select="order"]')).to_have_value("hand")
    open_menu(page, "a").locator('[data-key="later"]').click()
    expect_order(page, HOSTILE, "d", "b", "a", "c")
    other = pages.open()
    other.goto(page.url)
    expect_order(other, HOSTILE, "d", "b", "a", "c")
    for tag in ("c", "d"):
        card(page, tag).hover()
        card(page, tag).locator('[data-key="pin"]').click()
    card(page, "d").locator("h3").drag_to(card(page, "c").locator("h3"))
    expect_order(page, "d", "c", HOSTILE, "b", "a")
    choose(page, "order", "name")
    expect_order(page, "d", "c", HOSTILE, "a", "b")


def test_order_that_is_too_long_for_the_url(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A manual order of hundreds of cards is stored in the browser, also of those that are not created yet."""
    tags = [f"{'long ' * 150}{place:03d}" for place in range(300)]
    record(tmp_path / "run", {tag: [1.0] for tag in tags})
    page.goto(server(tmp_path).url)
    expect(page.locator(".tag-count")).to_have_text("300 of 300 tags")
    choose(page, "order", "hand")
    card(page, tags[0]).locator("h3").drag_to(card(page, tags[2]).locator("h3"))
    moved = [tags[1], tags[2], tags[0], *tags[3:]]
    expect_order(page, *moved[:3])
    page.wait_for_url(re.compile("scalar.order=hand"))
    assert "scalar.hand" not in page.url
    page.reload()
    expect_order(page, *moved[:3])
    assert page.locator("card-block").first.evaluate("block => block.sectionTags") == moved
    page.locator("#tag-filter").fill("29.")
    expect(page.locator("scalar-card")).to_have_count(10)
    page.locator("#tag-filter").fill("")


def test_first_decades_of_a_logarithmic_axis(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A logarithmic axis has as many points of the first decade as of the last."""
    record(tmp_path / "run", {"loss": noisy(5000)})
    page.goto(server(tmp_path).url)
    first = "card => [...card.plot.lines[0].xs.slice(0, 20)]"
    expect(card(page)).to_have_attribute("data-total", "5000")
    expect(card(page)).to_have_attribute("data-pending", "false")
    assert card(page).evaluate(first) != list(range(20))
    page.locator('[data-key="options"]').click()
    page.locator('[data-choice="x"] [data-value="log"]').click()
    page.keyboard.press("Escape")
    expect(card(page)).to_have_attribute("data-window", "1,4999")
    page.wait_for_function("() => document.querySelector('scalar-card[data-tag=loss]').plot.lines[0].xs[19] === 19")
    assert card(page).evaluate(first) == list(range(20))


def test_custom_colour(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A run's custom colour is applied to its swatch and its line while the page is open."""
    record(tmp_path / "run", {"loss": noisy(20)})
    address = server(tmp_path, "--data-dir", str(tmp_path.parent / f"{tmp_path.name}-data")).url
    page.goto(address)
    expect(card(page)).to_have_attribute("data-drawn-points", "20")
    assert page.request.put(address + "api/runs/run/notes", data={"colour": "#ff00aa"}).ok

    swatch = page.locator('.run[data-run="run"] .swatch path')
    expect(swatch).to_have_css("stroke", "rgb(255, 0, 170)")
    page.wait_for_function("""() => {
        const canvas = document.querySelector('scalar-card canvas.lines');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        for (let at = 0; at < data.length; at += 4)
            if (data[at] === 255 && data[at + 1] === 0 && data[at + 2] === 170 && data[at + 3] > 250) return true;
        return false;
    }""")
    assert page.request.put(address + "api/runs/run/notes", data={"colour": "#026854"}).ok
    expect(swatch).to_have_css("stroke", "rgb(2, 104, 84)")
    page.goto(address + "#theme=dark")
    expect(swatch).to_have_css("stroke", "rgb(149, 245, 216)")


def test_many_runs_are_grey_but_for_the_best_and_marked_ones(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A note counts the lines in colour; marking a run colours its line."""
    for run in range(30):
        record(tmp_path / f"run{run:02}", {"loss": [5.0, float(run)]})
    page.goto(server(tmp_path).url)
    note = card(page).locator('[data-note="context"]')
    expect(note).to_have_text("5 of 30 lines in colour")
    coloured = "card => card.plot.lines.filter(({ isContext }) => !isContext).map(({ run }) => run)"
    assert card(page).evaluate(coloured) == [f"run{run:02}" for run in range(5)]
    page.locator('[data-run="run20"]').first.click(modifiers=["ControlOrMeta"])
    expect(note).to_have_text("6 of 30 lines in colour")


@pytest.mark.parametrize("lang", ["en-US", "zh-CN"])
@pytest.mark.parametrize("width", [1280, 400])
def test_toolbar_has_one_row_while_tags_are_filtered(
    server: StartServer, pages: Pages, tmp_path: Path, lang: str, width: int
) -> None:
    """With the number of filtered tags, next to the open run list or on a phone, in both languages."""
    record(tmp_path / "run", {f"thor_trace/layer{number}.inputs": noisy(2) for number in range(30)})
    page = pages.open(width=width, lang=lang)
    page.goto(server(tmp_path).url + "#tags=layer1")
    expect(page.locator("scalar-card")).to_have_count(11)
    tops = page.locator("#toolbar > :not(.space)").evaluate_all(
        "parts => parts.map(part => part.getBoundingClientRect()).filter(box => box.height)"
        ".map(box => Math.round((box.top + box.height / 2) / 4))"
    )
    assert len(set(tops)) == 1


def test_group_has_a_logarithmic_scale_of_its_own(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The switch in a group's header changes the cards of that group alone, and is part of the URL."""
    record(tmp_path / "run", {"thor_condition/fc1": [1.0, 1e6], "thor_condition/fc2": [1.0, 10.0], "loss": [1.0, 0.5]})
    page.goto(server(tmp_path).url)
    first, other = card(page, "thor_condition/fc1"), card(page)
    expect(first).to_have_attribute("data-drawn-points", "2")
    is_log = "card => card.plot.log"
    assert (first.evaluate(is_log), other.evaluate(is_log)) == (False, False)

    group = page.locator('[data-group="thor_condition"]')
    group.hover()
    group.locator('[data-key="group-log"]').click()
    page.wait_for_url(re.compile(r"scalar\.log=thor_condition"))
    assert (first.evaluate(is_log), other.evaluate(is_log)) == (True, False)
    assert card(page, "thor_condition/fc2").evaluate(is_log)
    page.reload()
    expect(group.locator('[data-key="group-log"]')).to_have_attribute("aria-pressed", "true")

    page.keyboard.press("y")
    expect(page.locator('[data-key="group-log"]')).to_have_count(0)
    page.keyboard.press("y")
    group.hover()
    group.locator('[data-key="group-log"]').click()
    expect(page).not_to_have_url(re.compile("log"))
    assert not first.evaluate(is_log)


def test_values_recorded_once_are_bars(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The best first, with the exact value on hover; runs with more points, and the enlarged card, have the chart."""
    for name, accuracy in (("a", 0.5), ("b", 0.90625), ("c", float("nan"))):
        record(tmp_path / name, {"loss": [3.0, 2.0], "accuracy": [accuracy]})
    page.goto(server(tmp_path).url)
    bars = card(page, "accuracy").locator(".run-bars li")
    expect(bars).to_have_count(3)
    assert [bar.get_attribute("data-run") for bar in bars.all()] == ["b", "a", "c"]
    expect(bars.nth(0).locator(".bar-value")).to_have_text("0.90625")
    expect(card(page, "loss").locator(".run-bars")).to_have_count(0)

    card(page, "accuracy").hover()
    card(page, "accuracy").locator('[data-key="enlarge"]').click()
    expect(card(page, "accuracy").locator("value-table")).to_be_visible()
    expect(card(page, "accuracy").locator(".run-bars")).to_have_count(0)


def test_steps_that_begin_again_are_offered_over_time(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A trainer that counts from zero in each epoch: the step axis has the last epoch, time has all points."""
    events = [scalar_event(1000.0 + at, at % 10, {"loss": float(at)}) for at in range(40)]
    write_run(tmp_path / "run", events, 1000)
    page.goto(server(tmp_path).url)
    expect(card(page)).to_have_attribute("data-drawn-points", "10")
    card(page).locator('[data-key="status"]').click()
    page.locator('[data-key="over-time"]').click()
    expect(card(page)).to_have_attribute("data-drawn-points", "40")


def test_runs_are_aligned_at_their_first_steps(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Relative steps: a run that continues at step 1,000 is drawn over one that begins at 0; a zoom has its points."""
    record(tmp_path / "first", {"loss": noisy(100)})
    record(tmp_path / "continued", {"loss": noisy(100)}, start=1000)
    page.goto(server(tmp_path).url)
    expect(card(page)).to_have_attribute("data-window", "0,1099")
    page.keyboard.press("x")
    expect(page).to_have_url(re.compile("x=relative_step"))
    expect(card(page)).to_have_attribute("data-window", "0,99")
    expect(card(page)).to_have_attribute("data-drawn-points", "200")
    point_at(page, 50)
    expect(page.locator("#read-out .head")).to_contain_text("Relative step 50")


def test_pauses_can_be_left_out_of_relative_time(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A run that stopped for an hour is as long as the time in which it ran; the choice is in the address."""
    for begin, first in ((1_700_000_000, 0), (1_700_003_600, 50)):
        events = [scalar_event(begin + at, first + at, {"loss": float(at)}) for at in range(50)]
        write_run(tmp_path / "run", events, begin)
    page.goto(f"{server(tmp_path).url}#x=active")
    expect(card(page)).to_have_attribute("data-drawn-points", "100")
    expect(card(page)).to_have_attribute("data-window", "0,98")
    point_at(page, 60)
    expect(page.locator("#read-out .head")).to_contain_text("Without pauses 1m 00.0s")


def test_points_after_a_clock_was_set_back_are_reported(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Over time, the line joined the last steps to the first without a word."""
    times = [1_700_000_000.0 + step - (3600 if step >= 30 else 0) for step in range(50)]
    write_run(tmp_path / "run", [scalar_event(time, step, {"loss": 1.0 + step}) for step, time in enumerate(times)])
    page.goto(f"{server(tmp_path).url}#x=relative")
    card(page).locator('[data-key="status"]').click()
    expect(page.locator('[data-note="set_back"]')).to_have_text("20 points before those of earlier steps")
