"""Saved views, copied links, the first minute and the list of shortcuts in a real browser."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from support.event_files import loss_run
from support.page_list import PAGES
from support.pages import Pages, StartServer

CONFLICT = r"status of 409"
NAMES = {"space": " "}  # Arrows and Enter act on what has the focus.
HANDLED = """key => !document.body.dispatchEvent(
    new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}))"""


def save_as(page: Page, name: str) -> None:
    """Save the view under a new name, and close the menu."""
    page.locator('[data-key="views"]').click()
    page.locator(".views-save input").fill(name)
    page.keyboard.press("Enter")
    expect(page.locator(f'[data-view="{name}"]')).to_have_attribute("aria-current", "true")
    page.keyboard.press("Escape")


def save(page: Page) -> None:
    """Save the opened view."""
    page.locator('[data-key="views"]').click()
    page.locator('[data-key="save"]').click()


def test_a_view_is_saved_opened_and_the_default(tmp_path: Path, server: StartServer, pages: Pages) -> None:
    """Another browser opens it by its name, and without any state when it is the default; changes are marked."""
    loss_run(tmp_path / "runs" / "a", range(5))
    url = server(tmp_path / "runs").url
    first = pages.open()
    first.goto(f"{url}#tags=lo")
    save_as(first, "my view")
    expect(first.locator(".changed-mark")).to_have_count(0)
    first.locator("#tag-filter").fill("other")
    expect(first.locator(".changed-mark")).to_be_visible()

    second = pages.open()
    second.goto(f"{url}#view=my+view")
    expect(second.locator("#tag-filter")).to_have_value("lo")
    second.locator('[data-key="views"]').click()
    second.locator('[data-key="default"]').click()
    expect(second.locator('[data-key="default"]')).to_have_attribute("aria-pressed", "true")

    third = pages.open()
    third.goto(url)
    expect(third.locator("#tag-filter")).to_have_value("lo")
    expect(third.locator(".views-name")).to_have_text("my view")
    third.locator('[data-key="views"]').click()
    third.locator('[data-key="rename"]').click()
    third.locator(".view-question input").fill("renamed")
    third.keyboard.press("Enter")
    third.locator('[data-view="renamed"] [data-key="delete"]').click()
    third.locator('[data-key="sure"]').click()
    expect(third.locator(".views-list li")).to_have_count(0)


def test_a_view_that_changed_meanwhile_is_refused_with_both_versions(
    tmp_path: Path, server: StartServer, pages: Pages
) -> None:
    """Neither version is lost: mine is saved under another name, or theirs is opened."""
    pages.allowed = CONFLICT
    loss_run(tmp_path / "runs" / "a", range(5))
    url = server(tmp_path / "runs").url
    mine, theirs = pages.open(), pages.open()
    mine.goto(f"{url}#tags=one")
    save_as(mine, "shared")
    theirs.goto(f"{url}#view=shared")
    expect(theirs.locator("#tag-filter")).to_have_value("one")
    theirs.locator("#tag-filter").fill("theirs")
    save(theirs)
    expect(theirs.locator(".changed-mark")).to_have_count(0)

    mine.locator("#tag-filter").fill("mine")
    save(mine)
    dialog = mine.locator('[data-dialog="conflict"]')
    expect(dialog.locator("tbody tr")).to_have_text([("tagstheirsmine")])
    dialog.locator('[data-key="save-other"]').click()
    expect(mine.locator(".views-name")).to_have_text("shared (copy)")
    expect(mine.locator("#tag-filter")).to_have_value("mine")
    mine.goto(f"{url}#view=shared")
    mine.reload()
    expect(mine.locator("#tag-filter")).to_have_value("theirs")


def test_views_travel_as_json(tmp_path: Path, server: StartServer, page: Page) -> None:
    """An export can be imported into another logdir; a file of another kind is refused."""
    loss_run(tmp_path / "runs" / "a", range(5))
    page.goto(f"{server(tmp_path / 'runs').url}#tags=lo")
    save_as(page, "travels")
    page.locator('[data-key="views"]').click()
    with page.expect_download() as downloading:
        page.locator('[data-key="export"]').click()
    path = tmp_path / "views.json"
    downloading.value.save_as(path)
    loss_run(tmp_path / "others" / "b", range(5))
    page.goto(server(tmp_path / "others").url)
    page.locator('[data-key="views"]').click()
    page.locator(".import-views input").set_input_files(path)
    expect(page.locator('[data-view="travels"]')).to_be_visible()
    path.write_text(json.dumps([1]))
    page.locator(".import-views input").set_input_files(path)
    expect(page.locator(".views [role=alert]")).to_contain_text("expected")


@pytest.mark.parametrize("arguments", [[], ["--read-only"]])
def test_copied_links_open_the_same_view(
    tmp_path: Path, server: StartServer, pages: Pages, arguments: list[str]
) -> None:
    """A long address becomes a short link; a read-only server gives the long address and says so."""
    loss_run(tmp_path / "runs" / "a", range(5))
    url = server(tmp_path / "runs", *arguments).url
    page = pages.open()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tags = "loss|" * 80
    page.goto(f"{url}#tags={tags}")
    expect(page.locator("scalar-card")).to_have_count(1)
    page.locator('[data-key="views"]').click()
    expect(page.locator('[data-note="read-only"]')).to_have_count(len(arguments))
    page.keyboard.press("Escape")
    page.locator('[data-key="copy-link"]').click()
    expect(page.locator(".copied-note")).to_contain_text("full address" if arguments else "Copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert ("#link=" in link) == (not arguments)
    other = pages.open()
    other.goto(link)
    expect(other.locator("#tag-filter")).to_have_value(tags)


def test_address_that_is_entered_in_an_open_page_opens_its_view(
    tmp_path: Path, server: StartServer, page: Page
) -> None:
    """A name or a link is opened without a reload; Back returns to the page before it, not to the name."""
    loss_run(tmp_path / "runs" / "a", range(5))
    url = server(tmp_path / "runs").url
    page.goto(f"{url}#page=overview")
    save_as(page, "table")
    page.goto(f"{url}#tags=lo")
    expect(page.locator("#tag-filter")).to_have_value("lo")
    page.evaluate("location.hash = 'view=table'")
    expect(page.locator("body")).to_have_attribute("data-page", "overview")
    page.go_back()
    expect(page.locator("#tag-filter")).to_have_value("lo")


def test_an_empty_logdir_shows_code_to_copy(tmp_path: Path, server: StartServer, page: Page) -> None:
    """The code that the page offers records a run that then appears on it."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(server(tmp_path).url)
    page.locator(".first-run .copy-button").first.click()
    expect(page.locator(".first-run .copy-button").first).to_contain_text("Copied")
    exec(page.evaluate("navigator.clipboard.readText()"), {})
    expect(page.locator("scalar-card")).to_have_count(1)
    expect(page.locator(".hint-bar")).to_contain_text("zoom")
    page.locator('[data-key="dismiss"]').click()
    expect(page.locator(".hint-bar")).to_have_count(0)
    page.reload()
    expect(page.locator(".hint-bar")).not_to_contain_text("zoom")
    page.locator('[data-key="hints-off"]').click()
    page.reload()
    expect(page.locator("scalar-card")).to_have_count(1)
    expect(page.locator(".hint-bar")).to_have_count(0)


def test_every_listed_shortcut_is_handled(tmp_path: Path, server: StartServer, page: Page) -> None:
    """On every page, each key of the list does something."""
    loss_run(tmp_path / "a", range(5))
    url = server(tmp_path).url
    for tab in PAGES:
        page.goto(f"{url}#page={tab}&app.panel=keys")
        expect(page.locator("#panel .keys")).not_to_have_count(0)
        expect(page.locator(f'.pages [data-page="{tab}"]')).to_have_attribute("aria-current", "page")
        keys = page.locator("#panel dt").evaluate_all(
            "rows => rows.map(row => [...row.children].map(k => k.innerText))"
        )
        for key in (key for row in keys if row[0] != "g" for key in row if re.fullmatch("[!-~]|space", key)):
            page.evaluate("tab => void (location.hash = `page=${tab}`)", tab)
            expect(page.locator(f'.pages [data-page="{tab}"]')).to_have_attribute("aria-current", "page")
            expect(page.locator("[data-run]").first).to_be_attached()
            page.evaluate(HANDLED, "j")  # Some keys act on the run under the cursor.
            assert page.evaluate(HANDLED, NAMES.get(key, key)), f"{key} on {tab}"
