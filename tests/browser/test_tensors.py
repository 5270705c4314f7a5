"""Test the tensors page in Chromium: it shows the elements that were recorded."""

import io
import json
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
import pytest
from playwright.sync_api import Locator, Page, expect
from support.pages import Pages, StartServer
from support.summary_values import MindSporeValue, record

from toposcope.proto import tensor_pb2
from toposcope.recorder import SummaryRecord

HOSTILE = "<img src=x onerror=alert(1)>"
Array = npt.NDArray[Any]
STATE = "element => element.debugState()"


def record_tensors(folder: Path, steps: dict[int, dict[str, Any]]) -> None:
    """Record tensors by step and tag."""
    with SummaryRecord(str(folder)) as record:
        for step, tensors in steps.items():
            for tag, values in tensors.items():
                record.add_value("tensor", tag, values)
            record.record(step)


def address(url: str, tag: str, **settings: str) -> str:
    """Return the address of one tensor."""
    parameters = "".join(f"&tensor.{name}={quote(value)}" for name, value in settings.items())
    return f"{url}#page=tensors&tensor.tag={quote(tag)}{parameters}"


def table_of(page: Page, cells: str | None = None) -> list[list[str]]:
    """Return the accessible table once all visible cells are drawn: labels first, with ASCII minus signs."""
    table = page.locator("tensor-table")
    expect(table).to_have_attribute("data-complete", "true")
    if cells is not None:
        expect(table).to_have_attribute("data-cells", cells)
    expect(table).to_have_attribute("data-accessible", "true")
    script = "rows => rows.map(row => [...row.children].map(cell => cell.textContent.replaceAll('\u2212', '-')))"
    return table.locator(".in-words tr").evaluate_all(script)


def read_out(page: Page) -> Locator:
    """Return the read-out of the element under the cursor."""
    return page.locator("tensor-table .tensor-read-out")


def fact(page: Page, name: str) -> Locator:
    """Return a fact about the tensor."""
    return page.locator(f'.tensor-facts [data-fact="{name}"] dd')


KINDS: list[tuple[Array, list[list[str]], str]] = [
    (
        np.array([[0.1, np.nan, -2], [np.inf, -np.inf, 0]], np.float32),
        [["", "0", "1", "2"], ["0", "0.1000", "NaN", "-2.0000"], ["1", "∞", "-∞", "0"]],
        "0.1",
    ),
    (
        np.array([2**63 - 1, -(2**63), 3]),
        [["", "+0", "+1", "+2"], ["0", "9223372036854775807", "-9223372036854775808", "3"]],
        "9223372036854775807",
    ),
    (np.array(1.5, np.float16), [["", ""], ["", "1.5000"]], "1.5"),
    (
        np.arange(24, dtype=np.int32).reshape(2, 2, 3, 2),
        [["", "0", "1"], ["0", "0", "1"], ["1", "2", "3"], ["2", "4", "5"]],
        "0",
    ),
]
"""Tensors, their table, and their first element in full. The unit tests cover all data types."""


def test_table_shows_the_elements(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Tensors of any rank are shown as tables; the keyboard reaches a cell, whose exact value is shown."""
    record_tensors(tmp_path / "run", {1: {f"{values.dtype}": values for values, *_ in KINDS}})
    url = server(tmp_path).url
    for values, rows, exact in KINDS:
        page.goto(address(url, str(values.dtype)))
        expect(page.locator(".tensor-shape")).to_have_attribute(
            "data-dims", json.dumps(list(values.shape)).replace(" ", "")
        )
        assert table_of(page, f"0,{len(rows) - 1},0,{len(rows[0]) - 1}") == rows
        page.keyboard.press("t")
        page.keyboard.press("ArrowDown")
        expect(read_out(page)).to_have_attribute("data-value", exact)
        if values.dtype == np.float32:
            for name in ("nan_count", "pos_inf_count", "neg_inf_count"):
                expect(fact(page, name)).to_have_text("1")


def test_large_tensor_is_loaded_where_it_is_visible(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Of millions of elements only those near the visible part are requested; scrolling loads others."""
    values = np.random.default_rng(1).standard_normal((1500, 2000)).astype(np.float32)
    record_tensors(tmp_path / "run", {0: {"w": values, "long": np.arange(3_000_000, dtype=np.int32)}})
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url) if "tensors/data" in request.url else None)
    url = server(tmp_path).url
    page.goto(address(url, "w"))
    table_of(page)
    page.locator(".tensor-scroll").evaluate("view => view.scrollTo(1e9, 1e9)")
    expect(page.locator("tensor-table")).to_have_attribute("data-cells", re.compile(r",1500,\d+,2000$"))
    rows = table_of(page)

    top, _, left, _ = map(int, (page.locator("tensor-table").get_attribute("data-cells") or "").split(","))
    assert rows[0][1] == str(left)
    assert rows[1][0] == str(top)
    shown = np.array([[float(cell) for cell in row[1:]] for row in rows[1:]])
    np.testing.assert_allclose(shown, values[top:, left : left + shown.shape[1]][: len(shown)], atol=5e-5)
    assert 2 <= len(requested) <= 12

    page.goto(address(url, "long"))
    expect(page.locator("tensor-table")).to_have_attribute("data-source", re.compile('"long"'))
    page.keyboard.press("t")
    expect(page.locator(".tensor-scroll")).to_be_focused()
    page.keyboard.press("End")
    page.locator(".tensor-scroll").evaluate("view => view.scrollTo(0, 1e9)")
    expect(page.locator("tensor-table")).to_have_attribute("data-cells", re.compile(r",300000,0,10$"))
    assert table_of(page)[-1][1:] == [str(number) for number in range(2_999_990, 3_000_000)]


def test_slices(server: StartServer, page: Page, pages: Pages, tmp_path: Path) -> None:
    """Fields and text select a slice; an invalid one is explained with its bounds and changes nothing."""
    values = np.arange(4 * 5 * 6, dtype=np.int64).reshape(4, 5, 6)
    record_tensors(tmp_path / "run", {0: {"a": values}, 3: {"a": values + 1000}})
    page.goto(address(server(tmp_path).url, "a"))
    assert [row[1:] for row in table_of(page)[1:]] == (values[0] + 1000).astype(str).tolist()

    page.locator('[data-dim="0"]').fill("4")
    error = page.locator("#tensor-slice-error")
    expect(error).to_have_text(re.compile(r"Dimension 0: index 4 is out of bounds \(0 to 3"))
    page.locator('[data-dim="0"]').fill("-1")
    expect(error).to_have_count(0)
    page.locator('[data-dim="0"]').press("Enter")
    page.locator("#tensor-slice").fill("[::-2, 1, 2:5]")
    page.locator("#tensor-slice").press("Enter")
    expected = (values[::-2, 1, 2:5] + 1000).astype(str).tolist()
    page.wait_for_url(re.compile("tensor.slice"))
    assert table_of(page, "0,2,0,3") == [["", "2", "3", "4"], ["3", *expected[0]], ["1", *expected[1]]]

    page.locator("#tensor-slice").fill("[0,0,0,0]")
    page.locator("#tensor-slice").press("Enter")
    expect(error).to_have_text("Too many indices: 4 for a tensor with 3 dimensions.")
    page.keyboard.press("Escape")
    page.keyboard.press("[")
    expect(page.locator(".tensor")).to_have_attribute("data-step", "0")
    page.locator("#tensor-slice").fill("[:,1,2:5]")
    page.locator("#tensor-slice").press("Enter")
    page.locator('[data-key="scientific"]').click()
    page.locator("#tensor-decimals").fill("1")
    expect(page).to_have_url(re.compile("tensor.decimals=1"))
    other = pages.open()
    other.goto(page.url)
    expect(other.locator(".tensor")).to_have_attribute("data-step", "0")
    cells = [[f"{number:.1e}".replace("e+0", "e+") for number in row] for row in values[:, 1, 2:5].tolist()]
    assert [row[1:] for row in table_of(other, "0,4,0,3")[1:]] == cells
    with page.expect_download() as download:
        page.locator('[data-key="npy-slice"]').click()
    np.testing.assert_array_equal(np.load(download.value.path()), values[:, 1, 2:5])
    with page.expect_download() as download:
        page.locator('[data-key="npy"]').click()
    np.testing.assert_array_equal(np.load(io.BytesIO(Path(download.value.path()).read_bytes())), values)


def test_difference(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The difference to another step or run is that of the elements; different shapes are reported."""
    random = np.random.default_rng(2)
    steps = {step: {"w": random.standard_normal((3, 4)).astype(np.float32)} for step in (0, 10, 20)}
    steps[10]["w"][1, 2] = np.nan
    record_tensors(tmp_path / "a", steps)
    record_tensors(tmp_path / "b", {20: {"w": steps[20]["w"] * 2}, 30: {"w": np.zeros((4, 3), np.float32)}})
    page.goto(address(server(tmp_path).url, "w", run="a", view="diff"))

    distance = page.locator(".tensor-facts[data-mean]")
    change = steps[20]["w"].astype(float) - steps[10]["w"].astype(float)
    expect(distance.locator('[data-fact="apart"]')).to_contain_text("1")
    assert float(distance.get_attribute("data-mean") or 0) == pytest.approx(float(np.nanmean(np.abs(change))))
    assert float(distance.get_attribute("data-max") or 0) == pytest.approx(float(np.nanmax(np.abs(change))))
    shown = [[float(cell) for cell in row[1:]] for row in table_of(page)[1:]]
    np.testing.assert_allclose(shown, change, atol=5e-5)

    row, column = np.unravel_index(np.nanargmax(np.abs(change)), change.shape)
    page.locator('[data-key="largest"]').click()
    expect(read_out(page)).to_have_attribute("data-index", f"[{row},{column}]")

    page.locator('[data-key="other-run"]').select_option("b")
    expect(distance).to_have_attribute("data-unequal", "12")
    expect(page.locator('[data-key="other-step"]').first).to_have_attribute("data-step", "20")
    assert float(distance.get_attribute("data-max") or 0) == pytest.approx(float(np.abs(steps[20]["w"]).max()))
    page.locator('[data-key="other-step-forth"]').click()
    expect(page.locator('[data-state="no_difference_dims"]')).to_contain_text("[3, 4] and [4, 3]")


def test_statistics_histogram_and_live_steps(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Charts and histogram match the data; while the latest step is shown, a new one replaces it."""
    values = np.random.default_rng(3).standard_normal((40, 50))
    values[0, :3] = np.nan, np.inf, -np.inf
    with SummaryRecord(str(tmp_path / "run")) as record:
        for step in (0, 5):
            record.add_value("tensor", "w", values * (step + 1))
            record.record(step)
        record.flush()
        page.goto(address(server(tmp_path).url, "w", view="stats"))
        mean = page.locator('[data-statistic="mean"]')
        expect(mean).to_have_attribute("data-drawn-points", "2")
        assert page.locator('[data-statistic="not_finite"]').evaluate(STATE)["values"] == [3, 3]

        record.add_value("tensor", "w", values * 7)
        record.record(6)
        record.flush()
        expect(mean).to_have_attribute("data-drawn-points", "3")
        expect(page.locator(".tensor")).to_have_attribute("data-step", "6")
    finite = values[np.isfinite(values)]
    assert mean.evaluate(STATE)["values"] == pytest.approx([finite.mean() * factor for factor in (1, 6, 7)])

    page.keyboard.press("v")
    bars = page.locator("tensor-bars")
    expected = np.histogram(finite * 7, 60)[0]
    expect(bars).to_have_attribute("data-drawn-bins", "60")
    counts = bars.evaluate(STATE)["counts"]
    assert sum(counts) == finite.size
    assert np.abs(np.array(counts) - expected).sum() <= 4
    expect(page.locator(".tensor-coverage")).to_have_text("All 2,000 elements of the slice")
    expect(page.locator('[data-key="not-finite"]')).to_contain_text("3 NaN/Inf")


def test_missing_and_damaged_steps_are_reported(server: StartServer, page: Page, tmp_path: Path) -> None:
    """For a missing step the last one before it is shown; damaged steps are counted; large integers have histograms."""
    ids = np.arange(600, dtype=np.int64).reshape(60, 10) % 97 + 10**17
    record_tensors(tmp_path / "run", {step: {"ids": ids + step} for step in (10, 30)})
    damaged = MindSporeValue(tag="ids")
    damaged.tensor.dims.extend([7])
    damaged.tensor.data_type = tensor_pb2.DT_FLOAT64
    with next((tmp_path / "run").glob("*.out.events.summary*")).open("ab") as file:
        file.write(record(time.time(), 40, damaged))
    page.goto(address(server(tmp_path).url, "ids", step="25"))
    expect(page.locator(".tensor")).to_have_attribute("data-step", "10")
    expect(page.locator('[data-note="unmet"]')).to_have_text("No data at step 25, showing step 10.")
    expect(page.locator('.tensor-controls [data-note="damaged"]')).to_have_text("1 damaged")
    expect(page.locator('.tensor-controls [data-note="listed"]')).to_have_count(0)
    page.keyboard.press("]")
    expect(page.locator(".tensor")).to_have_attribute("data-step", "30")
    expect(page.locator('[data-note="unmet"]')).to_have_count(0)

    page.goto(address(page.url.split("#")[0], "ids", view="hist"))
    expect(page.locator("tensor-bars")).to_have_attribute("data-drawn-bins", re.compile(r"\d"))
    assert sum(page.locator("tensor-bars").evaluate(STATE)["counts"]) == 600
    page.keyboard.press("Backspace")
    expect(page.locator('tensor-card[data-tag="ids"] [data-note="damaged"]')).to_have_text("1 damaged")


def test_list_of_hostile_tags_under_a_prefix(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """The list shows and opens tensors; markup is text; all under a path prefix and 400 px wide."""
    page = pages.open(width=400)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    record_tensors(tmp_path / HOSTILE, {7: {HOSTILE: np.full((2, 3), -1.5, np.float32)}})
    record_tensors(tmp_path / "other", {7: {"other": np.zeros(3, np.int8), "text/none": np.empty((0, 2))}})
    page.goto(server(tmp_path, "--path-prefix", "/topo").url + "#page=tensors")
    card = page.locator(f"tensor-card[data-tag={json.dumps(HOSTILE)}]")
    expect(card.locator("code")).to_have_text("2 \N{MULTIPLICATION SIGN} 3  float32")
    expect(card.locator(".tensor-row")).to_have_attribute("data-step", "7")
    expect(page.locator("tensor-card")).to_have_count(3)
    assert page.evaluate("document.querySelector('#page').scrollWidth <= 400")

    card.locator(".tensor-row").click()

    expect(page.locator(".tensor h2")).to_have_text(HOSTILE)
    assert table_of(page)[1] == ["0", "-1.5000", "-1.5000", "-1.5000"]
    assert page.locator("img").count() == 0
    assert page.evaluate("document.querySelector('#page').scrollWidth <= 400")
    page.keyboard.press("Backspace")
    expect(page.locator("tensor-card")).to_have_count(3)
    page.locator('tensor-card[data-tag="text/none"] .tensor-row').click()
    expect(page.locator('[data-state="no_elements"]')).to_be_visible()
