"""A thread for what may hang, such as a network disk: others wait for it for seconds, and not at all while it hangs."""

import errno
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

from toposcope.server.budget.bounded_access import BoundedAccess

_MAX_WAITING, _LONGEST_WAIT = 8, 1.0
"""So many threads wait for it at a time; another one waits that long for its turn."""
_REASON = "the disk does not answer"
Result = TypeVar("Result")


class DiskThread:
    """Does one thing after another in a thread of its own, which starts with the first.

    Args:
        name: of the thread.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._jobs = SimpleQueue[tuple["Future[Any]", Callable[[], Any]]]()
        self._late: Future[Any] | None = None
        """What did not end in time."""
        self._access = BoundedAccess(_MAX_WAITING, _LONGEST_WAIT, _REASON)

    def do(self, work: Callable[[], Result], seconds: float) -> Result:
        """Return the result of some work.

        Args:
            work: is done anyway if it ends later, but its result is lost.
            seconds: how long to wait for it.

        Raises:
            TimeoutError: an OSError; it has not ended in time, or earlier work has not ended yet.
        """
        if threading.current_thread() is self._thread:  # A part of what it does.
            return work()
        with self._access.admitted():
            future = self._begin(work)
            try:
                return future.result(seconds)
            except TimeoutError:
                if future.done():  # The work itself failed with this.
                    raise
                self._late = future
                raise TimeoutError(errno.ETIMEDOUT, _REASON) from None

    def _begin(self, work: Callable[[], Result]) -> "Future[Result]":
        if self._late is not None and not self._late.done():
            raise TimeoutError(errno.ETIMEDOUT, _REASON)
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
        future: Future[Result] = Future()
        self._jobs.put((future, work))
        return future

    def _work(self) -> None:
        while True:
            future, work = self._jobs.get()
            try:
                future.set_result(work())
            except BaseException as error:  # It is raised in the thread that waits.
                future.set_exception(error)
