"""A change of a file's status that does not follow from growth: its times, without its size."""

import time

from toposcope.server.places.place import Status

_SETTLED_SECONDS = 2.0


class UnexplainedChange:
    """The last such change. A file that grows just now may have its new time before its new size."""

    def __init__(self) -> None:
        self._status: Status | None = None
        self._since = 0.0
        """When it was seen first, in seconds of time.monotonic()."""

    @property
    def is_pending(self) -> bool:
        """Whether the status must be looked at again."""
        return self._status is not None

    def has_settled(self, old: Status | None, status: Status) -> bool:
        """Return whether a file was written or its times were set, without growth, and has stayed so for a while.

        Args:
            old: its status when it was read; None: it was not read.
            status: its status now.
        """
        if old is None or status.size != old.size or status[1:] == old[1:]:
            self._status = None
            return False
        if self._status != status:
            self._status, self._since = status, time.monotonic()
        return time.monotonic() - self._since >= _SETTLED_SECONDS
