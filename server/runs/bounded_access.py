"""Access for a few threads at a time. Others wait, but not for long: there are only forty that answer requests."""

import errno
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class BoundedAccess:
    """Admits a few threads at a time. Another one waits for some seconds; not at all if one has waited in vain.

    Args:
        most: threads admitted at a time.
        seconds: that a thread waits at most.
        reason: why it is not admitted then, for the error.
    """

    def __init__(self, most: int, seconds: float, reason: str) -> None:
        self._seconds = seconds
        self._reason = reason
        self._places = threading.BoundedSemaphore(most)
        self._is_stuck = threading.Event()
        """Set when a thread has waited in vain, until one that was admitted leaves."""

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """Wait until this thread is admitted.

        Raises:
            TimeoutError: an OSError; those admitted before did not leave in time.
        """
        if not self._places.acquire(timeout=0 if self._is_stuck.is_set() else self._seconds):
            self._is_stuck.set()
            raise TimeoutError(errno.EBUSY, self._reason)
        try:
            yield
        finally:
            self._is_stuck.clear()
            self._places.release()
