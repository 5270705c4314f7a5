"""The servers and pages of browser tests; a page reports its errors."""

import re
import signal
from collections.abc import Callable
from typing import NamedTuple

from playwright.sync_api import Browser, ConsoleMessage, Page, ViewportSize

from support.servers import SLOW_SECONDS, Process

REPORT_VIOLATIONS = (
    "addEventListener('securitypolicyviolation', e => console.error(`CSP: ${e.violatedDirective} ${e.blockedURI}`))"
)


OF_GRAPHICS = "GL Driver Message|willReadFrequently"
"""Console messages of Chromium about WebGL without a GPU."""


class Server(NamedTuple):
    """A running server: its URL and its process."""

    url: str
    process: Process

    def stop(self) -> None:
        """End the server as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        self.process.ended()


StartServer = Callable[..., Server]
"""Starts a server process on a logdir, with more arguments of summary-server."""


class Pages:
    """Opens pages and collects their errors; a test allows those it provokes."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.errors: list[str] = []
        self.allowed = "(?!)"

    def open(self, width: int = 1280, height: int = 800, lang: str = "en-US", *, touch: bool = False) -> Page:
        """Return an empty page in a separate profile, of a phone if it has touch."""
        viewport = ViewportSize(width=width, height=height)
        context = self.browser.new_context(viewport=viewport, locale=lang, has_touch=touch, is_mobile=touch)
        context.add_init_script(REPORT_VIOLATIONS)
        page = context.new_page()
        page.set_default_timeout(1000 * SLOW_SECONDS)
        page.on("console", self._collect)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        return page

    def _collect(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not re.search(self.allowed, message.text):
            self.errors.append(f"{message.text} {message.location['url']}")
