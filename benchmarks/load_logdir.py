"""Load a logdir with one reader and print the cost; run by benchmarks/reader.py in the environment of the reader.

python benchmarks/load_logdir.py READER LOGDIR [INDEX_DIR]

Prints the fields of a Load or a Listing as a JSON object. Imports only the standard library and the reader.
"""

from __future__ import annotations  # MindInsight requires Python 3.9.

import json
import re
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from process_stats import count_descriptors, cpu_ms, idle_ms, memory

TIMEOUT_SECONDS = 600.0
"""Time after which a load counts as failed."""


class Load(NamedTuple):
    """The cost and the result of a load."""

    ms: float
    """Milliseconds until every point can be requested, including the start of a server but not imports."""
    cpu: float
    """The same in CPU time of all threads, which depends less on other processes."""
    points: int
    steady: int
    """Resident bytes of the process with the points, after the load."""
    peak: int
    """Maximum resident bytes of that process until then."""
    touched: float = 0.0
    """Milliseconds until every point has also been accessed, for a reader that reads points from disk on access."""


class Listing(NamedTuple):
    """The cost of listing the runs of a server, and of keeping it idle."""

    ms: float
    """Milliseconds from the command to the list of all runs."""
    runs: int
    descriptors: int
    """Number of open descriptors after that."""
    idle: int
    """Milliseconds of CPU time in the ten seconds after that."""


class Clock:
    """Measures the time since it was created."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        """Return the elapsed milliseconds, and the milliseconds of CPU time of this process."""
        return 1000 * (time.perf_counter() - self._wall), 1000 * (time.process_time() - self._cpu)


def load_toposcope(logdir: str, index_dir: str = "") -> Load:
    """Load with the Logdir of our server, which verifies the checksums of all scalars."""
    from toposcope.server.loading.logdir import Logdir
    from toposcope.server.reading.index.index import Index

    clock = Clock()
    loading = Logdir(logdir, 0, Index(Path(index_dir)) if index_dir else None)
    loaded = threading.Event()
    loading.subscribe(lambda _: None if loading.snapshot.loading else loaded.set())
    loading.start()
    assert loaded.wait(TIMEOUT_SECONDS)
    elapsed = clock.read()
    time.sleep(0.2)  # It returns freed memory when it has read everything.
    steady, peak = memory("self")
    runs = loading.snapshot.runs.values()
    series = [run.points(tag, rank) for run in runs for tag in run.tags_of("scalar") for rank in run.attempts]
    for points in series:
        assert points.step.min() >= 0
        assert points.wall_time.min() > 0
        assert points.value.min() <= points.value.max()
    touched, _ = clock.read()
    loading.stop()
    return Load(*elapsed, sum(points.total for points in series), steady, peak, touched)


def load_rustboard(logdir: str) -> Load:
    """Start rustboard as TensorBoard does, except that it keeps every scalar. It does not verify checksums."""
    clock = Clock()
    with rustboard(logdir, "--reload", "once") as (process, port):
        wait_loaded(process)
        ms, _ = clock.read()
        cpu, steady, peak = cpu_ms(process.pid), *memory(process.pid)
        return Load(ms, cpu, rustboard_points(port), steady, peak)


@contextmanager
def rustboard(logdir: str, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run rustboard; yield the process, which logs to stderr, and its port."""
    import tensorboard_data_server

    command = [tensorboard_data_server.server_binary(), "--logdir", logdir, "--port", "0", "--verbose"]
    command += ["--samples-per-plugin", "scalars=all", *arguments]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        match = re.search(r"listening on .*:(\d+)", process.stderr.readline())
        assert match is not None
        yield process, int(match[1])
    finally:
        process.kill()
        process.communicate()


def wait_loaded(process: subprocess.Popen[str]) -> None:
    """Wait until rustboard has loaded everything for the first time."""
    assert process.stderr is not None
    for line in process.stderr:
        if "Finished load cycle" in line:
            return
    raise ChildProcessError("rustboard has exited")


def rustboard_points(port: int) -> int:
    """Return the number of scalars that rustboard serves."""
    from tensorboard.data.proto import data_provider_pb2 as messages

    scalars = messages.PluginFilter(plugin_name="scalars")
    points = 0
    with rustboard_stub(port) as stub:
        for run in stub.ListScalars(messages.ListScalarsRequest(plugin_filter=scalars)).runs:
            for tag in run.tags:
                request = messages.ReadScalarsRequest(plugin_filter=scalars, downsample={"num_points": 1 << 40})
                request.run_tag_filter.runs.names.append(run.run_name)
                request.run_tag_filter.tags.names.append(tag.tag_name)
                points += sum(len(series.data.step) for read in stub.ReadScalars(request).runs for series in read.tags)
    return points


@contextmanager
def rustboard_stub(port: int) -> Iterator[Any]:
    """Connect to rustboard."""
    import grpc
    from tensorboard.data.proto.data_provider_pb2_grpc import TensorBoardDataProviderStub

    with grpc.insecure_channel(f"127.0.0.1:{port}", [("grpc.max_receive_message_length", -1)]) as channel:
        yield TensorBoardDataProviderStub(channel)


def list_rustboard(logdir: str) -> Listing:
    """Start rustboard, list its series, then leave it idle."""
    from tensorboard.data.proto import data_provider_pb2 as messages

    _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))  # It keeps a descriptor open for every file.
    clock = Clock()
    with rustboard(logdir) as (process, port), rustboard_stub(port) as stub:
        wait_loaded(process)
        scalars = messages.PluginFilter(plugin_name="scalars")
        listed = stub.ListScalars(messages.ListScalarsRequest(plugin_filter=scalars)).runs
        ms, _ = clock.read()
        return Listing(ms, len(listed), count_descriptors(process.pid), idle_ms(process.pid))


def load_tensorboard(logdir: str) -> Load:
    """Load with TensorBoard's reader in Python, configured to keep every scalar."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    clock = Clock()
    folders = sorted({str(path.parent) for path in Path(logdir).rglob("*tfevents*")})
    runs = [EventAccumulator(folder, size_guidance={"scalars": 0}).Reload() for folder in folders]
    elapsed = clock.read()
    points = sum(len(run.Scalars(tag)) for run in runs for tag in run.Tags()["scalars"])
    return Load(*elapsed, points, *memory("self"))


def load_mindinsight(logdir: str) -> Load:
    """Load with MindInsight, which reads every scalar and keeps 1000 per tag; these are its points."""
    from mindinsight.datavisual.data_transform.data_loader import DataLoader

    clock = Clock()
    folders = sorted({str(path.parent) for path in Path(logdir).rglob("*events.summary*")})
    loaders = [DataLoader(folder) for folder in folders]
    for loader in loaders:
        loader.load()
    elapsed = clock.read()
    events = [loader.get_events_data() for loader in loaders]
    points = sum(len(data.tensors(tag)) for data in events for tag in data.list_tags_by_plugin("scalar"))
    return Load(*elapsed, points, *memory("self"))


READERS: dict[str, Callable[..., Load | Listing]] = {
    "toposcope": load_toposcope,
    "rustboard": load_rustboard,
    "tensorboard": load_tensorboard,
    "mindinsight": load_mindinsight,
    "rustboard-runs": list_rustboard,
}


def main() -> None:
    """Load a logdir and print the cost."""
    reader, *arguments = sys.argv[1:]
    print(json.dumps(READERS[reader](*arguments)._asdict()))


if __name__ == "__main__":
    main()
