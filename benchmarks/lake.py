"""The lake: bytes a point, the time to write it, and DuckDB's times for common queries beside our own API.

python benchmarks/lake.py [--runs 1000] [--steps 1000]    (make bench-lake)

Every query is asked of both, and the replies are compared. The same points are also written with the defaults
of PyArrow, and sorted by run before tag, so that the choice of encodings and of the order is shown.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import event_logs
import numpy as np
import pyarrow
import pyarrow.parquet
from report import report

from toposcope.server.lake.compaction import compact
from toposcope.server.lake.folder import LocalFolder
from toposcope.server.loading.load_once import load_logdir
from toposcope.server.reading.index.index import Index
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView
from toposcope.server.runs.selection.alignment import Curve, curve_of, position_limits
from toposcope.server.runs.selection.bands import compute_band
from toposcope.server.runs.selection.sources import tag_source

TAGS = [f"train/metric-{number}" for number in range(10)]
TAG = TAGS[5]
MANY_RUNS, FEW_STEPS = 10_000, 100
GROUP = 50
"""Runs of a band."""
ENCODINGS: dict[str, dict[str, Any]] = {
    "snappy, the defaults": {},
    "zstd": {"compression": "zstd"},
    "zstd, delta steps": {
        "compression": "zstd",
        "use_dictionary": ["run", "tag", "rank", "attempt"],
        "column_encoding": {"step": "DELTA_BINARY_PACKED", "wall_time": "PLAIN", "value": "PLAIN"},
    },
    "zstd, delta steps, split doubles": {
        "compression": "zstd",
        "use_dictionary": ["run", "tag", "rank", "attempt"],
        "column_encoding": {
            "step": "DELTA_BINARY_PACKED",
            "wall_time": "BYTE_STREAM_SPLIT",
            "value": "BYTE_STREAM_SPLIT",
        },
    },
}


def write_logdir(logdir: Path, runs: int, steps: int) -> None:
    """Write runs whose values and times differ: float32 losses with noise, recorded at times with jitter."""
    random = np.random.default_rng(0)
    for number in range(runs):
        path = event_logs.create_file(logdir / f"run-{number:05}", "tensorboard")
        at = np.arange(steps)
        times = event_logs.START + number * 1000 + np.cumsum(random.gamma(4, 0.025, steps))
        values = [np.exp(-at / steps) + tag + 0.1 * random.normal(size=steps) for tag in range(len(TAGS))]
        with path.open("ab") as file:
            file.writelines(event_logs.given_events("tensorboard", TAGS, at, times, values))
        os.utime(path, (1.7e9, 1.7e9))


def milliseconds(call: Callable[[], Any], times: int = 5) -> list[float]:
    """Return how long each of some calls takes, after one that is not counted."""
    call()
    waits = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        waits.append(1000 * (time.perf_counter() - start))
    return waits


def check_series(lake: Path, runs: dict[str, RunView]) -> None:
    """Time one series of one run, and compare it."""
    name = list(runs)[len(runs) // 2]
    query = f"select step, wall_time, value from '{lake}/scalars/*.parquet' where tag = ? and run = ? order by step"
    found = duckdb.execute(query, [TAG, name]).fetchnumpy()
    for column, expected in zip(found.values(), runs[name].ordered(TAG, 0, None, "step")[0], strict=True):
        np.testing.assert_array_equal(column, expected)
    report("one series: DuckDB", "", milliseconds(lambda: duckdb.execute(query, [TAG, name]).fetchnumpy()))
    report("  the same: our API", "", milliseconds(lambda: tuple(runs[name].ordered(TAG, 0, None, "step")[0])))


def check_statistics(lake: Path, runs: dict[str, RunView]) -> None:
    """Time last, min and max of a tag over all runs, and compare them."""
    points = f"""select run, arg_max(value, step), min(value), max(value) from '{lake}/scalars/*.parquet'
        where tag = ? group by run order by run"""
    stored = f"select run, last, min, max from '{lake}/tags/*.parquet' where tag = ? order by run"
    metrics = f"""select run, metric.last, metric.min, metric.max from
        (select run, metrics[?] as metric from '{lake}/runs.parquet') where metric is not null order by run"""

    def ours() -> list[tuple[str, float, float, float]]:
        overview = Overview()
        summaries = [(name, overview.summary(run, TAG)) for name, run in runs.items()]
        return [(name, each[1].last, each[1].min.value, each[1].max.value) for name, each in summaries]  # type: ignore[index, union-attr]

    assert duckdb.execute(points, [TAG]).fetchall() == duckdb.execute(stored, [TAG]).fetchall() == ours()
    assert duckdb.execute(metrics, [TAG]).fetchall() == ours()
    count = f"last, min, max of a tag over {len(runs):,} runs"
    report(f"{count}: DuckDB, tags/", "", milliseconds(lambda: duckdb.execute(stored, [TAG]).fetchall()))
    report("  the same: DuckDB, runs.parquet", "", milliseconds(lambda: duckdb.execute(metrics, [TAG]).fetchall()))
    report("  the same: DuckDB, scalars/", "", milliseconds(lambda: duckdb.execute(points, [TAG]).fetchall()))
    report("  the same: our API", "", milliseconds(ours))


def check_band(lake: Path, runs: dict[str, RunView]) -> None:
    """Time the mean and the standard deviation by step of a group, and compare them."""
    names = list(runs)[:GROUP]
    query = f"""select step, avg(value), stddev_pop(value) from '{lake}/scalars/*.parquet'
        where tag = ? and run in (select unnest(?)) group by step order by step"""

    def ours() -> Any:
        curves: list[Curve] = [curve_of(runs[name], tag_source(TAG), 0, None, "step", None) for name in names]
        return compute_band(curves, "mean", "std", -np.inf, np.inf, 0, position_limits(len(curves)))

    step, mean, std = (np.array(column) for column in zip(*duckdb.execute(query, [TAG, names]).fetchall(), strict=True))
    band = ours()
    np.testing.assert_array_equal(step, band.x)
    np.testing.assert_allclose(mean, band.centre, rtol=1e-12)
    np.testing.assert_allclose(std, (band.high - band.low) / 2, rtol=1e-9)
    report(
        f"mean and std by step of {GROUP} runs: DuckDB",
        "",
        milliseconds(lambda: duckdb.execute(query, [TAG, names]).fetchall()),
    )
    report("  the same: our API", "", milliseconds(ours))


def measure_encodings(lake: Path, folder: Path) -> None:
    """Write the points of the lake once more with each set of encodings, and in another order."""
    table = pyarrow.parquet.read_table(lake / "scalars")
    for name, options in ENCODINGS.items():
        path = folder / "points.parquet"
        start = time.perf_counter()
        pyarrow.parquet.write_table(table, path, row_group_size=100_000, **options)
        seconds = time.perf_counter() - start
        print(f"  {name:34} {path.stat().st_size / len(table):6.2f} bytes a point, {seconds:5.2f} s", flush=True)
    other = folder / "by_run" / "scalars"
    other.mkdir(parents=True)
    ordered = table.sort_by([(column, "ascending") for column in ("run", "tag", "rank", "step")])
    pyarrow.parquet.write_table(
        ordered, other / "a.parquet", row_group_size=100_000, **ENCODINGS["zstd, delta steps, split doubles"]
    )
    for name in ("tags", "runs.parquet"):
        (other.parent / name).symlink_to(lake / name)


def measure(folder: Path, count: int, steps: int) -> None:
    """Measure one logdir."""
    write_logdir(folder / "logs", count, steps)
    size = sum(path.stat().st_size for path in (folder / "logs").rglob("*tfevents*"))
    index, lake = Index(folder / "index"), folder / "lake"
    start = time.perf_counter()
    runs = dict(load_logdir(str(folder / "logs"), index).runs)
    read = time.perf_counter()
    written = compact(LocalFolder(str(lake)), runs)
    end = time.perf_counter()
    points = written.points
    print(
        f"{count:,} runs x {len(TAGS)} tags x {steps:,} steps: {size / points:.1f} bytes a point in event files",
        flush=True,
    )
    print(f"  read in {read - start:.1f} s, {written.parts} parts written in {end - read:.1f} s", flush=True)
    report("nothing changed: compact", "", milliseconds(lambda: compact(LocalFolder(str(lake)), runs), 3))
    event_file = next((folder / "logs" / f"run-{count - 1:05}").iterdir())
    with event_file.open("ab") as file:
        file.writelines(event_logs.scalar_events("tensorboard", TAGS, steps, steps + 1))
    grown = dict(load_logdir(str(folder / "logs"), Index(folder / "index")).runs)
    start = time.perf_counter()
    again = compact(LocalFolder(str(lake)), grown)
    print(f"  one run grew: {again.written_parts} part written in {time.perf_counter() - start:.1f} s", flush=True)
    for name in ("scalars/*", "tags/*", "runs.parquet"):
        stored = sum(path.stat().st_size for path in lake.glob(name))
        print(f"  {name}: {stored / points:.2f} bytes a point", flush=True)
    measure_encodings(lake, folder)
    for order, place in (("by tag, run, step (the lake)", lake), ("by run, tag, step", folder / "by_run")):
        print(f"sorted {order}", flush=True)
        for check in (check_series, check_statistics, check_band):
            check(place, grown)


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=1000)
    options = parser.parse_args()
    duckdb.execute("set threads to 2")
    for runs, steps in ((options.runs, options.steps), (MANY_RUNS, FEW_STEPS)):
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), runs, steps)


if __name__ == "__main__":
    main()
