"""A disk that does not answer: requests that need it get a clear answer, and all others are answered meanwhile."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from support import http
from support.event_files import write_run
from support.servers import ENVIRONMENT, SLOW_SECONDS, wait_until

from toposcope.proto import framing, lineage_pb2, summary_pb2

RUNS = 40
_START = """
import os, sys, threading, time
from toposcope.server.places import local_disk
opens = local_disk.LocalDisk.open
def hang(disk, path):
    # The loader of a network disk waits too; here it goes on, so that only requests are looked at.
    while os.path.exists(sys.argv[1]) and not threading.current_thread().name.startswith("toposcope-load"):
        open(sys.argv[1] + ".met", "w").close()
        time.sleep(0.01)
    return opens(disk, path)
local_disk.LocalDisk.open = hang
from toposcope.server.cli import main
sys.exit(main(sys.argv[2:]))
"""


def write_runs(logdir: Path) -> None:
    """Write runs with what requests read from event files."""
    for number in range(RUNS):
        event = summary_pb2.Event(wall_time=2.0, step=1)
        event.summary.value.add(tag="loss", scalar_value=1.0)
        event.summary.value.add(tag="picture").image.encoded_image = b"picture"
        lines = summary_pb2.Event(wall_time=3.0, step=2)
        lines.console.lines.add(wall_time=3.0, text="a line")
        records = [framing.frame(each.SerializeToString()) for each in (event, lines)]
        lineage = lineage_pb2.LineageEvent(wall_time=2.0)
        lineage.train_lineage.hyper_parameters.learning_rate = 0.5
        folder = logdir / f"run_{number}"
        path = write_run(folder, records)
        content = framing.frame(
            lineage_pb2.LineageEvent(wall_time=1.0, version="MindSpore.Event:1").SerializeToString()
        )
        content += framing.frame(lineage.SerializeToString())
        (folder / f"{path.name}_lineage").write_bytes(content)


@contextmanager
def server(logdir: Path, marker: Path) -> Iterator[tuple[httpx.URL, "subprocess.Popen[str]"]]:
    """Serve a logdir in a process in which opening a file takes as long as the marker exists."""
    command = [sys.executable, "-c", _START, str(marker), "--logdir", str(logdir), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, text=True)
    try:
        assert process.stdout is not None
        url = httpx.URL(process.stdout.readline().split()[3])
        wait_until(lambda: not httpx.get(url.join("api/health"), timeout=SLOW_SECONDS).json()["loading"])
        yield url, process
    finally:
        marker.unlink(missing_ok=True)
        process.terminate()
        process.communicate()


@pytest.mark.parametrize(
    "path", ["api/console?run=run_{}", "api/images?run=run_{}&tag=picture", "api/undrawn?run=run_{}", "api/lineage"]
)
def test_requests_that_wait_for_the_disk_do_not_keep_others_out(tmp_path: Path, path: str) -> None:
    """More requests than there are threads read from a disk that does not answer; then it answers again."""
    write_runs(tmp_path / "runs")
    marker = tmp_path / "hangs"
    with server(tmp_path / "runs", marker) as (url, _), ThreadPoolExecutor(2 * RUNS) as pool:
        marker.touch()
        for number in [*range(RUNS), *range(RUNS)]:
            pool.submit(httpx.get, url.join(path.format(number)), timeout=None)

        for other in ("api/runs", "api/health", "api/tags", "api/scalars?tag=loss&run=run_1&points=10"):
            assert httpx.get(url.join(other), timeout=SLOW_SECONDS).status_code == 200, other
        marker.unlink()
        wait_until(lambda: httpx.get(url.join(path.format(0)), timeout=SLOW_SECONDS).status_code == 200)


def test_searches_that_wait_for_the_disk_do_not_keep_others_out(tmp_path: Path) -> None:
    """Hyperparameters that have not been read yet are read from a disk that does not answer."""
    write_runs(tmp_path / "runs")
    marker = tmp_path / "hangs"
    marker.touch()
    with server(tmp_path / "runs", marker) as (url, _), ThreadPoolExecutor(2 * RUNS) as pool:
        asked = threading.Semaphore(0)

        def search() -> int:
            asked.release()
            return httpx.get(url.join("api/overview?search=learning_rate<1"), timeout=None).status_code

        replies = [pool.submit(search) for _ in range(2 * RUNS)]
        for _ in replies:
            asked.acquire()
        for other in ("api/health", "api/tags", "api/scalars?tag=loss&run=run_1&points=10"):
            assert httpx.get(url.join(other), timeout=SLOW_SECONDS).status_code == 200, other
        marker.unlink()

        assert {reply.result() for reply in replies} <= {200, 503}
        found = wait_until(lambda: http.get(url.join("api/overview?search=learning_rate<1")).json()["total"])
        assert found == RUNS


def test_a_server_ends_while_a_request_waits_for_the_disk(tmp_path: Path) -> None:
    """A thread that cannot be ended does not keep the process alive."""
    write_runs(tmp_path / "runs")
    marker = tmp_path / "hangs"
    with server(tmp_path / "runs", marker) as (url, process), ThreadPoolExecutor(1) as pool:
        marker.touch()
        pool.submit(httpx.get, url.join("api/console?run=run_0"), timeout=None)
        wait_until(Path(f"{marker}.met").exists)
        process.terminate()
        process.wait(SLOW_SECONDS)
        assert marker.exists(), "it ended only when the disk answered"
