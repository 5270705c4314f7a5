"""The back button in a real browser undoes what a person did last."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect
from support.event_files import scalar_event, write_run
from support.pages import StartServer

TAGS = {"train/loss": 1.0, "validation/loss": 2.0}


def open_scalars(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Open the scalars page of one run."""
    write_run(tmp_path / "run", [scalar_event(1000.0 + step, step, TAGS) for step in range(100)], 1000)
    page.goto(server(tmp_path).url)
    expect(page.locator("scalar-card")).to_have_count(2)
    expect(page.locator("scalar-card").first).to_have_attribute("data-drawn-points", "100")


def test_back_and_forward_follow_enlarging_and_zooming(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Back resets the zoom, then the size, and Forward repeats both; settings are no steps of their own."""
    open_scalars(server, page, tmp_path)
    card = page.locator('scalar-card[data-tag="train/loss"]')
    card.hover()
    card.locator('[data-key="enlarge"]').click()
    expect(page.locator("scalar-card")).to_have_count(1)
    page.keyboard.press("y")
    page.wait_for_url(re.compile("y=log"))
    plot = card.locator(".u-over")
    expect(plot).to_be_visible()  # It is drawn again for the other scale.
    box = plot.bounding_box()
    assert box
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 40, steps=4)
    page.mouse.up()
    page.wait_for_url(re.compile(r"scalar\.range="))
    zoomed = card.get_attribute("data-window")

    page.go_back()
    expect(page).not_to_have_url(re.compile(r"scalar\.range="))
    expect(card).to_have_attribute("data-window", "0,99")
    expect(page.locator("scalar-card")).to_have_count(1)
    page.go_back()
    expect(page.locator("scalar-card")).to_have_count(2)
    page.go_forward()
    expect(page.locator("scalar-card")).to_have_count(1)
    page.go_forward()
    page.wait_for_url(re.compile(r"scalar\.range="))
    expect(card).to_have_attribute("data-window", zoomed or "")


def test_back_closes_a_panel_which_is_part_of_the_url(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A run's details and the list of shortcuts are in the URL, and in the history."""
    open_scalars(server, page, tmp_path)
    panel = page.locator("#panel")
    page.keyboard.press("?")
    expect(panel.locator(".keys")).to_be_visible()
    page.wait_for_url(re.compile(r"app\.panel=keys"))
    page.keyboard.press("j")
    page.keyboard.press("i")
    expect(panel.locator("h2")).to_have_text("run")
    page.reload()
    expect(panel.locator("h2")).to_have_text("run")
    page.go_back()
    expect(panel.locator(".keys")).to_be_visible()
    page.go_back()
    expect(panel).to_be_hidden()


def test_tab_leads_past_the_run_list(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The first stop of the Tab key is a button that moves the focus to the cards."""
    open_scalars(server, page, tmp_path)
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#content")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('#content').contains(document.activeElement)")
    page.evaluate("location.hash = 'lang=zh'")
    expect(page.locator("#skip")).to_have_text("跳到内容")


def test_title_distinguishes_tags_of_equal_names(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A chart of train/loss and validation/loss names both whole, in its title and in the read-out."""
    open_scalars(server, page, tmp_path)
    card = page.locator('scalar-card[data-tag="train/loss"]')
    card.hover()
    card.locator('[data-key="menu"]').click()
    page.locator('#card-menu input[name="tag"]').fill("validation/loss")
    page.locator('#card-menu input[name="tag"]').press("Enter")
    expect(card.locator("h3")).to_have_text("train/loss + validation/loss")
    state = "card => card.debugState().lines"
    page.wait_for_function(
        "() => document.querySelector('scalar-card[data-tag=\"train/loss\"]').debugState().lines.length === 2"
    )
    assert card.evaluate(state) == [["run", "train/loss"], ["run", "validation/loss"]]


def test_a_tag_without_a_name_is_a_tag_like_others(server: StartServer, page: Page, tmp_path: Path) -> None:
    """It does not take the page over; its card is enlarged, its address restored, and Escape leaves it."""
    write_run(tmp_path / "run", [scalar_event(1000.0 + step, step, {"": 1.0, "loss": 2.0}) for step in range(3)], 1000)
    page.goto(server(tmp_path).url)
    expect(page.locator("scalar-card")).to_have_count(2)
    card = page.locator('scalar-card[data-tag=""]')
    expect(card.locator("h3")).to_have_text("“”")
    card.hover()
    card.locator('[data-key="enlarge"]').click()
    expect(page.locator("scalar-card")).to_have_count(1)
    page.reload()
    expect(page.locator("scalar-card")).to_have_count(1)
    expect(card).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("scalar-card")).to_have_count(2)


def test_a_link_is_followed_although_the_view_changes_before_its_event(
    server: StartServer, page: Page, tmp_path: Path
) -> None:
    """What changes in the same moment, such as by a reply, does not write the old page over the new address."""
    open_scalars(server, page, tmp_path)

    page.evaluate("() => { location.hash = '#page=text'; document.querySelector('.rail-switch').click(); }")

    expect(page.locator('.pages [data-page="text"]')).to_have_attribute("aria-current", "page")
    assert "page=text" in page.url
