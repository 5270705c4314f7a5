"""A report of summary-server report: one file that draws itself without a server."""

from pathlib import Path

import pytest
from playwright.sync_api import expect
from support.pages import Pages
from support.servers import run

from toposcope.recorder import SummaryRecord

HOSTILE = "</script><img src=x onerror=alert(1)>"


def test_shows_runs_charts_and_texts_without_a_network(tmp_path: Path, pages: Pages) -> None:
    """Charts are drawn from the file alone; names and texts of runs are never HTML."""
    logdir = tmp_path / "runs"
    for name, accuracy in (("good", 0.95), ("bad", 0.4)):
        with SummaryRecord(str(logdir / name)) as record:
            record.add_value("text", "notes", f"Notes with **emphasis** {HOSTILE}")
            for step in range(10):
                record.add_value("scalar", "validation/accuracy", accuracy * step / 9)
                record.add_value("scalar", HOSTILE, step)
                record.record(step)
    template, out = tmp_path / "template.md", tmp_path / "report.html"
    template.write_text(
        "# Nightly <b>x</b>\n\n::runs\n\n::best --metric validation/accuracy\n\n"
        "::chart --tag validation/accuracy --smooth ema:0.5\n::charts\n::text good\n::compare good bad\n"
        "::diagnose bad\n\n```\n::runs in a fence\n```\n"
    )
    done = run("report", logdir, "--out", out, "--template", template)
    assert (done.returncode, done.stderr) == (0, "")
    assert str(logdir) not in out.read_text(encoding="utf-8")

    page = pages.open()
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(out.as_uri())
    expect(page.locator("h1")).to_have_text("Nightly <b>x</b>")
    expect(page.locator(".chart .main-svg .scatterlayer .trace")).to_have_count(6)
    expect(page.locator("table").nth(1).locator("tr").nth(1)).to_contain_text("good0.95")
    expect(page.locator("strong")).to_have_text("emphasis")
    expect(page.locator("pre").last).to_have_text("::runs in a fence")
    expect(page.locator('img[src="x"]')).to_have_count(0)
