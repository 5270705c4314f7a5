"""Snapshots that are made of an open page."""

from pathlib import Path

from playwright.sync_api import Page


def download(page: Page, folder: Path) -> Path:
    """Make a snapshot of the open page and return its file."""
    page.locator('[data-key="views"]').click()
    page.locator('[data-key="snapshot"]').click()
    page.locator('[data-dialog="snapshot"] [data-key="create"]').click()
    with page.expect_download() as downloading:
        page.locator('[data-dialog="snapshot"] [data-key="download"]').click()
    path = folder / downloading.value.suggested_filename
    downloading.value.save_as(path)
    return path
