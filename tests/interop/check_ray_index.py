"""Indexing on a real cluster of Ray with two workers."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import ray
from support.event_files import GOLDEN, loss_run
from support.indexed_runs import assert_equal_to_a_first_load, start

from toposcope.proto.executors import workers_on
from toposcope.server.indexing.indexing import Progress, index_logdir

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> Iterator[None]:
    """Start a node of a cluster with two processors, as on a machine of its own."""
    command = [str(Path(sys.executable).parent / "ray")]
    head = ["start", "--head", "--port=0", "--num-cpus=2", "--include-dashboard=false", "--disable-usage-stats"]
    started = subprocess.run([*command, *head], capture_output=True, text=True, check=True)
    address = started.stdout.partition("--address='")[2].partition("'")[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_ADDRESS", address)
        yield
        ray.shutdown()
    subprocess.run([*command, "stop", "--force"], check=True, capture_output=True)


def test_worker_killed_in_the_middle(tmp_path: Path) -> None:
    """Its task is repeated; the index is equal to a first load, and nothing else is read."""
    for number in range(200):
        loss_run(tmp_path / f"runs/{number}", range(500))
    shutil.copytree(GOLDEN, tmp_path / "runs/golden")
    killed: list[psutil.Process] = []

    def kill(progress: Progress) -> None:
        if progress.files >= 10 and not killed:
            killed.append(indexing_workers()[0])
            killed[0].send_signal(signal.SIGKILL)

    with workers_on("ray") as workers:
        assert workers.count() == 2
        summary = index_logdir(str(tmp_path / "runs"), str(tmp_path / "index"), workers, progress=kill, task_runs=5)
    assert not killed[0].is_running() or killed[0].status() == psutil.STATUS_ZOMBIE
    assert (summary.indexed, summary.problems) == (summary.files, {})
    runs, opened = start(tmp_path / "runs", tmp_path / "index")
    assert opened == []
    assert_equal_to_a_first_load(runs, tmp_path / "runs")


def indexing_workers() -> list[psutil.Process]:
    """Return the processes of Ray that run tasks, or have just run one."""
    processes = [each for each in psutil.process_iter(["cmdline", "uids"]) if each.info["cmdline"]]
    names = ("ray::_call", "ray::IDLE")
    return [each for each in processes if each.info["cmdline"][0].startswith(names)]


def test_command_line(tmp_path: Path) -> None:
    """The command finds the cluster by RAY_ADDRESS."""
    loss_run(tmp_path / "runs/a", range(5))
    command = [sys.executable, "-m", "toposcope.server.cli", "index", str(tmp_path / "runs"), "--on", "ray"]
    done = subprocess.run(
        [*command, "--index-dir", str(tmp_path / "index")], capture_output=True, text=True, env=dict(os.environ)
    )
    assert "1 files indexed, 0 were up to date" in done.stdout, done.stderr
