"""Test the lineage page in Chromium: table, parallel axes with brushes, scatter plot, importance, datasets."""

import csv
import json
import math
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote

import pytest
from playwright.sync_api import Locator, Page, expect
from support import http
from support.event_files import GOLDEN, version_event
from support.pages import Pages, StartServer
from support.servers import wait_until

from toposcope.proto import framing
from toposcope.proto.lineage_pb2 import LineageEvent
from toposcope.recorder import custom_lineage, eval_lineage, train_lineage

HOSTILE = "<img src=x onerror=alert(1)>"
RUNS = 60
OPTIMIZERS = ("adam", "sgd", HOSTILE)


def write_lineage(folder: Path, *messages: tuple[str, Any]) -> None:
    """Write a run that contains only lineage messages, given as fields of LineageEvent."""
    folder.mkdir(parents=True)
    events = [LineageEvent(wall_time=1.0, version="MindSpore.Event:1")]
    events += [LineageEvent(wall_time=1.0, **{field: message}) for field, message in messages]
    records = [framing.frame(event.SerializeToString()) for event in events]
    (folder / "events.out.events.summary.1.0.host_MS_lineage").write_bytes(b"".join(records))
    (folder / "events.out.events.summary.1.0.host_MS").write_bytes(version_event())


def sweep(count: int = RUNS) -> dict[str, dict[str, Any]]:
    """Return the values of runs by column: numbers, categories, missing and NaN values."""
    draw = random.Random(7)
    runs = {}
    for number in range(count):
        values: dict[str, Any] = {
            "param:optimizer": draw.choice(OPTIMIZERS),
            "param:learning_rate": draw.choice([0.001, 0.003, 0.01, 0.1, 0.3]),
            "param:batch_size": draw.choice([16, 32, 64]),
            "metric:accuracy": math.nan if number % 20 == 3 else round(draw.random(), 4),
        }
        if number % 3:
            values["custom:dropout"] = round(draw.uniform(0, 0.5), 3)
        if number % 4 == 0:
            values["custom:note"] = draw.choice(["one", "two"])
        runs[f"run{number:02}"] = values
    return runs


MAKERS: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "param": ("train_lineage", lambda values: train_lineage(**values)),
    "metric": ("evaluation_lineage", eval_lineage),
    "custom": ("user_defined_info", custom_lineage),
}


def write_sweep(logdir: Path, runs: dict[str, dict[str, Any]]) -> None:
    """Record the values of the runs."""
    for run, values in runs.items():
        sections: dict[str, dict[str, Any]] = {}
        for column, value in values.items():
            section, _, name = column.partition(":")
            sections.setdefault(section, {})[name] = value
        messages = [(field, make(sections[name])) for name, (field, make) in MAKERS.items() if name in sections]
        write_lineage(logdir / run, *messages)


def wait_until_loaded(url: str) -> None:
    """Wait until a server has loaded all runs."""
    wait_until(lambda: not http.get(f"{url}api/runs").json()["loading"])


@pytest.fixture(scope="module")
def sweep_url(shared_server: StartServer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a server on the sweep, under a prefix."""
    logdir = tmp_path_factory.mktemp("sweep")
    write_sweep(logdir, sweep())
    url: str = shared_server(logdir, "--path-prefix", "/a/b").url
    wait_until_loaded(url)
    return url


def open_page(page: Page, url: str, **settings: str) -> None:
    """Open the page with settings and wait until all runs are loaded."""
    text = "".join(f"&{name}={quote(value)}" for name, value in settings.items())
    page.goto(f"{url}#page=lineage{text}")
    expect(page.locator('.lineage[data-complete="true"]')).to_be_attached()


@pytest.mark.parametrize("address", ["page=overview&over.cols=note", "page=lineage&lineage.columns=note:note"])
def test_notes_are_plain_text_in_tables(server: StartServer, page: Page, tmp_path: Path, address: str) -> None:
    """A cell has the first line of a note without the marks of Markdown."""
    write_sweep(tmp_path / "logs", {"a": {"param:batch_size": 16}, "b": {"param:batch_size": 32}})
    url = server(tmp_path / "logs", "--data-dir", str(tmp_path / "data")).url
    wait_until_loaded(url)
    page.request.put(f"{url}api/notes", params={"run": "a"}, data={"note": "**97 %** after `30` epochs\n\nMore."})
    page.goto(f"{url}#{address}")
    expect(page.locator('.run-line[data-run="a"] td[data-column$="note"]')).to_have_text("97 % after 30 epochs")


def cell(page: Page, run: str, column: str) -> Locator:
    """Return the value in a cell of the table."""
    return page.locator(f".run-line[data-run={json.dumps(run)}] td[data-column={json.dumps(column)}] [data-value]")


def setting(page: Page, name: str) -> str:
    """Return a setting of the address."""
    return parse_qs(page.evaluate("location.hash.slice(1)")).get(name, [""])[0]


def shown_runs(page: Page) -> list[str]:
    """Return the runs of the table from its CSV download."""
    with page.expect_download() as download:
        page.locator('[data-key="csv"]').click()
    with Path(download.value.path()).open(newline="") as file:
        return [row["run"] for row in csv.DictReader(file)]


def runs_kept_by(runs: dict[str, dict[str, Any]], brushes: dict[str, Any]) -> list[str]:
    """Return the runs that every brush keeps; ranges are pairs, picks are sets, in which None means missing."""
    kept = []
    for run, values in runs.items():
        for column, brush in brushes.items():
            value = values.get(column)
            if isinstance(brush, set):
                if value not in brush:
                    break
            elif not (isinstance(value, int | float) and math.isfinite(value) and brush[0] <= value <= brush[1]):
                break
        else:
            kept.append(run)
    return kept


def brush_of(page: Page, column: str) -> tuple[float, float]:
    """Return the range that the address has for a column."""
    parts = re.split(r"(?<!\\),", setting(page, "lineage.brush"))
    lo, _, hi = dict(zip(parts[::2], parts[1::2], strict=True))[column].partition("..")
    return float(lo or -math.inf), float(hi or math.inf)


def expect_importance(page: Page) -> None:
    """Wait until the importance of parameters is known, by which axes and columns are ordered."""
    expect(page.locator(".importances li").first).to_be_visible()


def drag(page: Page, column: str, start: float, end: float) -> None:
    """Drag along an axis between two shares of its height, from the top."""
    axis = page.locator(f"[data-axis={json.dumps(column)}] .axis-line")
    axis.scroll_into_view_if_needed()
    box = axis.bounding_box()
    assert box is not None
    x = box["x"] + 1
    page.mouse.move(x, box["y"] + start * box["height"])
    page.mouse.down()
    for share in (start + (end - start) / 2, end):
        page.mouse.move(x, box["y"] + share * box["height"])
    page.mouse.up()


def test_golden_run_matches_mindinsight(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The table contains every value that MindInsight shows; the data columns contain the pipeline."""
    (tmp_path / "golden").symlink_to(GOLDEN / "mindspore")
    sees = json.loads((GOLDEN / "mindspore/digits_momentum/mindinsight_sees.json").read_text())
    lineage = sees["digits_momentum"]["lineage"]
    run = "golden/digits_momentum"
    page.set_viewport_size({"width": 3400, "height": 1200})
    open_page(page, server(tmp_path).url)

    expected = {f"metric:{name}": value for name, value in lineage["metric"].items()}
    expected |= {f"custom:{name}": value for name, value in lineage["user_defined"].items()}
    expected |= {
        f"param:{name}": lineage[name]
        for name in ("optimizer", "learning_rate", "loss_function", "epoch", "batch_size", "device_num")
    }
    expected |= {
        "model:network": lineage["network"],
        "model:loss": lineage["loss"],
        "model:size": lineage["model_size"],
        "train:train_dataset_size": lineage["train_dataset_count"],
        "valid:valid_dataset_size": lineage["test_dataset_count"],
    }
    for column, value in expected.items():
        expect(cell(page, run, column)).to_have_attribute("data-value", str(value))

    page.locator('[data-choice="part"] [data-value="data"]').click()

    expect(cell(page, run, "data:pipeline")).to_have_text(" \u203a ".join(("GeneratorDataset", "Map", "Map", "Batch")))
    expect(page.locator(".run-line td[data-column='model:network']")).to_have_count(0)
    assert setting(page, "lineage.part") == "data"
    parameters = "data:Batch.batch_size,data:Map.operations,data:Map 2.operations"
    page.evaluate("columns => (location.hash += `&lineage.data_columns=${columns}`)", parameters)
    expect(cell(page, run, "data:Batch.batch_size")).to_have_attribute("data-value", "64")
    expect(cell(page, run, "data:Map.operations")).to_have_text("TypeCast(data_type=float32)")
    expect(cell(page, run, "data:Map 2.operations")).to_have_text("TypeCast(data_type=int32)")


def test_brushes_keep_exactly_the_right_runs(sweep_url: str, page: Page, pages: Pages) -> None:
    """Ranges, picks and missing values can be combined; the address restores them; other pages show the kept runs."""
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    runs = sweep()
    open_page(page, sweep_url)
    expect(page.locator("axes-strip").first).to_have_attribute("data-drawn-runs", str(RUNS))
    assert shown_runs(page) == list(runs)
    axes = page.locator(".axis").evaluate_all("axes => axes.map(axis => axis.dataset.axis)")
    assert axes[-1] == "metric:accuracy"
    assert set(axes) == {id for values in runs.values() for id in values}
    expect_importance(page)

    drag(page, "metric:accuracy", 0.1, 0.7)
    brushes: dict[str, Any] = {"metric:accuracy": brush_of(page, "metric:accuracy")}
    assert shown_runs(page) == runs_kept_by(runs, brushes)
    drag(page, "param:learning_rate", 0.2, 1.2)
    brushes["param:learning_rate"] = brush_of(page, "param:learning_rate")
    assert brushes["param:learning_rate"][0] == -math.inf
    page.locator(f'[data-axis="param:optimizer"] [data-pick="{HOSTILE}"]').click()
    page.locator('[data-axis="param:optimizer"] [data-pick="adam"]').click()
    brushes["param:optimizer"] = {HOSTILE, "adam"}
    kept = runs_kept_by(runs, brushes)
    assert 0 < len(kept) < RUNS / 2
    assert shown_runs(page) == kept
    expect(page.locator("axes-strip").first).to_have_attribute("data-drawn-runs", str(len(kept)))
    page.locator("run-scatter").scroll_into_view_if_needed()
    expect(page.locator("run-scatter")).to_have_attribute("data-drawn-points", re.compile(r"^\d+$"))

    restored = pages.open()
    restored.goto(page.url)
    expect(restored.locator(".table-bar [data-count]")).to_have_attribute("data-count", str(len(kept)))
    restored.locator('[data-axis="custom:dropout"] [data-pick-lane="-"]').click()
    brushes["custom:dropout"] = {None}
    assert shown_runs(restored) == runs_kept_by(runs, brushes)

    page.locator('[data-key="draw-kept"]').click()
    page.locator('.pages [data-page="overview"]').click()
    expect(page.locator('.run-line[data-shown="true"]').first).to_be_visible()
    assert parse_qs(page.evaluate("location.hash.slice(1)"))["show"] == kept
    page.locator('.pages [data-page="lineage"]').click()
    page.locator('[data-key="clear-brushes"]').click()
    assert shown_runs(page) == list(runs)
    expect(page.locator('img[src="x"]')).to_have_count(0)


def test_brush_is_moved_resized_and_removed(sweep_url: str, page: Page) -> None:
    """The middle of a brush moves it, an end resizes it, keys do the same; a click outside of it removes it."""
    open_page(page, sweep_url, **{"lineage.brush": "metric:accuracy,0.2..0.4"})
    axis = page.locator('[data-axis="metric:accuracy"]')
    lo, hi = (float(axis.get_attribute(name) or "nan") for name in ("data-lo", "data-hi"))

    def share(value: float) -> float:
        return (hi - value) / (hi - lo)

    drag(page, "metric:accuracy", share(0.3), share(0.6))
    assert brush_of(page, "metric:accuracy") == pytest.approx((0.5, 0.7), abs=0.01)
    drag(page, "metric:accuracy", share(0.7), share(0.9))
    assert brush_of(page, "metric:accuracy") == pytest.approx((0.5, 0.9), abs=0.01)
    end = axis.locator('[data-end="lo"]')
    end.focus()
    for _ in range(10):
        page.keyboard.press("ArrowDown")
    expect(end).to_have_attribute("aria-valuenow", re.compile(r"^0\.4"))
    page.keyboard.press("Delete")
    expect(page.locator(".axis.brushed")).to_have_count(0)

    expect_importance(page)
    page.locator('[data-axis="param:batch_size"] .axis-name').focus()
    before = page.locator(".axis").evaluate_all("axes => axes.map(axis => axis.dataset.axis)")
    at = before.index("param:batch_size")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".axis").nth(at + 1)).to_have_attribute("data-axis", "param:batch_size")
    expect(page.locator('[data-axis="param:batch_size"] .axis-name')).to_be_focused()
    after = page.locator(".axis").evaluate_all("axes => axes.map(axis => axis.dataset.axis)")
    assert after.index("param:batch_size") == at + 1
    assert setting(page, "lineage.axes").split(",")[at + 1] == "param:batch_size"

    title, first = (page.locator(".axis .axis-name").nth(place).bounding_box() for place in (at + 1, 0))
    assert title is not None
    assert first is not None
    page.mouse.move(title["x"] + 5, title["y"] + 5)
    page.mouse.down()
    page.mouse.move(title["x"] - 30, title["y"] + 5)
    page.mouse.move(first["x"] + 5, title["y"] + 5)
    page.mouse.up()
    expect(page.locator(".axis").first).to_have_attribute("data-axis", "param:batch_size")

    drag(page, "param:optimizer", 0.05, 0.3)
    top = page.locator('[data-axis="param:optimizer"] [data-pick]').first.get_attribute("data-pick")
    kept = runs_kept_by(sweep(), {"param:optimizer": {top}})
    assert shown_runs(page) == kept
    run = kept[1]
    page.locator(f'.run-line[data-run="{run}"] td').first.hover()
    expect(page.locator("run-lines")).to_have_attribute("data-pointed", run)
    expect(page.locator(".pointed-line path").first).to_have_attribute("d", re.compile(r"^M0\.0 "))


def test_table_sorts_selects_hides_and_downloads(sweep_url: str, page: Page) -> None:
    """Rows are sorted with missing values last; selected ones are hidden or shown alone; the download is exact.

    If no row is left, the shortcut that shows the rows on all pages does nothing.
    """
    runs = sweep()
    open_page(page, sweep_url)
    page.locator('.heads [data-column="metric:accuracy"] button').click()
    finite = {
        run: values["metric:accuracy"] for run, values in runs.items() if math.isfinite(values["metric:accuracy"])
    }
    best = sorted(finite, key=lambda run: -finite[run])
    assert shown_runs(page)[: len(best)] == best
    expect(cell(page, best[0], "metric:accuracy")).to_have_attribute("data-value", str(finite[best[0]]))

    for run in best[:2]:
        page.locator(f'.run-line[data-run="{run}"] input').check()
    page.locator('[data-key="hide-selected"]').click()
    assert shown_runs(page)[:2] == best[2:4]
    assert set(setting(page, "lineage.hidden").removeprefix("-").split(",")) == set(best[:2])
    for run in best[2:4]:
        page.locator(f'.run-line[data-run="{run}"] input').check()
    page.locator('[data-key="show-selected"]').click()
    assert shown_runs(page) == best[2:4]
    page.locator('[data-key="show-all"]').click()

    page.locator('[data-key="columns"]').click()
    page.locator('[data-shown-column="param:batch_size"] input').click()
    page.keyboard.press("Escape")
    with page.expect_download() as download:
        page.locator('[data-key="csv"]').click()
    with Path(download.value.path()).open(newline="") as file:
        rows = {row.pop("run"): row for row in csv.DictReader(file)}
    assert set(rows) == set(runs)
    for run, row in rows.items():
        expected = {id: str(value).replace("nan", "NaN") for id, value in runs[run].items() if id != "param:batch_size"}
        assert {id: text for id, text in row.items() if text} == expected

    page.locator('.heads [data-column="name"] input').check()
    page.locator('[data-key="hide-selected"]').click()
    expect(page.locator('[data-key="draw-kept"]')).to_be_disabled()
    address = page.url
    page.keyboard.press("d")
    assert page.url == address


def test_scatter_target_and_importance(sweep_url: str, page: Page) -> None:
    """The scatter plot draws runs with both values; the histogram counts all runs; a parameter opens its plot."""
    runs = sweep()
    open_page(
        page, sweep_url, **{"lineage.x": "custom:dropout", "lineage.y": "metric:accuracy", "lineage.third": "size"}
    )
    both = [v for v in runs.values() if "custom:dropout" in v and math.isfinite(v["metric:accuracy"])]
    plot = page.locator("run-scatter")
    plot.scroll_into_view_if_needed()
    expect(plot).to_have_attribute("data-drawn-points", str(len(both)))
    counts = page.locator("lineage-target").evaluate("card => card.debugState().counts")
    finite = sum(math.isfinite(values["metric:accuracy"]) for values in runs.values())
    assert sum(counts) == finite

    of_rate = page.locator('.importances [data-parameter="learning_rate"] button')
    expect(of_rate.locator(".r")).to_contain_text("log")  # Rates span more than two decades.
    expect(of_rate).to_have_attribute("title", re.compile("Pearson correlation of the logarithm"))
    importance = page.locator('.importances [data-parameter="batch_size"] button')
    expect(importance.locator(".r")).not_to_contain_text("log")
    importance.click()
    expect(plot).to_have_attribute("aria-label", re.compile("batch_size"))
    assert setting(page, "lineage.x") == "param:batch_size"
    expect(plot).to_have_attribute("data-drawn-points", str(finite))


def test_tensorboard_hyperparameters_and_live_runs(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Sessions of TensorBoard's writers are rows like all others; a later run is added."""
    (tmp_path / "golden").symlink_to(GOLDEN / "tensorboard/tensorboardx")
    open_page(page, server(tmp_path, "--reload-interval", "0.2").url)
    expect(cell(page, "golden/lr_0.01", "param:lr")).to_have_attribute("data-value", "0.01")
    expect(cell(page, "golden/lr_0.1", "param:opt")).to_have_text("sgd")
    expect(cell(page, "golden/lr_0.1", "metric:hparam/accuracy")).to_have_attribute("data-value", "0.998500406742096")
    expect(page.locator(".lineage")).to_have_attribute("data-runs", "2")

    write_sweep(tmp_path, {"late": {"param:optimizer": "adam", "metric:accuracy": 0.5}})

    expect(page.locator(".lineage")).to_have_attribute("data-runs", "3")
    expect(cell(page, "late", "metric:accuracy")).to_have_attribute("data-value", "0.5")


def test_failed_request_is_repeated(server: StartServer, page: Page, pages: Pages, tmp_path: Path) -> None:
    """A failed request is reported and repeated on demand; a line break in a run's name is displayed correctly."""
    write_sweep(tmp_path, {name: {"custom:seed": seed} for seed, name in enumerate(("one", "two\nlines"))})
    pages.allowed = "ERR_CONNECTION_REFUSED"
    page.route("**/api/lineage", lambda route: route.abort("connectionrefused"))
    page.goto(f"{server(tmp_path, '--reload-interval', '0').url}#page=lineage")
    expect(page.locator('.empty[data-state="failed"]')).to_be_visible()
    with page.expect_request("**/api/lineage"):
        page.locator('[data-key="retry"]').click()

    page.unroute("**/api/lineage")
    # A new list of runs also repeats the request, and removes the button.
    page.evaluate("""() => document.querySelector('[data-key="retry"]')?.click()""")

    expect(page.locator(".lineage .run-line")).to_have_count(2)
    assert [line.get_attribute("data-run") for line in page.locator(".run-line").all()] == ["one", "two\nlines"]


def test_columns_of_the_table_are_moved(sweep_url: str, page: Page) -> None:
    """Columns are moved by dragging and by arrow keys; the address and the download have the same order."""
    open_page(page, sweep_url)
    heads = page.locator(".heads th[data-column]")

    def columns() -> list[str]:
        ids: list[str] = heads.evaluate_all("heads => heads.map(head => head.dataset.column)")
        return ids[1:]

    def head(column: str) -> Locator:
        return page.locator(f'.heads [data-column="{column}"]')

    expect_importance(page)
    before = columns()
    third = before[2]
    head(third).drag_to(head(before[0]))
    moved = [third, *before[:2], *before[3:]]
    expect(heads.nth(1)).to_have_attribute("data-column", third)
    assert columns() == moved
    assert setting(page, "lineage.columns").split(",") == moved

    head(third).locator("button").focus()
    page.keyboard.press("ArrowRight")
    expect(heads.nth(2)).to_have_attribute("data-column", third)
    expect(head(third).locator("button")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(heads.nth(1)).to_have_attribute("data-column", third)
    page.keyboard.press("ArrowLeft")
    expect(head(third).locator("button")).to_be_focused()
    with page.expect_download() as download:
        page.locator('[data-key="csv"]').click()
    with Path(download.value.path()).open(newline="") as file:
        assert next(csv.reader(file)) == ["run", *moved]


def test_importance_uses_only_the_filtered_runs(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The request contains the filtered runs, even if they are too many for a URL."""
    draw = random.Random(1)
    names = [f"{'left' if number % 3 else 'kept'}{number:03}" for number in range(480)]
    runs = {name: {"param:learning_rate": draw.random(), "metric:accuracy": draw.random()} for name in names}
    write_sweep(tmp_path, runs)
    url = server(tmp_path).url
    wait_until_loaded(url)
    with page.expect_response(re.compile("/api/importance$")) as response:
        open_page(page, url, runs="left")
    assert (response.value.json()["runs"], response.value.json()["left_out"]) == (320, 0)
