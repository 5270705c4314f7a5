"""Runs tasks on workers, of which any may end at any time."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import NamedTuple

from toposcope.executors import Workers
from toposcope.server.indexing.task import Indexed, Task, index_files

_AHEAD = 2
"""Tasks for each worker that are submitted: results that nobody takes yet are few."""
_SECONDS = 5.0
"""How often to look whether there are more workers."""


class Finished(NamedTuple):
    """A task that has ended."""

    task: Task
    result: Indexed | Exception


class _Attempt(NamedTuple):
    task: Task
    losses: int = 0
    """How often its worker ended."""
    is_alone: bool = False
    """Whether no other task may run at the same time, so that it is certain which one ends its worker."""


def run_tasks(
    tasks: Iterable[Task], workers: Workers, work: Callable[[Task], Indexed] = index_files
) -> Iterator[Finished]:
    """Run tasks, and yield them as they end.

    A task whose worker ended is repeated. If that happens twice, its runs are tasks of their own, which run alone; if
    such a task is lost, it has failed.

    Args:
        tasks: to run.
        workers: run them.
        work: runs one in a worker.
    """
    waiting = deque(_Attempt(task) for task in tasks)
    suspects = deque[_Attempt]()
    running: dict[Future[Indexed], _Attempt] = {}

    def submit(attempt: _Attempt) -> None:
        running[workers.executor.submit(work, attempt.task)] = attempt

    try:
        while waiting or suspects or running:
            while waiting and len(running) < _AHEAD * max(workers.count(), 1):
                submit(waiting.popleft())
            if not running:
                submit(suspects.popleft())
            done, _ = wait(running, _SECONDS, FIRST_COMPLETED)
            for future in done:
                attempt = running.pop(future)
                try:
                    yield Finished(attempt.task, future.result())
                except workers.lost as error:
                    if attempt.is_alone:
                        yield Finished(
                            attempt.task, RuntimeError(f"a worker that read it ended: {type(error).__name__}")
                        )
                    elif attempt.losses:
                        suspects += [_Attempt(task, is_alone=True) for task in _runs(attempt.task)]
                    else:
                        waiting.append(attempt._replace(losses=1))
                except Exception as error:  # Of the task: others go on.
                    yield Finished(attempt.task, error)
    finally:
        for future in running:
            future.cancel()


def _runs(task: Task) -> list[Task]:
    """Return a task for each run of a task."""
    runs = dict.fromkeys(file.run for file in task.files)
    return [task._replace(files=[file for file in task.files if file.run == run]) for run in runs]
