"""A page that stays open in a real browser shows the same as one that is opened now."""

import shutil
from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from support.event_files import NAME, end_event, loss_run, scalar_event, write_run
from support.pages import Pages, StartServer
from support.servers import wait_until

ADDRESSES = {
    "scalars": "page=scalars&app.panel=run:b",
    "table": "page=overview&runs.sort=-last:loss",
    "run": "page=overview&over.run=b",
    "attempts": "page=scalars&attempt=all&rank=all",
}
HEIGHT = 1600
"""In pixels: all sections of a run are near the viewport. What is further below may be loaded or not."""
TEXT = """() => ({
  texts: [...document.querySelectorAll(".run, .run-line, .run-page, #panel, .drawn-runs")].map(e => e.innerText),
  titles: [...document.querySelectorAll(".run")].map(e => e.title),
  cards: [...document.querySelectorAll("scalar-card")].map(
    e => [e.dataset.drawnPoints, e.dataset.window, e.debugState().lines]),
})"""


def rewrite(logdir: Path, run: str, value: float) -> None:
    """Replace a file by one of the same size, steps and times."""
    path = logdir / run / NAME.format(seconds=2, rank=0)
    path.unlink(missing_ok=True)
    write_run(logdir / run, [scalar_event(2 + step, step, {"loss": value}) for step in range(20)], 2)


def check_equal(kept: dict[str, Page], pages: Pages, url: str) -> None:
    """Wait until each page shows the same as one that is opened now."""
    for name, page in kept.items():
        other = pages.open(height=HEIGHT)
        other.goto(f"{url}#{ADDRESSES[name]}")
        other.wait_for_selector(".run, .run-line, .run-page", state="attached")

        shown: list[Any] = []

        def is_equal(page: Page = page, other: Page = other, shown: list[Any] = shown) -> bool:
            other.wait_for_timeout(100)
            shown[:] = [each.evaluate(TEXT) for each in (page, other)]
            return bool(shown[0] == shown[1])

        try:
            wait_until(is_equal)
        except AssertionError:
            assert shown[0] == shown[1], name
        other.context.close()


def test_open_pages_follow_every_change(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """Points, ranks, restarts, ends, new and removed runs, rewritten files, and a server that starts again."""
    pages.allowed = "ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING"
    for run in "abc":
        rewrite(tmp_path, run, ord(run))
    process = server(tmp_path)
    kept = {name: pages.open(height=HEIGHT) for name in ADDRESSES}
    for name, page in kept.items():
        page.goto(f"{process.url}#{ADDRESSES[name]}")

    with (tmp_path / "a" / NAME.format(seconds=2, rank=0)).open("ab") as file:
        file.write(
            scalar_event(30, 30, {"loss": 5.0}) + end_event(31, "STATE_FAILED", error_type="E", error_text="bad")
        )
    loss_run(tmp_path / "a", range(20), 2, rank=1)
    loss_run(tmp_path / "new", range(5), 1)
    check_equal(kept, pages, process.url)  # growth
    loss_run(tmp_path / "c", range(10, 15), 100)
    check_equal(kept, pages, process.url)  # a restart of a run
    rewrite(tmp_path, "b", 77)
    shutil.rmtree(tmp_path / "new")
    check_equal(kept, pages, process.url)  # a rewritten file and a removed run

    process.stop()
    rewrite(tmp_path, "b", 33)
    shutil.rmtree(tmp_path / "a")
    loss_run(tmp_path / "later", range(5), 50)
    server(tmp_path, "--port", process.url.rstrip("/").rsplit(":", 1)[1])
    check_equal(kept, pages, process.url)  # a restart of the server
