"""CheckpointWriter: writes one checkpoint at a time, at once or in a thread, and tells how it went."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple


class Job(NamedTuple):
    """A checkpoint to be written."""

    path: str
    step: int
    seconds: float
    """When it was taken, by a clock that never goes back."""
    write: Callable[[], None]


class Outcome(NamedTuple):
    """What became of a job."""

    job: Job
    error: Exception | None


class CheckpointWriter:
    """Remembers the job that was begun until its outcome is taken; the interpreter does not end before its thread."""

    def __init__(self, is_async: bool) -> None:
        """Write in a thread, or in begin()."""
        self._is_async = is_async
        self._begun: Future[Outcome] | None = None

    def begin(self, job: Job) -> None:
        """Write a checkpoint; the outcome of the one before was taken."""
        assert self._begun is None
        if self._is_async:
            thread = ThreadPoolExecutor(1, "toposcope checkpoint")
            self._begun = thread.submit(_outcome, job)
            thread.shutdown(wait=False)
        else:
            self._begun = Future()
            self._begun.set_result(_outcome(job))

    def take_outcome(self, *, waits: bool) -> Outcome | None:
        """Return the outcome of the job that was begun; None when there is none, or it goes on and waits is False."""
        if self._begun is None or not (waits or self._begun.done()):
            return None
        begun, self._begun = self._begun, None
        return begun.result()


def _outcome(job: Job) -> Outcome:
    try:
        job.write()
    except Exception as error:
        return Outcome(job, error)
    return Outcome(job, None)
