"""Real clusters of Dask and Ray on this machine: each process is started by the command that people use."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from support.servers import wait_until


class DaskCluster(NamedTuple):
    """A scheduler, and workers of one thread each that nothing restarts."""

    address: str
    """host:port of the scheduler."""
    workers: list[subprocess.Popen[bytes]]


@contextlib.contextmanager
def dask_cluster(folder: Path, workers: int, environment: Mapping[str, str] = os.environ) -> Iterator[DaskCluster]:
    """Start a scheduler and workers; end them when the block ends."""
    python = [sys.executable, "-m"]
    options = {"env": {**os.environ, **environment}, "cwd": folder, "stderr": subprocess.DEVNULL}
    file = folder / "scheduler.json"
    scheduling = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    command = ["distributed.cli.dask_worker", "--scheduler-file", str(file), "--nthreads", "1", "--no-nanny"]
    command += ["--host", "127.0.0.1", "--no-dashboard"]
    with contextlib.ExitStack() as stack:
        processes = [
            subprocess.Popen([*python, *scheduling, "--scheduler-file", str(file)], **options)  # type: ignore[call-overload]
        ]
        stack.callback(_end, processes)
        wait_until(lambda: file.exists() and file.read_text().strip().endswith("}"))
        address = json.loads(file.read_text())["address"]
        processes += [subprocess.Popen([*python, *command], **options) for _ in range(workers)]  # type: ignore[call-overload]
        yield DaskCluster(address.removeprefix("tcp://"), processes[1:])


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.kill()
        process.wait()
