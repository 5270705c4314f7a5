"""What axe-core finds wrong with a page."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

_AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
# The tabs of the pages are links to "#..."; the rule takes those that are scrolled out for skip links without a target.
_FAULTS = """async () => (await axe.run(document, {
        resultTypes: ['violations'], rules: {'skip-link': {enabled: false}},
    })).violations
    .flatMap(({id, nodes}) => nodes.map(({html, failureSummary}) => `${id}: ${html}: ${failureSummary}`))"""


def faults(page: Page) -> list[str]:
    """Return the faults, from minor to critical, as the rules of axe-core see them."""
    if not _AXE.exists():
        pytest.fail("axe-core is not installed: run `make web/node_modules/.dev` first", pytrace=False)
    if not page.evaluate("'axe' in window"):
        page.evaluate(_AXE.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(_FAULTS)
    return found
