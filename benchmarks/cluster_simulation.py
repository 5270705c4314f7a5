"""A simulation of clusters that index 100,000 runs of 10 tags of 10,000 points: where more workers stop helping.

python benchmarks/cluster_simulation.py [--costs FILE] [--runs 100000]    (part of make bench-engine)

A discrete-event simulation. The costs of a task are measured by benchmarks/index_engine.py, which writes them to FILE;
the network and the store are assumptions, which the program prints. A task waits for the scheduler and for a worker,
reads its event files through a link to the store that all workers share, scans them, and writes its pack through that
link, or returns it to the coordinator, which receives and writes one pack at a time. There are at most two tasks for
each worker at a time. Reading and scanning overlap in the real program when there are many files; here they do not.
"""

import argparse
import heapq
import json
from collections import deque
from pathlib import Path
from typing import NamedTuple


class Costs(NamedTuple):
    """Measured by index_engine.py, with runs of 10 tags of 10,000 points."""

    list_seconds_a_file: float
    file_bytes_a_run: float
    pack_bytes_a_run: float
    cpu_seconds_a_run: float
    task_bytes: float
    write_bytes_a_second: float
    dask_seconds_a_task: float
    dask_returned_bytes_a_second: float


class Cluster(NamedTuple):
    """Assumptions about a cluster."""

    workers: int
    link: float
    """Bytes a second between the store and all workers, in each direction."""
    is_returned: bool
    """Whether workers return packs to the coordinator, in place of writing them."""


REQUEST_SECONDS, CONNECTION = 0.05, 60e6
"""How long the store takes to answer a request, and the bytes a second of one connection."""
CONNECTIONS, REQUEST_BYTES = 16, 4 << 20
"""Of a worker, as in server/places/stores/object_store.py."""
PARTS, PART_BYTES = 12, 5 << 20
"""Of a pack that is uploaded, at once, as obstore does."""
LIST_SECONDS = 0.2
"""For a request that lists 1,000 keys."""


class Result(NamedTuple):
    """How long indexing takes, and how much of that time each part is used."""

    seconds: float
    workers: float
    link: float
    coordinator: float
    scheduler: float


class Queue:
    """Serves one job at a time, in the order of arrival."""

    def __init__(self) -> None:
        self.busy = 0.0
        self._free_at = 0.0

    def serve(self, now: float, seconds: float) -> float:
        """Add a job that arrives now; return when it is done."""
        self._free_at = max(self._free_at, now) + seconds
        self.busy += seconds
        return self._free_at


class Simulation:
    """Runs all tasks. Each step of a task is an event, and events happen in the order of their times."""

    def __init__(self, runs: int, costs: Costs, cluster: Cluster) -> None:
        self._costs = costs
        self._cluster = cluster
        self._scheduler, self._reads, self._writes, self._coordinator = Queue(), Queue(), Queue(), Queue()
        most = max(1, int(costs.task_bytes / costs.file_bytes_a_run))
        self._left = deque(min(most, runs - first) for first in range(0, runs, most))
        """The runs of each task that is not submitted yet."""
        self._ready = deque[int]()
        self._idle = cluster.workers
        self._busy = 0.0
        self._events: list[tuple[float, int, str, int]] = []
        self._now = runs * costs.list_seconds_a_file + runs / 1000 * LIST_SECONDS

    def run(self) -> Result:
        """Return how long all of it takes."""
        for _ in range(2 * self._cluster.workers):
            self._submit()
        while self._events:
            self._now, _, name, runs = heapq.heappop(self._events)
            getattr(self, f"_{name}")(runs)
            while self._idle and self._ready:
                self._idle -= 1
                self._read(self._ready.popleft())
        link = max(self._reads.busy, self._writes.busy)
        used = (self._busy / self._cluster.workers, link, self._coordinator.busy, self._scheduler.busy)
        return Result(self._now, *(each / self._now for each in used))

    def _at(self, time: float, name: str, runs: int) -> None:
        heapq.heappush(self._events, (time, len(self._events), name, runs))

    def _submit(self) -> None:
        if self._left:
            done = self._scheduler.serve(self._now, self._costs.dask_seconds_a_task)
            self._at(done, "scheduled", self._left.popleft())

    def _scheduled(self, runs: int) -> None:
        self._ready.append(runs)

    def _read(self, runs: int) -> None:
        """Read the event files of a task, several requests at once, through the link that all workers share."""
        size = runs * self._costs.file_bytes_a_run
        requests = max(size / REQUEST_BYTES, runs)
        alone = requests * REQUEST_SECONDS / CONNECTIONS + size / (CONNECTION * CONNECTIONS)
        shared = self._reads.serve(self._now, size / self._cluster.link)
        self._at(max(self._now + alone, shared), "scan", runs)

    def _scan(self, runs: int) -> None:
        seconds = runs * self._costs.cpu_seconds_a_run
        self._busy += seconds
        self._at(self._now + seconds, "return" if self._cluster.is_returned else "write", runs)

    def _write(self, runs: int) -> None:
        size = runs * self._costs.pack_bytes_a_run
        shared = self._writes.serve(self._now, size / self._cluster.link)
        alone = (2 + size / PART_BYTES / PARTS) * REQUEST_SECONDS + size / (CONNECTION * PARTS)
        self._at(max(self._now + alone, shared), "written", runs)

    def _written(self, runs: int) -> None:
        self._idle += 1
        self._submit()

    def _return(self, runs: int) -> None:
        self._idle += 1
        size = runs * self._costs.pack_bytes_a_run
        seconds = size / self._costs.dask_returned_bytes_a_second + size / self._costs.write_bytes_a_second
        self._at(self._coordinator.serve(self._now, seconds), "stored", runs)

    def _stored(self, runs: int) -> None:
        self._submit()


def main() -> None:
    """Print a table in Markdown, for docs/clusters.md."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--costs", type=Path, default=Path("build/interop/dask/costs.json"))
    parser.add_argument("--runs", type=int, default=100_000)
    options = parser.parse_args()
    measured = json.loads(options.costs.read_text())
    costs = Costs(**{name: measured[name] for name in Costs._fields})
    print_assumptions(options.runs, costs)
    print("| workers | link to the store | packs | time | workers compute | link | coordinator | scheduler |")
    print("|---|---|---|---|---|---|---|---|")
    for is_returned in (False, True):
        for link in (1.25e9, 12.5e9):
            for workers in (1, 4, 16, 64, 256):
                print_row(
                    simulate(options.runs, costs, Cluster(workers, link, is_returned)), workers, link, is_returned
                )


def simulate(runs: int, costs: Costs, cluster: Cluster) -> Result:
    """Return how long a cluster takes."""
    return Simulation(runs, costs, cluster).run()


def print_assumptions(runs: int, costs: Costs) -> None:
    """Print what was measured, and what is assumed."""
    print(f"{runs:,} runs, {runs * costs.file_bytes_a_run / 1e9:,.0f} GB of event files,", end=" ")
    print(f"{runs * costs.pack_bytes_a_run / 1e9:,.0f} GB of packs", end=" ")
    print(f"in {-(-runs // int(costs.task_bytes / costs.file_bytes_a_run)):,} tasks")
    print(f"measured: {1000 * costs.cpu_seconds_a_run:.1f} ms of CPU time a run,", end=" ")
    print(f"{1000 * costs.dask_seconds_a_task:.1f} ms of the scheduler a task,", end=" ")
    print(f"{costs.dask_returned_bytes_a_second / 1e6:.0f} MB/s returned,", end=" ")
    print(f"{costs.write_bytes_a_second / 1e6:,.0f} MB/s written by the coordinator")
    print(f"assumed: {1000 * REQUEST_SECONDS:.0f} ms a request, {CONNECTION / 1e6:.0f} MB/s a connection,", end=" ")
    print(f"{CONNECTIONS} connections a worker, {LIST_SECONDS} s to list 1,000 keys\n")


def print_row(result: Result, workers: int, link: float, is_returned: bool) -> None:
    """Print a row of the table."""
    shares = (result.workers, result.link, result.coordinator, result.scheduler)
    columns = [str(workers), f"{8 * link / 1e9:.0f} Gbit/s", "returned" if is_returned else "written by workers"]
    columns += [f"{result.seconds:,.0f} s", *(f"{100 * share:.0f} %" for share in shares)]
    print(f"| {' | '.join(columns)} |")


if __name__ == "__main__":
    main()
