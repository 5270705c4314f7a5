"""Fixtures of the browser tests: a real server process, a real Chromium, a page that tolerates no error."""

import re
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from support.servers import SLOW_SECONDS, Process, start

CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
REPORT_VIOLATIONS = (
    "addEventListener('securitypolicyviolation', e => console.error(`CSP: ${e.violatedDirective} ${e.blockedURI}`))"
)


class Server(NamedTuple):
    """A running server: its URL and its process."""

    url: str
    process: Process

    def stop(self) -> None:
        """End the server as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        self.process.ended()


@pytest.fixture
def server() -> Iterator[Callable[..., Server]]:
    """Return a function that starts a server process on a logdir."""
    started: list[Server] = []

    def serve(logdir: Path | str, *arguments: str) -> Server:
        process, url = start(logdir, *arguments, TZ="UTC")
        started.append(Server(url, process))
        return started[-1]

    yield serve
    for one in started:
        one.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return the machine's Chromium."""
    path = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if path is None:
        pytest.fail(
            f"no Chromium here: none of {', '.join(CHROMIUM_NAMES)} is on the PATH (`make chromium` fetches one)"
        )
    with sync_playwright() as playwright:
        expect.set_options(timeout=1000 * SLOW_SECONDS)
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        yield chromium
        chromium.close()


class Pages:
    """Opens pages and collects their errors; a test allows those it provokes."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.errors: list[str] = []
        self.allowed = "(?!)"

    def open(self, width: int = 1280, height: int = 800, lang: str = "en-US") -> Page:
        """Return an empty page in a separate profile."""
        context = self.browser.new_context(viewport={"width": width, "height": height}, locale=lang)
        context.add_init_script(REPORT_VIOLATIONS)
        page = context.new_page()
        page.set_default_timeout(1000 * SLOW_SECONDS)
        page.on("console", self._collect)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        return page

    def _collect(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not re.search(self.allowed, message.text):
            self.errors.append(f"{message.text} {message.location['url']}")


@pytest.fixture
def pages(browser: Browser, tmp_path: Path) -> Iterator[Pages]:
    """Return an opener of pages; the test fails if a page reports an error or a policy violation.

    They are closed before the runs below tmp_path are removed, which they would otherwise request.
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
