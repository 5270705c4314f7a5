"""Servers with --workers: processes that answer from the memory of the one that loads."""

import os
import re
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import httpx
import numpy as np
import psutil
import pytest
from support.child_processes import is_running, running_children
from support.event_files import loss_run
from support.servers import SLOW_SECONDS, Process, start, stop, wait_until

from toposcope.recorder import SummaryRecord
from toposcope.server.budget.budget import MEMORY_LIMIT
from toposcope.server.http.exposure import make_exposure
from toposcope.server.http.host_names import ANY_HOST
from toposcope.server.loading.load_once import load_logdir
from toposcope.server.loading.logdir import Logdir
from toposcope.server.places.local_disk import LocalDisk
from toposcope.server.reading.declared_plugins import DeclaredPlugins
from toposcope.server.reading.index.index import Index, QuietFile
from toposcope.server.reading.packed_view import packed_view
from toposcope.server.workers.processes import Workers
from toposcope.server.workers.publisher import Publisher
from toposcope.server.workers.settings import Settings
from toposcope.server.workers.shared_memory import SharedMemory

CONNECTIONS = 60


class Server(httpx.Client):
    """A server with two workers, and a client that reaches any of them: every request has a connection of its own."""

    def __init__(self, logdir: Path, *arguments: str) -> None:
        self.process, url = start(logdir, "--workers", "2", *arguments)
        super().__init__(base_url=url, timeout=60.0, limits=httpx.Limits(max_keepalive_connections=0))

    @property
    def workers(self) -> list[psutil.Process]:
        """The workers that run."""
        return running_children(self.process.pid)


def connections_of(worker: psutil.Process) -> int:
    """Return how many connections of clients a worker has."""
    return sum(each.status == psutil.CONN_ESTABLISHED for each in worker.net_connections("tcp"))


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Return a logdir with one run."""
    loss_run(tmp_path / "runs" / "a", range(3))
    return tmp_path / "runs"


@pytest.fixture
def server(logdir: Path) -> Iterator[Server]:
    """Serve the logdir with two workers."""
    with Server(logdir) as server:
        yield server
    stop(server.process)


def test_replies_are_those_of_a_single_process(logdir: Path, server: Server) -> None:
    """Long series, which are shared, and short ones, which are copied; runs, tags and totals."""
    with SummaryRecord(logdir / "long") as recorder:
        for step in range(5000):
            recorder.add_value("scalar", "loss", step * 0.5)
            if step % 100 == 0:
                recorder.add_value("tensor", "weights", np.array([[step, 1.0]]))
            recorder.record(step)
    alone, url = start(logdir)
    paths = ("api/runs", "api/tags", "api/overview", "api/scalars?tag=loss", "api/tensors?tag=weights&run=long")
    with httpx.Client(base_url=url, timeout=60.0) as single:
        size = sum(path.stat().st_size for path in logdir.rglob("*_MS"))
        for client in (single, server):
            wait_until(partial(_has_read, size, client))
        for path in paths:
            expected, got = single.get(path).json(), server.get(path).json()
            for reply in (expected, got):
                reply.pop("revision", None)
                for run in reply.get("runs", []):
                    for name in ("revision", "state_revision"):
                        run.pop(name, None) if isinstance(run, dict) else None
            assert got == expected, path
    stop(alone)


def _has_read(size: int, client: httpx.Client) -> bool:
    return client.get("api/runs").json()["progress"]["read_bytes"] == size


def test_every_worker_has_a_change_when_it_is_announced(logdir: Path) -> None:
    """A page may ask any of them next: neither a run nor a point is missing then."""
    with _workers(logdir, patience_seconds=SLOW_SECONDS) as client, client.stream("GET", "api/updates") as stream:
        lines = stream.iter_lines()
        next(line for line in lines if line.startswith("data:"))
        with SummaryRecord(logdir / "b") as recorder:
            for step in range(12):
                recorder.add_value("scalar", "growing", float(step))
                recorder.record(step)
                recorder.flush()
                next(line for line in lines if line.startswith("data:") and '"b"' in line)
                assert _totals(client, "growing") == {step + 1}


def test_connections_that_arrive_together_are_divided(server: Server) -> None:
    """A browser opens several, and keeps them: one worker with all of them would answer alone."""
    workers = wait_until(lambda: len(found := server.workers) == 2 and found)
    for worker in workers:
        _updates_of(server, worker)  # It serves.
    before = [connections_of(worker) for worker in workers]
    with ExitStack() as connections:
        for _ in range(CONNECTIONS):
            connections.enter_context(socket.create_connection((server.base_url.host, server.base_url.port)))
        wait_until(lambda: sum(map(connections_of, workers)) == sum(before) + CONNECTIONS)
        more = [connections_of(worker) - known for worker, known in zip(workers, before, strict=True)]

    # On a busy machine 13 of 60; 5 if one accepts all that wait.
    assert min(more) >= CONNECTIONS // 7


def test_worker_that_dies_is_started_again(logdir: Path, server: Server) -> None:
    """The others answer meanwhile, and the new one has everything, also what was recorded since."""
    wait_until(lambda: _totals(server, "loss") == {3})
    before = wait_until(lambda: len(workers := server.workers) == 2 and workers)
    before[0].send_signal(signal.SIGKILL)
    loss_run(logdir / "b", range(7))
    after = wait_until(lambda: len(workers := server.workers) == 2 and before[0] not in workers and workers)

    assert before[1] in after
    wait_until(lambda: sorted(_all_totals(server)) == [3, 7])
    before[1].send_signal(signal.SIGKILL)  # Only the new one is left.
    wait_until(lambda: sorted(_all_totals(server)) == [3, 7])
    assert server.get("api/health").json()["revision"] > 0
    _, error = stop(server.process)
    assert "SIGKILL" in error


def test_worker_that_does_not_answer_is_not_waited_for(logdir: Path, server: Server) -> None:
    """The other one announces a change after a second; what the first missed is announced again when it answers."""
    wait_until(lambda: len(server.workers) == 2 and _totals(server, "loss") == {3})
    stopped, other = server.workers
    _updates_of(server, stopped)  # It serves: a worker without a first snapshot misses nothing.
    lines = _updates_of(server, other)
    stopped.suspend()
    try:
        loss_run(logdir / "b", range(3))
        assert '"added":["b"]' in next(line for line in lines if '"b"' in line)
    finally:
        stopped.resume()
    assert '"changed":["b"]' in next(line for line in lines if '"changed":["b"]' in line)
    assert sorted(_all_totals(server)) == [3, 3]
    assert server.workers == [stopped, other], "a worker that is slow was killed"


def test_worker_that_hangs_is_killed_and_started_again(logdir: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The connections that it accepted end then, and one line of the log says so; the other worker stays."""
    with _workers(logdir, silent_seconds=6.0) as client:
        before = wait_until(lambda: len(children := _own_workers()) == 2 and children)
        for worker in before:
            _updates_of(client, worker)  # Both serve.
        hanging = _updates_of(client, before[0])
        next(hanging)
        before[0].suspend()
        with pytest.raises(httpx.RemoteProtocolError):
            list(hanging)
        after = wait_until(lambda: len(children := _own_workers()) == 2 and before[0] not in children and children)
        assert before[1] in after
        _updates_of(client, next(worker for worker in after if worker != before[1]))
    (line,) = [record.getMessage() for record in caplog.records if "worker" in record.getMessage()]
    assert re.fullmatch("worker [01] did not answer for 6 s, was killed and is started again", line)


@contextmanager
def _workers(
    logdir: Path, *, silent_seconds: float = SLOW_SECONDS, patience_seconds: float = 1.0
) -> Iterator[httpx.Client]:
    """Start two workers of this process, which loads, with limits of the test; yield a client."""
    source = Logdir(str(logdir), 1.0)
    exposure = make_exposure("127.0.0.1", 0, [ANY_HOST], None)
    settings = Settings(str(logdir), exposure, "", None, True, None, None, time.monotonic(), "text", MEMORY_LIMIT)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        publisher = Publisher(source, SharedMemory(), patience_seconds)
        workers = Workers(2, publisher, settings, listener, silent_seconds)
        workers.start()
        source.start()
        base = f"http://127.0.0.1:{listener.getsockname()[1]}"
        try:
            with httpx.Client(base_url=base, timeout=60.0, limits=httpx.Limits(max_keepalive_connections=0)) as client:
                yield client
        finally:
            workers.stop()
            source.stop()


def _own_workers() -> list[psutil.Process]:
    """Return the workers of this process that run."""
    return running_children(os.getpid(), "toposcope.server.workers.worker")


def _updates_of(server: httpx.Client, worker: psutil.Process) -> Iterator[str]:
    """Return the lines of an event stream that a worker serves."""
    while True:
        reply = server.send(server.build_request("GET", "api/updates"), stream=True)
        port = reply.extensions["network_stream"].get_extra_info("client_addr")[1]
        if any(each.raddr and each.raddr.port == port for each in worker.net_connections("tcp")):
            return _data_lines(reply)
        reply.close()


def _data_lines(reply: httpx.Response) -> Iterator[str]:
    """Yield the events of a stream; AssertionError if none comes, as comments keep the stream open for ever."""
    last = time.monotonic()
    for line in reply.iter_lines():
        if line.startswith("data:"):
            yield line
            last = time.monotonic()
        assert time.monotonic() - last < SLOW_SECONDS, "no event"


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_server(logdir: Path, ending: signal.Signals) -> None:
    """Also if the process that loads is killed."""
    with Server(logdir) as server, server.stream("GET", "api/updates") as stream:
        next(stream.iter_lines())
        workers = wait_until(lambda: len(workers := server.workers) == 2 and workers)
        server.process.send_signal(ending)
        server.process.ended()
        wait_until(lambda: not any(is_running(worker) for worker in workers))
    assert server.process.returncode == (0 if ending != signal.SIGKILL else -signal.SIGKILL)


def test_truncated_index_ends_no_process(logdir: Path, tmp_path: Path) -> None:
    """Segments are shortened by someone else: the points are elsewhere."""
    with SummaryRecord(logdir / "long") as recorder:
        for step in range(60_000):
            recorder.add_value("scalar", "loss", float(step))
            recorder.record(step)
    index = tmp_path / "index"
    arguments = ("--index-dir", str(index))
    for number in range(2):  # The second server reads the index.
        with Server(logdir, *arguments) as server:
            wait_until(lambda: 60_000 in _all_totals(server) and len(server.workers) == 2)
            workers = server.workers
            segments = [path for path in index.rglob("*-*-*") if path.stat().st_size > 1 << 18]
            if number:
                assert segments
                for path in segments:
                    os.truncate(path, 0)
            assert 60_000 in _all_totals(server)
            assert server.workers == workers
            assert server.process.returncode is None
            stop(server.process)


def test_workers_read_packs_of_the_index_themselves(tmp_path: Path) -> None:
    """Also a worker that is started when another server has deleted them, and one that can open neither."""
    logdir, folder = tmp_path / "runs", tmp_path / "index"
    for number in range(5):
        loss_run(logdir / f"run-{number}", range(number + 1))
    index = Index(folder)
    loaded = load_logdir(str(logdir), index)
    files = {file.path: file for file in loaded.files}
    views = [view for run in loaded.runs.values() for view in run.files]
    assert index.pack([QuietFile(view.path, files[view.path].status, view.phase) for view in views], LocalDisk()) == 5

    with Server(logdir, "--index-dir", str(folder)) as server:
        wait_until(lambda: sorted(_all_totals(server)) == [1, 2, 3, 4, 5])
        (pack,) = folder.rglob("*.pack")
        pack.unlink()
        old = wait_until(lambda: len(workers := server.workers) == 2 and workers)
        for worker in old:
            worker.send_signal(signal.SIGKILL)
        wait_until(lambda: len(workers := server.workers) == 2 and not set(workers) & set(old))
        assert sorted(_all_totals(server)) == [1, 2, 3, 4, 5]
        stop(server.process)


def test_pack_that_cannot_be_opened_is_replaced_by_the_event_file(tmp_path: Path) -> None:
    """What a worker receives has the same points then."""
    loss_run(tmp_path / "runs" / "a", range(4))
    index = Index(tmp_path / "index")
    loaded = load_logdir(str(tmp_path / "runs"), index)
    (view,), (file,) = loaded.runs["a"].files, loaded.files
    index.pack([QuietFile(view.path, file.status, view.phase)], LocalDisk())
    packed = packed_view(Index(tmp_path / "index"), file.path, file.name, file.status, LocalDisk(), DeclaredPlugins())
    assert packed is not None
    open_series, (_, _, key, read) = packed.series.__reduce__()  # type: ignore[str-unpack]
    missing = str(tmp_path / "missing")

    series = open_series(missing, missing, key, read)  # type: ignore[operator]
    assert {tag: points.total for tag, points in series.items()} == {tag: p.total for tag, p in view.series.items()}


def _totals(server: httpx.Client, tag: str) -> set[int]:
    """Return how many points a tag has, as several requests answer."""
    replies = [server.get("api/scalars", params={"tag": tag}).json()["series"] for _ in range(8)]
    return {series[0]["total"] if series else 0 for series in replies}


def _all_totals(server: Server) -> list[int]:
    reply = server.get("api/scalars", params={"tag": "loss"}).json()
    return [series["total"] for series in reply.get("series", [])]  # None is there until its run is read.


@pytest.mark.parametrize("number", ["0", "-1", "two", "65"])
def test_bad_numbers_of_workers_are_refused(tmp_path: Path, number: str) -> None:
    """The line contains the value and what was expected."""
    process = Process("--logdir", str(tmp_path), "--workers", number)
    assert f"{number!r}: expected an integer from 1 to 64" in process.ended()[1]
    assert process.returncode == 2
