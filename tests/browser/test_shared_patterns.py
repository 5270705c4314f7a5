"""Regular expressions in the address of the page, which anyone may have written: the page stays usable."""

from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, expect
from support.event_files import scalar_event, write_run
from support.pages import StartServer

LONG = "x" * 5000
"""Names of tags come from event files."""
PATTERNS = {
    "(x+x+)+y": 1,
    "x*y": 1,
    "(x|x)*(x|x)*y": 1,
    "x{1000000000}": 2,
    "x{0,1500}x{0,1500}y": 2,
    "(?:){1000000000}loss": 1,
    "((a?){300}){300}": 2,
    "(?=(x+x+)+y)x": 2,
    "(x)\\1": 2,
    "(" * 400 + "loss" + ")" * 400: 1,
    "[": 2,
}
"""How many of the two tags are shown: all if the expression is not usable."""


def test_page_with_a_hostile_pattern_is_usable(server: StartServer, page: Page, tmp_path: Path) -> None:
    """It filters, or a note says why it does not; then another pattern is typed."""
    write_run(
        tmp_path / "run", [scalar_event(2.0 + step, step, {LONG: 1.0, f"{LONG}y/loss": 1.0}) for step in range(3)]
    )
    url = server(tmp_path).url
    shown, error = page.locator("scalar-card:visible"), page.locator("#tag-filter-error")
    for number, (pattern, count) in enumerate(PATTERNS.items()):
        page.goto(f"{url}?{number}#tags={quote(pattern)}")
        expect(shown).to_have_count(count)
        expect(error).to_be_visible(visible=count == 2)
        page.locator("#tag-filter").fill("y/los+$")
        expect(shown).to_have_count(1)
        expect(error).to_be_hidden()
