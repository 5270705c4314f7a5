"""A sweep: many losses measured by workers of any executors, in tasks of a second or so, whatever happens to them."""

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
# How often a place is tried before it becomes a hole, and how many workers may die one after the other.
_ATTEMPTS, _DEATHS = 3, 10
# Of an executor that does not tell how many workers it has.
_UNKNOWN_WORKERS = 16


class WorkersLostError(RuntimeError):
    """The workers die, or an executor of the user is broken; what was measured is in the journal."""


class Here(Executor):
    """Runs a task at once, in the thread that submits it."""

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Return a future that is done; exceptions that end the program are raised here."""
        future: Future[_T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@dataclass
class Lane:
    """An executor with what its tasks need, and those that are under way there."""

    executor: Executor
    model: str
    """Where its workers find the model; see Task."""
    device: int | None = None
    ahead: int = 2
    """Tasks under way at a time: one more than workers, so that none of these waits."""
    task_seconds: float = _TASK_SECONDS
    """What a task should take; 0: one loss a task."""
    renew: Callable[[], Executor] | None = None
    """Makes another executor when the process of this one has died; None: it is the user's."""
    running: dict[Future[list[Measurement]], Task] = field(default_factory=dict)
    seconds: float = math.inf
    """That a loss takes here, as far as is known."""
    deaths: int = 0
    """Since a task was finished."""
    has_finished: bool = False

    @classmethod
    def of(cls, executor: Executor, model: str) -> "Lane":
        """Return the lane of an executor of the user."""
        workers: Any = getattr(executor, "_max_workers", None) or getattr(executor, "num_workers", None)
        return cls(executor, model, ahead=2 * workers if isinstance(workers, int) else _UNKNOWN_WORKERS)


class Sweep:
    """Lanes, and what is to be measured on them."""

    def __init__(self, lanes: list[Lane]) -> None:
        self._lanes = lanes
        self._waiting: deque[Request] = deque()
        self._failures: Counter[Place] = Counter()
        self._suspects: set[Place] = set()

    @property
    def workers(self) -> int:
        """How many losses are measured at a time, as far as is known."""
        return sum(max(1, lane.ahead // 2) for lane in self._lanes)

    def run(self, folder: str, mode: str, requests: Iterable[Request]) -> Iterator[Measurement]:
        """Measure the losses of the job in a folder, the first requests first, and yield them as they come.

        The models compute as mode says.

        Every request gets a measurement; a hole when its network raised, or when three workers have died of it.

        Raises:
            ModelError: a worker has no model.
            WorkersLostError: there is nobody to measure any more.
            Exception: what an executor or its workers raised, when they have not measured anything yet.
        """
        self._waiting.extend(requests)
        try:
            while self._waiting or any(lane.running for lane in self._lanes):
                for lane in self._lanes:
                    while self._waiting and len(lane.running) < lane.ahead:
                        self._submit(lane, folder, mode)
                running = {future: lane for lane in self._lanes for future in lane.running}
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in filter(done.__contains__, running):  # In their order: a worker died after its results.
                    if future in running[future].running:  # Else its lane has broken meanwhile.
                        yield from self._settled(running[future], future)
        finally:
            self._waiting.clear()
            for lane in self._lanes:
                for future in lane.running:
                    future.cancel()
                lane.running.clear()

    def close(self, at_once: bool) -> None:
        """End the executors that are ours; at once: in the middle of their tasks."""
        for lane in self._lanes:
            if lane.renew is not None:
                lane.executor.shutdown(cancel_futures=at_once)

    def _submit(self, lane: Lane, folder: str, mode: str) -> None:
        requests = self._next_requests(lane)
        attempt = max(self._failures[request.place] for request in requests)
        task = Task(folder, lane.model, lane.device, mode, attempt, requests)
        try:
            future: Future[list[Measurement]] = lane.executor.submit(measure, task)
        except BrokenExecutor as error:  # It died while it was idle: nobody's fault.
            self._waiting.extendleft(reversed(requests))
            self._renew(lane, error)
            return
        lane.running[future] = task

    def _next_requests(self, lane: Lane) -> tuple[Request, ...]:
        """Take a task's worth; those of a task whose worker died one by one, to see of which."""
        size = 1
        if self._waiting[0].place not in self._suspects and lane.task_seconds and lane.seconds < math.inf:
            # The last tasks are short, so that all workers are done at about the same time.
            share = math.ceil(len(self._waiting) / (2 * self.workers))
            size = max(1, min(int(lane.task_seconds / max(lane.seconds, 1e-6)), share))
        requests = [self._waiting.popleft()]
        while self._waiting and len(requests) < size and self._waiting[0].place not in self._suspects:
            requests.append(self._waiting.popleft())
        return tuple(requests)

    def _settled(self, lane: Lane, future: Future[list[Measurement]]) -> Iterator[Measurement]:
        task = lane.running[future]
        try:
            measurements = future.result()
        except ModelError:
            raise
        except BrokenExecutor as error:
            yield from self._broken(lane, error)
            return
        except Exception as error:  # Of an executor of the user: a worker of Dask was killed, for example.
            del lane.running[future]
            yield from self._failed(lane, task, error)
            return
        del lane.running[future]
        lane.deaths, lane.has_finished = 0, True
        lane.seconds = sum(each.seconds for each in measurements) / len(measurements)
        yield from measurements

    def _broken(self, lane: Lane, error: BrokenExecutor) -> Iterator[Measurement]:
        """Begin anew where a worker died: it was at the first of its tasks, the others were still to come."""
        first, *others = lane.running.values()
        lane.running.clear()
        self._renew(lane, error)
        for task in reversed(others):
            self._waiting.extendleft(reversed(task.requests))
        yield from self._failed(lane, first, error)

    def _renew(self, lane: Lane, error: BrokenExecutor) -> None:
        lane.deaths += 1
        if lane.renew is None:
            raise WorkersLostError(f"The executor is broken ({error}); what was measured is kept.") from error
        if lane.deaths > (_DEATHS if lane.has_finished else _ATTEMPTS):
            raise WorkersLostError(f"{lane.deaths} workers died one after the other: {error}") from error
        log.warn("A worker that measured losses has died (%s); another one takes over.", error)
        lane.executor.shutdown(wait=False, cancel_futures=True)
        lane.executor = lane.renew()

    def _failed(self, lane: Lane, task: Task, error: Exception) -> Iterator[Measurement]:
        again = []
        for request in task.requests:
            self._failures[request.place] += 1
            self._suspects.add(request.place)
            if self._failures[request.place] < _ATTEMPTS:
                again.append(request)
            elif not lane.has_finished:
                raise error
            else:
                yield Measurement(request.place, None, error=f"{_ATTEMPTS} attempts failed: {error}")
        self._waiting.extendleft(reversed(again))
