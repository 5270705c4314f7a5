"""A static snapshot: one file that shows the view without a server."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from support.event_files import loss_run
from support.pages import Pages, Server, StartServer
from support.snapshots import download

from toposcope.recorder import SummaryRecord

HOSTILE = "</script><img src=x onerror=alert(1)>"


def reopen(path: Path, pages: Pages, server: Server) -> Page:
    """End the server, and open the file in another profile."""
    server.stop()
    page = pages.open()
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(path.as_uri())
    return page


def test_works_from_disk(tmp_path: Path, server: StartServer, pages: Pages) -> None:
    """Every card of the visible runs, zoom, hidden runs, themes and languages work; excluded runs are not in it."""
    for run in ("first", "second", "secret-run"):
        with SummaryRecord(str(tmp_path / "runs" / run)) as record:
            for step in range(40):
                for tag in range(30):
                    record.add_value("scalar", f"{HOSTILE}{tag}", 1 / (step + 1))
                record.record(step)
    running = server(tmp_path / "runs")
    page = pages.open()
    page.goto(f"{running.url}#hide=secret-run")
    expect(page.locator("scalar-card[data-drawn-points]").first).to_be_visible()
    path = download(page, tmp_path)
    assert "secret-run" not in path.read_text(encoding="utf-8")
    page.context.close()

    opened = reopen(path, pages, running)
    expect(opened.locator("scalar-card")).to_have_count(30)
    expect(opened.locator(".run")).to_have_count(2)
    expect(opened.locator("#top .live")).to_contain_text("Snapshot of")
    expect(opened.locator('#top [data-key="views"]')).to_have_count(0)
    last = opened.locator("scalar-card").last
    last.scroll_into_view_if_needed()
    expect(last).to_have_attribute("data-drawn-points", "80")
    opened.locator(".run").first.click()
    expect(last).to_have_attribute("data-drawn-points", "40")
    opened.locator('#top [data-key="lang"]').click()
    expect(opened.locator("#top .live")).to_contain_text("快照")
    opened.locator('#top [data-key="theme"]').click()
    expect(opened.locator("html")).to_have_attribute("data-theme", "light")
    expect(opened.locator('img[src="x"]')).to_have_count(0)


def test_of_a_table_sorts(tmp_path: Path, server: StartServer, pages: Pages) -> None:
    """The table of runs can be sorted by every column it shows."""
    for run, steps in (("a", range(5)), ("b", range(9))):
        loss_run(tmp_path / "runs" / run, steps)
    running = server(tmp_path / "runs")
    page = pages.open()
    page.goto(f"{running.url}#page=overview")
    expect(page.locator(".run-line")).to_have_count(2)
    path = download(page, tmp_path)
    page.context.close()
    opened = reopen(path, pages, running)
    expect(opened.locator(".run-line")).to_have_count(2)
    expect(opened.locator(".run-line .sparkline").first).to_be_visible()


def test_contains_what_users_entered(tmp_path: Path, server: StartServer, pages: Pages) -> None:
    """Alias, label and note of a run are shown, and cannot be changed."""
    loss_run(tmp_path / "runs" / "first", range(5))
    running = server(tmp_path / "runs")
    page = pages.open()
    change = {"alias": "my best", "add_labels": ["paper"], "note": "As in **table 2**."}
    changes = {"changes": [{"runs": ["first"], "change": change}]}
    assert page.request.post(f"{running.url}api/notes", data=changes).ok
    page.goto(running.url)
    expect(page.locator(".run .label-chip")).to_have_text("paper")
    path = download(page, tmp_path)
    page.context.close()

    opened = reopen(path, pages, running)
    expect(opened.locator(".run .run-name")).to_have_text("my best")
    expect(opened.locator(".run .label-chip")).to_have_text("paper")
