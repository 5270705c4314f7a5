"""CheckpointWriter: writes one checkpoint at a time, synchronously or in a thread, and reports the outcome."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple


class Job(NamedTuple):
    """A checkpoint to write."""

    path: str
    step: int
    seconds: float
    """Time of the capture, by a monotonic clock."""
    write: Callable[[], None]


class Outcome(NamedTuple):
    """The result of a job; error is None if it succeeded."""

    job: Job
    error: Exception | None


class CheckpointWriter:
    """Keeps the current job until its outcome is taken. The interpreter waits for the thread before it exits."""

    def __init__(self, is_async: bool) -> None:
        """Write in a thread if *is_async* is set, otherwise in start()."""
        self._is_async = is_async
        self._current: Future[Outcome] | None = None

    def start(self, job: Job) -> None:
        """Start to write a checkpoint; the outcome of the previous job must have been taken."""
        assert self._current is None
        if self._is_async:
            thread = ThreadPoolExecutor(1, "toposcope checkpoint")
            self._current = thread.submit(_outcome, job)
            thread.shutdown(wait=False)
        else:
            self._current = Future()
            self._current.set_result(_outcome(job))

    def take_outcome(self, *, waits: bool) -> Outcome | None:
        """Return the outcome of the current job; None if there is no job, or it is running and waits is False."""
        if self._current is None or not (waits or self._current.done()):
            return None
        job, self._current = self._current, None
        return job.result()


def _outcome(job: Job) -> Outcome:
    try:
        job.write()
    except Exception as error:
        return Outcome(job, error)
    return Outcome(job, None)
