"""The overview in a real browser: the table of runs, the page of one run, notes."""

import json
import math
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from support.element_state import expect_state
from support.event_files import scalar_event, version_event
from support.pages import Pages, StartServer

from toposcope.proto import framing, lineage_pb2
from toposcope.recorder import SummaryRecord

HOSTILE = "<img src=x onerror=alert(1)>"
START = 1_700_000_000.0


def write_run(
    folder: Path, losses: list[float], began: float = START, tag: str = "train/loss", **hyper_parameters: Any
) -> None:
    """Write a run as after training: a loss per step, and its hyperparameters."""
    folder.mkdir(parents=True)
    points = [scalar_event(began + step, step, {tag: loss}) for step, loss in enumerate(losses)]
    (folder / "events.out.events.summary.1.0.host_MS").write_bytes(b"".join([version_event(began), *points]))
    if hyper_parameters:
        event = lineage_pb2.LineageEvent(wall_time=began)
        for name, value in hyper_parameters.items():
            setattr(event.train_lineage.hyper_parameters, name, value)
        version = lineage_pb2.LineageEvent(wall_time=began, version="MindSpore.Event:1")
        records = [framing.frame(each.SerializeToString()) for each in (version, event)]
        (folder / "events.out.events.summary.1.0.host_MS_lineage").write_bytes(b"".join(records))


def write_sweep(logdir: Path) -> None:
    """Write four runs of two optimizers."""
    write_run(logdir / "sweep/a9", [1.0, 0.5, 0.25], optimizer="sgd", learning_rate=0.5, batch_size=32)
    write_run(logdir / "sweep/a10", [1.0, 0.375, 0.5], START + 10, optimizer="sgd", learning_rate=0.25, batch_size=32)
    write_run(
        logdir / "sweep/b1", [1.0, 0.125, math.nan], START + 20, optimizer="adam", learning_rate=0.5, batch_size=32
    )
    write_run(logdir / "other", [3.0, 2.0], START + 30, batch_size=32)


@pytest.fixture
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for notes."""
    return tmp_path_factory.mktemp("data")


def order(page: Page) -> list[str]:
    """Return the runs of the table from top to bottom."""
    rows: list[str] = page.locator(".run-line").evaluate_all("rows => rows.map(row => row.dataset.run)")
    return rows


def expect_order(page: Page, *runs: str) -> None:
    """Wait until the table has exactly these runs in this order."""
    expect(page.locator(".run-line")).to_have_count(len(runs))
    for place, run in enumerate(runs):
        expect(page.locator(".run-line").nth(place)).to_have_attribute("data-run", run)


def row(page: Page, run: str) -> Locator:
    """Return a run's row."""
    return page.locator(f".run-line[data-run={json.dumps(run)}]")


def cell(page: Page, run: str, column: str) -> Locator:
    """Return a cell of the table."""
    return row(page, run).locator(f"td[data-column={json.dumps(column)}]")


def expect_value(page: Page, run: str, column: str, value: str) -> None:
    """Wait until a run's cell has a value, regardless of its format."""
    expect(cell(page, run, column).locator("[data-value]")).to_have_attribute("data-value", value)


def sort(page: Page, column: str, **options: Any) -> None:
    """Click on the header of a column."""
    page.locator(f".heads [data-column={json.dumps(column)}] button.head-label").click(**options)


def test_table_equals_the_data(server: StartServer, page: Page, tmp_path: Path, data_dir: Path) -> None:
    """Each cell shows what was recorded; the smallest loss is highlighted as the best; a run grows in place."""
    write_sweep(tmp_path)
    page.goto(server(tmp_path, "--data-dir", str(data_dir)).url + "#page=overview&x=step")

    expect_order(page, "sweep/a9", "sweep/a10", "sweep/b1", "other")
    expect_value(page, "sweep/a9", "last:train/loss", "0.25")
    expect_value(page, "sweep/a10", "last:train/loss", "0.5")
    expect_value(page, "sweep/a10", "best:train/loss", "0.375")
    expect_value(page, "sweep/b1", "last:train/loss", "NaN")
    expect_value(page, "sweep/b1", "best:train/loss", "0.125")
    expect(page.locator(".run-line .best")).to_have_count(1)
    note = cell(page, "sweep/b1", "state").locator(".state-note")
    expect(note).to_have_text("NaN")
    expect(note).to_have_attribute("title", "train/loss is no finite number at step 2")
    expect(cell(page, "sweep/a9", "param:optimizer")).to_have_text("sgd")
    expect(cell(page, "sweep/a10", "param:learning_rate")).to_have_text("0.25")
    expect(page.locator('td[data-column="param:batch_size"]')).to_have_count(0)
    expect(cell(page, "sweep/a9", "duration")).to_have_text("2.00s")
    expect(cell(page, "sweep/a9", "line:train/loss").locator("svg")).to_have_attribute("data-points", "3")
    expect(cell(page, "sweep/b1", "line:train/loss").locator(".bad")).to_have_count(1)

    with (tmp_path / "other/events.out.events.summary.1.0.host_MS").open("ab") as file:
        file.write(scalar_event(START + 32, 2, {"train/loss": 0.0625}))

    expect_value(page, "other", "last:train/loss", "0.0625")
    expect(cell(page, "other", "line:train/loss").locator("svg")).to_have_attribute("data-points", "3")
    page.locator('[data-column="best:train/loss"] .turn').click()
    expect_value(page, "other", "best:train/loss", "3")


def test_sort_filter_group_and_address(
    server: StartServer, page: Page, pages: Pages, tmp_path: Path, data_dir: Path
) -> None:
    """Rows are sorted, missing values last, filtered by value, in closed groups with means; the URL restores all."""
    write_sweep(tmp_path)
    page.goto(server(tmp_path, "--data-dir", str(data_dir)).url + "#page=overview")
    expect(cell(page, "sweep/a9", "param:optimizer")).to_have_text("sgd")
    sort(page, "name")
    expect_order(page, "other", "sweep/a9", "sweep/a10", "sweep/b1")
    sort(page, "last:train/loss")
    expect_order(page, "sweep/a9", "sweep/a10", "other", "sweep/b1")
    sort(page, "last:train/loss")
    expect_order(page, "other", "sweep/a10", "sweep/a9", "sweep/b1")
    sort(page, "param:learning_rate")
    sort(page, "last:train/loss", modifiers=["Shift"])
    expect_order(page, "sweep/a10", "sweep/a9", "sweep/b1", "other")

    page.locator('[data-key="filter-row"]').click()
    page.locator('[data-filter="param:optimizer"]').fill("=sgd or adam")
    expect_order(page, "sweep/a10", "sweep/a9", "sweep/b1")
    page.locator('[data-filter="best:train/loss"]').fill("0.2..0.4")
    expect_order(page, "sweep/a10", "sweep/a9")
    page.locator('[data-filter="best:train/loss"]').fill(">wrong")
    expect(page.locator('[data-filter="best:train/loss"]')).to_have_attribute("aria-invalid", "true")
    page.locator('[data-filter="best:train/loss"]').fill("")
    page.locator('[data-menu="group-by-toolbar"]').click()
    page.locator('#group-by-toolbar [data-value="param:optimizer"]').click()
    page.keyboard.press("Escape")
    expect(page.locator('.group-line[data-group="sgd"]')).to_have_attribute("data-count", "2")
    mean = page.locator('.group-line[data-group="sgd"] td[data-column="last:train/loss"]')
    expect(mean.locator(".mean")).to_have_attribute("data-value", "0.375")
    expect(mean).to_have_text("0.38 ± 0.18")
    rates = page.locator('.group-line[data-group="sgd"] td[data-column="param:learning_rate"]')
    expect(rates).to_have_text("0.25 \N{EN DASH} 0.5")
    expect_order(page)
    page.locator('.group-line[data-group="adam"] .group-toggle').click()
    expect_order(page, "sweep/b1")
    page.locator('[data-key="columns"]').click()
    page.locator('[data-shown-column="duration"] input').click()
    page.locator('[data-shown-column="param:optimizer"] [data-key="earlier"]').click()
    page.keyboard.press("Escape")
    expect(page.locator('.heads [data-column="duration"]')).to_have_count(0)
    heads = page.locator(".heads [data-column]").evaluate_all("heads => heads.map(head => head.dataset.column)")

    other = pages.open()
    other.goto(page.url)

    expect_order(other, "sweep/b1")
    expect(other.locator('.group-line[data-group="sgd"]')).to_have_attribute("data-count", "2")
    expect(other.locator('[data-filter="param:optimizer"]')).to_have_value("=sgd or adam")
    assert (
        other.locator(".heads [data-column]").evaluate_all("heads => heads.map(head => head.dataset.column)") == heads
    )
    other.locator('[data-menu="group-by-toolbar"]').click()
    other.locator('#group-by-toolbar [data-value=""]').click()
    other.locator('#group-by-toolbar [data-key="group-regex"]').fill("/([ab])")
    other.keyboard.press("Enter")
    expect(other.locator('.group-line[data-group="a"]')).to_have_attribute("data-count", "2")


def test_late_data_keeps_elements(server: StartServer, page: Page, tmp_path: Path, data_dir: Path) -> None:
    """Links, headers and focused fields keep their elements when rows are sorted and columns appear late."""
    write_sweep(tmp_path)
    held: list[Route] = []
    is_held = True

    def hold_values(route: Route) -> None:
        if is_held and '"last"' in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    page.route("**/api/runs/columns", hold_values)
    address = server(tmp_path, "--data-dir", str(data_dir)).url
    page.goto(f"{address}#page=overview&runs.sort=-last:train/loss")
    expect_order(page, "sweep/a9", "sweep/a10", "sweep/b1", "other")
    page.locator('[data-key="filter-row"]').click()
    field = page.locator('[data-filter="steps"]')
    field.focus()
    link = row(page, "sweep/a9").locator("a.run-name").element_handle()
    head = page.locator('.heads [data-column="steps"] button').element_handle()

    is_held = False
    for route in held:
        route.continue_()

    expect_order(page, "other", "sweep/a10", "sweep/a9", "sweep/b1")
    expect(page.locator('.heads [data-column="param:optimizer"]')).to_be_attached()
    expect(field).to_be_focused()
    head.click()
    expect(page.locator('.heads [data-column="steps"]')).to_have_attribute("aria-sort", "descending")
    link.click()
    expect(page.locator('.run-page[data-run="sweep/a9"]')).to_be_visible()


def test_thousands_of_runs(server: StartServer, page: Page, tmp_path: Path, data_dir: Path) -> None:
    """Only the visible rows exist; the last one is reachable; keys move through rows, select them and open a run."""
    for index in range(1000):
        write_run(tmp_path / f"run{index}", [1.0, index / 4], START + index)
    page.goto(server(tmp_path, "--data-dir", str(data_dir)).url + "#page=overview")
    table = page.locator(".run-table")
    expect(table).to_have_attribute("data-lines", "1000")
    expect(cell(page, "run0", "last:train/loss")).to_be_visible()
    assert page.locator(".run-line").count() < 60

    table.evaluate("table => table.scrollTop = table.scrollHeight")

    expect(row(page, "run999")).to_be_in_viewport()
    expect_value(page, "run999", "last:train/loss", "249.75")
    expect(cell(page, "run999", "line:train/loss").locator("svg")).to_be_visible()
    expect(row(page, "run0")).to_have_count(0)
    expect(page.locator(".live")).to_have_attribute("data-state", "live")
    table.evaluate("table => table.scrollTop = 0")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Space")
    expect(row(page, "run1")).to_have_attribute("data-shown", "false")
    expect(row(page, "run1")).to_have_class(re.compile("cursor"))
    page.keyboard.press("e")
    expect(page.locator('.run-page[data-run="run1"]')).to_be_visible()
    page.keyboard.press("u")
    expect(row(page, "run1")).to_be_visible()

    table.evaluate("table => table.scrollTop = 12000")
    row(page, "run405").locator("a.run-name").click()
    expect(page.locator('.run-page[data-run="run405"]')).to_be_visible()
    page.go_back()
    expect(row(page, "run405")).to_be_in_viewport()
    page.locator("#over-filter").fill("name=run9")
    eye = page.locator('.heads [data-column="name"] .eye')
    expect(page.locator(".run-table")).to_have_attribute("data-lines", "1")
    eye.click()
    expect(row(page, "run9")).to_have_attribute("data-shown", "false")
    page.locator("#over-filter").fill("")
    expect(row(page, "run10")).to_have_attribute("data-shown", "true")
    eye.click()
    expect(row(page, "run9")).to_have_attribute("data-shown", "true")
    eye.click()
    expect(page.locator('[data-key="compare"]')).to_be_disabled()


def test_all_runs_hidden_and_no_column_selected(
    server: StartServer, page: Page, tmp_path: Path, data_dir: Path
) -> None:
    """If every run is hidden, each page offers to show them; selecting no column is possible."""
    write_run(tmp_path / "only", [1.0, 0.5])
    started = server(tmp_path, "--data-dir", str(data_dir))
    for run, status in (("only", 200), ("gone", 404)):
        reply = page.request.put(started.url + "api/notes", params={"run": run}, data={"hidden": True})
        assert reply.status == status

    for name in ("scalars", "compare", "overview"):
        page.goto(started.url + f"#page={name}")
        expect(page.locator(".empty")).to_have_attribute("data-state", "all_away")
    page.locator('[data-key="show-away"]').click()

    expect(row(page, "only")).to_have_class(re.compile("away"))
    expect(page.locator('.heads [data-column="last:train/loss"]')).to_have_count(1)
    page.locator('[data-key="columns"]').click()
    page.locator('[data-column-choice="metric:train/loss"] input').uncheck()
    expect(page.locator('.heads [data-column="last:train/loss"]')).to_have_count(0)
    for _ in range(page.locator("[data-shown-column]").count()):
        page.locator("[data-shown-column] input").first.click()
    expect(page.locator(".heads [data-column]")).to_have_count(1)
    page.locator('[data-key="usual-columns"]').click()
    expect(page.locator('.heads [data-column="last:train/loss"]')).to_have_count(1)


def test_filters_select_compared_runs(server: StartServer, page: Page, tmp_path: Path, data_dir: Path) -> None:
    """The visible runs that match the value filters are compared."""
    write_sweep(tmp_path)
    page.goto(server(tmp_path, "--data-dir", str(data_dir)).url + "#page=overview")
    expect(cell(page, "sweep/a9", "param:optimizer")).to_have_text("sgd")
    row(page, "sweep/a9").locator(".eye").click()
    page.locator('[data-key="filter-row"]').click()
    page.locator('[data-filter="param:optimizer"]').fill("sgd or adam")
    expect_order(page, "sweep/a9", "sweep/a10", "sweep/b1")

    page.locator('[data-key="compare"]').click()

    expect(page.locator(".compared-run")).to_have_count(2)
    assert [chip.get_attribute("data-run") for chip in page.locator(".compared-run").all()] == ["sweep/a10", "sweep/b1"]


def test_notes_are_shared_and_stored(
    server: StartServer, pages: Pages, page: Page, tmp_path: Path, data_dir: Path
) -> None:
    """Notes of one viewer are visible to another and survive the server; a hidden run is not listed."""
    write_sweep(tmp_path)
    first = server(tmp_path, "--data-dir", str(data_dir))
    page.goto(first.url + "#page=overview&over.run=sweep/a9&rail=open")
    other = pages.open()
    other.goto(first.url + "#page=overview&rail=open")
    expect(row(other, "sweep/a9")).to_be_visible()
    form = page.locator(".run-page")

    form.locator('[name="alias"]').fill(HOSTILE)
    form.locator('[name="labels"]').fill("paper, best")
    form.locator('[name="note"]').fill(f"Diverges *later*. {HOSTILE}")
    form.locator('[data-colour="#026854"]').click()

    expect(row(other, "sweep/a9").locator(".run-name")).to_have_text(HOSTILE)
    expect(cell(other, "sweep/a9", "labels").locator(".label-chip")).to_have_text(["paper", "best"])
    expect(other.locator('.run[data-run="sweep/a9"] .run-name')).to_have_text(HOSTILE)
    expect(form.locator('[data-colour="#026854"]')).to_have_attribute("aria-checked", "true")
    expect(page.locator(".run-page h2 .leaf")).to_have_text(HOSTILE)
    other.locator('.run[data-run="sweep/b1"]').hover()
    other.locator('.run[data-run="sweep/b1"] [data-key="details"]').click()
    other.locator('#panel [name="hidden"]').check()
    expect(row(other, "sweep/b1")).to_have_count(0)
    expect(page.locator('.run[data-run="sweep/b1"]')).to_have_count(0)
    expect(page.locator(".away-note")).to_contain_text("1 hidden run")
    page.locator('.away-note [data-key="away"]').click()
    expect(page.locator('.run[data-run="sweep/b1"]')).to_have_count(1)
    pages.allowed = "ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE"
    first.stop()
    second = server(tmp_path, "--data-dir", str(data_dir))
    third = pages.open()
    third.goto(second.url + "#page=overview&over.run=sweep/a9")

    expect(third.locator(".note .markdown em")).to_have_text("later")
    expect(third.locator(".note .markdown")).to_contain_text(HOSTILE)
    third.locator('[data-key="edit-note"]').click()
    expect(third.locator('[name="note"]')).to_be_focused()
    expect(third.locator('[name="note"]')).to_have_value(f"Diverges *later*. {HOSTILE}")
    third.locator('[name="note"]').fill("- kept\n- *shared*")
    third.locator('[data-key="end-note"]').click()
    expect(third.locator(".note .markdown li")).to_have_text(["kept", "shared"])
    expect(third.locator('[name="alias"]')).to_have_value(HOSTILE)
    assert third.locator("img").count() == 0


def test_notes_that_cannot_be_saved(
    server: StartServer, pages: Pages, page: Page, tmp_path: Path, data_dir: Path
) -> None:
    """If the server cannot save a change, the page shows the reason and the stored value."""
    pages.allowed = "503"
    write_sweep(tmp_path)
    blocked = data_dir / "file"
    blocked.write_text("in the way")
    page.goto(server(tmp_path, "--data-dir", str(blocked)).url + "#page=overview&over.run=sweep/a9")

    page.locator('[name="alias"]').fill("new name")
    page.locator('[name="alias"]').blur()

    expect(page.locator(".notes-form [role=alert]")).to_contain_text("--data-dir")
    expect(page.locator('[name="alias"]')).to_have_value("")
    expect(page.locator(".run-page h2 .leaf")).to_have_text("sweep/a9")


def test_run_page(server: StartServer, page: Page, tmp_path: Path, data_dir: Path) -> None:
    """The page of a run shows the first NaN, damaged records with their offsets, and its kinds of data, with links."""
    write_sweep(tmp_path)
    event_file = tmp_path / "sweep/b1/events.out.events.summary.1.0.host_MS"
    content = event_file.read_bytes() + scalar_event(START + 25, 3, {"train/loss": 0.5})
    event_file.write_bytes(content[:-3] + b"\0" + content[-2:] + scalar_event(START + 26, 4, {"acc": 0.5}))
    page.goto(server(tmp_path, "--data-dir", str(data_dir)).url + "#page=overview")

    row(page, "sweep/b1").locator("a.run-name").click()

    bad = page.locator(".bad-news")
    expect(bad).to_have_attribute("data-bad-step", "2")
    expect(bad).to_contain_text("First NaN at step 2 in train/loss")
    place = page.locator(".damage li")
    expect(place).to_have_count(1)
    expect(place).to_contain_text("events.out.events.summary.1.0.host_MS")
    expect(page.locator("run-chart")).to_have_count(2)
    expect(page.locator("run-chart").first).to_have_attribute("data-drawn-lines", "1")
    expect(page.locator('[data-fact="optimizer"] td')).to_have_text("adam")
    bad.locator('[data-key="bad-look"]').click()
    card = page.locator('scalar-card[data-tag="train/loss"]')
    expect_state(card, "runs", ["sweep/b1"])
    low, high = map(float, (card.get_attribute("data-window") or "0,0").split(","))
    assert low < 2 < high
    page.go_back()
    page.locator('[data-key="open-scalars"]').click()
    expect(card).to_be_visible()


def test_golden_run_and_kinds_not_drawn(server: StartServer, page: Page, tmp_path: Path, data_dir: Path) -> None:
    """Every kind of data of a MindSpore run has a tile, with a thumbnail if there is a page for it."""
    golden = Path(__file__).parent.parent / "golden/mindspore"
    page.goto(server(golden, "--data-dir", str(data_dir)).url + "#page=overview&over.run=digits_momentum")

    expect(page.locator('[data-tile="histogram"] svg.bars')).to_be_visible()
    pictures = page.locator('[data-tile="image"] img')
    expect(pictures).to_have_count(2)
    for picture in pictures.all():
        expect(picture).to_have_js_property("complete", True)
        assert picture.evaluate("image => image.naturalWidth") > 0
    fill = page.locator('[data-tile="histogram"] rect').first.evaluate("bar => getComputedStyle(bar).fill")
    assert fill == page.locator(".run-page h2 .swatch path").evaluate("line => getComputedStyle(line).stroke")
    page.locator('[data-tile="graph"]').scroll_into_view_if_needed()
    expect(page.locator('[data-tile="graph"] .tile-graph')).to_have_attribute("data-nodes", "150")
    expect(page.locator('[data-fact="optimizer"] td')).to_have_text("Momentum")


def test_hostile_names_under_a_prefix(server: StartServer, page: Page, tmp_path: Path, data_dir: Path) -> None:
    """Markup in names of runs, tags and hyperparameters is shown as text, also under a path prefix."""
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    write_run(tmp_path / HOSTILE, [1.0, 0.5], tag=HOSTILE, optimizer=HOSTILE)
    with SummaryRecord(str(tmp_path / "plain")) as record:
        record.add_value("scalar", HOSTILE, 1.0)
        record.record(1)
    started = server(tmp_path, "--data-dir", str(data_dir), "--path-prefix", "/topo")
    page.goto(started.url + f"#page=overview&runs.group={quote('param:optimizer')}")

    page.locator('.group-line[data-count="1"] .group-toggle').first.click()
    expect(row(page, HOSTILE).locator(".run-name")).to_have_text("<img src=x")
    expect(row(page, HOSTILE).locator(".run-name")).to_have_attribute("title", HOSTILE)
    expect_value(page, HOSTILE, f"last:{HOSTILE}", "0.5")
    expect(cell(page, HOSTILE, "param:optimizer")).to_have_text(HOSTILE)
    row(page, HOSTILE).locator("a.run-name").click()
    expect(page.locator(".run-page h2 .leaf")).to_have_text(HOSTILE)
    page.locator('[name="alias"]').fill("safe")
    page.locator('[name="alias"]').blur()
    page.locator('[data-key="back"]').click()
    expect(row(page, HOSTILE).locator(".run-name")).to_have_text("safe")
    page.locator("#over-filter").fill("alias=safe")
    expect_order(page, HOSTILE)
    assert page.locator("img").count() == 0


def test_on_a_phone_the_runs_are_cards(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """Each has its state, its name, and metrics with sparklines; its name opens the page of the run."""
    write_sweep(tmp_path)
    page = pages.open(width=390, height=844, touch=True)
    page.goto(server(tmp_path).url + "#page=overview")
    card = page.locator('.run-card[data-run="sweep/a10"]')
    expect(page.locator(".run-card")).to_have_count(4)
    expect(card.locator(".run-card-metric .meta")).to_have_text(["train/loss"])
    expect(card.locator(".sparkline")).to_have_count(1)
    expect(card.locator("[data-value]")).to_have_attribute("data-value", "0.375")
    card.get_by_role("link").tap()
    expect(page.locator(".run-page")).to_contain_text("a10")


def test_rewards_come_first_and_the_best_is_known(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Neither an entropy nor a learning rate is shown by default, and no value of them is marked as the best."""
    for number in range(3):
        with SummaryRecord(str(tmp_path / f"run{number}")) as record:
            for tag in ("losses/entropy", "losses/value_loss", "charts/learning_rate", "charts/episodic_return"):
                record.add_value("scalar", tag, 1.0 + number)
            record.record(1)
    url = server(tmp_path).url
    page.goto(url + "#page=overview")
    best = page.locator(".run-line .best")
    expect(best).to_have_count(2)
    expect(cell(page, "run2", "best:charts/episodic_return").locator(".best")).to_have_count(1)
    expect(cell(page, "run0", "best:losses/value_loss").locator(".best")).to_have_count(1)
    expect(page.locator('.heads [data-column="last:losses/entropy"]')).to_have_count(0)
    page.goto(url + "#page=overview&over.metrics=charts/learning_rate")
    expect_value(page, "run2", "best:charts/learning_rate", "3")
    expect(best).to_have_count(0)
