"""Real clusters of Dask and Ray on this machine: each process is started by the command that people use."""

import contextlib
import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from support.servers import wait_until

IMPORTS = {"PYTHONPATH": os.pathsep.join(os.path.abspath(path) for path in sys.path if path)}
"""What processes in another working directory import from."""
_TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
"""Of clusters of Ray; one, as a process reads it once."""


class DaskCluster(NamedTuple):
    """A scheduler, and workers of one thread each that nothing restarts."""

    address: str
    """host:port of the scheduler."""
    workers: list[subprocess.Popen[bytes]]


class RayCluster(NamedTuple):
    """A node with some processors."""

    variables: dict[str, str]
    """Of the environment: a process that has them when it imports Ray finds the cluster."""
    pid: int
    """The process of which all others of the node are descendants."""


@contextlib.contextmanager
def dask_cluster(folder: Path, workers: int, environment: Mapping[str, str] = IMPORTS) -> Iterator[DaskCluster]:
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


@contextlib.contextmanager
def ray_cluster(processors: int) -> Iterator[RayCluster]:
    """Start a node of a cluster of Ray, as on a machine of its own, and end it with the block.

    It has a token of its own: Ray takes one that it finds in the user's home, but not in all of its processes. It has a
    folder of its own, where its address does not lead others to it.
    """
    command = [str(Path(sys.executable).parent / "ray"), "start", "--head", "--block", "--port=0"]
    command += [f"--num-cpus={processors}", "--include-dashboard=false", "--disable-usage-stats"]
    environment = {**os.environ, **IMPORTS, **_TOKEN}
    with (
        tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder,
        subprocess.Popen(
            [*command, f"--temp-dir={folder}"], stdout=subprocess.PIPE, text=True, env=environment
        ) as process,
    ):
        try:
            assert process.stdout is not None
            addresses = (line.partition("--address='")[2].partition("'")[0] for line in process.stdout)
            yield RayCluster({"RAY_ADDRESS": next(filter(None, addresses)), **_TOKEN}, process.pid)
        finally:
            process.terminate()  # It ends all processes of the node.


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.kill()
        process.wait()
