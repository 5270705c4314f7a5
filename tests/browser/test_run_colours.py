"""Each run has one colour for good, unlike those of the other visible runs."""

import shutil
from pathlib import Path

from playwright.sync_api import Page, expect
from support.pages import Pages, StartServer

from toposcope.recorder import SummaryRecord

RUNS = [f"run{number}" for number in range(24)]


def record(folder: Path) -> None:
    """Record a run of one point."""
    with SummaryRecord(str(folder)) as record:
        record.add_value("scalar", "loss", 0.5)
        record.record(1)


def colours(page: Page, count: int) -> dict[str, str]:
    """Return the colour of each listed run once there are that many."""
    expect(page.locator(".run[data-run]")).to_have_count(count)
    found: dict[str, str] = page.locator(".run[data-run]").evaluate_all(
        "rows => Object.fromEntries(rows.map(row => "
        "[row.dataset.run, getComputedStyle(row.querySelector('.swatch path')).stroke]))"
    )
    return found


def test_colours_of_runs_are_different_and_never_change(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """Neither when runs are added, deleted, filtered or hidden, nor after a reload or in another browser."""
    logdir = tmp_path / "logs"
    for run in RUNS:
        record(logdir / run)
    page = pages.open(height=1100)
    address = server(logdir, "--data-dir", str(tmp_path / "data")).url
    page.goto(address)
    first = colours(page, len(RUNS))
    assert len(set(first.values())) == len(RUNS)

    record(logdir / "added")
    added = colours(page, len(RUNS) + 1)
    assert {run: added[run] for run in RUNS} == first

    for run in RUNS[:8]:
        shutil.rmtree(logdir / run)
    after = colours(page, len(RUNS) - 7)
    expected = {run: colour for run, colour in added.items() if run not in RUNS[:8]}
    assert after == expected

    page.locator("#run-filter").fill("run2")
    assert colours(page, 4) == {run: colour for run, colour in expected.items() if run.startswith("run2")}
    page.locator("#run-filter").fill("")
    page.reload()
    assert colours(page, len(expected)) == expected
    other = pages.open(height=1100)
    other.goto(address)
    assert colours(other, len(expected)) == expected


def test_hidden_runs_are_dimmed(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Their names are not struck through; their eye is."""
    for run in ("a", "b"):
        record(tmp_path / run)
    page.goto(server(tmp_path).url)
    shown, hidden = page.locator('.run[data-run="a"]'), page.locator('.run[data-run="b"]')
    eye = shown.locator(".run-toggle > .icon path").get_attribute("d")
    hidden.locator(".run-toggle").click()
    expect(hidden).to_have_attribute("data-shown", "false")
    expect(hidden.locator(".run-toggle > .icon path")).not_to_have_attribute("d", eye or "")
    expect(hidden.locator(".run-name")).to_have_css("text-decoration-line", "none")
    opacity = "name => Number(getComputedStyle(name).opacity)"
    assert hidden.locator(".run-name").evaluate(opacity) < shown.locator(".run-name").evaluate(opacity)
