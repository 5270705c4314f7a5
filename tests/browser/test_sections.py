"""Sections of tags in a real browser: nested, listed, collapsed together, and created where they are visible."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect
from support.event_files import scalar_event, version_event, write_run
from support.pages import StartServer


def record(logdir: Path, tags: list[str]) -> None:
    """Write a run with two points of each tag."""
    points = [scalar_event(1000.0, step, dict.fromkeys(tags, 1.0)) for step in range(2)]
    write_run(logdir / "run", [version_event(1000), *points], 1000)


def test_sections_are_listed_and_collapsed(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The list opens a section at any depth by keyboard; all are collapsed by one entry of the URL."""
    record(tmp_path, ["a/b/x", "a/b/y", "a/c/x", "a/c/y", "a/z", "loss"])
    page.goto(server(tmp_path).url)
    expect(page.locator("scalar-card")).to_have_count(6)
    expect(page.locator('[data-group="a"] [data-group="a/b"] scalar-card')).to_have_count(2)

    page.locator('[data-key="sections"]').click()
    page.locator('[data-key="collapse"]').click()
    expect(page).to_have_url(re.compile(r"#closed=%2F$"))
    expect(page.locator("scalar-card")).to_have_count(0)
    page.locator('[data-section="a"]').focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#section-menu")).to_be_hidden()
    expect(page.locator('[data-group="a/c"] > h2 .group-switch')).to_be_focused()
    expect(page.locator('[data-group="a/c"] scalar-card')).to_have_count(2)
    expect(page.locator("scalar-card")).to_have_count(3)  # With a/z.

    page.locator('[data-key="sections"]').click()
    page.locator('[data-key="expand"]').click()
    expect(page.locator("scalar-card")).to_have_count(6)


def test_only_sections_in_view_have_cards(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Of 3,000 tags, the first cards are created; the last section has its own after a jump to it."""
    record(tmp_path, [f"part{number // 100}/metric{number % 100}" for number in range(3000)])
    page.goto(server(tmp_path).url)
    expect(page.locator('scalar-card[data-drawn-points="2"]').first).to_be_visible()
    assert page.locator("scalar-card").count() < 300
    page.locator('[data-key="sections"]').click()
    page.locator('[data-section="part29"]').click()
    last = page.locator('[data-group="part29"] scalar-card').first
    expect(last).to_have_attribute("data-drawn-points", "2")
    expect(last).to_be_in_viewport()
