"""A lake whose parts are written by workers, of which any may be killed at any time."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.event_files import loss_run
from support.lakes import content, rows

from toposcope.executors import Workers, workers_on
from toposcope.server.indexing.indexing import index_logdir
from toposcope.server.indexing.lake import write_lake_of
from toposcope.server.lake.compaction import Compacted, Limits, NewPart, compact
from toposcope.server.lake.folder import LocalFolder
from toposcope.server.loading.load_once import load_logdir

LIMITS = Limits(points=30, runs=3)
DEADLY = "part-00001"


class DeadlyProcesses(Executor):
    """Processes that are killed in the middle of a part, as often as there are files in a folder."""

    def __init__(self, processes: Executor, deaths: Path) -> None:
        self._processes, self._deaths = processes, deaths
        self.parts: list[str] = []
        """Those that were submitted, by name."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Write a part in one of the processes."""
        (name,) = (each.name for each in arguments if isinstance(each, NewPart))
        self.parts.append(name)
        if name != DEADLY:
            return self._processes.submit(function, *arguments, **named)
        return self._processes.submit(killed_in_the_middle, self._deaths, function, *arguments, **named)


def killed_in_the_middle(deaths: Path, function: Callable[..., Any], *arguments: Any) -> Any:
    """Write a part; while a file is left, delete it and kill this process between the points and their statistics."""
    create = LocalFolder.create

    def kill(folder: LocalFolder, name: str) -> Any:
        if name.startswith("tags/") and (left := next(deaths.iterdir(), None)):
            left.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return create(folder, name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LocalFolder, "create", kill)
        return function(*arguments)


@pytest.fixture(scope="module")
def processes() -> Iterator[Workers]:
    """Two processes."""
    with workers_on("processes:2") as workers:
        yield workers


@pytest.fixture(autouse=True)
def logdir(tmp_path: Path, processes: Workers) -> Path:
    """Return a logdir of four parts, which is indexed; its lake by one process is "expected"."""
    logdir = tmp_path / "runs"
    for number in range(12):
        loss_run(logdir / f"{number:02}", range(10), seconds=1000 + number)
    index_logdir(str(logdir), str(tmp_path / "index"), processes)
    compact(LocalFolder(str(tmp_path / "expected")), load_logdir(str(logdir)).runs)
    return logdir


def deadly(folder: Path, processes: Workers, deaths: int = 0) -> DeadlyProcesses:
    """Return processes of which some will be killed."""
    (folder / "deaths").mkdir(exist_ok=True)
    for number in range(deaths):
        (folder / "deaths" / str(number)).touch()
    return DeadlyProcesses(processes.executor, folder / "deaths")


def write(folder: Path, processes: Workers, executor: Executor, limits: Limits = LIMITS) -> Compacted:
    """Bring the lake up to date."""
    workers = replace(processes, executor=executor)
    return write_lake_of(str(folder / "runs"), str(folder / "index"), str(folder / "lake"), workers, limits=limits)


def test_part_of_a_killed_worker_is_written_again(tmp_path: Path, processes: Workers) -> None:
    """In the same call: its rows are those of one process."""
    executor = deadly(tmp_path, processes, deaths=1)
    assert write(tmp_path, processes, executor)[:4] == (12, 120, 4, 4)
    assert executor.parts.count(DEADLY) == 2
    assert content(tmp_path / "lake") == content(tmp_path / "expected")


def test_next_call_completes_a_lake_whose_workers_were_killed(tmp_path: Path, processes: Workers) -> None:
    """On the workers; no point is there twice before, and nothing is left to write afterwards."""
    with pytest.raises(RuntimeError, match=r"part-\d+ of the lake was not written: 3 workers ended: BrokenProcessPool"):
        write(tmp_path, processes, deadly(tmp_path, processes, deaths=3))
    found = list(map(repr, rows(tmp_path / "lake", "scalars")))
    assert len(found) == len(set(found))

    executor = deadly(tmp_path, processes)
    assert write(tmp_path, processes, executor).parts == 4
    assert DEADLY in executor.parts
    assert content(tmp_path / "lake") == content(tmp_path / "expected")
    assert write(tmp_path, processes, executor).written_parts == 0


def test_part_that_grew_is_written_by_a_worker(tmp_path: Path, processes: Workers, logdir: Path) -> None:
    """It alone."""
    write(tmp_path, processes, deadly(tmp_path, processes))
    loss_run(logdir / "04", range(10, 20), seconds=2000)
    index_logdir(str(logdir), str(tmp_path / "index"), processes)

    executor = deadly(tmp_path, processes)
    assert write(tmp_path, processes, executor).written_parts == 1
    assert executor.parts == [DEADLY]
    compact(LocalFolder(str(tmp_path / "expected")), load_logdir(str(logdir)).runs)
    assert content(tmp_path / "lake") == content(tmp_path / "expected")


def test_parts_between_which_runs_move_are_written_in_order(tmp_path: Path, processes: Workers) -> None:
    """By the process that knows the order."""
    write(tmp_path, processes, deadly(tmp_path, processes))

    executor = deadly(tmp_path, processes)
    assert write(tmp_path, processes, executor, Limits(points=10, runs=1)).parts == 12
    assert executor.parts == []
    assert content(tmp_path / "lake") == content(tmp_path / "expected")
