"""An index that many processes have made: equal to a first load, whatever happens to the processes."""

import os
import pty
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest
from support.child_processes import running_children
from support.event_files import GOLDEN, loss_run, scalar_event
from support.indexed_runs import CountingDisk, assert_equal_to_a_first_load, start
from support.servers import run, wait_until

from toposcope.executors import Workers, workers_on
from toposcope.server.indexing.indexing import Progress, index_logdir
from toposcope.server.indexing.lake import write_lake_of
from toposcope.server.indexing.running import run_tasks
from toposcope.server.indexing.task import Indexed, Task, index_files
from toposcope.server.lake.compaction import compact
from toposcope.server.lake.folder import open_folder
from toposcope.server.loading.finding.discovery import discover
from toposcope.server.loading.load_once import load_logdir
from toposcope.server.loading.logdir import Logdir
from toposcope.server.places.stores.pieces import NOTHING
from toposcope.server.reading.index.index import open_index
from toposcope.server.reading.index.packs.shared_packs import shared_address, store_shared_pack


@pytest.fixture(scope="module")
def processes() -> Iterator[Workers]:
    """Two processes."""
    with workers_on("processes:2") as workers:
        yield workers


def test_server_reads_no_event_file(tmp_path: Path, processes: Workers) -> None:
    """A server that is started with the index opens no event file, and has all that a first load has."""
    shutil.copytree(GOLDEN, tmp_path / "runs")
    cut = loss_run(tmp_path / "runs/killed", range(5))
    cut.write_bytes(cut.read_bytes()[:-3])

    summary = index_logdir(str(tmp_path / "runs"), str(tmp_path / "index"), processes)

    runs, opened = start(tmp_path / "runs", tmp_path / "index")
    assert opened == []
    assert_equal_to_a_first_load(runs, tmp_path / "runs")
    assert (summary.indexed, summary.up_to_date, summary.problems) == (summary.files, 0, {})


def test_files_that_grew_are_read_on(tmp_path: Path, processes: Workers) -> None:
    """A server reads what was appended after indexing; indexing again replaces the packs."""
    logdir, index = tmp_path / "runs", tmp_path / "index"
    path = loss_run(logdir / "live", range(5))
    loss_run(logdir / "finished", range(5))
    index_logdir(str(logdir), str(index), processes)
    with path.open("ab") as file:
        file.write(scalar_event(100.0, 5, {"loss": 0.5}))

    runs, opened = start(logdir, index)
    assert opened == [str(path)]
    assert_equal_to_a_first_load(runs, logdir)

    loss_run(logdir / "finished", range(5, 9), seconds=2)
    assert index_logdir(str(logdir), str(index), processes).indexed == 3
    assert len(list(index.rglob("shared/*.pack"))) == 1
    runs, opened = start(logdir, index)
    assert opened == []
    assert_equal_to_a_first_load(runs, logdir)


def test_running_server_uses_new_packs(tmp_path: Path, processes: Workers) -> None:
    """Of runs that were indexed before a server has found them, it opens no event file."""
    logdir, index = tmp_path / "runs", tmp_path / "index"
    first = loss_run(logdir / "first", range(5))
    disk = CountingDisk()
    loading = Logdir(str(logdir), 1e6, open_index(str(index)), disk)
    loading.step()
    for number in range(3):
        loss_run(logdir / f"new-{number}", range(5))
    index_logdir(str(logdir), str(index), processes)
    loading.walk_soon()
    loading.step()
    assert len(loading.snapshot.runs) == 4
    assert disk.opened == [str(first)]
    loading.stop_loading()
    assert_equal_to_a_first_load(dict(loading.snapshot.runs), logdir)


def test_interrupted_indexing_continues(tmp_path: Path, processes: Workers) -> None:
    """After an interruption the same call reads only what is missing."""
    for number in range(6):
        loss_run(tmp_path / f"runs/{number}", range(5))

    def interrupt(progress: Progress) -> None:
        if progress.files >= 2:
            raise KeyboardInterrupt

    logdir, index = str(tmp_path / "runs"), str(tmp_path / "index")
    with pytest.raises(KeyboardInterrupt):
        index_logdir(logdir, index, processes, progress=interrupt, task_runs=1)

    summary = index_logdir(logdir, index, processes)
    assert summary.indexed + summary.up_to_date == 6
    assert 2 <= summary.up_to_date < 6  # The workers may have completed the tasks that they had.
    assert_equal_to_a_first_load(start(tmp_path / "runs", tmp_path / "index")[0], tmp_path / "runs")


def test_killed_process_is_replaced(tmp_path: Path) -> None:
    """A worker that is killed is replaced, and what it read is read again; nothing stays when the command is killed."""
    for number in range(50):
        loss_run(tmp_path / f"runs/{number}", range(100))
    process = start_indexing(tmp_path)
    wait_until(lambda: running_children(process.pid, "spawn_main"))[0].kill()
    out, error = process.communicate()
    assert process.returncode == 0, error
    assert "50 files indexed" in out
    runs, opened = start(tmp_path / "runs", tmp_path / "index")
    assert opened == []
    assert_equal_to_a_first_load(runs, tmp_path / "runs")

    shutil.rmtree(tmp_path / "index")
    process = start_indexing(tmp_path)
    workers = wait_until(lambda: running_children(process.pid, "spawn_main"))
    process.kill()
    process.communicate()
    psutil.wait_procs(workers, 30)
    assert not any(worker.is_running() for worker in workers)


def start_indexing(folder: Path) -> subprocess.Popen[str]:
    """Start to index the runs in a folder, on two processes."""
    command = [sys.executable, "-m", "toposcope.server.cli", "index", str(folder / "runs")]
    command += ["--on", "processes:2", "--index-dir", str(folder / "index")]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_killed_command_continues(tmp_path: Path) -> None:
    """It keeps the packs that are there, and what it left in their folder is deleted a day later."""
    for number in range(2000):
        loss_run(tmp_path / f"runs/{number:04}", range(2))
    process = start_indexing(tmp_path)
    shared = tmp_path / "index/shared"
    wait_until(lambda: list(shared.glob("*.pack")))
    process.kill()
    process.communicate()
    (mark,) = shared.glob("*.mark")
    os.utime(mark, (1.0, 1.0))

    process = start_indexing(tmp_path)
    out, error = process.communicate()
    assert process.returncode == 0, error
    assert "index: 2,000 files indexed" not in out
    assert not mark.exists()
    runs, opened = start(tmp_path / "runs", tmp_path / "index")
    assert opened == []
    assert len(runs) == 2000


def test_progress_is_a_bar_on_a_terminal(tmp_path: Path) -> None:
    """In one line that is overwritten, with how much is left."""
    for number in range(3):
        loss_run(tmp_path / f"runs/{number}", range(5))
    terminal, side = pty.openpty()
    command = [sys.executable, "-m", "toposcope.server.cli", "index", str(tmp_path / "runs"), "--on", "processes:1"]
    process = subprocess.Popen(
        [*command, "--index-dir", str(tmp_path / "index")], stdout=subprocess.DEVNULL, stderr=side
    )
    process.wait()
    os.close(side)
    shown = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert [line.rstrip() for line in shown.split("\r") if line.strip()] == [
        "[          ] 0 of 3 files, 0 of 0 MB",
        "[##########] 3 of 3 files, 0 of 0 MB, 0 s left",
    ]


def test_workers_elsewhere_return_what_they_read(tmp_path: Path, processes: Workers) -> None:
    """A worker that does not find the mark in the folder of the index returns the pack, and writes nothing."""
    loss_run(tmp_path / "runs/a", range(5))
    task = Task(str(tmp_path / "runs"), False, discover(str(tmp_path / "runs")).files, NOTHING, str(tmp_path), "none")
    result = processes.executor.submit(index_files, task).result()
    assert result.pack is not None
    store_shared_pack(shared_address(str(tmp_path / "index")), task.name, result.pack)
    assert list(tmp_path.glob("*.pack")) == []
    runs, opened = start(tmp_path / "runs", tmp_path / "index")
    assert opened == []
    assert_equal_to_a_first_load(runs, tmp_path / "runs")


def test_lake_is_equal_to_that_of_one_process(tmp_path: Path, processes: Workers) -> None:
    """The tables that workers write have the same rows, also of runs that are sessions of others."""
    logdir, index = str(GOLDEN), str(tmp_path / "index")
    index_logdir(logdir, index, processes)
    write_lake_of(logdir, index, str(tmp_path / "lake"), processes)
    compact(open_folder(str(tmp_path / "expected")), load_logdir(logdir).runs)
    for name in ("scalars/part-00000.parquet", "tags/part-00000.parquet", "runs.parquet"):
        written, expected = (pq.read_table(tmp_path / lake / name) for lake in ("lake", "expected"))
        assert repr(written.to_pylist()) == repr(expected.to_pylist())  # As NaN is not equal to NaN.
    assert write_lake_of(logdir, index, str(tmp_path / "lake"), processes).written_parts == 0


def kill_itself_at_bad(task: Task) -> Indexed:
    """Index files, or end the process if a run is named bad."""
    if any(file.run == "bad" for file in task.files):
        os.kill(os.getpid(), signal.SIGKILL)
    return index_files(task)


def test_run_that_ends_its_workers_is_reported(tmp_path: Path) -> None:
    """All other runs are indexed, even those of the same task."""
    for name in ("a", "bad", "c", "d"):
        loss_run(tmp_path / name, range(5))
    files = discover(str(tmp_path)).files
    tasks = [
        Task(str(tmp_path), False, group, NOTHING, str(tmp_path / "packs"), "none")
        for group in (files[:2], files[2:3], files[3:])
    ]

    indexed, failed = set(), dict[str, str]()
    with workers_on("processes:2") as workers:
        for task, result in run_tasks(tasks, workers, kill_itself_at_bad):
            runs = {file.run for file in task.files}
            if isinstance(result, Exception):
                failed.update(dict.fromkeys(runs, str(result)))
            else:
                indexed |= runs
    assert indexed == {"a", "c", "d"}
    assert failed == {"bad": "a worker that read it ended: BrokenProcessPool"}


@pytest.mark.parametrize(
    ("workers", "reason"),
    [
        ("threads", "'threads' does not name workers: expected processes, processes:N, dask://HOST:PORT, ray"),
        ("processes:0", "expected processes:N with N from 1 to"),
        ("dask:scheduler", "'dask:scheduler' does not name workers"),
    ],
)
def test_invalid_workers_are_refused(tmp_path: Path, workers: str, reason: str) -> None:
    """With an error that names the argument and what is expected."""
    result = run("index", tmp_path, "--on", workers, "--index-dir", tmp_path.parent / "index")
    assert result.returncode == 2
    assert reason in result.stderr


def test_damaged_files_are_indexed(tmp_path: Path, processes: Workers) -> None:
    """What is damaged is known from the index too, and what is no file is left out."""
    loss_run(tmp_path / "runs/good", range(5))
    broken = loss_run(tmp_path / "runs/broken", range(5))
    content = bytearray(broken.read_bytes())
    content[-20] ^= 1
    broken.write_bytes(content)
    os.mkfifo(tmp_path / "runs/good/events.out.events.summary.2.0.host_MS")

    logdir, index = str(tmp_path / "runs"), str(tmp_path / "index")
    assert index_logdir(logdir, index, processes)[:3] == (2, 2, 0)
    assert index_logdir(logdir, index, processes)[:3] == (2, 0, 2)
    assert_equal_to_a_first_load(start(tmp_path / "runs", tmp_path / "index")[0], tmp_path / "runs")
