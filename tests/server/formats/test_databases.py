"""MLflow and trackio: the values are those that the tools return, and their databases are not touched."""

import json
import math
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from toposcope.server.loading.load_once import load_logdir
from toposcope.server.loading.logdir import Logdir
from toposcope.server.reading.index.index import Index
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.parameters.hyper_parameters import read_settings
from toposcope.server.runs.run import RunView
from toposcope.server.values.image import read_images
from toposcope.server.values.text import read_text

GOLDEN = Path(__file__).parent / "golden"
STORES = ["mlflow-sqlite", "mlflow-files"]
STATES = {"FINISHED": "finished", "FAILED": "failed", "KILLED": "interrupted", "RUNNING": "unknown"}


def points_of(run: RunView, tag: str) -> list[tuple[int, int, str]]:
    """Return (step, wall time in milliseconds, value) of each point, sorted."""
    points = zip(*run.points(tag, 0), strict=True)
    return sorted((int(step), round(wall_time * 1000), repr(float(value))) for step, wall_time, value in points)


def by_id(store: str) -> dict[str, RunView]:
    """Return the runs of a store by the first digits of their ids."""
    return {name.rpartition(" ")[2]: run for name, run in load_logdir(str(GOLDEN / store)).runs.items()}


def expected_of(store: str) -> dict[str, dict[str, Any]]:
    """Return what MLflow says of the runs that are not deleted."""
    expected: dict[str, dict[str, Any]] = json.loads((GOLDEN / store / "expected.json").read_text())
    return {run_id[:8]: run for run_id, run in expected.items()}


def infinite(value: float) -> float:
    """Return a value with infinities as the database has them: as the largest numbers."""
    return math.copysign(math.inf, value) if abs(value) == 1.7976931348623157e308 else value


@pytest.mark.parametrize("store", STORES)
def test_metrics_are_those_that_mlflow_returns(store: str) -> None:
    runs, expected = by_id(store), expected_of(store)
    assert runs.keys() == expected.keys()
    for run_id, run in expected.items():
        metrics = {
            name: sorted((step, time, repr(infinite(float(value)))) for step, time, value in points)
            for name, points in run["metrics"].items()
        }
        assert {tag: points_of(runs[run_id], tag) for tag in runs[run_id].tags_of("scalar")} == metrics


@pytest.mark.parametrize("store", STORES)
def test_params_and_tags_are_hyperparameters(store: str) -> None:
    runs = by_id(store)
    for run_id, run in expected_of(store).items():
        recorded = read_settings(runs[run_id], []).hyper_parameters
        tags = {f"tags/{name}": value for name, value in run["tags"].items() if not name.startswith("mlflow.")}
        expected = {**run["params"], **tags}
        assert recorded.keys() == expected.keys()
        for name, value in recorded.items():
            assert value == (float(expected[name]) if isinstance(value, float) else expected[name])


@pytest.mark.parametrize("store", STORES)
def test_runs_of_mlflow_are_in_folders_of_experiments_and_of_their_parents(store: str) -> None:
    runs = by_id(store)
    for run_id, run in expected_of(store).items():
        parent = run["tags"].get("mlflow.parentRunId")
        above = f"{runs[parent[:8]].name}/" if parent else f"{run['experiment']}/"
        assert runs[run_id].name.endswith(f"{above}{run['name']} {run_id}")
        assert runs[run_id].state_name == STATES[run["status"]]


def test_rows_of_trackio_are_those_that_were_logged() -> None:
    runs = load_logdir(str(GOLDEN / "trackio")).runs
    for name, logged in json.loads((GOLDEN / "trackio/expected.json").read_text()).items():
        expected: dict[str, list[tuple[int, str]]] = {}
        last = -1
        for step, row in logged["rows"]:
            last = last + 1 if step is None else step
            for tag, value in _numbers(row):
                expected.setdefault(tag, []).append((last, repr(float(value))))
        expected = {tag: sorted(points) for tag, points in expected.items()}
        run = runs[f"golden/{name}"]
        points = {tag: [(step, value) for step, _, value in points_of(run, tag)] for tag in run.tags_of("scalar")}
        assert points == expected
        config = {key: value for key, value in _numbers(logged["config"])}
        recorded = read_settings(run, []).hyper_parameters
        assert {key: value for key, value in recorded.items() if isinstance(value, float)} == config


def _numbers(row: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _numbers(value, f"{prefix}{name}/")
        elif isinstance(value, int | float):
            yield f"{prefix}{name}", value


def test_media_of_trackio_are_images_and_texts() -> None:
    run = load_logdir(str(GOLDEN / "trackio")).runs["golden/wide-1"]
    (file,) = (GOLDEN / "trackio").rglob("*.png")
    (image,) = read_images(read_payload(run, run.payloads(Tag("image", "img"), 0), 0), "image")
    assert bytes(image.encoded) == file.read_bytes()
    (lines,) = read_text(read_payload(run, run.payloads(Tag("text", "table"), 0), 0), "tensor").texts
    assert all(json.loads(line) for line in lines.split("\n"))


@pytest.fixture
def logdir(tmp_path: Path) -> Iterator[Logdir]:
    (tmp_path / "logs").mkdir()
    logdir = Logdir(str(tmp_path / "logs"), 1e6, Index(tmp_path / "index"))
    yield logdir
    logdir.stop_loading()


def look(logdir: Logdir) -> dict[str, RunView]:
    """Let a server look at its logdir; return the runs."""
    logdir.walk_soon()
    logdir.step()
    return dict(logdir.snapshot.runs)


def steps_of(runs: dict[str, RunView], run: str, tag: str) -> list[int]:
    return [int(step) for step in runs[run].points(tag, 0).step]


def add(connection: sqlite3.Connection, step: int) -> None:
    values = ("id", "2026-01-01T00:00:00+00:00", "run", step, json.dumps({"loss": step}))
    connection.execute(
        "INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES (?, ?, ?, ?, ?)", values
    )
    connection.commit()


def create(path: Path) -> sqlite3.Connection:
    """Return a connection to a new database of trackio."""
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT, timestamp TEXT, run_name TEXT,"
        " step INTEGER, metrics TEXT)"
    )
    return connection


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_database_is_read_while_it_is_written(logdir: Logdir, journal: str) -> None:
    path = Path(logdir.path, "p.db")
    writer = create(path)
    writer.execute(f"PRAGMA journal_mode={journal}")
    for step in range(3):
        add(writer, step)
        files = sorted(os.listdir(logdir.path))
        assert steps_of(look(logdir), "p/run", "loss") == list(range(step + 1))
        assert sorted(os.listdir(logdir.path)) == files
    writer.close()
    assert steps_of(look(logdir), "p/run", "loss") == [0, 1, 2]
    assert os.listdir(logdir.path) == ["p.db"]


def test_a_locked_database_is_read_later(logdir: Logdir) -> None:
    writer = create(Path(logdir.path, "p.db"))
    add(writer, 0)
    look(logdir)
    writer.execute("BEGIN EXCLUSIVE")
    writer.execute("INSERT INTO metrics VALUES (2, 'id', '2026-01-01', 'run', 1, '{\"loss\": 1}')")
    assert steps_of(look(logdir), "p/run", "loss") == [0]
    writer.commit()
    assert steps_of(look(logdir), "p/run", "loss") == [0, 1]
    writer.close()


def test_the_log_of_a_killed_writer_is_left_alone(logdir: Logdir, tmp_path: Path) -> None:
    writer = create(tmp_path / "p.db")
    writer.execute("PRAGMA journal_mode=wal")
    add(writer, 0)
    writer.execute("PRAGMA wal_checkpoint(FULL)")
    add(writer, 1)
    for name in ("p.db", "p.db-wal"):
        shutil.copy(tmp_path / name, logdir.path)
    writer.close()
    assert steps_of(look(logdir), "p/run", "loss") == [0]
    assert sorted(os.listdir(logdir.path)) == ["p.db", "p.db-wal"]


def test_deleted_rows_disappear(logdir: Logdir) -> None:
    writer = create(Path(logdir.path, "p.db"))
    for step in range(3):
        add(writer, step)
    look(logdir)
    writer.execute("DELETE FROM metrics WHERE step > 0")
    writer.commit()
    assert steps_of(look(logdir), "p/run", "loss") == [0]
    writer.close()


def test_a_replaced_database_is_read_again(logdir: Logdir, tmp_path: Path) -> None:
    for name, steps in (("one.db", range(2)), ("two.db", range(5, 9))):
        writer = create(tmp_path / name)
        for step in steps:
            add(writer, step)
        writer.close()
        shutil.move(tmp_path / name, Path(logdir.path, "p.db"))
        assert steps_of(look(logdir), "p/run", "loss") == list(steps)


@pytest.mark.parametrize("kind", ["view", "other tables", "half", "text"])
def test_other_databases_are_no_logs(logdir: Logdir, kind: str) -> None:
    path = Path(logdir.path, "p.db")
    writer = sqlite3.connect(path)
    if kind == "view":
        writer.execute(
            "CREATE VIEW metrics AS SELECT 1 AS id, '' AS run_name, '' AS timestamp, 1 AS step, '' AS metrics"
        )
    else:
        writer.execute("CREATE TABLE metrics (name TEXT)")
    writer.commit()
    writer.close()
    if kind == "half":
        os.truncate(path, 3000)
    elif kind == "text":
        path.write_text("no database")
    assert look(logdir) == {}
    assert not logdir.snapshot.problems


def test_a_half_copied_database_is_reported(logdir: Logdir) -> None:
    shutil.copy(GOLDEN / "mlflow-sqlite/mlflow.db", logdir.path)
    os.truncate(Path(logdir.path, "mlflow.db"), 30 << 10)
    look(logdir)
    assert list(logdir.snapshot.problems) in ([], [str(Path(logdir.path, "mlflow.db"))])


def test_lines_of_a_metric_are_read_when_they_are_complete(logdir: Logdir) -> None:
    shutil.copytree(GOLDEN / "mlflow-files/mlruns", Path(logdir.path, "mlruns"))
    (metric,) = Path(logdir.path).rglob("*/metrics/back")
    (name,) = [name for name in look(logdir) if " 7f8b4042" in name and "child" not in name]
    with metric.open("a") as file:
        file.write("1795800000003 4.0 6\n1795800000004 5.")
    assert steps_of(look(logdir), name, "back") == [5, 3, 5, 6]
    with metric.open("a") as file:
        file.write("5 7\n")
    runs = look(logdir)
    assert (steps_of(runs, name, "back"), runs[name].points("back", 0).value[-1]) == ([5, 3, 5, 6, 7], 5.5)


def test_a_deleted_run_disappears(logdir: Logdir) -> None:
    shutil.copytree(GOLDEN / "mlflow-files/mlruns", Path(logdir.path, "mlruns"))
    count = len(look(logdir))
    (meta,) = Path(logdir.path).rglob("7f8b4042*/meta.yaml")
    meta.write_text(meta.read_text().replace("lifecycle_stage: active", "lifecycle_stage: deleted"))
    assert len(look(logdir)) == count - 1
