"""The page in a real browser, on real runs, served by a real server."""

import json
import math
import re
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect
from support.element_state import expect_state
from support.pages import Pages, StartServer

from toposcope.recorder import SummaryRecord

SHARED_WORDS = Path(__file__).parents[2] / "web/i18n/shared_words.js"
HOSTILE = "<img src=x onerror=alert(1)>"


def record_run(folder: Path, points: int, tags: tuple[str, ...] = ("loss",), scale: float = 1.0) -> None:
    """Record noisy falling curves."""
    with SummaryRecord(str(folder)) as record:
        for step in range(points):
            for tag in tags:
                record.add_value("scalar", tag, scale * (math.exp(-3 * step / points) + 0.1 * math.sin(step * 12.9898)))
            record.record(step)


def card(page: Page, tag: str = "loss") -> Locator:
    """Return a card of the page."""
    return page.locator(f"scalar-card[data-tag={json.dumps(tag)}]")


def expect_points(page: Page, points: int | str, tag: str = "loss") -> None:
    """Wait until this many points of a tag are drawn."""
    expect(card(page, tag)).to_have_attribute("data-drawn-points", str(points))


def expect_runs(page: Page, *runs: str, tag: str = "loss") -> None:
    """Wait until exactly these runs are drawn."""
    expect_state(card(page, tag), "runs", list(runs))


def drag(page: Page, start: float, end: float, tag: str = "loss") -> None:
    """Drag over a share of a chart's width."""
    box = card(page, tag).locator(".u-over").bounding_box()
    assert box
    page.mouse.move(box["x"] + start * box["width"], box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + end * box["width"], box["y"] + 44, steps=4)
    page.mouse.up()


def smoothed_at(page: Page, step: int) -> float:
    """Return the smoothed value that the read-out shows for a step."""
    low, high = map(float, (card(page).get_attribute("data-window") or "").split(","))
    box = card(page).locator(".u-over").bounding_box()
    assert box
    left = box["x"] + (step - low) / (high - low) * box["width"]
    page.mouse.move(left - 6, box["y"] + 50)
    page.mouse.move(left, box["y"] + 50)
    row = page.locator(f'#read-out .row[data-shown="true"][data-step="{step}"]')
    expect(row).to_be_visible()
    return float(row.get_attribute("data-smoothed") or "nan")


def test_flushed_point_appears_without_reload(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A point that is flushed while the page is open is drawn without a reload."""
    with SummaryRecord(str(tmp_path / "run")) as record:
        record.add_value("scalar", "loss", 0.5)
        record.record(1)
        record.flush()
        page.goto(server(tmp_path).url)
        expect_points(page, 1)
        page.evaluate("window.sameDocument = true")

        record.add_value("scalar", "loss", 0.25)
        record.record(2)
        record.flush()

        expect_points(page, 2)
        expect(page.locator(".run .last")).to_have_text("0.25000")
        assert page.evaluate("window.sameDocument") is True


def test_new_run_and_new_tag_appear(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A run and a tag that start while the page is open get a row, a line and a card."""
    record_run(tmp_path / "first", 10)
    page.goto(server(tmp_path).url)
    expect_points(page, 10)

    record_run(tmp_path / "second", 20, ("loss", "accuracy"))

    expect_runs(page, "first", "second")
    expect_points(page, 20, "accuracy")
    expect(page.locator(".run")).to_have_count(2)


def test_zoom_reaches_raw_points_with_equal_smoothing(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A zoom fetches every point of the window, and does not change smoothed values."""
    record_run(tmp_path / "run", 6000)
    page.goto(server(tmp_path).url + "#smooth=0.9&open=loss")
    expect(card(page).locator('[data-note="downsampled"]')).to_contain_text("of 6,000")
    expect(card(page)).to_have_attribute("data-total", "6000")
    expect(card(page)).to_have_attribute("data-pending", "false")
    drawn = int(card(page).get_attribute("data-drawn-points") or 0)
    assert 0 < drawn < 1100

    drag(page, 0.50, 0.56)
    expect(card(page).locator('[data-note="downsampled"]')).to_have_count(0)
    page.wait_for_function(
        "() => (({drawnPoints, total}) => drawnPoints === total)(document.querySelector('scalar-card').dataset)"
    )
    zoomed = card(page).evaluate("card => ({...card.dataset})")
    low, high = map(int, zoomed["window"].split(","))
    assert zoomed["drawnPoints"] == zoomed["total"] == str(high - low + 1)
    raw_steps = page.request.post(
        page.url.split("#")[0] + "api/scalars", data={"tag": ["loss"], "points": 1000, "smooth": "ema:0.9"}
    ).json()["series"][0]
    common = next(step for step in raw_steps["step"] if low + 20 < step < high - 20)
    expected = raw_steps["smoothed"][raw_steps["step"].index(common)]
    assert smoothed_at(page, common) == pytest.approx(expected, rel=1e-12)

    card(page).locator(".u-over").dblclick()
    expect(card(page)).to_have_attribute("data-drawn-points", str(drawn))
    expect(page).not_to_have_url(re.compile("zoom"))


def test_toggling_hides_a_line(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A hidden run is not drawn; 'only this', 'none' and 'all' change the visible runs."""
    for name in ("a", "b", "c"):
        record_run(tmp_path / name, 10)
    page.goto(server(tmp_path).url)
    expect_runs(page, "a", "b", "c")

    page.locator('.run[data-run="b"] .run-toggle').click()
    expect_runs(page, "a", "c")
    page.locator('.run[data-run="c"]').hover()
    page.locator('.run[data-run="c"] [data-key="only"]').click()
    expect_runs(page, "c")
    page.locator('[data-key="none"]').click()
    expect(page.locator('.empty[data-state="none_drawn"]')).to_contain_text("No runs selected.")
    page.locator("#run-filter").fill("a")
    expect(page.locator('.empty[data-state="none_drawn"]')).to_contain_text("None of the runs that the search finds")
    page.locator("#run-filter").fill("")
    page.locator('.rail-head [data-key="all"]').click()
    expect_runs(page, "a", "b", "c")


def test_search_without_a_match_says_so(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Instead of empty cards, the page names the search and offers to clear it."""
    record_run(tmp_path / "a", 10)
    page.goto(server(tmp_path).url + "#runs=nothing")
    expect(page.locator('.empty[data-state="no_run_found"]')).to_contain_text("nothing")
    expect(page.locator("scalar-card")).to_have_count(0)
    page.locator('[data-key="clear-search"]').click()
    expect_runs(page, "a")


def test_url_restores_the_view(server: StartServer, page: Page, pages: Pages, tmp_path: Path) -> None:
    """The URL restores scale, smoothing, hidden runs, filters, window, theme, card size."""
    for name in ("a", "b"):
        record_run(tmp_path / name, 200, ("loss", "accuracy"))
    page.goto(server(tmp_path).url)
    expect_points(page, 400)
    page.locator('.run[data-run="a"] .run-toggle').click()
    page.locator("#tag-filter").fill("lo.s")
    page.locator("#smooth").fill("0.5")
    page.locator('[data-choice="scale"] [data-value="log"]').click()
    page.locator('[data-key="options"]').click()
    page.locator('[data-choice="size"] [data-value="l"]').click()
    page.keyboard.press("Escape")
    page.locator('[data-key="theme"]').click()
    expect_runs(page, "b")
    expect(card(page)).to_have_attribute("data-window", "0,199")
    drag(page, 0.2, 0.6)
    for setting in ("smooth=0.5", "scalar.range=", "theme=light"):
        expect(page).to_have_url(re.compile(setting))
    expect(card(page)).not_to_have_attribute("data-window", "0,199")
    expect(card(page)).to_have_attribute("data-pending", "false")
    before = card(page).evaluate("card => ({...card.dataset, revision: '', ...card.debugState()})")

    other = pages.open()
    other.goto(page.url)

    expect_points(other, before["drawnPoints"])
    assert card(other).evaluate("card => ({...card.dataset, revision: '', ...card.debugState()})") == before
    expect(other.locator("#tag-filter")).to_have_value("lo.s")
    expect(other.locator("#smooth-number")).to_have_value("0.5")
    expect(other.locator('[data-choice="scale"] [aria-pressed="true"]')).to_have_attribute("data-value", "log")
    expect(other.locator('.run[data-run="a"]')).to_have_attribute("data-shown", "false")
    expect(other.locator("scalar-card")).to_have_count(1)
    other.evaluate("location.hash = ''")
    expect_points(other, 400)


def test_axes_and_read_out(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Every axis draws every point; the read-out lists each run's value, the largest first; charts share the cursor."""
    record_run(tmp_path / "low", 50, ("loss", "other"))
    record_run(tmp_path / "high", 50, ("loss", "other"), scale=2.0)
    page.goto(server(tmp_path).url)
    expect_points(page, 100, "other")
    expect_points(page, 100)
    for axis in ("relative", "wall_time", "step"):
        page.locator('[data-select="x"]').select_option("" if axis == "step" else axis)
        expect(card(page)).to_have_attribute("data-axis", axis)
        expect_points(page, 100)

    card(page).locator(".u-over").hover(position={"x": 0.5, "y": 30})

    rows = page.locator('#read-out .row[data-shown="true"]')
    expect(rows).to_have_count(2)
    boxes = {row.get_attribute("data-run"): row.bounding_box() or {"y": 0} for row in rows.all()}
    assert boxes["high"]["y"] < boxes["low"]["y"]
    assert float(page.locator('#read-out .row[data-run="high"]').get_attribute("data-value") or 0) == 2.0
    expect(card(page, "other").locator(".crosshair")).to_be_visible()
    page.mouse.move(5, 400)
    expect(page.locator("#read-out")).to_be_hidden()
    expect(card(page, "other").locator(".crosshair")).to_be_hidden()
    page.locator('.run[data-run="low"]').hover()
    expect(card(page).locator(".lines.faded")).to_have_count(1)


def test_one_step_series_opens_on_wall_time(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A series with only one step is drawn over wall time, with a note."""
    with SummaryRecord(str(tmp_path / "run")) as record:
        for value in range(5):
            record.add_value("scalar", "loss", float(value))
            record.record(0)
    page.goto(server(tmp_path).url)

    expect(card(page)).to_have_attribute("data-axis", "wall_time")
    expect_points(page, 5)
    expect(card(page).locator('[data-note="one_step"]')).to_have_count(1)


def test_non_finite_and_non_positive_points(server: StartServer, page: Page, tmp_path: Path) -> None:
    """NaN and infinities are drawn and read out; a logarithmic axis omits values that are not positive, with a note."""
    with SummaryRecord(str(tmp_path / "run")) as record:
        for step, value in enumerate([1.0, math.nan, math.inf, -math.inf, 2.0, -3.0]):
            record.add_value("scalar", "loss", value)
            record.record(step)
    page.goto(server(tmp_path).url + "#y=log")
    expect_points(page, 6)

    expect(card(page).locator('[data-note="dropped"]')).to_have_text("2 points ≤ 0 not shown")
    box = card(page).locator(".u-over").bounding_box()
    assert box
    card(page).locator(".u-over").hover(position={"x": box["width"] / 5, "y": 30})
    expect(page.locator('#read-out .row[data-shown="true"][data-value="NaN"] .value')).to_have_class(
        re.compile("non-finite")
    )


def test_invalid_regex(server: StartServer, page: Page, tmp_path: Path) -> None:
    """An invalid expression shows an error below its field and filters nothing; a corrected one filters."""
    record_run(tmp_path / "run", 5, ("loss", "accuracy"))
    page.goto(server(tmp_path).url)
    expect_points(page, 5)

    page.locator("#tag-filter").fill("lo(")
    expect(page.locator("#tag-filter-error")).to_contain_text("Invalid regular expression")
    expect(page.locator("#tag-filter")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("scalar-card")).to_have_count(2)
    page.locator("#tag-filter").fill("lo(s)")
    expect(page.locator("scalar-card")).to_have_count(1)


def test_hostile_tag_is_text(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Markup in a tag is shown as text."""
    record_run(tmp_path / "run", 5, (HOSTILE,))
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(server(tmp_path).url + f"#open={quote(HOSTILE)}")

    expect(page.locator("scalar-card h3")).to_have_text(HOSTILE)
    expect(page.locator("scalar-card")).to_have_attribute("data-drawn-points", "5")
    page.locator(".u-over").hover()
    expect(page.locator("#read-out")).to_be_visible()
    assert page.locator("img").count() == 0


def test_empty_logdir_fills(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The page of an empty logdir shows what it waits for, and a run as soon as it starts."""
    page.goto(server(tmp_path, "--reload-interval", "0.3").url)
    expect(page.locator(".empty")).to_have_attribute("data-state", "no_runs")
    expect(page.locator(".empty")).to_contain_text(str(tmp_path))

    record_run(tmp_path / "run", 5)

    expect_points(page, 5)


def test_missing_logdir_is_waited_for(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A missing logdir is reported, and used as soon as it exists."""
    logdir = tmp_path / "later"
    page.goto(server(logdir, "--reload-interval", "0.3").url)
    expect(page.locator(".empty")).to_have_attribute("data-state", "no_logdir")

    record_run(logdir / "run", 5)

    expect_points(page, 5)


def test_run_that_vanishes_leaves_the_page(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A run whose folder is deleted is removed from list and charts."""
    for name in ("a", "b"):
        record_run(tmp_path / name, 5)
    page.goto(server(tmp_path, "--reload-interval", "0.3").url)
    expect_runs(page, "a", "b")

    shutil.rmtree(tmp_path / "a")

    expect_runs(page, "b")
    expect(page.locator(".run")).to_have_count(1)


def test_narrow_page(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """At 400 px nothing overflows, and the run list is an overlay in which a run can be hidden."""
    for name in ("a", "b"):
        record_run(tmp_path / name, 5)
    page = pages.open(width=400, height=720)
    page.goto(server(tmp_path).url)
    expect_runs(page, "a", "b")
    assert page.evaluate(
        "document.documentElement.scrollWidth <= 400 && document.querySelector('#page').scrollWidth <= 400"
    )
    expect(page.locator("#rail")).to_be_hidden()

    page.locator(".rail-switch").click()
    page.locator('.run[data-run="a"] .run-toggle').click()
    page.keyboard.press("Escape")

    expect(page.locator("#rail")).to_be_hidden()
    expect_runs(page, "b")


def test_tab_of_the_shown_page_is_visible(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """The bar scrolls to the tab of the shown page, again when it becomes narrower."""
    record_run(tmp_path / "run", 5)
    page = pages.open(width=1000)
    page.goto(f"{server(tmp_path).url}#page=compare")
    shown = page.locator('.pages [data-page="compare"]')
    expect(shown).to_be_in_viewport(ratio=1)
    page.locator('.pages [data-page="lineage"]').click()
    page.set_viewport_size({"width": 800, "height": 600})
    expect(page.locator('.pages [data-page="lineage"]')).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 500, "height": 600})
    expect(page.locator('.pages [data-page="lineage"]')).to_be_in_viewport(ratio=1)


def test_path_prefix(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The page, its requests and its live updates work under a path prefix."""
    record_run(tmp_path / "run", 5)
    started = server(tmp_path, "--path-prefix", "/topo")
    assert "/topo/" in started.url
    page.goto(started.url)
    expect_points(page, 5)

    record_run(tmp_path / "more", 7)

    expect_points(page, 12)


def test_language(server: StartServer, page: Page, pages: Pages, tmp_path: Path) -> None:
    """Switching the language leaves no text of the other one, and is stored."""
    record_run(tmp_path / "run", 5)
    page.goto(server(tmp_path).url)
    expect_points(page, 5)
    english = re.findall(
        r'^  "[^"]+":\s+"(.+)",$', SHARED_WORDS.read_text(encoding="utf-8").partition("const zh")[0], re.MULTILINE
    )
    page.locator('[data-key="lang"]').click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    page.keyboard.press("?")

    expect(page.locator("#panel")).to_be_visible()
    seen = page.evaluate("""() => [...document.querySelectorAll('body, body *')].flatMap(element => [
        ...[...element.childNodes].filter(node => node.nodeType === 3).map(node => node.data.trim()),
        ...['title', 'aria-label', 'placeholder'].map(name => element.getAttribute(name) ?? '')])""")
    whole = {text for entry in english for text in entry.split("|") if "{" not in text and len(text) > 2}
    assert whole & set(seen) == set()
    page.goto(page.url.split("#")[0])
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")


def test_warnings_of_the_server(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The top bar shows faults of the installation, with the server's advice; without faults there is no note."""
    record_run(tmp_path / "run", 5)
    url = server(tmp_path).url
    warnings = [{"kind": "uncompiled_scan", "message": "install a C compiler"}, {"kind": "other", "message": "a fault"}]
    page.route("**/api/health", lambda route: route.fulfill(json={"warnings": warnings}))
    page.goto(url)
    notes = page.locator(".server-warning")
    expect(notes).to_have_text(["Not compiled: slow loading", "a fault"])
    expect(notes.first).to_have_attribute("title", "install a C compiler")

    page.unroute("**/api/health")
    page.route("**/api/health", lambda route: route.fulfill(json={"version": "0"}))
    page.reload()
    expect_points(page, 5)
    expect(page.locator(".server-warning")).to_have_count(0)


def test_folders_that_cannot_be_written_are_shown(server: StartServer, page: Page, tmp_path: Path) -> None:
    """In the top bar, in both languages, with the folder and the reason."""
    record_run(tmp_path / "runs" / "run", 5)
    (tmp_path / "file").touch()
    folders = ("--index-dir", f"{tmp_path}/file/index", "--data-dir", f"{tmp_path}/file/data")
    page.goto(server(tmp_path / "runs", *folders).url)
    notes = page.locator('.server-warning:not([data-warning="uncompiled_scan"])')
    expect(notes).to_have_text(["Index cannot be written: slow restarts", "Notes cannot be saved"])
    expect(notes.first).to_have_attribute(
        "title", re.compile(r"/file/index' cannot be written: .*not a directory", re.I)
    )
    page.locator('[data-key="lang"]').click()
    expect(notes).to_have_text(["索引无法写入，重启较慢", "无法保存备注"])  # noqa: RUF001


def test_server_that_stops_and_returns(server: StartServer, pages: Pages, page: Page, tmp_path: Path) -> None:
    """Without a server the page is marked as disconnected and keeps its data; it continues when a server returns."""
    pages.allowed = "ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE"
    record_run(tmp_path / "run", 5)
    first = server(tmp_path)
    page.goto(first.url)
    expect_points(page, 5)
    live = page.locator(".live")
    expect(live).to_have_attribute("data-state", "live")

    first.stop()
    expect(live).to_have_text("Disconnected, retrying")
    expect_points(page, 5)

    record_run(tmp_path / "more", 6)
    server(tmp_path, "--port", first.url.rstrip("/").rsplit(":", 1)[1])
    expect(live).to_have_attribute("data-state", "live")
    expect_points(page, 11)


def test_keyboard(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Keys move through, hide and select runs; '/' focuses the filter, '?' lists the shortcuts."""
    for name in ("a", "b", "c"):
        record_run(tmp_path / name, 5)
    page.goto(server(tmp_path).url)
    expect_runs(page, "a", "b", "c")

    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Space")
    expect_runs(page, "a", "c")
    page.keyboard.press("o")
    expect_runs(page, "b")
    page.keyboard.press("a")
    expect_runs(page, "a", "b", "c")
    page.keyboard.press("/")
    expect(page.locator("#tag-filter")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#panel kbd").first).to_be_visible()


def test_only_visible_cards_are_fetched(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Only cards near the viewport are fetched and drawn; scrolling draws others, and frees these."""
    record_run(tmp_path / "run", 5, tuple(f"m{index:03d}" for index in range(200)))
    page.goto(server(tmp_path).url)
    expect_points(page, 5, "m000")
    assert page.locator("scalar-card canvas").count() < 120

    page.locator("main").hover()
    page.mouse.wheel(0, 1e6)

    expect_points(page, 5, "m199")
    expect(card(page, "m000").locator("canvas")).to_have_count(0)


def test_damage_is_reported(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A damaged record is reported; the other records are drawn."""
    record_run(tmp_path / "run", 50)
    (event_file,) = (
        path for path in (tmp_path / "run").iterdir() if "events" in path.name and "lineage" not in path.name
    )
    content = bytearray(event_file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    event_file.write_bytes(content)

    page.goto(server(tmp_path).url)

    expect(page.locator(".run .damaged")).to_have_attribute("aria-label", re.compile("damaged record"))
    expect_points(page, 49)


def test_page_without_its_scripts_says_why(server: StartServer, page: Page, pages: Pages, tmp_path: Path) -> None:
    """Below a proxy that removes the prefix, without the slash at the end of the address, they are not found."""
    record_run(tmp_path / "run", 3)
    page.route("**/built/**", lambda route: route.fulfill(status=404))
    page.goto(server(tmp_path).url)
    expect(page.locator("body")).to_contain_text("the address must end with a slash")
    expect(page.locator("#no-scripts")).to_be_visible()
    pages.errors.clear()

    page.unroute("**/built/**")
    page.reload()
    expect_runs(page, "run")
    expect(page.locator("#no-scripts")).to_have_count(0)
