"""Faults of a writer: each is logged once, and returned once to a caller that raises it."""

import contextlib
from collections import deque
from collections.abc import Callable

from toposcope.recorder import log

# A shorter wait, over a whole recording, is not worth a log line.
_MIN_WAIT_SECONDS = 0.1


class Faults:
    """The current fault of one writer, and its losses. Protected by the writer's lock, except for log_new()."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.current: Exception | None = None
        """None if the writer is healthy."""
        self.count = 0
        """Number of faults so far, repeated ones included."""
        self.lost = 0
        """Number of events so far that will never be in the file, without those dropped on a backlog."""
        self.dropped = 0
        """Number of events dropped on a backlog."""
        self.waited = 0.0
        """Time in seconds that callers waited because of a backlog."""
        self._unreported = 0
        self._unlogged: deque[tuple[Callable[..., None], str]] = deque()
        self._unraised: Exception | None = None
        self._latest: Exception | None = None

    def note(self, error: Exception) -> None:
        """Store the reason why the writer cannot write."""
        self.count += 1
        if self.current is None:
            self._unraised = error
            self._log(f"cannot be written: {error!r}. New records wait in memory; they are lost when it is full.")
        self.current = self._latest = error

    def clear(self) -> None:
        """Note that the writer is healthy."""
        if self.current is not None:
            self._log("is written again.")
        self.report_losses()
        self.current = self._unraised = None

    def take_unraised(self) -> Exception | None:
        """Return the current fault, or None if it has been returned before."""
        error, self._unraised = self._unraised, None
        return error

    def add_lost(self, count: int) -> None:
        """Count events that will never be in the file."""
        self.lost += count
        self._unreported += count

    def loss(self) -> Exception | None:
        """Return an error with the number of lost events and the latest fault; None if no events are lost."""
        if not self.lost:
            return None
        text, error = f"{self.lost} recorded events are lost", self._latest
        if isinstance(error, OSError) and error.errno is not None:
            return OSError(error.errno, f"{text}: {error.strerror}", self._path)
        return OSError(f"{self._path}: {text}: {error!r}")

    def report_losses(self) -> None:
        """Queue a log message with the number of lost events, if there are any."""
        if self._unreported:
            self._log(f"{self._unreported} recorded events are lost.")
        self._unreported = 0

    def report_backlog(self) -> None:
        """Queue log messages with what was waited and dropped because events were recorded faster than written."""
        if self.waited >= _MIN_WAIT_SECONDS:
            self._log(f"calls have waited {self.waited:.1f} seconds for the disk, which is too slow.", log.warn)
        if self.dropped:
            self._log(f"{self.dropped} events were dropped, as the disk is too slow (on_backlog='drop').")

    def log_new(self) -> None:
        """Log the queued messages. Must be called without the writer's lock: a log handler may itself record."""
        with contextlib.suppress(IndexError):  # Another thread may log at the same time.
            while True:
                log_line, text = self._unlogged.popleft()
                log_line("%s: %s", self._path, text)

    def _log(self, text: str, log_line: Callable[..., None] = log.error) -> None:
        self._unlogged.append((log_line, text))
