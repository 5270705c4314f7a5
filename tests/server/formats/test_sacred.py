"""Sacred's file storage: the values are those that its FileStorageObserver wrote, also of a run that grows."""

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.formats.format import Source, StartOver
from toposcope.server.formats.sacred.sacred import SACRED
from toposcope.server.loading.load_once import load_logdir
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.runs.parameters.hyper_parameters import read_settings

GOLDEN = Path(__file__).parent / "golden/sacred/runs"


def test_series_are_those_of_metrics_json() -> None:
    """Sacred's times are in UTC, without saying so."""
    run = load_logdir(str(GOLDEN)).runs["1"]
    metrics: dict[str, Any] = json.loads((GOLDEN / "1/metrics.json").read_text())
    assert set(run.tags_of("scalar")) == {*metrics, "result"}
    for tag, metric in metrics.items():
        points = run.points(tag, 0)
        assert points.step.tolist() == metric["steps"]
        assert repr(points.value.tolist()) == repr([float(value) for value in metric["values"]])
    assert run.points("train.loss", 0).wall_time[0] == pytest.approx(1795884733.587041)
    assert run.points("result", 0).value.tolist() == [0.5]


def test_state_parameters_and_error_are_those_of_the_run() -> None:
    runs = load_logdir(str(GOLDEN)).runs
    assert [run.state_name for run in runs.values()] == ["finished", "failed"]
    assert runs["2"].state.error is not None
    assert runs["2"].state.error.text == "ValueError: broken"
    parameters = read_settings(runs["1"], []).hyper_parameters
    assert parameters == {
        "fail": False,
        "lr": 0.1,
        "model/depth": 3,
        "seed": 692350078,
    }


class Events:
    """Takes the records of events."""

    def __init__(self) -> None:
        self.records: list[bytes] = []

    def run(self, key: str = "", name: str | None = None) -> EventWriter:
        return EventWriter(self.records.append, "sacred", is_new=False)


def read(folder: Path, state: dict[str, Any]) -> list[bytes]:
    """Translate what is new in a folder; return the records."""
    events = Events()
    SACRED.read(Source("sacred", str(folder / "run.json"), "1", "", "", 0.0), UNCHECKED, state, events)
    return events.records


@pytest.fixture
def growing(tmp_path: Path) -> Path:
    """Return the folder of a run that has not ended."""
    folder = tmp_path / "1"
    shutil.copytree(GOLDEN / "1", folder)
    run = json.loads((folder / "run.json").read_text())
    del run["stop_time"], run["result"]
    (folder / "run.json").write_text(json.dumps({**run, "status": "RUNNING"}))
    (folder / "metrics.json").write_text("{}")
    (folder / "cout.txt").write_text("first\nsec")
    return folder


def test_only_what_is_new_is_translated(growing: Path) -> None:
    state: dict[str, Any] = {}
    assert any(b"first" in record for record in read(growing, state))
    assert read(growing, state) == []

    metric = {"steps": [0, 1], "timestamps": ["2026-11-28T16:52:13"] * 2, "values": [1.0, math.nan]}
    (growing / "metrics.json").write_text(json.dumps({"loss": metric}))
    (growing / "cout.txt").write_text("first\nsecond\n")
    records = read(growing, state)
    assert sum(b"loss" in record for record in records) == 2
    assert [b"second" in record for record in records] == [False, False, True]


def test_a_file_with_fewer_points_is_read_again(growing: Path) -> None:
    state: dict[str, Any] = {}
    shutil.copy(GOLDEN / "1/metrics.json", growing)
    read(growing, state)
    (growing / "metrics.json").write_text("{}")
    with pytest.raises(StartOver):
        read(growing, state)


@pytest.mark.parametrize(
    "metrics",
    ['{"loss": ', "[" * 100_000, "[]", '{"loss": 1, "a": {"steps": 3}}', '{"a": {"steps": [null], "values": ["x"]}}'],
)
def test_malformed_metrics_are_refused_or_skipped(metrics: str, growing: Path) -> None:
    (growing / "metrics.json").write_text(metrics)
    loaded = load_logdir(str(growing.parent))
    assert all("scalar" not in run.plugins for run in loaded.runs.values())


def test_other_files_with_this_name_are_no_runs(tmp_path: Path) -> None:
    for content in ("{}", '{"experiment": {}}', "binary\0"):
        (tmp_path / "run.json").write_text(content)
        (tmp_path / "config.json").write_text("{}")
        assert not load_logdir(str(tmp_path)).sources
