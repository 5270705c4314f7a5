"""The legend of groups of runs on the scalars page, in a real browser."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect
from support.event_files import scalar_event, write_run
from support.pages import StartServer

from toposcope.recorder import SummaryRecord, train_lineage


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
    page.goto(server(tmp_path).url + "#scalar.group=param")
    page.locator('.group-legend [data-parameter="learning_rate"]').click()
    page.wait_for_url(re.compile("scalar.param=learning_rate"))
    expect(page.locator('.group-legend [data-parameter="epoch"]')).to_have_count(0)
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


def test_nothing_to_group_by_is_said(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Without a differing parameter, or without an expression, the legend says what is missing."""
    for name in ("a", "b"):
        write_run(tmp_path / name, [scalar_event(1000.0, 0, {"loss": 1.0})], 1000)
    page.goto(server(tmp_path).url + "#scalar.group=param")
    expect(page.locator(".group-legend")).to_contain_text("No hyperparameter differs")
    page.evaluate("location.hash = 'scalar.group=regex&lang=zh'")
    expect(page.locator(".group-legend")).to_contain_text("正则表达式")
    page.evaluate("location.hash = 'scalar.group=none'")
    expect(page.locator(".group-legend li")).to_have_count(1)
