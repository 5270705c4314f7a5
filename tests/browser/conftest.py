"""Fixtures of the browser tests: a real server process, a real Chromium, a page that tolerates no error."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from support.pages import Pages, Server, StartServer
from support.servers import SLOW_SECONDS, start

CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
PAGE = Path(__file__).parents[2] / "web/built"
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def serving() -> Iterator[StartServer]:
    """Provide a function that starts a server process on a logdir; end the processes afterwards."""
    started: list[Server] = []

    def serve(logdir: Path | str, *arguments: str) -> Server:
        process, url = start(logdir, *arguments, TZ="UTC")
        started.append(Server(url, process))
        return started[-1]

    yield serve
    for one in started:
        one.stop()


@pytest.fixture
def server() -> Iterator[StartServer]:
    """Return a function that starts a server process on a logdir, for one test."""
    with serving() as serve:
        yield serve


@pytest.fixture(scope="module")
def shared_server() -> Iterator[StartServer]:
    """Return a function that starts a server process for the tests of a module that only read what it serves."""
    with serving() as serve:
        yield serve


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return the machine's Chromium."""
    path = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if path is None:
        pytest.skip(
            f"Chromium is missing: none of {', '.join(CHROMIUM_NAMES)} is on the PATH (`make chromium` installs one)"
        )
    if not PAGE.exists():
        pytest.fail("the page is not built: run `make page` first", pytrace=False)
    with sync_playwright() as playwright:
        expect.set_options(timeout=1000 * SLOW_SECONDS)
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def pages(browser: Browser, tmp_path: Path, server: StartServer) -> Iterator[Pages]:
    """Return an opener of pages; the test fails if a page reports an error or a policy violation.

    They are closed before the servers of the test end and the runs below tmp_path are removed: they request both.
    """
    opened = Pages(browser)
    yield opened
    for context in browser.contexts:
        context.close()
    assert opened.errors == []


@pytest.fixture
def page(pages: Pages) -> Page:
    """Return one page of ordinary size."""
    return pages.open()
