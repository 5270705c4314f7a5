"""Documents of workspaces, and workspaces that are open in a page."""

import json
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

from playwright.sync_api import Page, expect


def panel(kind: str, box: tuple[int, int, int, int] = (0, 0, 4, 3), **settings: Any) -> dict[str, Any]:
    """Return a panel of a workspace document."""
    x, y, w, h = box
    return {"kind": kind, "x": x, "y": y, "w": w, "h": h, "settings": settings}


def workspace(*panels: dict[str, Any], **settings: Any) -> dict[str, Any]:
    """Return a workspace document of one section."""
    section = {"name": "First", "collapsed": False, "panels": list(panels), "settings": {}}
    return {"version": 1, "sections": [section], "settings": settings}


def show(page: Page, url: str, document: dict[str, Any]) -> None:
    """Open a workspace."""
    page.goto(f"{url}#{urlencode({'page': 'workspace', 'ws.doc': json.dumps(document)}, quote_via=quote)}")
    expect(page.locator(".panel").first).to_be_visible()


def document_of(page: Page) -> dict[str, Any]:
    """Return the document in the address."""
    document: dict[str, Any] = json.loads(parse_qs(page.evaluate("location.hash.slice(1)"))["ws.doc"][0])
    return document
