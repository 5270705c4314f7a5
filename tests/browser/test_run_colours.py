"""Each run has one colour for good, unlike those of the other visible runs."""

import shutil
from pathlib import Path

from playwright.sync_api import Page, expect
from support.pages import Pages, StartServer

from toposcope.recorder import SummaryRecord
from toposcope.recorder.messages.lineage import custom_lineage

RUNS = [f"run{number}" for number in range(24)]


def record(folder: Path, **parameters: float | str) -> None:
    """Record a run of one point, and hyperparameters."""
    with SummaryRecord(str(folder)) as record:
        if parameters:
            record.add_value("custom_lineage_data", "custom", custom_lineage(parameters))
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
    colour = "name => getComputedStyle(name).color"
    assert hidden.locator(".run-name").evaluate(colour) != shown.locator(".run-name").evaluate(colour)
    expect(hidden.locator(".swatch")).to_have_css("opacity", "0.35")


def test_runs_are_coloured_by_a_value(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """Numbers from dark to light, texts in a colour each; the address contains it, and a legend explains it."""
    for run, rate, optimizer in (("a", 0.1, "sgd"), ("b", 0.2, "adam"), ("c", 0.3, "sgd")):
        record(tmp_path / run, lr=rate, optimizer=optimizer)
    record(tmp_path / "d")
    page = pages.open()
    page.goto(server(tmp_path).url)
    own = colours(page, 4)
    page.locator('[data-menu="colour-by-rail"]').click()
    page.locator('#colour-by-rail [data-value="param:lr"]').click()
    legend = page.locator(".rail-head .colour-legend")
    expect(legend).to_have_attribute("aria-label", "lr: from 0.1 to 0.3")
    by_rate = colours(page, 4)
    assert len({*by_rate.values()} - {*own.values()}) == 4

    other = pages.open()
    other.goto(page.url)
    expect(other.locator(".rail-head .colour-legend")).to_have_attribute("aria-label", "lr: from 0.1 to 0.3")
    assert colours(other, 4) == by_rate

    page.locator('[data-menu="colour-by-rail"]').click()
    page.locator('#colour-by-rail [data-key="find-value"]').fill("opt")
    page.locator('#colour-by-rail [data-value="param:optimizer"]').click()
    expect(legend).to_contain_text("adam")
    by_optimizer = colours(page, 4)
    assert by_optimizer["a"] == by_optimizer["c"] != by_optimizer["b"]
    assert by_optimizer["d"] == by_rate["d"]
    page.locator('[data-menu="colour-by-rail"]').click()
    page.locator('#colour-by-rail [data-value=""]').click()
    expect(legend).to_have_count(0)
    assert colours(page, 4) == own
