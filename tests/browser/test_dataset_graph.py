"""Test the dataset graph in Chromium: the pipeline of a run from its sources to the last stage."""

import json
import re
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect
from support.event_files import GOLDEN
from support.pages import Pages, StartServer

from toposcope.proto import framing, lineage_pb2

HOSTILE = "<img src=x onerror=alert(1)>"
SVG = "{http://www.w3.org/2000/svg}"


def stage(op: str, *children: lineage_pb2.DatasetGraph, **parameters: object) -> lineage_pb2.DatasetGraph:
    """Return a stage with its inputs."""
    graph = lineage_pb2.DatasetGraph()
    graph.parameter.mapStr["op_type"] = op
    for name, value in parameters.items():
        kinds: dict[type, MutableMapping[str, Any]] = {
            bool: graph.parameter.mapBool,
            int: graph.parameter.mapInt,
            str: graph.parameter.mapStr,
        }
        kinds[type(value)][name] = value
    graph.children.extend(children)
    return graph


def write_pipeline(folder: Path, graph: lineage_pb2.DatasetGraph, seconds: int = 1) -> None:
    """Write a run that contains only a pipeline."""
    folder.mkdir(parents=True, exist_ok=True)
    event = lineage_pb2.LineageEvent(wall_time=float(seconds))
    event.dataset_graph.CopyFrom(graph)
    version = lineage_pb2.LineageEvent(wall_time=float(seconds), version="MindSpore.Event:1")
    records = [framing.frame(each.SerializeToString()) for each in (version, event)]
    path = folder / f"events.out.events.summary.{seconds}.0.host_MS_lineage"
    path.write_bytes(b"".join(records))


def zipped() -> lineage_pb2.DatasetGraph:
    """Return a pipeline of two branches."""
    images = stage("Shuffle", stage("ImageFolder", dataset_dir="/data/" + "long/" * 30), buffer_size=1000)
    joined = stage("Zip", images, stage("NumpySlices"))
    mapped = stage("Map", joined, num_parallel_workers=8)
    for number in range(8):
        operation = mapped.operations.add().operationParam
        operation.mapStr["tensor_op_name"] = HOSTILE if number == 0 else f"Operation{number}"
        operation.mapStr["tensor_op_params"] = json.dumps({"size": [32, number]})
    mapped.sampler.operationParam.mapStr["sampler_type"] = "RandomSampler"
    return stage("Repeat", stage("Batch", mapped, batch_size=32, drop_remainder=True), count=2)


def open_dataset(page: Page, url: str, **more: str) -> None:
    """Open the dataset graph."""
    parameters = {"page": "graph", "graph.kind": "dataset", **more}
    page.goto(f"{url}#" + "&".join(f"{name}={quote(value)}" for name, value in parameters.items()))


def facts(page: Page, table: str) -> dict[str, str]:
    """Return a table of the details as texts by name."""
    rows = page.locator(f'.dataset-details [data-table="{table}"] tr')
    return {row.get_attribute("data-fact") or "": row.locator("td").inner_text() for row in rows.all()}


def middle(locator: Locator) -> tuple[float, float]:
    """Return the centre of an element on the screen."""
    box = locator.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_pipeline_of_mindspore(server: StartServer, pages: Pages) -> None:
    """Stages, order and parameters are what MindSpore recorded and MindInsight shows."""
    page = pages.open()
    open_dataset(page, server(GOLDEN / "mindspore").url)
    expect(page.locator(".dataset")).to_have_attribute("data-stages", "4")

    sees = json.loads((GOLDEN / "mindspore/digits_momentum/mindinsight_sees.json").read_text())
    expected, path = sees["digits_momentum"]["dataset_graph"], "0"
    while expected:
        box = page.locator(f'[data-stage="{path}"]')
        expect(box).to_have_attribute("data-op", expected["op_type"])
        box.click()
        expect(box).to_have_attribute("aria-pressed", "true")
        parameters = {
            name: ", ".join(json.loads(item) for item in value) if isinstance(value, list) else str(value)
            for name, value in expected.items()
            if name not in ("children", "op_type", "operations")
        }
        shown = facts(page, "parameters")
        assert {name: text.replace("true", "True") for name, text in shown.items()} == parameters
        for number, operation in enumerate(expected.get("operations", [])):
            assert facts(page, f"operation-{number}") == json.loads(operation["tensor_op_params"])
            expect(page.locator(".dataset-details")).to_contain_text(operation["tensor_op_name"])
        above = next(iter(expected["children"]), None)
        if above:
            arrow = page.locator(f'.dataset-arrow[data-from="{path}.0"]')
            expect(arrow).to_have_attribute("data-to", path)
            assert middle(page.locator(f'[data-stage="{path}.0"]'))[1] < middle(box)[1]
        expected, path = above, f"{path}.0"
    expect(page.locator('[data-stage="0"]')).to_contain_text("batch_size 64")
    expect(page.locator('[data-stage="0.0"]')).to_contain_text("TypeCast(data_type=int32)")

    other = pages.open()
    other.goto(page.url)
    expect(other.locator('[data-stage="0.0.0.0"]')).to_have_attribute("aria-pressed", "true")
    assert facts(other, "parameters") == {"connector_queue_size": "16", "num_parallel_workers": "1"}


def test_branches_keys_and_hostile_names(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Two sources are side by side above their join; arrow keys move the focus; names are text."""
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    write_pipeline(tmp_path / HOSTILE, zipped())
    open_dataset(page, server(tmp_path, "--path-prefix", "/a/b").url)
    expect(page.locator("[data-stage]")).to_have_count(7)
    left, right = (middle(page.locator(f'[data-stage="0.0.0.0.{place}"]')) for place in (0, 1))
    joined = middle(page.locator('[data-stage="0.0.0.0"]'))
    assert left[0] < joined[0] < right[0]
    assert max(left[1], right[1]) < joined[1]
    expect(page.locator('[data-stage="0.0.0"]')).to_contain_text(HOSTILE)
    expect(page.locator('[data-stage="0.0.0"] .more')).to_have_text("+4 more")
    assert page.locator('img[src="x"]').count() == 0

    for key in "+-0fudcx":  # Shortcuts of the computational graph do nothing.
        page.keyboard.press(key)
    page.locator('[data-stage="0"]').focus()
    for key, reached in (
        ("ArrowUp", "0.0"),
        ("Home", "0.0.0.0.0.0"),
    ):
        page.keyboard.press(key)
        expect(page.locator(f'[data-stage="{reached}"]')).to_be_focused()
    page.keyboard.press("Enter")
    assert facts(page, "parameters") == {"dataset_dir": "/data/" + "long/" * 30}
    page.keyboard.press("Escape")
    expect(page.locator(".dataset-details h2")).to_have_text("7 stages")
    page.locator('.dataset-outline [data-to-stage="0.0.0"]').click()
    expect(page.locator('[data-table^="operation-"]')).to_have_count(8)
    expect(page.locator(".dataset-details")).to_contain_text("Sampler: RandomSampler")


def test_download(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The download is a standalone document with inline styles, in which names are text."""
    write_pipeline(tmp_path / "run", zipped())
    open_dataset(page, server(tmp_path).url, theme="dark")
    with page.expect_download() as started:
        page.locator('[data-key="dataset-svg"]').click()

    assert started.value.suggested_filename == "run_dataset.svg"
    root = ElementTree.fromstring(Path(started.value.path()).read_text())

    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert {"Repeat", "Batch", "Map", "Zip", "Shuffle", "ImageFolder", "NumpySlices"} <= set(texts)
    assert any(HOSTILE[:20] in text for text in texts)
    assert root.find(f".//{SVG}img") is None
    assert all("fill:rgb" in (rect.get("style") or "fill:rgb") for rect in root.iter(f"{SVG}rect"))
    assert not any("class" in element.attrib for element in root.iter())


def test_runs_with_and_without(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A run can be chosen; one without a pipeline says so; a newer pipeline is shown when it is recorded."""
    write_pipeline(tmp_path / "a", stage("Batch", stage("Mnist"), batch_size=8))
    write_pipeline(tmp_path / "b", stage("Batch", stage("Cifar10"), batch_size=16))
    (tmp_path / "c").mkdir()
    event = lineage_pb2.LineageEvent(wall_time=1.0)
    event.train_lineage.hyper_parameters.optimizer = "sgd"
    (tmp_path / "c" / "events.out.events.summary.1.0.host_MS_lineage").write_bytes(
        framing.frame(event.SerializeToString())
    )
    url = server(tmp_path).url
    open_dataset(page, url)
    expect(page.locator("dataset-graph")).to_have_attribute("data-run", "a")

    page.locator('[data-select="dataset-run"]').select_option("b")
    expect(page.locator('[data-stage="0.0"]')).to_have_attribute("data-op", "Cifar10")
    expect(page).to_have_url(re.compile("graph.run=b"))

    write_pipeline(tmp_path / "b", stage("Batch", stage("Repeat", stage("Cifar10"), count=3), batch_size=32), 2)
    expect(page.locator("[data-stage]")).to_have_count(3)
    expect(page.locator('[data-stage="0"]')).to_contain_text("batch_size 32")

    open_dataset(page, url, **{"graph.run": "c"})
    expect(page.locator('.empty[data-state="no_dataset"]')).to_contain_text("No dataset pipeline recorded in c")
    open_dataset(page, url, show="c", lang="zh")
    expect(page.locator('.empty[data-state="no_plugin"]')).to_contain_text("没有记录数据处理流程")


def test_many_stages(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Of very many stages the ones closest to the last are drawn, and the others are counted."""
    write_pipeline(tmp_path / "run", stage("Zip", *(stage("Source", number=n) for n in range(2000))))
    open_dataset(page, server(tmp_path).url)

    expect(page.locator("[data-stage]")).to_have_count(120)
    expect(page.locator('[data-note="left_out"]')).to_contain_text("1,881")
