"""Groups, order and values of the set of runs: the legend of charts, the run list and the table, in a real browser."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect
from support.pages import Pages, StartServer

from toposcope.recorder import SummaryRecord, custom_lineage, train_lineage


def record(folder: Path, rate: float, tags: list[str]) -> None:
    """Record a run with a learning rate and scalars."""
    with SummaryRecord(str(folder)) as run:
        run.add_value("train_lineage", "lineage", train_lineage(learning_rate=rate, epoch=3))
        for tag in tags:
            run.add_value("scalar", tag, rate)
        run.record(1)


def legend(page: Page) -> list[list[str]]:
    """Return the name, the number of runs and the colour of each group in the legend."""
    keys: list[list[str]] = page.locator(".group-legend li").evaluate_all(
        "keys => keys.map(key => [key.dataset.groupKey, key.querySelector('.meta').textContent,"
        " key.querySelector('path').getAttribute('stroke')])"
    )
    return keys


def colour_of_line(page: Page, tag: str, group: str) -> str:
    """Return the colour of a group's line in a chart, as the legend would name it."""
    colour: str = page.locator(f'scalar-card[data-tag="{tag}"]').evaluate(
        "(card, group) => `var(--run-${card.plot.lines.find(({ run }) => run === group).style.colour + 1})`", group
    )
    return colour


def test_groups_by_parameter_have_a_legend(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Parameters that differ are offered; groups are listed by value, with one colour in charts and the run list."""
    record(tmp_path / "a", 10.0, ["loss", "other"])
    record(tmp_path / "b", 0.1, ["loss"])
    record(tmp_path / "c", 0.1, ["loss"])
    record(tmp_path / "d", 0.03, ["loss", "other"])
    page.goto(server(tmp_path).url)
    page.locator('[data-menu="group-by-rail"]').click()
    expect(page.locator('#group-by-rail [data-value="param:epoch"]')).to_have_count(0)
    page.locator('#group-by-rail [data-value="param:learning_rate"]').click()
    page.wait_for_url(re.compile("runs.group=param%3Alearning_rate"))
    page.keyboard.press("Escape")
    expect(page.locator(".group-legend li")).to_have_count(3)
    keys = legend(page)
    assert [(float(name), runs) for name, runs, _ in keys] == [(0.03, "1 run"), (0.1, "2 runs"), (10.0, "1 run")]
    expect(page.locator('[data-note="single"]')).to_have_count(0)
    for tag, groups in (("loss", (0, 1, 2)), ("other", (0, 2))):
        expect(page.locator(f'scalar-card[data-tag="{tag}"]')).to_have_attribute("data-drawn-points", str(len(groups)))
        for place in groups:
            assert colour_of_line(page, tag, keys[place][0]) == keys[place][2]

    rail = page.locator("#rail [data-rail-group]")
    expect(rail).to_have_count(3)
    rail.nth(2).locator(".run-toggle").click()
    expect(page.locator(".group-legend li")).to_have_count(2)
    rail.nth(1).locator(".group-open").click()
    page.locator('.run[data-run="c"] .run-toggle').click()
    expect(page.locator('[data-note="single"]')).to_be_visible()


def test_groups_are_shared_by_pages_and_ranked(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """Several keys make one grouping of charts, run list and table; what makes few groups is offered first."""
    for number in range(12):
        parameters = {"lr": 0.01 * number, "optimizer": ("adam", "sgd")[number % 2], "batch": 32 * (1 + number % 3)}
        with SummaryRecord(str(tmp_path / f"exp{number}_seed{number}")) as recorder:
            recorder.add_value("custom_lineage_data", "custom", custom_lineage(parameters))
            recorder.add_value("scalar", "loss", float(number))
            recorder.record(1)
    page = pages.open()
    page.goto(server(tmp_path).url)
    page.locator('[data-menu="group-by-rail"]').click()
    offered = page.locator("#group-by-rail .value-list button")
    expect(page.locator('#group-by-rail [data-value="param:lr"]')).to_contain_text("12 groups")
    found = offered.evaluate_all("buttons => buttons.map(button => button.dataset.value)")
    assert found.index("param:lr") > max(found.index("param:optimizer"), found.index("param:batch"))

    page.locator('#group-by-rail [data-value="param:optimizer"]').click()
    page.locator('#group-by-rail [data-value="param:batch"]').click()
    page.keyboard.press("Escape")
    expect(page.locator("#rail [data-rail-group]")).to_have_count(6)
    expect(page.locator(".group-legend li")).to_have_count(6)
    expect(page.locator('.group-legend [data-group-key="adam, 32"]')).to_have_count(1)
    page.locator('.pages [data-page="overview"]').click()
    expect(page.locator(".group-line")).to_have_count(6)
    line = page.locator('.group-line[data-group="adam, 32"] [data-column="last:loss"]')
    expect(line).to_have_text("3.0 ± 4.2")

    page.locator('.pages [data-page="lineage"]').click()
    rows = page.locator("lineage-table tbody tr[data-run]")
    expect(rows).to_have_count(12)
    colours = {name: colour for name, _, colour in legend(page)}
    strokes = rows.evaluate_all("rows => rows.map(row => row.querySelector('.swatch path').getAttribute('stroke'))")
    groups = [f"{('adam', 'sgd')[number % 2]}, {32 * (1 + number % 3)}" for number in range(12)]
    assert strokes == [colours[group] for group in groups]
    expect(page.locator('[data-choice="lines"] [data-value="run"]')).to_have_attribute("aria-pressed", "true")

    other = pages.open()
    other.goto(
        page.url.replace("page=lineage", "page=overview").replace(
            "runs.group=param%3Aoptimizer%2Cparam%3Abatch", "runs.group=name"
        )
    )
    expect(other.locator(".group-line")).to_have_count(12)
    expect(other.locator('.group-line[data-group="exp3"]')).to_have_count(1)


def test_runs_are_sorted_in_list_and_table(server: StartServer, page: Page, tmp_path: Path) -> None:
    """By a metric or a hyperparameter; the address contains the order."""
    for run, loss in (("a", 0.2), ("b", 0.1), ("c", 0.3)):
        with SummaryRecord(str(tmp_path / run)) as recorder:
            recorder.add_value("scalar", "loss", loss)
            recorder.record(1)
    page.goto(server(tmp_path).url)
    page.locator('[data-menu="sort-by-rail"]').click()
    page.locator('#sort-by-rail [data-value="last:loss"]').click()

    def expect_order(rows: str, *runs: str) -> None:
        for place, run in enumerate(runs):
            expect(page.locator(rows).nth(place)).to_have_attribute("data-run", run)

    expect_order(".run[data-run]", "b", "a", "c")
    page.locator('#sort-by-rail [data-choice="order"] [data-value="down"]').click()
    expect_order(".run[data-run]", "c", "a", "b")
    page.keyboard.press("Escape")
    page.wait_for_url(re.compile("runs.sort=-last%3Aloss"))
    page.locator('.pages [data-page="overview"]').click()
    expect_order(".run-line", "c", "a", "b")


def test_list_shows_several_values(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Of each run, metrics and hyperparameters; the address contains them."""
    record(tmp_path / "a", 0.25, ["loss", "accuracy"])
    record(tmp_path / "b", 0.5, ["loss", "accuracy"])
    page.goto(server(tmp_path).url)
    values = page.locator('.run[data-run="a"] .last')
    expect(values).to_have_count(1)
    page.locator('[data-menu="values-rail"]').click()
    page.locator('#values-rail [data-value="last:accuracy"]').click()
    page.locator('#values-rail [data-value="param:learning_rate"]').click()
    page.keyboard.press("Escape")
    expect(values).to_have_text(["0.25000", "0.25"])
    expect(page.locator(".value-heads .focus-tag")).to_have_text(["accuracy", "learning_rate"])
    page.reload()
    expect(values).to_have_text(["0.25000", "0.25"])
