"""Fixtures of the browser tests: a real server process, a real Chromium, a page that tolerates no error."""

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright
from servers import ENVIRONMENT

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
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
    """A running server: where it answers, and the process it is."""

    url: str
    process: subprocess.Popen[str]

    def stop(self) -> None:
        """End the server as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(10)


@pytest.fixture
def server() -> Iterator[Callable[..., Server]]:
    """Return a function that starts a server process on a logdir."""
    started: list[Server] = []

    def start(logdir: Path | str, *arguments: str) -> Server:
        command = [sys.executable, "-m", "toposcope.server.cli", "--logdir", str(logdir), *arguments]
        port = [] if "--port" in arguments else ["--port", "0"]
        process = subprocess.Popen(
            [*command, *port], stdout=subprocess.PIPE, text=True, env={**ENVIRONMENT, "TZ": "UTC"}
        )
        assert process.stdout
        line = process.stdout.readline()
        address = re.search(r"http://\S+", line)
        assert address, f"the server printed {line!r} instead of its address"
        started.append(Server(address[0], process))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.stop()
        assert one.process.stdout
        one.process.stdout.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return the machine's Chromium."""
    path = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if path is None:
        pytest.fail(
            f"no Chromium here: none of {', '.join(CHROMIUM_NAMES)} is on the PATH (`make chromium` fetches one)"
        )
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        yield chromium
        chromium.close()


class Pages:
    """Opens pages and collects what goes wrong on them; a test allows what it provokes."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.errors: list[str] = []
        self.allowed = "(?!)"

    def open(self, width: int = 1280, height: int = 800, lang: str = "en-US") -> Page:
        """Return an empty page in a profile of its own."""
        context = self.browser.new_context(viewport={"width": width, "height": height}, locale=lang)
        context.add_init_script(REPORT_VIOLATIONS)
        page = context.new_page()
        page.set_default_timeout(8000)
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        return page

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not re.search(self.allowed, message.text):
            self.errors.append(f"{message.text} {message.location['url']}")


@pytest.fixture
def pages(browser: Browser, tmp_path: Path) -> Iterator[Pages]:
    """Return a maker of pages; the test fails if any of them reports an error or a policy violation.

    They are closed before the runs below tmp_path are removed, which else they would ask for.
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
