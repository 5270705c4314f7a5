"""What indexing on processes, on Dask and on Ray takes, and what each part of a task costs.

python benchmarks/index_engine.py [--runs 10000] [--engines processes dask] [--costs FILE]    (make bench-engine)

The schedulers and the workers of Dask and Ray are processes of this machine. The runs are small, as those of a search:
10 tags of 100 points. Costs of a task are measured with runs of 10 tags of 10,000 points, for
benchmarks/cluster_simulation.py, which reads them from FILE.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from event_logs import write_scalars
from many_runs import write_many
from support.clusters import dask_cluster, ray_cluster

from toposcope.executors import Workers, workers_on
from toposcope.server.indexing.grouping import TASK_BYTES
from toposcope.server.indexing.indexing import index_logdir
from toposcope.server.indexing.task import Indexed, Task, index_files
from toposcope.server.loading.finding.discovery import discover
from toposcope.server.loading.logdir import Logdir
from toposcope.server.places.stores.pieces import NOTHING
from toposcope.server.reading.index.index import open_index
from toposcope.server.reading.index.packs.shared_packs import store_shared_pack

TAGS = [f"train/metric-{number}" for number in range(10)]
POINTS, LARGE_RUNS = 10_000, 40
NO_OPERATIONS, RETURNS, RETURNED_BYTES = 1000, 20, 32 << 20


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--engines", nargs="+", choices=("processes", "dask", "ray"), default=("processes", "dask"))
    parser.add_argument("--costs", type=Path, help="write the costs of a task to this file")
    options = parser.parse_args()
    costs: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_many(folder / "runs", options.runs, len(TAGS), 100)
        size = sum(path.stat().st_size for path in (folder / "runs").rglob("*tfevents*"))
        print(f"{options.runs} runs of 10 tags x 100 points, {size / 1e6:.0f} MB of event files")
        for engine in options.engines:
            for count in (1, 2):
                with workers(engine, count, folder) as started:
                    measure_indexing(f"{engine}, {count} workers", folder, started, options.runs)
        measure_start(folder / "runs", folder / "index")
        for number in range(LARGE_RUNS):
            write_scalars(folder / f"large/run-{number:02}", "own", TAGS, POINTS)
        measure_task(folder, costs)
        for engine in options.engines:
            with workers(engine, 2, folder) as started:
                measure_engine(engine, started, costs)
    if options.costs is not None:
        options.costs.write_text(json.dumps(costs, indent=2) + "\n")


@contextmanager
def workers(engine: str, count: int, folder: Path) -> Iterator[Workers]:
    """Provide workers that have run a task, so that they have imported what they need."""
    if engine == "processes":
        with workers_on(f"processes:{count}") as started:
            yield warm(started, count)
        return
    if engine == "ray":
        with ray_cluster(count) as node:
            os.environ.update(node.variables)
            with workers_on("ray") as started:
                yield warm(started, count)
        return
    (folder / f"dask-{time.monotonic_ns()}").mkdir()
    with (
        dask_cluster(max(folder.glob("dask-*")), count) as cluster,
        workers_on(f"dask://{cluster.address}") as started,
    ):
        while started.count() < count:
            time.sleep(0.05)
        yield warm(started, count)


def warm(started: Workers, count: int) -> Workers:
    """Let each worker import what tasks need."""
    task = Task(os.devnull, False, [], NOTHING, os.devnull, "none")
    for future in [started.executor.submit(warmed, task) for _ in range(4 * count)]:
        future.result()
    return started


def warmed(task: Task) -> None:
    """Import what tasks need, and keep the worker for a moment, so that others are asked too."""
    index_files(task)
    time.sleep(0.2)


def measure_indexing(description: str, folder: Path, started: Workers, runs: int) -> None:
    """Print how long indexing takes, and how long it takes to find that nothing is missing."""
    index = folder / "index"
    for path in index.rglob("*.pack"):
        path.unlink()
    results: list[Indexed] = []
    seconds = timed(lambda: index_logdir(str(folder / "runs"), str(index), started, measured=results.append))
    again = timed(lambda: index_logdir(str(folder / "runs"), str(index), started))
    assert sum(result.files for result in results) == runs
    busy = sum(result.seconds for result in results)
    print(
        f"  {description}: {seconds:.2f} s ({runs / seconds:,.0f} runs a second); workers busy {busy:.2f} s, "
        f"{len(results)} tasks; again {again:.2f} s",
        flush=True,
    )


def measure_start(logdir: Path, index: Path) -> None:
    """Print how long a first load takes with and without the index."""
    for description, address in (("with the index", index), ("without one", index.parent / "none")):
        start = time.perf_counter()
        loading = Logdir(str(logdir), 0, open_index(str(address)))
        loading.step()
        while loading.snapshot.loading:
            loading.step()
        print(f"  loaded {description}: {time.perf_counter() - start:.2f} s for {len(loading.snapshot.runs)} runs")
        loading.stop_loading()


def measure_task(folder: Path, costs: dict[str, float]) -> None:
    """Measure what finding, reading and writing cost, with large runs."""
    start = time.perf_counter()
    small = discover(str(folder / "runs")).files
    costs["list_seconds_a_file"] = (time.perf_counter() - start) / len(small)
    files = discover(str(folder / "large")).files
    task = Task(str(folder / "large"), False, files, NOTHING, str(folder), "another.mark")
    index_files(task)
    result = index_files(task)
    assert result.pack is not None
    costs["file_bytes_a_run"] = task.size / LARGE_RUNS
    costs["pack_bytes_a_run"] = result.pack_bytes / LARGE_RUNS
    costs["cpu_seconds_a_run"] = result.cpu_seconds / LARGE_RUNS
    costs["task_bytes"] = TASK_BYTES
    pack = result.pack
    written = [timed(lambda: store_shared_pack(str(folder / "written"), "pack", pack)) for _ in range(5)]
    costs["write_bytes_a_second"] = result.pack_bytes / sorted(written)[2]
    print(f"runs of 10 tags x {POINTS:,} points, {task.size / LARGE_RUNS / 1e6:.2f} MB each")
    print(
        f"  a run: {1000 * costs['cpu_seconds_a_run']:.1f} ms of CPU time ({per_mb(result, task):.2f} ms a MB), ",
        end="",
    )
    print(f"{costs['pack_bytes_a_run'] / 1e6:.2f} MB in the index")
    print(f"  the coordinator: lists a file in {1e6 * costs['list_seconds_a_file']:.0f} us, ", end="")
    print(f"writes {costs['write_bytes_a_second'] / 1e6:,.0f} MB a second", flush=True)


def per_mb(result: Indexed, task: Task) -> float:
    """Return milliseconds of CPU time for a MB of event files."""
    return 1000 * result.cpu_seconds / (task.size / 1e6)


def measure_engine(engine: str, started: Workers, costs: dict[str, float]) -> None:
    """Measure what an engine costs: a task that does nothing, and bytes that are returned."""

    def run(function: Any, argument: int, count: int) -> float:
        return timed(
            lambda: [each.result() for each in [started.executor.submit(function, argument) for _ in range(count)]]
        )

    run(abs, 1, 10)
    task = run(abs, 1, NO_OPERATIONS) / NO_OPERATIONS
    returned = run(bytes, RETURNED_BYTES, RETURNS) / RETURNS
    costs[f"{engine}_seconds_a_task"] = task
    costs[f"{engine}_returned_bytes_a_second"] = RETURNED_BYTES / (returned - task)
    print(f"  {engine}: {1000 * task:.2f} ms a task, ", end="")
    print(f"{costs[f'{engine}_returned_bytes_a_second'] / 1e6:,.0f} MB a second returned", flush=True)


def timed(function: Any) -> float:
    """Return how many seconds a function takes."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
