"""Samples on the Text page: tables that are searched and sorted, and the same sample beside itself."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from support.pages import Pages, StartServer

from toposcope.recorder import ConfusionMatrix, Roc, SummaryRecord, Table, Text

HOSTILE = "<img src=x onerror=alert(1)>"


def record(
    folder: Path, tables: dict[int, list[list[Any]]], columns: tuple[str, ...] = ("prompt", "completion", "reward")
) -> None:
    """Record a table "samples" at some steps."""
    with SummaryRecord(str(folder)) as recorder:
        for step, rows in tables.items():
            recorder.log({"samples": Table(columns, rows)}, step=step)


def rows(page: Page, run: str) -> Locator:
    """Return the rows of the table of a run."""
    return page.locator(f".cell[data-run={json.dumps(run)}] .sample-rows > tbody > tr:not(.sample-opened)")


def test_samples_are_a_table_that_is_sorted_and_searched(server: StartServer, page: Page, tmp_path: Path) -> None:
    record(tmp_path / "run", {1: [["2 + 2?", f"It is {number}", number % 7] for number in range(30)]})
    page.goto(server(tmp_path).url + "#page=text")
    expect(rows(page, "run")).to_have_count(20)
    expect(rows(page, "run").first.locator("td")).to_have_text(["2 + 2?", "It is 0", "0"])

    page.get_by_role("button", name="Show more").click()
    expect(rows(page, "run")).to_have_count(30)
    page.get_by_role("columnheader", name="reward").get_by_role("button").click()
    expect(rows(page, "run").first.locator("td").nth(2)).to_have_text("6")
    page.get_by_role("searchbox", name="Search samples").fill("IT IS 2")
    expect(rows(page, "run")).to_have_count(11)
    expect(page.locator(".sample-count")).to_contain_text("11 of 30 samples found")

    page.reload()
    expect(rows(page, "run").first.locator("td").nth(1)).to_have_text("It is 20")


def test_a_sample_is_compared_with_another_step_and_run(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Words that the other one lacks are marked on both sides."""
    for run, word in (("a", "four"), ("b", "fourteen")):
        first, last = [["other", "x", 0], ["2 + 2?", "It is 5", 0.25]], [["2 + 2?", f"It is {word}", 1]]
        record(tmp_path / run, {0: first, 10: last})
    page.goto(server(tmp_path).url + "#page=text")
    rows(page, "a").get_by_role("button", name="Show sample 1").click()
    detail = page.locator("sample-detail")
    expect(detail.locator("dd")).to_have_text(["2 + 2?", "It is four", "1"])

    detail.get_by_label("Step to compare with").select_option("0")
    expect(detail.locator(".own mark")).to_have_text(["four", "1"])
    expect(detail.locator(".other mark")).to_have_text(["5", "0.25"])
    detail.get_by_label("Run to compare with").select_option("b")
    expect(detail.locator(".other mark")).to_have_text(["fourteen"])
    page.reload()
    expect(detail.locator(".other mark")).to_have_text(["fourteen"])


def test_a_sample_that_is_not_at_the_other_step_is_missed(server: StartServer, page: Page, tmp_path: Path) -> None:
    record(tmp_path / "run", {0: [["old", "x", 0]], 1: [["new", "x", 0]]})
    page.goto(server(tmp_path).url + "#page=text")
    rows(page, "run").get_by_role("button", name="Show sample 1").click()

    page.get_by_label("Step to compare with").select_option("0")

    expect(page.locator('[data-note="no_sample"]')).to_have_text("There is no such sample at step 0.")


def test_conversations_are_turns_and_nothing_is_executed(server: StartServer, page: Page, tmp_path: Path) -> None:
    talk = [{"role": "user", "content": HOSTILE}, {"role": "assistant", "content": f"# {HOSTILE}"}]
    record(tmp_path / "run", {0: [[talk, HOSTILE]]}, ("messages", HOSTILE))
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(server(tmp_path).url + "#page=text")
    rows(page, "run").get_by_role("button", name="Show sample 1").click()

    turns = page.locator("sample-detail .chat-turn")
    expect(turns.locator(".role")).to_have_text(["user", "assistant"])
    expect(turns.locator(".said")).to_have_text([HOSTILE, f"# {HOSTILE}"])
    assert page.locator("#content img").count() == 0


def test_a_long_sample_is_fetched_as_a_whole(server: StartServer, page: Page, tmp_path: Path) -> None:
    record(tmp_path / "run", {0: [["long", "word " * 5000, 0]]})
    page.goto(server(tmp_path).url + "#page=text")
    rows(page, "run").get_by_role("button", name="Show sample 1").click()

    expect(page.locator("sample-detail .own").nth(1)).to_have_text("word " * 5000)


def test_other_json_is_shown_as_text_and_torn_lines_are_counted(
    server: StartServer, page: Page, tmp_path: Path
) -> None:
    with SummaryRecord(str(tmp_path / "run")) as recorder:
        recorder.log(
            {"torn": Text('{"a": 1}\n{"a": 2}\n{"a": '), "broken": Text('{"a": '), "long": Text("{" * 20_000)}, step=0
        )
    page.goto(server(tmp_path).url + "#page=text")

    expect(page.locator('text-card[data-tag="broken"] .text-body')).to_have_text('{"a":')
    expect(page.locator('text-card[data-tag="long"] .text-body')).to_contain_text("{{{{")
    torn = page.locator('text-card[data-tag="torn"]')
    expect(torn.locator('[data-note="problem"]')).to_have_text("1 line is not a JSON object and left out: 3")
    page.keyboard.press("m")
    expect(torn.locator("pre.raw")).to_have_text('{"a": 1}\n{"a": 2}\n{"a":')


def test_a_confusion_matrix_is_a_heat_map(server: StartServer, page: Page, tmp_path: Path) -> None:
    """With the counts, their shares of the actual class, recall, precision and accuracy."""
    with SummaryRecord(str(tmp_path / "run")) as recorder:
        matrix = ConfusionMatrix([0, 0, 0, 1], [0, 0, 1, 1], classes=["cat", HOSTILE])
        recorder.log({"few": matrix, "many": ConfusionMatrix(list(range(61)), [0] * 61)}, step=0)
    page.goto(server(tmp_path).url + "#page=text")

    few = page.locator('text-card[data-tag="few"] table.confusion')
    expect(few.locator("tbody th")).to_have_text(["cat", HOSTILE])
    expect(few.locator("tbody td:not(.rate)")).to_have_text(["2 66.7 %", "1 33.3 %", "0", "1 100.0 %"])
    expect(few.locator("tbody td.rate")).to_have_text(["66.7 %", "100.0 %"])
    expect(few.locator("tfoot td.rate")).to_have_text(["100.0 %", "50.0 %"])
    expect(page.locator('text-card[data-tag="few"]')).to_contain_text("75.0 % of 4 samples are right")
    many = page.locator('text-card[data-tag="many"] .samples')
    expect(many).to_have_attribute("data-as", "table")
    expect(many.locator(".sample-count")).to_contain_text("The first 20 of 121 samples")


def test_roc_curves_are_drawn_with_their_areas(server: StartServer, page: Page, tmp_path: Path) -> None:
    with SummaryRecord(str(tmp_path / "run")) as recorder:
        recorder.log({"roc": Roc([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8])}, step=0)
    page.goto(server(tmp_path).url + "#page=text")

    expect(page.locator(".roc-curve")).to_have_attribute("d", "M0 100L0 50L50 50L50 0L100 0")
    expect(page.locator(".roc-areas td")).to_have_text(["0.7500"])


def test_a_narrow_page_in_chinese_scrolls_the_table_only(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    record(tmp_path / "run", {0: [["x" * 300, "word " * 100, 0.5]], 1: [["x" * 300, "word " * 90, 0.5]]})
    page = pages.open(width=390, height=720, lang="zh-CN")
    page.goto(server(tmp_path).url + "#page=text")
    rows(page, "run").get_by_role("button", name="显示样本 1").click()
    page.get_by_label("要比较的步数").select_option("0")
    expect(page.locator("sample-detail .other")).to_have_count(3)

    assert page.evaluate("document.documentElement.scrollWidth <= 390")
    expect(page.locator(".sample-count")).to_have_text(re.compile("1 个样本"))
