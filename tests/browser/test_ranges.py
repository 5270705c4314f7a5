"""Linked and typed ranges, the strip under an enlarged chart, and the baseline, in a real browser."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from support.event_files import scalar_event, version_event, write_run
from support.pages import StartServer

from toposcope.recorder import SummaryRecord, custom_lineage


def record(logdir: Path, runs: int = 1) -> None:
    """Write runs with two tags of 101 steps; the values of a later run are larger."""
    for run in range(runs):
        points = [scalar_event(1000.0, step, {"loss": float(run), "other": float(step)}) for step in range(101)]
        write_run(logdir / f"run{run}", [version_event(1000 + run), *points], 1000 + run)


def card(page: Page, tag: str) -> Locator:
    """Return the card of a tag."""
    return page.locator(f'scalar-card[data-tag="{tag}"]')


def zoom(page: Page, tag: str) -> None:
    """Drag over the middle of a chart."""
    box: Any = card(page, tag).locator(".u-over").bounding_box()
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 60, steps=3)
    page.mouse.up()


def test_zooming_one_chart_zooms_all(server: StartServer, page: Page, tmp_path: Path) -> None:
    """All charts show the range until Back, or the button in a chart; unlinked charts have their own."""
    record(tmp_path)
    page.goto(server(tmp_path).url)
    expect(card(page, "other")).to_have_attribute("data-window", "0,100")
    zoom(page, "loss")
    expect(page).to_have_url(re.compile(r"scalar\.range="))
    zoomed = card(page, "loss").get_attribute("data-window") or ""
    assert zoomed != "0,100"
    expect(card(page, "other")).to_have_attribute("data-window", zoomed)
    page.go_back()
    expect(card(page, "other")).to_have_attribute("data-window", "0,100")
    page.go_forward()
    expect(card(page, "other")).to_have_attribute("data-window", zoomed)
    card(page, "other").locator('[data-key="reset"]').click()
    expect(card(page, "other")).to_have_attribute("data-window", "0,100")

    page.locator('[data-key="options"]').click()
    page.locator('[data-choice="link"] [data-value="off"]').click()
    page.keyboard.press("Escape")
    zoom(page, "loss")
    expect(card(page, "loss")).not_to_have_attribute("data-window", "0,100")
    expect(card(page, "other")).to_have_attribute("data-window", "0,100")


def drag(page: Page, tag: str, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag over a chart between two points, as shares of its plot area."""
    box: Any = card(page, tag).locator(".u-over").bounding_box()
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (start, end)]
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=4)
    page.mouse.up()


def windows(page: Page, tag: str) -> tuple[list[float], list[float]]:
    """Return the x and y ranges of a chart."""
    x, y = card(page, tag).evaluate("card => [card.plot.x, card.plot.y.left]")
    return x, y


def test_drags_zoom_a_box_and_move_it(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A steep drag zooms y of its card, others both axes; Shift moves, the wheel zooms x, a double-click resets."""
    record(tmp_path)
    page.goto(server(tmp_path).url)
    expect(card(page, "other")).to_have_attribute("data-window", "0,100")
    others = windows(page, "loss")
    low, high = windows(page, "other")[1]
    drag(page, "other", (0.5, 0.25), (0.52, 0.75))
    page.wait_for_url(re.compile(r"scalar\.y=other"))
    size = high - low
    x, y = windows(page, "other")
    assert x == [0, 100]
    assert y == pytest.approx([low + size / 4, high - size / 4], abs=size / 50)
    assert windows(page, "loss") == others

    drag(page, "other", (0.2, 0.2), (0.6, 0.9))
    page.wait_for_url(re.compile(r"scalar\.range="))
    (left, right), (bottom, top) = windows(page, "other")
    assert [left, right] == pytest.approx([20, 60], abs=2)
    assert top - bottom == pytest.approx(size / 2 * 0.7, abs=size / 50)
    expect(card(page, "loss")).to_have_attribute("data-window", f"{left:g},{right:g}")

    page.keyboard.down("Shift")
    drag(page, "other", (0.5, 0.5), (0.25, 0.5))
    page.keyboard.up("Shift")
    expect(card(page, "other")).to_have_attribute("data-window", f"{left + 10:g},{right + 10:g}")
    assert windows(page, "other")[1] == [bottom, top]

    card(page, "other").locator(".u-over").hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    page.wait_for_function("(right) => document.querySelector('[data-tag=other]').plot.x[1] < right", arg=right + 10)
    page.go_back()
    page.go_back()
    expect(card(page, "other")).to_have_attribute("data-window", f"{left:g},{right:g}")
    card(page, "other").locator(".u-over").dblclick()
    expect(card(page, "other")).to_have_attribute("data-window", "0,100")
    assert windows(page, "other") == ([0, 100], [low, high])


def test_ranges_are_typed_and_brushed(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Fields of an enlarged chart take x and y ranges; its strip moves the x range by keyboard and by dragging."""
    record(tmp_path)
    page.goto(server(tmp_path).url + "#open=other")
    expect(card(page, "other")).to_have_attribute("data-window", "0,100")
    x, y = (page.locator(f'[data-settings="range-{name}"]') for name in "xy")
    x.locator('[name="from"]').fill("20")
    x.locator('[name="from"]').press("Enter")
    expect(card(page, "other")).to_have_attribute("data-window", "20,100")
    x.locator('[name="to"]').fill("40")
    x.locator('[name="to"]').press("Enter")
    expect(card(page, "other")).to_have_attribute("data-window", "20,40")
    y.locator('[name="to"]').fill("1000")
    y.locator('[name="to"]').press("Enter")
    expect(page).to_have_url(re.compile(r"scalar\.y=other%2C%2C1000"))
    assert card(page, "other").evaluate("card => card.debugState().heights.left[1]") == 1000

    brush = page.locator('[data-grip="both"]')
    brush.focus()
    page.keyboard.press("PageUp")
    expect(card(page, "other")).to_have_attribute("data-window", "30,50")
    box: Any = brush.bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] - box["width"], middle[1], steps=4)
    page.mouse.up()
    expect(card(page, "other")).to_have_attribute("data-window", "10,30")
    brush.dblclick()
    expect(card(page, "other")).to_have_attribute("data-window", "0,100")


def test_range_without_points_is_explained(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A beginning after all points says so and changes nothing; with an end it is a range, kept in the address."""
    record(tmp_path)
    page.goto(server(tmp_path).url + "#open=other")
    expect(card(page, "other")).to_have_attribute("data-window", "0,100")
    begin, end = (page.locator(f'[data-settings="range-x"] [name="{name}"]') for name in ("from", "to"))
    begin.fill("500")
    begin.press("Enter")
    expect(begin).to_have_js_property("validationMessage", "All points are before this. Give the range an end, too.")
    assert "scalar.range" not in page.url
    end.fill("600")
    end.press("Enter")
    expect(card(page, "other")).to_contain_text("No points in this range")
    expect(begin).to_have_js_property("validationMessage", "")
    page.reload()
    expect(card(page, "other")).to_contain_text("No points in this range")
    expect(begin).to_have_value("500")


def test_baseline_is_drawn_under_every_chart(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A hidden baseline is a line of its own with its name; a shown one is drawn once, as a run."""
    record(tmp_path, runs=3)
    url = server(tmp_path).url
    page.goto(url + "#app.baseline=run2&hide=run2")
    for tag in ("loss", "other"):
        expect(card(page, tag)).to_have_attribute("data-drawn-points", "303")
        lines = card(page, tag).evaluate("card => card.debugState().lines")
        assert lines == [["run2", "baseline"], ["run0"], ["run1"]]
    page.evaluate("location.hash = 'app.baseline=run2'")
    expect(card(page, "loss").locator(".plot")).to_have_attribute("aria-label", "loss, 3 lines")
    assert card(page, "loss").evaluate("card => card.debugState().lines") == [["run0"], ["run1"], ["run2", "baseline"]]


def test_any_metric_is_the_x_axis(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Of all charts, one section or one chart: in the address; charts over one metric are zoomed together."""
    points = [
        scalar_event(
            1000.0 + step,
            step,
            {"train/loss": 1 / (1 + step), "train/acc": 1.0, "val/loss": 1.0, "tokens": step * 50.0},
        )
        for step in range(101)
    ]
    write_run(tmp_path / "run", points, 1000)
    page.goto(server(tmp_path).url)
    x = page.locator('#toolbar [data-select="x"]')
    expect(card(page, "train/loss")).to_have_attribute("data-window", "0,100")
    x.select_option("tag:tokens")
    for tag in ("train/loss", "train/acc", "val/loss"):
        expect(card(page, tag)).to_have_attribute("data-window", "0,5000")
        expect(card(page, tag).locator(".x-name")).to_have_text("tokens")
    expect(card(page, "tokens")).to_have_attribute("data-axis", "step")
    zoom(page, "train/loss")
    expect(card(page, "val/loss")).not_to_have_attribute("data-window", "0,5000")
    expect(card(page, "tokens")).to_have_attribute("data-window", "0,100")

    page.locator('[data-group="train"] > h2 [data-select="own-x"]').select_option("relative")
    expect(card(page, "train/acc")).to_have_attribute("data-axis", "relative")
    expect(card(page, "val/loss")).to_have_attribute("data-axis", "value")
    card(page, "train/acc").hover()
    card(page, "train/acc").locator('[data-key="menu"]').click()
    page.locator('#card-menu [data-select="own-x"]').select_option("")
    expect(card(page, "train/acc")).to_have_attribute("data-axis", "step")
    expect(card(page, "train/loss")).to_have_attribute("data-axis", "relative")
    page.reload()
    expect(card(page, "train/acc")).to_have_attribute("data-axis", "step")
    expect(card(page, "val/loss")).to_have_attribute("data-axis", "value")


def test_the_x_axis_that_a_training_defined_is_the_default(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Steps can be chosen instead."""
    with SummaryRecord(tmp_path / "run") as recorder:
        definitions = json.dumps({"val/*": {"step_metric": "epoch"}})
        recorder.add_value("custom_lineage_data", "settings", custom_lineage({"wandb/metrics": definitions}))
        for step in range(20):
            for tag, value in (("val/loss", 1 / (1 + step)), ("train/loss", 1.0), ("epoch", step / 2)):
                recorder.add_value("scalar", tag, value)
            recorder.record(step)
    page.goto(server(tmp_path).url)
    expect(card(page, "val/loss")).to_have_attribute("data-axis", "value")
    expect(card(page, "train/loss")).to_have_attribute("data-axis", "step")
    x = page.locator('#toolbar [data-select="x"]')
    expect(x.locator("option:checked")).to_have_text("As defined")
    x.select_option("step")
    expect(card(page, "val/loss")).to_have_attribute("data-axis", "step")
