"""Selecting many runs in a real browser, and acting on them together."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from support import http
from support.event_files import scalar_event, version_event, write_run
from support.pages import Pages, Server, StartServer

from toposcope.recorder import SummaryRecord
from toposcope.recorder.messages.lineage import custom_lineage

HOSTILE = "<img src=x onerror=alert(1)>"
RUNS = [f"run{number}" for number in range(6)]


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Write runs whose losses increase."""
    for number, name in enumerate(RUNS):
        loss = scalar_event(number + 1, 3, {"validation/loss": 1 + number / 4})
        write_run(tmp_path / "logs" / name, [version_event(number + 1), loss])
    return tmp_path / "logs"


@pytest.fixture
def started(server: StartServer, logdir: Path, tmp_path: Path) -> Server:
    """Serve the runs, with a folder for notes."""
    return server(logdir, "--data-dir", str(tmp_path / "data"))


def line(page: Page, run: str) -> Locator:
    """Return the row of a run in the table."""
    return page.locator(f'.run-line[data-run="{run}"]')


def rail(page: Page, run: str) -> Locator:
    """Return the row of a run in the run list."""
    return page.locator(f'#rail .run[data-run="{run}"]')


def action(page: Page, name: str) -> Locator:
    """Return a button of the bar."""
    return page.locator(f'.action-bar [data-action="{name}"]')


def noted(started: Server, field: str) -> dict[str, object]:
    """Return a field of the stored notes, by run."""
    runs = http.get(f"{started.url}api/notes").json()["runs"]
    return {run: notes[field] for run, notes in runs.items() if notes[field]}


def test_range_is_labelled_archived_and_restored(started: Server, page: Page) -> None:
    """A range is selected with the shift key; its label is found; archived runs are listed on demand; undo works."""
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(started.url + "#page=overview")
    line(page, "run1").locator(".mark-run").click()
    line(page, "run3").locator(".mark-run").click(modifiers=["Shift"])
    expect(page.locator(".action-bar")).to_have_attribute("data-marked", "3")

    action(page, "label").click()
    page.keyboard.type(HOSTILE)
    page.keyboard.press("Enter")
    expect(page.locator(".action-notice")).to_contain_text("to 3 runs")
    page.keyboard.press("Escape")
    assert noted(started, "labels") == {run: [HOSTILE] for run in RUNS[1:4]}
    page.locator("#over-filter").fill("label:*img*")
    expect(page.locator(".run-line")).to_have_count(3)
    expect(line(page, "run2").locator(".label-chip")).to_have_text(HOSTILE)

    action(page, "archive").click()
    expect(page.locator(".run-line")).to_have_count(0)
    page.locator("#over-filter").fill("is:archived")
    expect(page.locator(".run-line")).to_have_count(3)
    page.locator('[data-key="undo"]').click()
    expect(page.locator(".run-line")).to_have_count(0)
    page.locator("#toolbar .search-clear").click()
    expect(page.locator(".run-line")).to_have_count(6)
    assert noted(started, "archived") == {}
    assert page.locator("img").count() == 0


def test_selection_by_keyboard(started: Server, page: Page) -> None:
    """Runs are selected, labelled and made the baseline without a mouse; Escape clears the selection."""
    page.goto(started.url + "#page=overview")
    expect(page.locator(".run-line")).to_have_count(6)
    for key in ("j", "x", "Shift+ArrowDown", "Shift+J"):
        page.keyboard.press(key)
    bar = page.locator(".action-bar")
    expect(bar).to_have_attribute("data-marked", "3")
    page.keyboard.press("Shift+L")
    page.keyboard.type("by key")
    page.keyboard.press("Enter")
    expect(line(page, "run2").locator(".label-chip")).to_have_text("by key")
    expect(page.locator('[data-notice="label"]')).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Z")
    expect(page.locator(".label-chip")).to_have_count(0)
    page.keyboard.press("Shift+B")
    expect(line(page, "run2").locator(".baseline-mark")).to_be_visible()
    page.keyboard.press("Shift+A")
    expect(bar).to_have_attribute("data-marked", "6")
    page.keyboard.press("Escape")
    expect(bar).to_have_count(0)


def test_runs_are_selected_in_the_run_list(started: Server, page: Page) -> None:
    """Control and shift clicks select; the selected runs alone are shown, and then compared."""
    page.goto(started.url + "#page=scalars")
    rail(page, "run4").locator(".run-toggle").click(modifiers=["Control"])
    rail(page, "run2").locator(".run-toggle").click(modifiers=["Shift"])
    expect(page.locator(".action-bar")).to_have_attribute("data-marked", "3")
    action(page, "only").click()
    expect(page.locator('#rail .run[data-shown="true"]')).to_have_count(3)
    action(page, "group").click()
    page.locator('.group-menu [name="group"]').fill("tall")
    page.keyboard.press("Enter")
    group = page.locator('[data-rail-group="tall"]')
    expect(group).to_contain_text("tall")
    group.locator(".group-open").click()
    expect(page.locator("#rail .run.child")).to_have_count(3)
    action(page, "compare").click()
    expect(page.locator(".compared-run")).to_have_count(3)
    expect(page.locator('[data-difference="best"] td.best')).to_have_text("1.5000")


def test_change_that_is_not_saved_is_reverted(started: Server, page: Page) -> None:
    """The bar names a run that could not be changed, and the page shows what is stored."""
    labels = [str(number) for number in range(100)]
    http.put(f"{started.url}api/notes", params={"run": "run0"}, json={"labels": labels}).raise_for_status()
    page.goto(started.url + "#page=overview")
    for run in ("run0", "run1"):
        line(page, run).locator(".mark-run").click()
    action(page, "label").click()
    page.keyboard.type("one more")
    page.keyboard.press("Enter")
    expect(page.locator(".action-notice.warning")).to_contain_text("run0: the run would have 101 labels")
    expect(line(page, "run1").locator(".label-chip")).to_have_text("one more")
    assert noted(started, "labels") == {"run0": labels, "run1": ["one more"]}
    expect(line(page, "run0").locator(".label-chip")).to_have_count(100)


def test_actions_can_be_tried_again_when_the_server_is_back(
    server: StartServer, page: Page, pages: Pages, logdir: Path, tmp_path: Path
) -> None:
    """Without a server, runs that could not be archived stay selected, and an action can still be undone later."""
    pages.allowed = "Failed to load resource"
    url = server(logdir, "--data-dir", str(tmp_path / "data")).url
    page.goto(url + "#page=overview")
    for run in ("run0", "run1"):
        line(page, run).locator(".mark-run").click()
    action(page, "label").click()
    page.keyboard.type("mistake")
    page.keyboard.press("Enter")
    notice = page.locator(".action-notice")
    expect(notice).to_contain_text("to 2 runs")
    page.keyboard.press("Escape")

    page.route("**/api/notes", lambda route: route.abort())
    action(page, "archive").click()
    expect(notice).to_have_text("2 runs not changed, such as run0: the server is not responding")
    expect(page.locator(".action-bar")).to_have_attribute("data-marked", "2")
    page.unroute("**/api/notes")

    action(page, "label").click()
    page.keyboard.type("again")
    page.keyboard.press("Enter")
    expect(notice).to_contain_text("“again” to 2 runs")
    page.keyboard.press("Escape")
    page.route("**/api/notes", lambda route: route.abort())
    page.locator('[data-key="undo"]').click()
    expect(notice).not_to_contain_text("Undone")
    expect(notice).to_contain_text("2 runs not changed")
    page.unroute("**/api/notes")
    page.locator('[data-key="undo"]').click()
    expect(notice).to_contain_text("Undone for 2 runs")
    expect(line(page, "run0").locator(".label-chip")).to_have_text("mistake")


def test_baseline_has_delta_columns(server: StartServer, page: Page, logdir: Path) -> None:
    """The table shows differences of the best values; sorting by them works; the address keeps the baseline."""
    page.goto(server(logdir).url + "#page=overview&app.baseline=run2")
    delta = line(page, "run0").locator('[data-column="delta:validation/loss"] span')
    expect(delta).to_have_text("\N{MINUS SIGN}0.5000")
    expect(delta).to_have_class("better")
    expect(line(page, "run3").locator('[data-column="percent:validation/loss"] span')).to_have_text("+16.7 %")
    expect(line(page, "run2").locator('[data-column="delta:validation/loss"]')).to_have_text("Baseline")
    page.locator('th[data-column="delta:validation/loss"] button').first.click()
    page.locator('th[data-column="delta:validation/loss"] button').first.click()
    expect(page.locator(".run-line").first).to_have_attribute("data-run", "run5")


def test_search_is_completed_and_explained(server: StartServer, page: Page, pages: Pages, tmp_path: Path) -> None:
    """Completions are taken by keyboard; an invalid search keeps the last result and says what was expected."""
    pages.allowed = "422"
    for name, rate in (("a", 0.1), ("b", 0.01)):
        with SummaryRecord(str(tmp_path / "logs" / name)) as record:
            record.add_value("custom_lineage_data", "custom", custom_lineage({"learning rate": rate}))
            record.record(0)
    page.goto(server(tmp_path / "logs").url)
    field = page.locator("#run-filter")
    field.press_sequentially("lear")
    expect(page.locator(".search-options [role=option]")).to_contain_text(["learning rate"])
    field.press("ArrowDown")
    field.press("Enter")
    field.press_sequentially("<0.05")
    expect(field).to_have_value('"learning rate"<0.05')
    expect(page.locator("#rail .run")).to_have_count(1)
    field.press_sequentially("x")
    expect(page.locator("#run-filter-error")).to_contain_text("expected a number")
    page.locator('[data-key="lang"]').click()
    expect(page.locator("#run-filter-error")).to_contain_text("应为数字")
    page.locator('[data-key="lang"]').click()
    expect(page.locator("#rail .run")).to_have_count(1)
    field.fill("/^[AX]$/")
    expect(rail(page, "a")).to_be_visible()
    expect(rail(page, "b")).to_have_count(0)
    page.reload()
    expect(rail(page, "b")).to_have_count(0)
    expect(rail(page, "a")).to_be_visible()


def test_run_list_is_resized_by_keyboard(started: Server, page: Page) -> None:
    """The width changes with the arrow keys and is remembered."""
    page.goto(started.url)
    handle = page.locator(".rail-handle")
    handle.focus()
    width = page.locator("#rail").evaluate("rail => rail.offsetWidth")
    page.keyboard.press("ArrowRight")
    assert page.locator("#rail").evaluate("rail => rail.offsetWidth") == width + 24
    page.reload()
    expect(handle).to_be_visible()
    assert page.locator("#rail").evaluate("rail => rail.offsetWidth") == width + 24


def hold_values(route: Route, held: list[Route]) -> None:
    """Hold back the requests for the best values of metrics."""
    if (route.request.post_data_json or {}).get("min"):
        held.append(route)
    else:
        route.continue_()


def test_comparison_asks_which_runs(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Of many runs, some are chosen from a list or by their values; the tables can have one row per run."""
    for number in range(12):
        loss = scalar_event(number + 1, 3, {"loss": 1 + number / 4})
        write_run(tmp_path / f"run{number:02d}", [version_event(number + 1), loss])
    held: list[Route] = []
    page.route("**/api/runs/columns", lambda route: hold_values(route, held))
    page.goto(server(tmp_path).url + "#page=compare")
    picker = page.locator('[data-state="choose_runs"]')
    expect(picker.locator("li")).to_have_count(12)
    best = page.locator('[data-suggestion="best:loss"]')
    expect(best).to_be_disabled()  # the values it chooses by are not loaded
    for route in held:
        route.continue_()
    page.unroute("**/api/runs/columns")
    best.click()
    expect(page.locator(".compared-run")).to_have_count(5)
    expect(page.locator("scalar-card")).to_be_visible()
    page.locator('[data-choice="layout"] [data-value="rows"]').click()
    expect(page.locator('[data-difference="best"] tr[data-run]')).to_have_count(5)
    expect(page.locator('[data-difference="best"] tr[data-run="run00"] td.best')).to_be_visible()
    page.locator('[data-key="choose-runs"]').click()
    for run in ("run00", "run11"):
        picker.locator(f'[data-run="{run}"] input').click()
    page.locator('[data-key="compare-chosen"]').click()
    expect(page.locator('.compared-run[data-run="run11"]')).to_be_visible()
    expect(page.locator(".compared-run")).to_have_count(5)
