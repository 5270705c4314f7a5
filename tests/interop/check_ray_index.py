"""Indexing, and loss landscapes, on a real cluster of Ray with two workers."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from support.bowl_network import bowl_callback, copy_trained_bowl
from support.child_processes import is_running
from support.clusters import IMPORTS, RayCluster, ray_cluster
from support.event_files import GOLDEN, loss_run
from support.indexed_runs import assert_equal_to_a_first_load, start
from support.landscape_command import measure_by_command
from support.landscape_events import journals

from toposcope.recorder.landscapes import SummaryLandscape

PROGRAM = """
import sys
from toposcope.executors import workers_on
from toposcope.server.indexing.indexing import index_logdir

with workers_on("ray") as workers:
    assert workers.count() == 2
    show = lambda progress: print("done:", progress.files, flush=True)
    summary = index_logdir(*sys.argv[1:], workers, progress=show, task_runs=5)
    assert (summary.indexed, summary.problems) == (summary.files, {})
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    """Return a node with two processors."""
    with ray_cluster(2) as cluster:
        yield cluster


def test_worker_killed_in_the_middle(tmp_path: Path, cluster: RayCluster) -> None:
    """Its task is repeated; the index is equal to a first load, and nothing else is read."""
    for number in range(200):
        loss_run(tmp_path / f"runs/{number}", range(500))
    shutil.copytree(GOLDEN, tmp_path / "runs/golden")
    killed: list[psutil.Process] = []

    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "runs"), str(tmp_path / "index")]
    environment = {**os.environ, **IMPORTS, **cluster.variables}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        for line in process.stdout:
            found = re.match(r"done: (\d+)", line)  # Ray prints there too.
            if found and int(found[1]) >= 10 and not killed:
                killed.append(indexing_workers(cluster)[0])
                killed[0].send_signal(signal.SIGKILL)
    assert process.returncode == 0
    assert not is_running(killed[0])
    runs, opened = start(tmp_path / "runs", tmp_path / "index")
    assert opened == []
    assert_equal_to_a_first_load(runs, tmp_path / "runs")


def indexing_workers(cluster: RayCluster) -> list[psutil.Process]:
    """Return the processes of the cluster that run tasks, or have just run one."""
    names = ("ray::_call", "ray::IDLE")
    processes = psutil.Process(cluster.pid).children(recursive=True)
    return [each for each in processes if "".join(each.cmdline()[:1]).startswith(names)]


def test_command_line(tmp_path: Path, cluster: RayCluster) -> None:
    """The command finds the cluster by RAY_ADDRESS."""
    loss_run(tmp_path / "runs/a", range(5))
    command = [sys.executable, "-m", "toposcope.server.cli", "index", str(tmp_path / "runs"), "--on", "ray"]
    done = subprocess.run(
        [*command, "--index-dir", str(tmp_path / "index")],
        capture_output=True,
        text=True,
        env={**os.environ, **IMPORTS, **cluster.variables},
    )
    assert "1 files indexed, 0 were up to date" in done.stdout, done.stderr


def test_landscapes(tmp_path: Path, cluster: RayCluster) -> None:
    """The workers measure the same bits as this process."""
    for name in ("here", "ray"):
        (tmp_path / name).mkdir()
        copy_trained_bowl(tmp_path / name)
    SummaryLandscape(tmp_path / "here").gen_landscapes_with_multi_process(bowl_callback())
    measure_by_command(tmp_path, tmp_path / "ray", "--on", "ray", **cluster.variables)
    assert journals(tmp_path / "ray") == journals(tmp_path / "here")
