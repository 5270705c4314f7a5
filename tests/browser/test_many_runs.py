"""Many runs in a real browser: values are fetched as columns, rows where they are visible, and few runs are drawn."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Response, expect
from support.cbor import decode_cbor
from support.event_files import NAME, scalar_event, version_event, write_run
from support.pages import StartServer

RUNS = 600


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Write the runs: the losses of later ones are larger."""
    for number in range(RUNS):
        loss = scalar_event(number + 1, 3, {"loss": number / 4})
        write_run(tmp_path / f"group{number % 2}/run{number}", [version_event(number + 1), loss])
    return tmp_path


def follow_requests(page: Page, route: str) -> list[dict[str, Any]]:
    """Return a list that gets the body of each request to a route."""
    bodies: list[dict[str, Any]] = []

    def note(request: Request) -> None:
        if request.url.endswith(f"/api/{route}"):
            bodies.append(json.loads(request.post_data or "{}"))

    page.on("request", note)
    return bodies


def test_table_is_sorted_by_columns_of_all_runs(server: StartServer, page: Page, logdir: Path) -> None:
    """All runs are sorted and filtered by their values; only visible rows are requested one by one."""
    rows = follow_requests(page, "overview")
    page.goto(server(logdir).url + "#page=overview")
    table, lines = page.locator(".run-table"), page.locator(".run-line")
    expect(table).to_have_attribute("data-lines", str(RUNS))
    expect(lines.first.locator('[data-column="last:loss"]')).to_have_text("0.0000")

    page.locator('th[data-column="last:loss"] button.head-label').click()
    page.locator('th[data-column="last:loss"] button.head-label').click()
    expect(lines.first).to_have_attribute("data-run", f"group1/run{RUNS - 1}")
    table.evaluate("table => table.scrollTop = table.scrollHeight")
    expect(page.locator('.run-line[data-run="group0/run0"] [data-column="line:loss"] svg')).to_be_visible()
    assert len({run for request in rows for run in request["run"]}) < 200

    page.locator('[data-key="filter-row"]').click()
    page.locator('[data-filter="last:loss"]').fill("<1")
    expect(table).to_have_attribute("data-lines", "4")
    page.locator("#over-filter").fill("group0")
    expect(table).to_have_attribute("data-lines", "2")


def test_only_runs_that_changed_are_fetched_again(server: StartServer, page: Page, logdir: Path) -> None:
    """When a run grows, the page asks for what has changed since its list, and shows it."""
    page.goto(server(logdir).url + "#page=overview&runs.sort=-last:loss")
    lines = page.locator(".run-line")
    expect(lines.first).to_have_attribute("data-run", f"group1/run{RUNS - 1}")
    expect(page.locator(".live")).to_have_text("Connected")  # Everything is loaded.
    requests = follow_requests(page, "runs/columns")
    received: list[str] = []

    def note(response: Response) -> None:
        if response.url.endswith("/api/runs/columns"):
            received.extend(decode_cbor(response.body())["runs"].split("\0"))

    page.on("response", note)
    with (logdir / "group0/run0" / NAME.format(seconds=1, rank=0)).open("ab") as file:
        file.write(scalar_event(1, 4, {"loss": 1000.0}))

    expect(lines.first).to_have_attribute("data-run", "group0/run0")
    assert set(filter(None, received)) == {"group0/run0"}
    assert all(request["since"] is not None for request in requests)


def test_at_most_500_runs_are_drawn(server: StartServer, page: Page, logdir: Path) -> None:
    """A note says how many visible runs are drawn; it disappears when fewer are visible."""
    series = follow_requests(page, "scalars")
    page.goto(server(logdir).url + "#page=scalars")
    expect(page.locator("scalar-card")).to_have_attribute("data-drawn-points", "500")
    note = page.locator("[data-note=undrawn]")
    expect(note).to_have_text(
        "500 of 600 visible runs are drawn, the first ones in the run list. Narrow the selection to see others."
    )
    assert all(len(request["run"]) <= 500 for request in series)
    page.locator('[data-key="lang"]').click()
    expect(note).to_contain_text("600 个可见运行中仅绘制运行列表靠前的 500 个")

    page.locator("#run-filter").fill("group1")
    expect(page.locator("scalar-card")).to_have_attribute("data-drawn-points", "300")
    expect(note).to_have_count(0)


def test_only_the_tags_of_the_drawn_runs_have_cards(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Of 305 runs with 505 tags, 300 are drawn: there are sections for their 500 tags, and for no other."""
    for number in range(305):
        metrics = range(number % 50 * 10, number % 50 * 10 + 10) if number < 300 else [number + 200]
        tags = {f"part{metric // 10}/metric{metric}": 1.0 for metric in metrics}
        kind = "early" if number < 300 else "late"
        write_run(tmp_path / f"{kind}{number}", [version_event(number + 1), scalar_event(number + 1, 1, tags)])
    requests = follow_requests(page, "tags")
    url = server(tmp_path).url
    while page.request.get(f"{url}api/health").json()["loading"]:
        page.wait_for_timeout(50)

    page.goto(f"{url}#page=scalars&runs=early")
    expect(page.locator(".tag-count")).to_have_text("500 of 505 tags")
    expect(page.locator("section.group")).to_have_count(50)
    count = "groups => groups.reduce((sum, group) => sum + group.sectionTags.length, 0)"
    assert page.locator("card-block").evaluate_all(count) == 500

    drawn_points = page.locator("scalar-card").first
    expect(drawn_points).to_have_attribute("data-drawn-points", "6")
    assert [len(request["run"]) for request in requests] == [300]
