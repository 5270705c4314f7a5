"""The servers and pages of browser tests; a page reports its errors."""

import re
import signal
from collections.abc import Callable
from typing import NamedTuple

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize

from support.servers import SLOW_SECONDS, Process

REPORT_VIOLATIONS = (
    "addEventListener('securitypolicyviolation', e => console.error(`CSP: ${e.violatedDirective} ${e.blockedURI}`))"
)


LANGUAGE = "en-US"

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


class KeptProfile:
    """A profile that the tests of a worker use one after the other, each as an empty one.

    A page that stays open keeps its renderer process: starting one for each test would take a fifth of the processor
    time of opening a page.
    """

    def __init__(self, browser: Browser) -> None:
        self.context = browser.new_context(locale=LANGUAGE)
        self.context.add_init_script(REPORT_VIOLATIONS)
        self._page = self.context.new_page()
        # Any address of the site that the servers are on.
        self._page.route("**/*", lambda route: route.fulfill(body="", content_type="text/html"))
        self._page.goto("http://127.0.0.1/")
        self._session = self.context.new_cdp_session(self._page)

    def clear(self) -> None:
        """Close the pages of a test and remove what they stored: the next server may have the port of this one."""
        for page in self.context.pages:
            if page != self._page:
                page.close()
        self.context.unroute_all()
        self.context.clear_permissions()
        self.context.clear_cookies()
        self._session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})


class Pages:
    """Opens pages and collects their errors; a test allows those it provokes."""

    def __init__(self, browser: Browser, kept: KeptProfile) -> None:
        self.browser = browser
        self.errors: list[str] = []
        self.allowed = "(?!)"
        self._kept = kept

    def open(self, width: int = 1280, height: int = 800, lang: str = LANGUAGE, *, touch: bool = False) -> Page:
        """Return an empty page in a separate profile, of a phone if it has touch."""
        viewport = ViewportSize(width=width, height=height)
        if lang == LANGUAGE and not touch and len(self._kept.context.pages) == 1:
            page = self._kept.context.new_page()
            page.set_viewport_size(viewport)
        else:
            page = self._new_context(viewport, lang, touch=touch).new_page()
        page.set_default_timeout(1000 * SLOW_SECONDS)
        page.on("console", self._collect)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        return page

    def close(self) -> None:
        """Close all pages."""
        for context in self.browser.contexts:
            if context != self._kept.context:
                context.close()
        self._kept.clear()

    def _new_context(self, viewport: ViewportSize, lang: str, *, touch: bool) -> BrowserContext:
        context = self.browser.new_context(viewport=viewport, locale=lang, has_touch=touch, is_mobile=touch)
        context.add_init_script(REPORT_VIOLATIONS)
        return context

    def _collect(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not re.search(self.allowed, message.text):
            self.errors.append(f"{message.text} {message.location['url']}")
