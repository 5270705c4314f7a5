"""The profile that tests use one after the other is empty for each."""

from pathlib import Path

from playwright.sync_api import Browser
from support.event_files import loss_run
from support.pages import KeptProfile, Pages, StartServer

STORED = "async () => [localStorage.length, document.cookie, (await indexedDB.databases()).length]"


def test_what_a_test_stored_is_removed_after_it(
    browser: Browser, kept_profile: KeptProfile, server: StartServer, tmp_path: Path
) -> None:
    """Local storage, cookies and databases are empty when the next test opens the same address."""
    loss_run(tmp_path / "a", range(5))
    url = server(tmp_path).url + "mark.svg"
    first = Pages(browser, kept_profile)
    page = first.open()
    page.goto(url)
    page.evaluate("localStorage.a = 1; document.cookie = 'a=1'; void indexedDB.open('a')")
    page.wait_for_function("async () => (await indexedDB.databases()).length === 1")
    assert page.evaluate(STORED) == [1, "a=1", 1]
    first.close()

    second = Pages(browser, kept_profile)
    page = second.open()
    assert page.context == kept_profile.context
    page.goto(url)
    assert page.evaluate(STORED) == [0, "", 0]
    second.close()
