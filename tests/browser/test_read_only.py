"""The page of a server that is read-only."""

from pathlib import Path

from playwright.sync_api import Page, expect
from support.event_files import loss_run
from support.pages import StartServer


def test_read_only_server_has_no_forms_for_notes(tmp_path: Path, server: StartServer, page: Page) -> None:
    """The page of a run shows everything else; with notes the forms are there."""
    loss_run(tmp_path / "a", range(3))
    for arguments, forms in ((["--read-only"], 0), ([], 2)):
        page.goto(f"{server(tmp_path, *arguments).url}#page=overview&over.run=a")
        expect(page.locator("#content")).to_contain_text("loss")
        expect(page.locator(".notes-form")).to_have_count(forms)
