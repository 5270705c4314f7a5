"""What the tables of a lake contain, compared with the Python API."""

import math
import struct
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.event_files import GOLDEN, end_event, loss_run, scalar_event, version_event, write_run
from support.lakes import rows, table

from toposcope import server
from toposcope.proto.summary_pb2 import RecordingStart
from toposcope.server.lake.compaction import Limits, compact, write_lake
from toposcope.server.lake.folder import LocalFolder
from toposcope.server.lake.run_rows import all_runs
from toposcope.server.lake.runs_table import Notes, hyper_parameter_columns
from toposcope.server.lake.tables.schema import ROWS_PER_GROUP
from toposcope.server.loading.load_once import load_logdir
from toposcope.server.runs.overview import Overview

Point = tuple[int, float, str]
VALUES = st.sampled_from([0.0, -0.0, 1.5, math.nan, math.inf, -math.inf, 1e300, 0.1])


def bits(value: float) -> str:
    """Return what is equal for equal doubles, also for NaN."""
    return "NaN" if math.isnan(value) else struct.pack("<d", value).hex()


def written(logdir: Path, lake: Path) -> Path:
    """Write the lake of a logdir."""
    compact(LocalFolder(str(lake)), load_logdir(str(logdir)).runs)
    return lake


def series_of_lake(lake: Path) -> dict[tuple[str, str, int], list[Point]]:
    """Return the points of each series of a lake, in the order of the file."""
    series: dict[tuple[str, str, int], list[Point]] = {}
    for row in rows(lake, "scalars"):
        key = (row["run"], row["tag"], row["rank"])
        series.setdefault(key, []).append((row["step"], row["wall_time"], bits(row["value"])))
    return series


def series_of_api(logdir: Path) -> dict[tuple[str, str, int], list[Point]]:
    """Return the same of the Python API."""
    series: dict[tuple[str, str, int], list[Point]] = {}
    for run in server.open(logdir).runs.values():
        for tag in run.tags("scalar"):
            for rank in run.ranks:
                points = run.scalars(tag, rank)
                if len(points.step):
                    columns = points.step.tolist(), points.wall_time.tolist(), map(bits, points.value.tolist())
                    series[run.name, tag, rank] = list(zip(*columns, strict=True))
    return series


def test_golden_runs_equal_the_api(tmp_path: Path) -> None:
    """Every point of every run and rank, and what the table of runs shows of every tag."""
    lake = written(GOLDEN, tmp_path / "lake")
    runs = load_logdir(str(GOLDEN)).runs

    assert series_of_lake(lake) == series_of_api(GOLDEN)
    assert len(runs) > 5
    assert [row["run"] for row in rows(lake, "runs")] == sorted(runs)
    for row in rows(lake, "tags"):
        if row["lowest_rank"]:
            found = Overview().summary(runs[row["run"]], row["tag"])
            assert found is not None
            check_summary(row, *found)


def test_metrics_of_a_run_are_the_statistics_of_its_tags(tmp_path: Path) -> None:
    """By tag, of the lowest rank that has it; of all runs, whatever parts they are in."""
    folder, runs = LocalFolder(str(tmp_path / "lake")), load_logdir(str(GOLDEN)).runs
    compact(folder, runs, limits=Limits(points=50, runs=2, small_parts=9))
    expected: dict[str, list[tuple[str, dict[str, Any]]]] = {name: [] for name in runs}
    for row in sorted(rows(tmp_path / "lake", "tags"), key=lambda row: row["tag"].encode()):
        name, tag, is_shown = row.pop("run"), row.pop("tag"), row.pop("lowest_rank")
        if is_shown:
            expected[name].append((tag, row))

    found = {row["run"]: row["metrics"] for row in rows(tmp_path / "lake", "runs")}
    assert repr(found) == repr(dict(sorted(expected.items())))
    assert len(list((tmp_path / "lake/tags").iterdir())) > 2


def check_summary(row: dict[str, Any], rank: int, summary: Any) -> None:
    """Compare a row of tags/ with the summary that the table of runs shows."""
    assert (row["rank"], row["points"], row["last_step"]) == (rank, summary.points, summary.last_step)
    assert bits(row["last"]) == bits(summary.last)
    for name, extreme in (("min", summary.min), ("max", summary.max)):
        assert (row[name], row[f"{name}_step"]) == ((extreme.value, extreme.step) if extreme else (None, None))
    bad = summary.first_non_finite
    assert row["first_non_finite_step"] == (bad.step if bad else None)
    assert bad is None or bits(row["first_non_finite_value"]) == bits(bad.value)


EVENTS = st.lists(st.tuples(st.integers(0, 12), st.sampled_from(["a", "b/c", "é"]), VALUES), max_size=8)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.lists(st.tuples(st.sampled_from(["x", "x/y", "z"]), st.integers(0, 2), EVENTS), max_size=6))
def test_random_restarts_and_ranks_equal_the_api(
    tmp_path_factory: pytest.TempPathFactory, files: list[tuple[str, int, list[tuple[int, str, float]]]]
) -> None:
    """Points in any order, repeated steps and restarts; the attempt of a point is one that has it."""
    folder = tmp_path_factory.mktemp("random")
    loss_run(folder / "logs/always", range(2))
    for number, (run, rank, events) in enumerate(files):
        seconds = 100 * (number + 1)
        records = [scalar_event(seconds + at, step, {tag: value}) for at, (step, tag, value) in enumerate(events)]
        write_run(folder / "logs" / run, records, seconds, rank)
    lake = written(folder / "logs", folder / "lake")

    assert series_of_lake(lake) == series_of_api(folder / "logs")
    runs = server.open(folder / "logs").runs
    for row in rows(lake, "scalars"):
        points = runs[row["run"]].scalars(row["tag"], row["rank"], row["attempt"])
        assert (row["step"], row["wall_time"]) in zip(points.step.tolist(), points.wall_time.tolist(), strict=True)


def test_points_are_sorted_and_encoded_for_engines(tmp_path: Path) -> None:
    """Row groups of about 100,000 rows with statistics, the chosen encodings, and names that are plain text."""
    for run, tag, steps in (("one", "b", 20_000), ("one", "a", 60_000), ("two", "a", 60_000)):
        records = [scalar_event(1 + step, step, {tag: step / 3}) for step in range(steps)]
        write_run(tmp_path / "logs" / run, records, seconds=ord(tag))
    lake = written(tmp_path / "logs", tmp_path / "lake")
    (path,) = (lake / "scalars").iterdir()
    file = pyarrow.parquet.ParquetFile(path)
    group = file.metadata.row_group(0)
    encodings = {column["path_in_schema"]: column["encodings"] for column in group.to_dict()["columns"]}

    keys = [(row["tag"], row["run"], row["rank"], row["step"]) for row in table(lake, "scalars").to_pylist()]
    assert keys == sorted(keys)
    assert file.metadata.num_row_groups == 2
    assert group.num_rows >= ROWS_PER_GROUP
    assert "DELTA_BINARY_PACKED" in encodings["step"]
    assert "BYTE_STREAM_SPLIT" in encodings["value"]
    assert "BYTE_STREAM_SPLIT" in encodings["wall_time"]
    assert (group.column(1).statistics.min, group.column(1).statistics.max) == ("a", "a")
    assert file.schema_arrow.field("run").type == pyarrow.string()
    assert file.metadata.metadata[b"toposcope.schema"] == b"1"


def test_runs_have_their_state_and_how_they_ended(tmp_path: Path) -> None:
    """A failed run has its error and its first value that is not finite."""
    start = RecordingStart(host="node", process_id=7, heartbeat_seconds=30)
    failed = [scalar_event(2.0, 3, {"loss": math.nan}), end_event(5.0, "STATE_FAILED", error_type="E", error_text="x")]
    for run, records in (("failed", failed), ("alive", [scalar_event(2.0, 3, {"loss": 1.0})])):
        path = write_run(tmp_path / "logs" / run, [])
        path.write_bytes(b"".join([version_event(1.0, run.encode(), start=start), *records]))
    lake = written(tmp_path / "logs", tmp_path / "lake")
    by_run = {row["run"]: row for row in rows(lake, "runs")}

    assert by_run["failed"]["state"] == "failed"
    assert (by_run["failed"]["error_type"], by_run["failed"]["error_text"], by_run["failed"]["ended"]) == (
        "E",
        "x",
        5.0,
    )
    bad = by_run["failed"]["first_non_finite"]
    assert (bad["tag"], bad["rank"], bad["step"], bits(bad["value"])) == ("loss", 0, 3, "NaN")
    assert (by_run["alive"]["state"], by_run["alive"]["error_type"]) == ("running", None)


def test_notes_are_columns(tmp_path: Path) -> None:
    """Changed notes are written although no run changed."""
    loss_run(tmp_path / "logs/a", range(3))
    runs = load_logdir(str(tmp_path / "logs")).runs
    folder = LocalFolder(str(tmp_path / "lake"))
    compact(folder, runs)
    compact(folder, runs, {"a": Notes("Best", "since *Monday*", ("good",), True)})
    (row,) = rows(tmp_path / "lake", "runs")

    assert [row[name] for name in ("alias", "note", "labels", "archived")] == ["Best", "since *Monday*", ["good"], True]


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([True, None, False], "bool", [True, None, False]),
        ([1, 2**62], "int64", [1, 2**62]),
        ([1, 0.5, "NaN"], "double", [1.0, 0.5, math.nan]),
        ([2**60 + 1, 0.5], "string", [str(2**60 + 1), "0.5"]),
        ([1, True], "string", ["1", "true"]),
        ([1, "auto", None], "string", ["1", "auto", None]),
        (["NaN", None, "-Infinity"], "double", [math.nan, None, -math.inf]),
        ([10, "Infinity"], "double", [10.0, math.inf]),
        (["NaN", "sgd"], "string", ["NaN", "sgd"]),
    ],
)
def test_hyper_parameters_have_the_narrowest_type_that_holds_all_values(
    values: list[Any], kind: str, expected: list[Any]
) -> None:
    """No value changes: integers that a double cannot hold exactly, and mixed kinds, are texts."""
    column = hyper_parameter_columns([{} if value is None else {"p": value} for value in values])["p"]

    assert str(column.type) == kind
    assert repr(column.to_pylist()) == repr(expected)


def test_hyper_parameters_of_golden_runs_equal_those_of_the_table_of_runs(tmp_path: Path) -> None:
    """By name; a run without one has null."""
    runs = load_logdir(str(GOLDEN)).runs
    known = all_runs(runs)
    write_lake(LocalFolder(str(tmp_path / "lake")), list(runs.values()), known)
    for row in rows(tmp_path / "lake", "runs"):
        run = runs[row["run"]]
        settings_of_run = Overview().settings(run, known.sessions.get(run.name, ()))
        found = {name: value for name, value in row["hyper_parameters"].items() if value is not None}
        assert found == settings_of_run.hyper_parameters
        assert row["parent"] == known.parents.get(run.name)
