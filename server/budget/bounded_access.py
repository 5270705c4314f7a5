"""Access for a few threads at a time. Others wait, but not for long: there are only forty that answer requests."""

import errno
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class BoundedAccess:
    """Admits a few threads at a time. Another one waits for some seconds; not at all if one has waited in vain.

    Threads are admitted in the order in which they came: with a semaphore, one that leaves and comes back at once would
    keep the others out.

    Args:
        most: threads admitted at a time.
        seconds: that a thread waits at most.
        reason: why it is not admitted then, for the error.
    """

    def __init__(self, most: int, seconds: float, reason: str) -> None:
        self._seconds = seconds
        self._reason = reason
        self._lock = threading.Lock()
        self._free = most
        """Places; 0 while any thread waits."""
        self._waiting = deque[threading.Event]()
        """Set when it is a thread's turn."""
        self._is_stuck = False
        """Whether a thread has waited in vain since one that was admitted left."""

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """Wait until this thread is admitted.

        Raises:
            TimeoutError: an OSError; those admitted before did not leave in time.
        """
        self.enter()
        try:
            yield
        finally:
            self.leave()

    @property
    def is_awaited(self) -> bool:
        """Whether a thread waits."""
        return bool(self._waiting)

    def enter(self) -> None:
        """Wait until this thread is admitted; leave() ends it.

        Raises:
            TimeoutError: as admitted().
        """
        turn = threading.Event()
        with self._lock:
            if self._free:
                self._free -= 1
                return
            if self._is_stuck:
                raise TimeoutError(errno.EBUSY, self._reason)
            self._waiting.append(turn)
        if turn.wait(self._seconds):
            return
        with self._lock:
            if turn.is_set():  # Just now.
                return
            self._waiting.remove(turn)
            self._is_stuck = True
        raise TimeoutError(errno.EBUSY, self._reason)

    def leave(self) -> None:
        """Admit the next thread in place of this one."""
        with self._lock:
            self._is_stuck = False
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
