"""The Compare page in a real browser: differences of runs, and the same series of each side by side."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from google.protobuf import struct_pb2
from playwright.sync_api import Page, expect
from support.element_state import expect_state
from support.event_files import GOLDEN, scalar_event, write_run
from support.pages import Pages, StartServer
from support.summary_values import of_plugin, tensorboard_run

from toposcope.proto import framing, hparams_pb2, lineage_pb2, tensorboard_pb2
from toposcope.recorder import SummaryRecord
from toposcope.recorder.messages.lineage import custom_lineage

HOSTILE = "<img src=x onerror=alert(1)>"


def record_run(folder: Path, scale: float, optimizer: str, rate: float, epochs: int = 3) -> None:
    """Record a run with every kind of data and its hyperparameters."""
    with SummaryRecord(str(folder)) as record:
        for step in range(4):
            record.add_value("scalar", "loss", scale / (step + 1))
            record.add_value("scalar", HOSTILE, scale)
            record.add_value("histogram", "weights", np.arange(20, dtype=np.float32) * scale)
            record.add_value("image", "sample", np.full((1, 1, 8, 8), step * 40, dtype=np.float32))
            record.add_value("tensor", "logits", np.ones((2, 3), dtype=np.float32) * scale)
            record.record(step)
    event = lineage_pb2.LineageEvent(wall_time=1.0)
    parameters = event.train_lineage.hyper_parameters
    parameters.optimizer, parameters.learning_rate, parameters.epoch = optimizer, rate, epochs
    version = lineage_pb2.LineageEvent(wall_time=1.0, version="MindSpore.Event:1")
    records = [framing.frame(each.SerializeToString()) for each in (version, event)]
    (folder / "events.out.events.summary.1.0.host_MS_lineage").write_bytes(b"".join(records))


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Return a logdir of three runs."""
    record_run(tmp_path / "a", 1.0, "sgd", 0.5)
    record_run(tmp_path / "b", 2.0, "sgd", 0.25)
    record_run(tmp_path / "c", 4.0, HOSTILE, 0.5)
    return tmp_path


def expect_row(page: Page, name: str, *values: str) -> None:
    """Wait until a row of the difference table has these values."""
    expect(page.locator(f'[data-difference] tr[data-name="{name}"] td')).to_have_text(list(values))


def expect_compared(page: Page, *runs: str) -> None:
    """Wait until these runs are compared, in this order."""
    page.wait_for_function(
        """runs => JSON.stringify([...document.querySelectorAll(".compared-run")].map(chip => chip.dataset.run))
            === JSON.stringify(runs)""",
        arg=list(runs),
    )


def test_differences(server: StartServer, page: Page, logdir: Path) -> None:
    """Different rows are first, minority values are marked, equal rows are collapsed; runs can be removed."""
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(server(logdir).url + "#page=compare")

    expect_row(page, "optimizer", "sgd", "sgd", HOSTILE)
    expect_row(page, "learning_rate", "0.5", "0.25", "0.5")
    expect(page.locator('[data-difference="different"] tr[data-name]')).to_have_count(2)
    expect(page.locator('tr[data-name="learning_rate"] td.odd')).to_have_text("0.25")
    expect(page.locator('tr[data-name="optimizer"] td.odd')).to_have_text(HOSTILE)
    expect(page.locator("details[data-equal]")).to_have_attribute("data-equal", "1")
    expect(page.locator('tr[data-name="epoch"]')).to_be_hidden()
    page.locator("details[data-equal] summary").click()
    expect_row(page, "epoch", "3", "3", "3")

    page.locator('.compared-run[data-run="b"] button').click()

    expect_row(page, "optimizer", "sgd", HOSTILE)
    expect(page.locator('[data-difference="different"] tr[data-name]')).to_have_count(1)
    page.locator('[data-key="none"]').click()
    expect(page.locator(".empty")).to_have_attribute("data-state", "none_drawn")


def test_same_series_side_by_side(server: StartServer, page: Page, pages: Pages, logdir: Path) -> None:
    """Every kind of data is shown once per run; another tag is selected; the URL restores both; live data arrives."""
    page.goto(server(logdir).url + "#page=compare&hide=c")
    scalar = page.locator('[data-section="scalar"] scalar-card')
    expect_state(scalar, "runs", ["a", "b"])
    expect(page.locator('[data-section="scalar"]')).to_have_attribute("data-section-tag", "loss")
    for kind, card in (("image", "image-card"), ("tensor", "tensor-card"), ("histogram", "histogram-card")):
        section = page.locator(f'[data-section="{kind}"]')
        section.scroll_into_view_if_needed()
        for run in ("a", "b"):
            expect(section.locator(f'{card} [data-run="{run}"]').first).to_be_visible()
        expect(section.locator('[data-run="c"]')).to_have_count(0)
    page.locator('[data-key="tag-scalar"]').select_option(HOSTILE)
    scalar.scroll_into_view_if_needed()
    expect(page.locator(f"scalar-card[data-tag={json.dumps(HOSTILE)}]")).to_have_attribute("data-drawn-points", "8")

    other = pages.open()
    other.goto(page.url)

    expect(other.locator('[data-section="scalar"]')).to_have_attribute("data-section-tag", HOSTILE)
    expect(other.locator(".compared-run")).to_have_count(2)
    with SummaryRecord(str(logdir / "b")) as record:
        record.add_value("scalar", HOSTILE, 1.0)
        record.record(9)
    expect(other.locator(f"scalar-card[data-tag={json.dumps(HOSTILE)}]")).to_have_attribute("data-drawn-points", "9")
    assert page.locator('img[src="x"]').count() == 0


def test_long_values(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The different part of a long value is highlighted; expanded, it is shown in full, line by line."""
    for name, rate in (("a", "0.1"), ("b", "0.2")):
        record_run(tmp_path / name, 1.0, "sgd", 0.5)
        command = f"python train.py --data /a/rather/long/path/to/the/data --lr {rate} --epochs 90 --name {'x' * 30}"
        with SummaryRecord(str(tmp_path / name)) as record:
            layers = json.dumps({"width": [64, 128], "rate": float(rate), "kind": "conv"})
            lineage = custom_lineage({"environment/argv": command, "layers": layers})
            record.add_value("custom_lineage_data", "custom_lineage_data", lineage)
            record.record(9)
    page.goto(server(tmp_path).url + "#page=compare")
    row = page.locator('tr[data-name="argv"]')
    expect(row.locator("td .apart")).to_have_text(["0.1", "0.2"])
    expect(row.locator("td").first).to_have_attribute("title", re.compile("^python train.py .*x{30}$"))

    row.locator(".whole-switch").click()
    page.locator('tr[data-name="layers"] .whole-switch').click()

    expect(row.locator("td .apart")).to_have_text(["--lr 0.1", "--lr 0.2"])
    expect(row.locator("td .whole-line")).to_have_count(10)
    expect(page.locator('tr[data-name="layers"] td .apart')).to_have_text(['  "rate": 0.1,', '  "rate": 0.2,'])
    page.reload()
    expect(row.locator("td .apart")).to_have_text(["--lr 0.1", "--lr 0.2"])


def test_no_more_runs_than_fit(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Of many runs the chosen ones are compared, also in the scalar chart; another page draws all."""
    names = [f"run{index:02d}" for index in range(10)]
    for name in names:
        with SummaryRecord(str(tmp_path / name)) as record:
            record.add_value("scalar", "loss", 1.0)
            record.record(0)
    page.goto(server(tmp_path).url + "#page=compare")

    page.locator('[data-suggestion="newest"]').click()
    expect(page.locator(".compared-run")).to_have_count(5)
    expect(page.locator(".live")).to_have_attribute("data-state", "live")
    compared = [chip.get_attribute("data-run") for chip in page.locator(".compared-run").all()]
    chart = page.locator('[data-section="scalar"] scalar-card')
    expect_state(chart, "runs", compared)
    page.locator('[data-page="scalars"]').click()
    expect(page.locator("scalar-card")).to_have_attribute("data-drawn-points", "10")


def test_run_found_late(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A run that is found later and precedes another does not take over its button."""
    for run in ("b", "c"):
        write_run(tmp_path / run, [scalar_event(2000.0, 1, {"loss": 1.0})], 2000)
    page.goto(server(tmp_path, "--reload-interval", "0.3").url + "#page=compare")
    expect_compared(page, "b", "c")
    button = page.locator('.compared-run[data-run="b"] button').element_handle()

    write_run(tmp_path / "a", [scalar_event(1000.0, 1, {"loss": 1.0})], 1000)
    expect_compared(page, "a", "b", "c")
    button.click()

    expect_compared(page, "a", "c")


def test_enlarged_card_belongs_to_its_page(server: StartServer, page: Page, logdir: Path) -> None:
    """Another page has no enlarged card; Back, and a URL without a page, still show it."""
    url = server(logdir).url
    page.goto(url + "#open=loss")
    expect(page.locator(".groups.alone scalar-card")).to_have_attribute("data-tag", "loss")
    page.locator('[data-page="histograms"]').click()
    expect(page.locator("histogram-card").first).to_be_visible()
    expect(page).not_to_have_url(re.compile("open="))
    assert "open=" not in (page.locator('[data-page="scalars"]').get_attribute("href") or "")
    page.go_back()
    expect(page.locator(".groups.alone scalar-card")).to_have_attribute("data-tag", "loss")
    page.locator('[data-page="compare"]').click()
    page.locator('[data-section="image"]').scroll_into_view_if_needed()
    page.locator('[data-section="image"] image-card [data-key="enlarge"]').click()
    expect(page.locator("image-viewer")).to_be_visible()
    page.locator('[data-page="scalars"]').click()
    expect(page.locator("scalar-card").nth(1)).to_be_visible()
    page.go_back()
    expect(page.locator("image-viewer")).to_be_visible()
    page.go_back()
    expect(page.locator(".compare")).to_be_visible()
    expect(page).not_to_have_url(re.compile("open="))


def test_golden_runs_under_a_prefix(server: StartServer, page: Page) -> None:
    """Runs of TensorBoard's writers with other hyperparameters; a note counts the runs without a tag."""
    started = server(GOLDEN / "tensorboard/tensorboardx", "--path-prefix", "/topo")
    page.goto(started.url + f"#page=compare&show={quote('lr_0.1')}&show={quote('lr_0.01')}")

    expect_row(page, "lr", "0.1", "0.01")
    expect(page.locator('[data-section="text"] text-card')).to_be_attached()
    expect(page.locator(".compared-run")).to_have_count(2)


def write_session(folder: Path, name: str, **value: Any) -> None:
    """Write a run with one hyperparameter, as TensorBoard's writers do."""
    start = hparams_pb2.SessionStartInfo()
    start.hparams[name].CopyFrom(struct_pb2.Value(**value))
    tagged = of_plugin("hparams", "_hparams_/session_start_info", tensorboard_pb2.TensorProto())
    content = hparams_pb2.HParamsPluginData(session_start_info=start).SerializeToString()
    tagged.metadata.plugin_data.content = content
    tensorboard_run(folder, [(0, tagged)])


def test_null_differs_from_not_recorded(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A parameter without a value, a run that does not have it, and a text read differently."""
    write_session(tmp_path / "a", "decay", null_value=struct_pb2.NULL_VALUE)
    write_session(tmp_path / "b", "other", number_value=1.0)
    write_session(tmp_path / "c", "decay", string_value="null")
    page.goto(f"{server(tmp_path).url}#page=compare")
    cells = page.locator("tr", has=page.get_by_text("decay", exact=True)).locator("td")
    expect(cells).to_have_count(3)
    assert cells.all_inner_texts() == ["null", "–", "null"]  # noqa: RUF001
    expect(cells.nth(0).locator("em")).to_have_count(1)
    titles = [cell.get_attribute("title") for cell in cells.all()]
    assert titles == ["Recorded without a value", "Not recorded in this run", "null"]
