"""Faults of a writer: each is logged once, and returned once to a caller that raises it."""

import contextlib
from collections import deque

from toposcope.recorder import log


class Faults:
    """The current fault of one writer, and its losses. Protected by the writer's lock, except for log_new()."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.current: Exception | None = None
        """None if the writer is healthy."""
        self.count = 0
        """Number of faults so far, repeated ones included."""
        self._lost = 0
        self._unlogged: deque[str] = deque()
        self._unraised: Exception | None = None

    def note(self, error: Exception) -> None:
        """Store the reason why the writer cannot write."""
        self.count += 1
        if self.current is None:
            self._unraised = error
            self._unlogged.append(
                f"cannot be written: {error!r}. New records wait in memory; they are lost when it is full."
            )
        self.current = error

    def clear(self) -> None:
        """Note that the writer is healthy."""
        if self.current is not None:
            self._unlogged.append("is written again.")
        self.report_losses()
        self.current = self._unraised = None

    def take_unraised(self) -> Exception | None:
        """Return the current fault, or None if it has been returned before."""
        error, self._unraised = self._unraised, None
        return error

    def add_lost(self, count: int) -> None:
        """Count events that will never be in the file."""
        self._lost += count

    def report_losses(self) -> None:
        """Queue a log message with the number of lost events, if there are any."""
        if self._lost:
            self._unlogged.append(f"{self._lost} recorded events are lost.")
        self._lost = 0

    def log_new(self) -> None:
        """Log the queued messages. Must be called without the writer's lock: a log handler may itself record."""
        with contextlib.suppress(IndexError):  # Another thread may log at the same time.
            while True:
                log.error("%s: %s", self._path, self._unlogged.popleft())
