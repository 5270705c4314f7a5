"""The read-out of a scalar chart in a real browser shows one step."""

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect
from support.event_files import loss_run, scalar_event, write_run
from support.pages import Pages, StartServer

POINTS = 5000


def value_of(run: int, step: int) -> float:
    """Return a value that no other step and no other run has, exact as float32, without a trend to downsample by."""
    return float((step * 7919 % 5003) * 8 + run)


def shown_rows(page: Page) -> list[dict[str, Any]]:
    """Return what the read-out shows."""
    rows: list[dict[str, Any]] = page.locator('#read-out .row[data-shown="true"]').evaluate_all(
        "rows => rows.map(row => ({...row.dataset, elsewhere: row.classList.contains('elsewhere')}))"
    )
    return rows


def point_at(page: Page, across: float) -> None:
    """Move the cursor over a chart, to a share of its width."""
    box = page.locator("scalar-card .u-over").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + across * box["width"] - 6, box["y"] + 50)
    page.mouse.move(box["x"] + across * box["width"], box["y"] + 50)


def expect_one_step(page: Page, runs: int) -> int:
    """Wait until all rows show one step, and return it."""
    page.wait_for_function(
        """runs => {
            const rows = [...document.querySelectorAll('#read-out .row[data-shown="true"]')];
            return rows.length === runs && new Set(rows.map(row => row.dataset.step)).size === 1;
        }""",
        arg=runs,
    )
    return int(shown_rows(page)[0]["step"])


def test_read_out_shows_every_run_at_one_step(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Runs that are downsampled apart show their exact values at the step of the cursor, also in the table."""
    runs = 4
    for run in range(runs):
        events = [scalar_event(1000.0 + step, step, {"loss": value_of(run, step)}) for step in range(POINTS)]
        write_run(tmp_path / f"run{run}", events, 1000)
    page.goto(server(tmp_path).url + "#open=loss&scalar.auto=off")
    expect(page.locator("scalar-card")).to_have_attribute("data-total", str(runs * POINTS))
    expect(page.locator("scalar-card")).to_have_attribute("data-pending", "false")
    for across in (0.31, 0.52, 0.77):
        point_at(page, across)
        step = expect_one_step(page, runs)
        rows = shown_rows(page)
        assert {row["run"]: float(row["value"]) for row in rows} == {
            f"run{run}": value_of(run, step) for run in range(runs)
        }
        assert not any(row["elsewhere"] for row in rows)
        for run in range(runs):
            page.wait_for_function(
                """([run, value]) => {
                    const cell = document.querySelector(`.values tr[data-run="${run}"] [data-column="at"]`);
                    return cell.textContent && Math.abs(Number(cell.textContent) - value) <= 1e-4 * value;
                }""",
                arg=[f"run{run}", value_of(run, step)],
            )


def test_run_without_a_point_at_the_step_says_its_own_step(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A run that recorded other steps is marked, and shows the step of its nearest point."""
    for run, offset in (("even", 0), ("odd", 1)):
        events = [scalar_event(1000.0 + step, step, {"loss": 1.0 + offset}) for step in range(offset, 40, 2)]
        write_run(tmp_path / run, events, 1000)
    page.goto(server(tmp_path).url + "#open=loss")
    expect(page.locator("scalar-card")).to_have_attribute("data-total", "40")
    point_at(page, 0.5)
    expect(page.locator('#read-out .row[data-shown="true"]')).to_have_count(2)
    rows = shown_rows(page)
    assert sorted(row["elsewhere"] for row in rows) == [False, True]
    assert abs(int(rows[0]["step"]) - int(rows[1]["step"])) == 1
    assert all(int(row["step"]) % 2 == (row["run"] == "odd") for row in rows)


def test_names_of_ordinary_length_are_whole(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The read-out is as wide as the names of a sweep, whatever the widths of their letters."""
    for run in ("l=0.1 mm=0.5 WW=64", "l=0.2 mm=0.9 WW=32"):
        loss_run(tmp_path / run, range(5))
    page.goto(server(tmp_path).url)
    plot = page.locator("scalar-card .u-over").first
    expect(page.locator("scalar-card[data-drawn-points]")).to_have_count(1)
    plot.hover()
    names = page.locator("#read-out .row .name:visible")
    expect(names.first).to_contain_text("mm=")
    cut = names.evaluate_all(
        "names => names.filter(name => name.scrollWidth > name.clientWidth).map(name => name.textContent)"
    )
    assert cut == []


def test_read_out_is_compact_and_far_from_the_cursor(server: StartServer, page: Page, tmp_path: Path) -> None:
    """It is beside the cursor's half of a wide chart, without times until they are asked for."""
    for run in ("a-run-with-a-long-name-lr0.1", "a-run-with-a-long-name-lr0.2"):
        loss_run(tmp_path / run, range(50))
    page.goto(server(tmp_path).url)
    expect(page.locator("scalar-card[data-drawn-points]")).to_have_count(1)
    read_out = page.locator("#read-out")
    plot = page.locator("scalar-card .u-over").bounding_box()
    assert plot
    for across in (0.2, 0.8):
        point_at(page, across)
        expect(read_out).to_be_visible()
        page.wait_for_function(
            """x => {
                const {left, right, width} = document.querySelector('#read-out').getBoundingClientRect();
                return width <= 320 && (x < left - 100 || x > right + 100);
            }""",
            arg=plot["x"] + across * plot["width"],
        )
    expect(read_out.locator(".row .wall_time").first).to_be_hidden()
    page.keyboard.press("t")
    point_at(page, 0.5)
    expect(read_out.locator(".row .wall_time").first).to_be_visible()
    assert "scalar.times=on" in page.url


def test_the_run_list_highlights_the_pointed_run(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Its row is marked while the cursor is at its line."""
    for run, value in (("low", 0.0), ("high", 1.0)):
        write_run(tmp_path / run, [scalar_event(1000.0 + step, step, {"loss": value}) for step in range(5)], 1000)
    page.goto(server(tmp_path).url)
    expect(page.locator("scalar-card[data-drawn-points]")).to_have_count(1)
    box = page.locator("scalar-card .u-over").bounding_box()
    assert box
    for share, run in ((0.93, "low"), (0.07, "high")):
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + share * box["height"])
        expect(page.locator(".run[data-pointed]")).to_have_attribute("data-run", run)
    page.mouse.move(box["x"] - 200, 5)
    expect(page.locator(".run[data-pointed]")).to_have_count(0)


def test_touches_point_scrub_and_zoom(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """A tap shows the read-out, which stays; a sideways drag moves it; two fingers zoom x."""
    loss_run(tmp_path / "run", range(101))
    page = pages.open(width=390, height=844, touch=True)
    page.goto(server(tmp_path).url)
    card, read_out = page.locator("scalar-card"), page.locator("#read-out")
    expect(card).to_have_attribute("data-window", "0,100")
    box = card.locator(".u-over").bounding_box()
    assert box
    middle = box["y"] + box["height"] / 2
    page.touchscreen.tap(box["x"] + box["width"] / 2, middle)
    row = read_out.locator('.row[data-shown="true"]')
    expect(row).to_have_attribute("data-step", "50")

    touches = page.context.new_cdp_session(page)

    def touch(kind: str, *across: float) -> None:
        points = [{"x": box["x"] + share * box["width"], "y": middle, "id": at} for at, share in enumerate(across)]
        touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 0.5)
    for share in (0.6, 0.7, 0.8):
        touch("touchMove", share)
    touch("touchEnd")
    expect(row).to_have_attribute("data-step", "80")

    touch("touchStart", 0.4)
    touch("touchStart", 0.4, 0.6)
    touch("touchMove", 0.3, 0.7)
    touch("touchMove", 0.1, 0.9)
    touch("touchEnd")
    expect(card).to_have_attribute("data-window", re.compile("^3[78],6[23]$"))
    page.touchscreen.tap(200, 20)
    expect(read_out).to_be_hidden()
