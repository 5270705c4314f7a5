"""A server of 100,000 small runs: how long listing them takes, what they need, and how soon requests are answered.

The runs have one file each, of TensorBoard's writers, last written a day ago. A real server process loads them
cold, and with the index that the first one has written, then once more with the one that `summary-server index` makes.
The files of the system are cached in all cases.

many_runs.py [--runs 100000] [--tags 10] [--steps 5] [--folder FOLDER] [--requests 20]
"""

import argparse
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from event_logs import scalar_events, write_scalars
from process_stats import count_descriptors, cpu_ms, memory
from server_process import Server, serve

_DIFFERENT = 1000
"""Runs that differ in their values; the others repeat them."""
_NAME = "events.out.tfevents.1700000000.host"
_MANY_TAGS = 200_000


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--tags", type=int, default=10)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--requests", type=int, default=20)
    parser.add_argument("--folder", type=Path, help="where to make the runs; about 8 KB a run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        logdir, index = Path(folder, "runs"), Path(folder, "index")
        start = time.perf_counter()
        write_many(logdir, options.runs, options.tags, options.steps)
        print(f"{options.runs} runs x {options.tags} tags x {options.steps} steps", end="")
        print(f" made in {time.perf_counter() - start:.1f} s", flush=True)
        measure("cold", logdir, index, options.runs, options.tags, 0)
        measure("with the index", logdir, index, options.runs, options.tags, options.requests)
        made = Path(folder, "made index")
        make_index(logdir, made)
        measure("with that index", logdir, made, options.runs, options.tags, options.requests)
        measure_tags(Path(folder, "tags"), Path(folder, "index of tags"), options.requests)


def write_many(logdir: Path, runs: int, tags: int, steps: int) -> None:
    """Write the runs: group-00/run-000, group-00/run-001, ..."""
    names = [f"group{tag % 2}/metric{tag}" for tag in range(tags)]
    head = write_scalars(logdir / "group-00/run-000", "tensorboard", names, 0).read_bytes()
    contents = [
        head + b"".join(scalar_events("tensorboard", names, first, first + steps)) for first in range(_DIFFERENT)
    ]
    yesterday = time.time() - 86400
    for number in range(runs):
        folder = logdir / f"group-{number // 1000:02}/run-{number % 1000:03}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / _NAME
        path.write_bytes(contents[(7 * number) % _DIFFERENT])
        os.utime(path, (yesterday + number / 10, yesterday + number / 10))


def make_index(logdir: Path, index: Path) -> None:
    """Print how long summary-server index takes."""
    command = [sys.executable, "-m", "toposcope.server.cli", "index", str(logdir), "--index-dir", str(index)]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    print(f"\nsummary-server index, {os.cpu_count()} processes: {time.perf_counter() - start:.1f} s", flush=True)


def measure(description: str, logdir: Path, index: Path, runs: int, tags: int, requests: int) -> None:
    """Print how long a server takes to list the runs and what it needs, and how soon it answers requests."""
    print(f"\n{description}")
    start = time.perf_counter()
    with serve(logdir, index) as server:
        pid = server.process.pid
        started, empty = time.perf_counter() - start, memory(pid)[0]
        descriptors = server.wait_loaded(runs)
        listed = time.perf_counter() - start
        used, peak = memory(pid)
        print(f"  all runs listed after {listed:.2f} s ({started:.2f} s to start), CPU {cpu_ms(pid) / 1000:.2f} s")
        print(f"  memory {used >> 20} MB (peak {peak >> 20}): {_shares(used - empty, runs, tags)}")
        print(f"  descriptors at most {descriptors}", flush=True)
        if requests:
            for name, route, query in _requests():
                _time(server, name, route, query, requests)
        wait_idle(pid)
        used, peak = memory(pid)
        print(f"  idle after {time.perf_counter() - start:.1f} s, CPU {cpu_ms(pid) / 1000:.2f} s,", end="")
        print(f" descriptors {count_descriptors(pid)}")
        print(f"  memory {used >> 20} MB (peak {peak >> 20}): {_shares(used - empty, runs, tags)}", flush=True)
        stopping = time.perf_counter()
    print(f"  stopped within {time.perf_counter() - stopping:.1f} s; ", end="")
    print(f"index {sum(path.stat().st_size for path in index.rglob('*') if path.is_file()) >> 20} MB", flush=True)


def _shares(used: int, runs: int, tags: int) -> str:
    return f"{used / runs:.0f} bytes a run, {used / runs / tags:.0f} a run and tag"


def wait_idle(process: int) -> None:
    """Wait until a process has used no time for two seconds: the index is written."""
    quiet = 0
    while quiet < 4:
        before = cpu_ms(process)
        time.sleep(0.5)
        quiet = quiet + 1 if cpu_ms(process) - before <= 20 else 0


def _requests() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (a description, the route, the query) of the requests, in the order of a page that is opened."""
    yield "list, by the start", "runs", {"limit": 50}
    yield "table, by the start", "overview", {"limit": 50, "sparkline": False}
    yield "table with a metric and sparklines", "overview", {"limit": 50, "metric": "group0/metric0"}
    for sort in ("name", "updated", "step", "group0/metric0", "min(group1/metric1)", "max(group0/metric2)"):
        yield f"table, sorted by {sort}", "overview", {"limit": 50, "sparkline": False, "sort": sort}
    for search in ("run-04", "name:group-7*9", "state:unknown", "group0/metric4<4.05", "min(group1/metric3)>3.08"):
        yield f"search {search}", "overview", {"limit": 50, "sparkline": False, "search": search}
    yield "search lr<0.1, which no run has", "overview", {"limit": 50, "sparkline": False, "search": "lr<0.1"}
    yield "tags of all runs", "tags", {"limit": 100}
    yield "tags of 50 runs", "tags", {"limit": 100, "run": [f"group-00/run-{number:03}" for number in range(50)]}


def _time(server: Server, name: str, route: str, query: dict[str, Any], requests: int) -> None:
    """Print the time of the first request, and of many with other pages."""
    waits = []
    pages = itertools.cycle((0, 50, 1000, 5000)) if route != "tags" else itertools.repeat(0)
    for offset in itertools.islice(pages, requests + 1):
        start = time.perf_counter()
        reply = server.get(route, offset=offset, **query)
        waits.append(1000 * (time.perf_counter() - start))
        assert reply
    first, *rest = waits
    p95 = float(np.quantile(rest, 0.95))
    print(f"  {name:42} first {first:6.0f} ms, then p50 {statistics.median(rest):6.1f}, p95 {p95:6.1f}", flush=True)


def measure_tags(logdir: Path, index: Path, requests: int) -> None:
    """Print how long one run with very many tags takes."""
    write_tags(logdir / "run")
    for description in ("cold", "with the index"):
        print(f"\none run with {_MANY_TAGS} tags, {description}")
        start = time.perf_counter()
        with serve(logdir, index) as server:
            empty = memory(server.process.pid)[0]
            server.wait_loaded(1)
            used = memory(server.process.pid)[0] - empty
            print(f"  loaded after {time.perf_counter() - start:.2f} s, {used / _MANY_TAGS:.0f} bytes a tag")
            _time(server, "tags of the run", "tags", {"run": "run", "limit": 100}, requests)
            _time(server, "table", "overview", {"limit": 50, "sparkline": False}, requests)
            print(f"  first page of tags {time.perf_counter() - start:.2f} s after the start, with other requests")
            wait_idle(server.process.pid)


def write_tags(run: Path) -> None:
    """Write a run with one step of many tags."""
    path = write_scalars(run, "tensorboard", [], 0)
    with path.open("ab") as file:
        for first in range(0, _MANY_TAGS, 1000):
            names = [f"layer{tag // 10}/weight{tag % 10}" for tag in range(first, first + 1000)]
            file.writelines(scalar_events("tensorboard", names, 1, 2))
    yesterday = time.time() - 86400
    os.utime(path, (yesterday, yesterday))


if __name__ == "__main__":
    main()
