"""Ranks and attempts on the pages of histograms, images, tensors and texts, in a real browser."""

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from support.element_state import expect_state
from support.pages import StartServer

from toposcope.recorder import SummaryRecord


def record(folder: Path, steps: range, size: int) -> None:
    """Record values of every kind whose size identifies their rank or attempt."""
    with SummaryRecord(str(folder)) as recorder:
        for step in steps:
            recorder.add_value("histogram", "h", np.arange(size, dtype=np.float32))
            recorder.add_value("image", "i", np.zeros((1, 3, size, size), np.uint8))
            recorder.add_value("tensor", "t", np.full(size, step, np.float32))
            recorder.add_value("text", "x", f"size {size}")
            recorder.record(step)


@pytest.fixture
def logdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a logdir: one run of two ranks, one of two attempts, one of neither."""
    for rank, size in enumerate([4, 6]):
        monkeypatch.setenv("RANK", str(rank))
        record(tmp_path / "ranks", range(3), size)
    monkeypatch.setenv("RANK", "0")
    record(tmp_path / "restarted", range(4), 8)
    record(tmp_path / "restarted", range(2, 5), 10)
    record(tmp_path / "single", range(3), 12)
    return tmp_path


def choose(page: Page, name: str, value: str) -> None:
    """Select a rank or an attempt in the toolbar, or among the settings of its view."""
    choice, view = page.locator(f'#toolbar [data-select="{name}"]'), page.locator('#toolbar [data-key="options"]')
    if view.count():
        view.click()
    choice.select_option(value)
    page.keyboard.press("Escape")


def cell(page: Page, card: str, run: str) -> Locator:
    """Return what a card shows of a run."""
    return page.locator(f'{card} [data-run="{run}"]').first


def expect_choices(page: Page, card: str, says: dict[str, list[str]]) -> None:
    """Expect the texts in the cells of ranks, restarted and single: by default, of rank 1 and of attempt 1."""
    runs = ["ranks", "restarted", "single"]
    for run, text in zip(runs, says["usual"], strict=True):
        expect(cell(page, card, run)).to_contain_text(text)
    expect(page.locator(f'{card} [data-note="rank"]')).to_have_count(0)
    choose(page, "rank", "1")
    for run, text in zip(runs, [says["rank"][0], "No data for rank 1", "No data for rank 1"], strict=True):
        expect(cell(page, card, run)).to_contain_text(text)
    expect(cell(page, card, "ranks").locator('[data-note="rank"]')).to_have_text("rank 1")
    choose(page, "rank", "")
    choose(page, "attempt", "1")
    for run, text in zip(runs, says["attempt"], strict=True):
        expect(cell(page, card, run)).to_contain_text(text)
    expect(page.locator(f'{card} [data-note="rank"]')).to_have_text(["attempt 1"])


def test_texts_and_tensors(server: StartServer, page: Page, logdir: Path) -> None:
    """The selected rank and attempt are shown and noted; the URL contains them for each page."""
    url = server(logdir).url
    page.goto(url + "#page=text")
    texts = {"usual": ["size 4", "size 10", "size 12"], "rank": ["size 6"], "attempt": ["size 4", "size 8", "size 12"]}
    expect_choices(page, "text-card", texts)
    page.locator('[data-page="tensors"]').click()
    expect(page.locator('#toolbar [data-select="attempt"]')).to_have_value("")
    shapes = {"usual": ["4  float", "10  float", "12  float"], "rank": ["6  float"], "attempt": ["4  ", "8  ", "12  "]}
    expect_choices(page, "tensor-card", shapes)
    for setting in ("text.attempt=1", "tensor.attempt=1"):
        expect(page).to_have_url(re.compile(setting))

    page.goto(url + "#page=tensors&tensor.tag=t&tensor.run=ranks&tensor.rank=1&tensor.step=1")
    expect(page.locator(".tensor-shape")).to_have_attribute("data-dims", "[6]")
    expect(page.locator('.tensor-head [data-note="rank"]')).to_have_text("rank 1")
    expect(page.locator('[data-key="npy"]')).to_have_attribute("href", re.compile("rank=1"))
    choose(page, "rank", "")
    expect(page.locator(".tensor-shape")).to_have_attribute("data-dims", "[4]")
    page.goto(url + "#page=text&show=single")
    expect(cell(page, "text-card", "single")).to_contain_text("size 12")
    expect(page.locator("#toolbar [data-select]")).to_have_count(0)


def test_ranks_are_offered_where_they_have_data(
    server: StartServer, page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rank with only scalars is offered on the Scalars page and on no other."""
    record(tmp_path / "run", range(3), 4)
    monkeypatch.setenv("RANK", "1")
    with SummaryRecord(str(tmp_path / "run")) as recorder:
        recorder.add_value("scalar", "loss", 1.0)
        recorder.record(1)
    monkeypatch.setenv("RANK", "2")
    with SummaryRecord(str(tmp_path / "run")) as recorder:
        recorder.add_value("scalar", "loss", 2.0)
        recorder.add_value("text", "x", "of rank 2")
        recorder.record(1)
    page.goto(server(tmp_path).url)
    options = page.locator('#toolbar [data-select="rank"] option')
    expect(options).to_have_text(["Lowest rank", "All ranks", "rank 1", "rank 2"])
    page.locator('[data-page="images"]').click()
    expect(page.locator("image-card")).to_have_count(1)
    expect(options).to_have_count(0)
    page.locator('[data-page="text"]').click()
    expect(options).to_have_text(["Lowest rank", "rank 0", "rank 2"])


def test_images_and_histograms(server: StartServer, page: Page, logdir: Path) -> None:
    """Images and buckets are those of the selected rank and attempt."""
    page.goto(server(logdir).url + "#page=images")
    for name, value, run, size in [
        ("rank", "", "ranks", 4),
        ("rank", "1", "ranks", 6),
        ("attempt", "1", "restarted", 8),
    ]:
        choose(page, name, value)
        if name == "attempt":
            choose(page, "rank", "")
        expect(cell(page, "image-card", run).locator("still-picture")).to_have_attribute("data-size", f"{size}x{size}")
    expect(cell(page, "image-card", "restarted")).to_have_attribute("data-step", "3")
    page.locator('image-card [data-key="enlarge"]').click()
    expect(page.locator('image-viewer [data-note="rank"]')).to_have_text(["attempt 1"])

    page.locator('[data-page="histograms"]').click()
    page.locator('histogram-card [data-key="table"]').click()
    counts = page.locator("histogram-card .hist-rows tbody tr td:nth-child(3)")
    expect(counts).to_have_text(["4"] * 3 + ["8"] * 2 + ["10"] * 3 + ["12"] * 3)
    choose(page, "rank", "1")
    expect(counts).to_have_text(["6"] * 3)
    expect(cell(page, "histogram-card", "single").locator(".state")).to_have_text("No data for rank 1")
    expect(page.locator('histogram-card [data-note="rank"]').first).to_have_text("rank 1")
    for mode in ("heat", "bands", "single"):
        page.locator(f'[data-choice="mode"] [data-value="{mode}"]').click()
        expect(page.locator("histogram-card figcaption").first).to_contain_text("rank 1")
        page.locator("histogram-plot").first.hover()
    expect_state(page.locator("histogram-plot"), "totals", [6, 0, 0])
    expect(page.locator("histogram-card .run-key").nth(1)).to_contain_text("No data for rank 1")
