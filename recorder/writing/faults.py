"""What is wrong with a writer, and who has been told: the log once a fault, the caller once if it wants to know."""

import contextlib
from collections import deque

from toposcope.recorder import log


class Faults:
    """The present fault of one writer. The writer's lock protects it."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.present: Exception | None = None
        """None: the writer works."""
        self.count = 0
        """Faults noted so far, repeated ones included."""
        self._lost = 0
        self._unlogged: deque[str] = deque()
        self._unraised: Exception | None = None

    def note(self, error: Exception) -> None:
        """Remember that the writer cannot write, and why."""
        self.count += 1
        if self.present is None:
            self._unraised = error
            self._unlogged.append(
                f"cannot be written: {error!r}. What is recorded meanwhile waits, and is lost when too much waits."
            )
        self.present = error

    def clear(self) -> None:
        """Remember that the writer works."""
        if self.present is not None:
            self._unlogged.append("is written again.")
        self.tell_losses()
        self.present = self._unraised = None

    def take_unraised(self) -> Exception | None:
        """Return the present fault, or None when it was returned before."""
        error, self._unraised = self._unraised, None
        return error

    def lose(self, count: int) -> None:
        """Count events that will never be in the file."""
        self._lost += count

    def tell_losses(self) -> None:
        """Have the number of lost events logged by the next log(), if there are any."""
        if self._lost:
            self._unlogged.append(f"{self._lost} recorded events are lost.")
        self._lost = 0

    def log(self) -> None:
        """Log what is new. Call it without the writer's lock: a log handler may itself record."""
        with contextlib.suppress(IndexError):  # Another thread may log at the same time.
            while True:
                log.complain("%s: %s", self._path, self._unlogged.popleft())
