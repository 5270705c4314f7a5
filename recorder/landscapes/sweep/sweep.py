"""Sweep: many losses measured by the workers of any executors, in tasks of about a second, despite failures."""

import math
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from toposcope.recorder import log
from toposcope.recorder.landscapes.sweep.journal import Measurement, Place
from toposcope.recorder.landscapes.sweep.measuring import ModelError, Request, Task, measure

_P = ParamSpec("_P")
_T = TypeVar("_T")
_TASK_SECONDS = 1.0
# Attempts at a place before it becomes a hole, and the limit of workers that die in succession.
_ATTEMPTS, _DEATHS = 3, 10
# For an executor that does not provide its number of workers.
_UNKNOWN_WORKERS = 16


class WorkersLostError(RuntimeError):
    """The workers die, or an executor of the user is broken; measured losses are in the journal."""


class InlineExecutor(Executor):
    """Runs each task immediately, in the thread that submits it."""

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Return a completed future; exceptions that end the program are raised here."""
        future: Future[_T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@dataclass
class Lane:
    """An executor, the parameters of its tasks, and its running tasks."""

    executor: Executor
    model: str
    """The name of the model in its workers; see Task."""
    device: int | None = None
    ahead: int = 2
    """Submitted tasks at a time: more than there are workers, so that none is idle."""
    task_seconds: float = _TASK_SECONDS
    """The desired duration of a task; 0: one loss for each task."""
    renew: Callable[[], Executor] | None = None
    """Creates a new executor when the process of this one has died; None: the executor is the user's."""
    running: dict[Future[list[Measurement]], Task] = field(default_factory=dict)
    seconds: float = math.inf
    """The duration of a loss; infinity if unknown."""
    deaths: int = 0
    """Deaths of workers since the last finished task."""
    has_finished: bool = False

    @classmethod
    def of(cls, executor: Executor, model: str) -> "Lane":
        """Return the lane of a user's executor."""
        workers: Any = getattr(executor, "_max_workers", None) or getattr(executor, "num_workers", None)
        return cls(executor, model, ahead=2 * workers if isinstance(workers, int) else _UNKNOWN_WORKERS)


class Sweep:
    """Lanes, and the requests to measure on them."""

    def __init__(self, lanes: list[Lane]) -> None:
        self._lanes = lanes
        self._waiting: deque[Request] = deque()
        self._failures: Counter[Place] = Counter()
        self._suspects: set[Place] = set()

    @property
    def workers(self) -> int:
        """The number of losses that are measured at a time, as far as known."""
        return sum(max(1, lane.ahead // 2) for lane in self._lanes)

    def run(self, folder: str, mode: str, requests: Iterable[Request]) -> Iterator[Measurement]:
        """Measure losses of the job in a folder, in the order of the requests, and yield them as they arrive.

        The models compute in *mode*. Every request has a measurement: a hole if its network raised, or if three workers
        have died of it.

        Raises:
            ModelError: a worker has no model.
            WorkersLostError: there are no workers any more.
            Exception: an exception of an executor or its workers that have not measured anything yet.
        """
        self._waiting.extend(requests)
        try:
            while self._waiting or any(lane.running for lane in self._lanes):
                for lane in self._lanes:
                    while self._waiting and len(lane.running) < lane.ahead:
                        self._submit(lane, folder, mode)
                running = {future: lane for lane in self._lanes for future in lane.running}
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in filter(
                    done.__contains__, running
                ):  # In order: results precede the death of their worker.
                    if future in running[future].running:  # Otherwise its lane has broken meanwhile.
                        yield from self._results(running[future], future)
        finally:
            self._waiting.clear()
            for lane in self._lanes:
                for future in lane.running:
                    future.cancel()
                lane.running.clear()

    def close(self, kills: bool) -> None:
        """End our own executors; with *kills*, in the middle of their tasks."""
        for lane in self._lanes:
            if lane.renew is not None:
                lane.executor.shutdown(cancel_futures=kills)

    def _submit(self, lane: Lane, folder: str, mode: str) -> None:
        requests = self._next_requests(lane)
        attempt = max(self._failures[request.place] for request in requests)
        task = Task(folder, lane.model, lane.device, mode, attempt, requests)
        try:
            future: Future[list[Measurement]] = lane.executor.submit(measure, task)
        except BrokenExecutor as error:  # The worker died while it was idle: no task is to blame.
            self._waiting.extendleft(reversed(requests))
            self._renew(lane, error)
            return
        lane.running[future] = task

    def _next_requests(self, lane: Lane) -> tuple[Request, ...]:
        """Return the requests of the next task; after the death of a worker one by one, to find the cause."""
        size = 1
        if self._waiting[0].place not in self._suspects and lane.task_seconds and lane.seconds < math.inf:
            # The last tasks are short, so that all workers finish at about the same time.
            share = math.ceil(len(self._waiting) / (2 * self.workers))
            size = max(1, min(int(lane.task_seconds / max(lane.seconds, 1e-6)), share))
        requests = [self._waiting.popleft()]
        while self._waiting and len(requests) < size and self._waiting[0].place not in self._suspects:
            requests.append(self._waiting.popleft())
        return tuple(requests)

    def _results(self, lane: Lane, future: Future[list[Measurement]]) -> Iterator[Measurement]:
        task = lane.running[future]
        try:
            measurements = future.result()
        except ModelError:
            raise
        except BrokenExecutor as error:
            yield from self._broken(lane, error)
            return
        except Exception as error:  # From a user's executor: for example, a worker of Dask was killed.
            del lane.running[future]
            yield from self._failed(lane, task, error)
            return
        del lane.running[future]
        lane.deaths, lane.has_finished = 0, True
        lane.seconds = sum(each.seconds for each in measurements) / len(measurements)
        yield from measurements

    def _broken(self, lane: Lane, error: BrokenExecutor) -> Iterator[Measurement]:
        """Resubmit the tasks of a worker that died: it was running the first one, the others had not started."""
        first, *others = lane.running.values()
        lane.running.clear()
        self._renew(lane, error)
        for task in reversed(others):
            self._waiting.extendleft(reversed(task.requests))
        yield from self._failed(lane, first, error)

    def _renew(self, lane: Lane, error: BrokenExecutor) -> None:
        lane.deaths += 1
        if lane.renew is None:
            raise WorkersLostError(f"The executor is broken ({error}); measured losses are stored.") from error
        if lane.deaths > (_DEATHS if lane.has_finished else _ATTEMPTS):
            raise WorkersLostError(f"{lane.deaths} workers died in succession: {error}") from error
        log.warn("A worker that measured losses has died (%s); it is replaced.", error)
        lane.executor.shutdown(wait=False, cancel_futures=True)
        lane.executor = lane.renew()

    def _failed(self, lane: Lane, task: Task, error: Exception) -> Iterator[Measurement]:
        retried = []
        for request in task.requests:
            self._failures[request.place] += 1
            self._suspects.add(request.place)
            if self._failures[request.place] < _ATTEMPTS:
                retried.append(request)
            elif not lane.has_finished:
                raise error
            else:
                yield Measurement(request.place, None, error=f"{_ATTEMPTS} attempts failed: {error}")
        self._waiting.extendleft(reversed(retried))
