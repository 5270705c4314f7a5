"""The queries of the page on the lake, with DuckDB and Polars, against slow versions of them with the Python API."""

import contextlib
import json
import math
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chdb
import duckdb
import numpy as np
import pandas
import polars
import pytest
from support.documentation import DOCS
from support.event_files import end_event, loss_run, scalar_event, version_event, write_run
from support.imports import ROOT

from toposcope import recorder, server
from toposcope.proto.summary_pb2 import RecordingStart
from toposcope.recorder import SummaryRecord
from toposcope.server.lake.compaction import compact
from toposcope.server.lake.folder import LocalFolder
from toposcope.server.loading.load_once import load_logdir
from toposcope.server.python_api import Run, Scalars

Rows = list[tuple[Any, ...]]
BASELINE = "sgd/lr_0.1/seed_0"
LOSS, ACCURACY = "train/loss", "eval/accuracy"
STEPS = 60


def write_sweep(logs: Path) -> None:
    """Write runs of two optimizers, three learning rates and two seeds; some diverge, one restarts, one fails."""
    random = np.random.default_rng(1)
    for optimizer in ("sgd", "adam"):
        for lr in (0.01, 0.1, 1.0):
            for seed in range(2):
                with SummaryRecord(logs / optimizer / f"lr_{lr}" / f"seed_{seed}") as record:
                    settings = recorder.custom_lineage({"optimizer": optimizer, "lr": lr, "seed": seed})
                    record.add_value("custom_lineage_data", "custom_lineage_data", settings)
                    for step in range(1, STEPS + 1):
                        noise = float(random.normal())
                        loss = math.exp(-step * lr / 10) + 0.02 * abs(noise) + 0.05
                        if lr == 1.0 and step > 40:
                            loss = math.nan if seed else loss * 20
                        record.add_value("scalar", LOSS, loss)
                        if step % 10 == 0:
                            record.add_value("scalar", ACCURACY, 1 - math.exp(-step * lr / 5) + 0.01 * noise)
                        record.record(step)
    again = [scalar_event(4e9 + step, step, {LOSS: 0.5 + step / 100}) for step in range(50, 71)]
    write_run(logs / "sgd" / "lr_0.01" / "seed_0", again, seconds=4_000_000_000)
    start = RecordingStart(host="node", process_id=7, heartbeat_seconds=30)
    path = write_run(logs / "failed", [])
    ended = end_event(9.0, "STATE_FAILED", error_type="ValueError", error_text="bad batch")
    path.write_bytes(version_event(1.0, bytes(range(16)), start=start) + scalar_event(2.0, 5, {LOSS: 0.7}) + ended)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with a logdir, "runs", and its lake, as the page has them; it is the working directory."""
    folder = tmp_path_factory.mktemp("lake")
    write_sweep(folder / "runs")
    compact(LocalFolder(str(folder / "lake")), load_logdir(str(folder / "runs")).runs)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


@pytest.fixture(scope="module")
def runs(folder: Path) -> dict[str, Run]:
    """Return the runs by name."""
    return dict(server.open(folder / "runs").runs)


def blocks(language: str) -> dict[str, str]:
    """Return the examples of the section with the queries, by heading."""
    text = (DOCS / "lake.md").read_text(encoding="utf-8")
    (section,) = [part for part in re.split(r"^## ", text, flags=re.MULTILINE) if part.startswith("Ten queries\n")]
    parts = re.split(r"^### (.*)\n", section, flags=re.MULTILINE)
    found = {"": parts[0]} | dict(zip(parts[1::2], parts[2::2], strict=True))
    examples = {
        name: re.findall(rf"^```{language}\n(.*?)^```", part, re.DOTALL | re.MULTILINE) for name, part in found.items()
    }
    return {name: example[0] for name, example in examples.items() if example}


def lr(run: Run) -> Any:
    return run.lineage().custom.get("lr")


def optimizer(run: Run) -> Any:
    return run.lineage().custom.get("optimizer")


def having(runs: dict[str, Run], tag: str) -> Iterator[tuple[str, Run, Scalars]]:
    """Yield the runs that have a tag, with its series."""
    for name, run in runs.items():
        if tag in run.tags("scalar"):
            yield name, run, run.scalars(tag)


def finite(scalars: Scalars) -> list[tuple[int, float, float]]:
    """Return the points with finite values."""
    points = zip(scalars.step.tolist(), scalars.wall_time.tolist(), scalars.value.tolist(), strict=True)
    return [point for point in points if math.isfinite(point[2])]


def series(runs: dict[str, Run]) -> Rows:
    return list(zip(*(column.tolist() for column in runs[BASELINE].scalars(LOSS)), strict=True))


def best(runs: dict[str, Run]) -> Rows:
    rows = []
    for name, run, scalars in having(runs, ACCURACY):
        highest = max(value for _, _, value in finite(scalars))
        rows.append((name, highest, next(step for step, _, value in finite(scalars) if value == highest), lr(run)))
    return sorted(rows, key=lambda row: (-row[1], row[0]))[:10]


def best_of_groups(runs: dict[str, Run]) -> Rows:
    groups: dict[str, tuple[float, str]] = {}
    for name, run, scalars in having(runs, ACCURACY):
        groups[optimizer(run)] = max(groups.get(optimizer(run), (-math.inf, "")), (max(scalars.value), name))
    return sorted(((group, name, value) for group, (value, name) in groups.items()), key=lambda row: -row[2])


def averaged(runs: dict[str, Run]) -> Rows:
    values = defaultdict(list)
    for _, run, scalars in having(runs, LOSS):
        for step, _, value in finite(scalars):
            values[optimizer(run), lr(run), step].append(value)
    keys = sorted(values, key=lambda key: (key[0] is None, *key))
    return [(*key, np.mean(values[key]), np.std(values[key]), len(values[key])) for key in keys]


def diverged(runs: dict[str, Run]) -> Rows:
    rows = []
    for name, run in runs.items():
        found = []
        for tag in run.tags("scalar"):
            scalars = run.scalars(tag)
            bad = np.flatnonzero(~np.isfinite(scalars.value))
            found += [(scalars.step[at], scalars.wall_time[at], tag, scalars.value[at]) for at in bad[:1]]
        rows += [(name, tag, 0, step, wall_time, value) for step, wall_time, tag, value in sorted(found)[:1]]
    return rows


def jumped(runs: dict[str, Run]) -> Rows:
    rows = []
    for name, _, scalars in having(runs, LOSS):
        lowest = math.inf
        for step, _, value in finite(scalars):
            lowest = min(lowest, value)
            if value > 3 * lowest:
                rows.append((name, step))
                break
    return rows


def reached(runs: dict[str, Run]) -> Rows:
    rows = []
    for name, run, scalars in having(runs, ACCURACY):
        good = [(step, at - (run.started or 0.0)) for step, at, value in finite(scalars) if value >= 0.8]
        rows += [(name, *good[0])] if good else []
    return sorted(rows, key=lambda row: row[2])


def failed(runs: dict[str, Run]) -> Rows:
    rows = []
    for name, run in runs.items():
        if run.state.state in ("failed", "lost", "interrupted"):
            error, loss = run.state.error, run.scalars(LOSS)
            assert error is not None
            rows.append((name, run.state.state, error.type, error.text, loss.step[-1], loss.value[-1]))
    return rows


def against_baseline(runs: dict[str, Run]) -> Rows:
    baseline = {step: value for step, _, value in finite(runs[BASELINE].scalars(LOSS))}
    rows = []
    for name, _, scalars in having(runs, LOSS):
        differences = [value - baseline[step] for step, _, value in finite(scalars) if step >= 50 and step in baseline]
        rows += [(name, np.mean(differences))] if differences and name != BASELINE else []
    return sorted(rows, key=lambda row: (row[1], row[0]))


def parameters_and_results(runs: dict[str, Run]) -> Rows:
    rows = []
    for name, run in runs.items():
        custom = run.lineage().custom
        last = [run.scalars(tag).value[-1] if tag in run.tags("scalar") else None for tag in (ACCURACY, LOSS)]
        rows.append((name, custom.get("lr"), custom.get("optimizer"), custom.get("seed"), *last))
    return rows


EXPECTED: dict[str, Callable[[dict[str, Run]], Rows]] = {
    "A series of a run": series,
    "The ten best runs": best,
    "The best run of each group": best_of_groups,
    "Seeds averaged": averaged,
    "When did it diverge": diverged,
    "Where did the loss jump": jumped,
    "How long until it was good enough": reached,
    "What failed, and how far it came": failed,
    "Every run against the baseline": against_baseline,
    "A table of parameters and results": parameters_and_results,
}


def check_rows(found: Rows, expected: Rows) -> None:
    """Compare rows; doubles that are sums may differ in the last digits."""
    assert expected
    assert len(found) == len(expected)
    for row, other in zip(found, expected, strict=True):
        for value, wanted in zip(row, other, strict=True):
            is_number = isinstance(wanted, float)
            assert value == (pytest.approx(wanted, rel=1e-9, nan_ok=True) if is_number else wanted), (row, other)


def test_every_query_is_checked() -> None:
    """The section has the ten queries that are checked here, in both languages."""
    assert list(blocks("sql")) == ["", *EXPECTED]
    assert list(blocks("python")) == [*EXPECTED]
    assert len(EXPECTED) == 10


@pytest.mark.parametrize("heading", EXPECTED)
def test_duckdb_gives_what_the_python_api_gives(folder: Path, runs: dict[str, Run], heading: str) -> None:
    """Each query of the page, after its views."""
    with duckdb.connect() as connection:
        connection.execute(blocks("sql")[""])
        check_rows(connection.execute(blocks("sql")[heading]).fetchall(), EXPECTED[heading](runs))


@pytest.mark.parametrize("heading", EXPECTED)
def test_polars_gives_what_the_python_api_gives(folder: Path, runs: dict[str, Run], heading: str) -> None:
    """Each example of the page with Polars; the names of columns are those of DuckDB."""
    names: dict[str, Any] = {"pl": polars}
    exec(compile(blocks("python")[heading], "lake.md", "exec"), names)
    (frame,) = [value for value in names.values() if isinstance(value, polars.DataFrame)]
    check_rows(frame.rows(), EXPECTED[heading](runs))
    with duckdb.connect() as connection:
        connection.execute(blocks("sql")[""])
        assert frame.columns == connection.sql(blocks("sql")[heading]).columns


def test_scalars_of_a_run_are_read_by_both(folder: Path, runs: dict[str, Run]) -> None:
    """Through the Arrow stream by DuckDB; as DataFrames of Polars and pandas."""
    scalars = runs[BASELINE].scalars(LOSS)
    expected = list(zip(*(column.tolist() for column in scalars), strict=True))

    assert duckdb.execute("SELECT * FROM scalars").fetchall() == expected
    assert scalars.to_polars().rows() == expected
    assert list(scalars.to_pandas().itertuples(index=False, name=None)) == expected


def test_types_are_those_of_the_page(folder: Path) -> None:
    """Every column of the page exists, in this order, with its type in DuckDB and in Polars."""
    names = {"int32": "INTEGER", "int64": "BIGINT", "double": "DOUBLE", "Boolean": "BOOLEAN", "text": "VARCHAR"}
    page = (DOCS / "lake.md").read_text(encoding="utf-8")
    types = {
        table: {name: str(kind) for name, kind, *_ in duckdb.execute(f"DESCRIBE FROM 'lake/{table}'").fetchall()}
        for table in ("scalars/*.parquet", "tags/*.parquet", "runs.parquet")
    }
    described = types["scalars/*.parquet"] | types["tags/*.parquet"] | types["runs.parquet"]
    for columns, kind in re.findall(r"^\| (`[^|]*) \| ([^|]*) \|", page, re.MULTILINE):
        for column in re.findall(r"`(\w+)`", columns):
            assert kind not in names or column.startswith("_") or described[column] == names[kind], column
    for table, columns in types.items():
        assert polars.scan_parquet(f"lake/{table}").collect_schema().names() == list(columns)


def test_killed_calls_are_repaired_by_the_next_one(tmp_path: Path) -> None:
    """The process is killed at random moments; at none of them is a point there twice."""
    logs, lake = tmp_path / "logs", tmp_path / "lake"
    arguments = [sys.executable, "-m", "toposcope.server.cli", "compact", str(logs), "--out", str(lake)]
    arguments += ["--index-dir", str(tmp_path / "index"), "--data-dir", str(tmp_path / "data")]
    loss_run(logs / "run", range(10))
    seconds = time_of(arguments)
    for number in range(12):
        for run in range(20):
            loss_run(logs / f"run{run}", range(100 * number, 100 * number + 50), seconds=1000 + number)
        process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, cwd=ROOT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds * (0.5 + 0.05 * number))
        process.kill()
        process.wait()
        found = duckdb.execute(f"SELECT run, tag, step FROM '{lake}/scalars/*.parquet'").fetchall()
        assert len(found) == len(set(found))
    subprocess.run(arguments, check=True, cwd=ROOT)
    expected = {
        (name, "loss", step) for name, run in server.open(logs).runs.items() for step in run.scalars("loss").step
    }
    assert set(duckdb.execute(f"SELECT run, tag, step FROM '{lake}/scalars/*.parquet'").fetchall()) == expected


def time_of(arguments: list[str]) -> float:
    """Return how many seconds a command takes."""
    start = time.perf_counter()
    subprocess.run(arguments, check=True, cwd=ROOT)
    return time.perf_counter() - start


COUNTED = "SELECT run, tag, COUNT(*), MIN(value), MAX(step) FROM {} WHERE tag = 'eval/accuracy' GROUP BY run, tag"
RATES = "SELECT run, hyper_parameters.lr FROM {} ORDER BY run"
HIGHEST = f"SELECT run, metrics['{ACCURACY}'].max FROM {{}} WHERE run <> 'failed' ORDER BY run"


def by_duckdb(query: str) -> Rows:
    """Return the rows of a query."""
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()


def by_clickhouse(query: str) -> Rows:
    """Return the rows of a query; integers of 64 bits are texts in its JSON."""
    return [tuple(row) for row in json.loads(chdb.query(query, "JSONCompact").data())["data"]]


def test_clickhouse_and_pandas_read_the_same(folder: Path) -> None:
    """Also the columns of the table of runs that are nested."""
    expected = sorted(by_duckdb(COUNTED.format("'lake/scalars/*.parquet'")))
    found = by_clickhouse(COUNTED.format(f"file('{folder}/lake/scalars/*.parquet')"))
    assert sorted((run, tag, int(count), low, int(step)) for run, tag, count, low, step in found) == expected
    rates = by_clickhouse(RATES.format(f"file('{folder}/lake/runs.parquet')"))
    assert rates == by_duckdb(RATES.format("'lake/runs.parquet'"))
    highest = by_clickhouse(HIGHEST.format(f"file('{folder}/lake/runs.parquet')"))
    assert highest == by_duckdb(HIGHEST.format("'lake/runs.parquet'"))
    metrics = pandas.read_parquet("lake/runs.parquet").set_index("run").metrics
    assert [(run, dict(metrics[run])[ACCURACY]["max"]) for run, _ in highest] == highest
    frame = pandas.read_parquet("lake/scalars")
    lowest = frame[frame.tag == ACCURACY].groupby("run").value.min()
    assert lowest.to_dict() == {run: low for run, _, _, low, _ in expected}


@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
@pytest.mark.filterwarnings("ignore")  # Spark's own, about pandas and sockets.
def test_spark_reads_the_same(folder: Path) -> None:
    """A folder of Parquet files is a table."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    session.read.parquet(f"{folder}/lake/scalars").createOrReplaceTempView("scalars")
    session.read.parquet(f"{folder}/lake/runs.parquet").createOrReplaceTempView("runs")
    found = sorted(map(tuple, session.sql(COUNTED.format("scalars")).collect()))
    rates, highest = (list(map(tuple, session.sql(query.format("runs")).collect())) for query in (RATES, HIGHEST))
    session.stop()
    assert highest == by_duckdb(HIGHEST.format("'lake/runs.parquet'"))
    assert found == sorted(by_duckdb(COUNTED.format("'lake/scalars/*.parquet'")))
    assert rates == by_duckdb(RATES.format("'lake/runs.parquet'"))
