"""When a logdir is walked: at intervals, and sooner if something could not be read or has changed."""

import math
import time

RETRY_SECONDS, _LONGEST_RETRY_SECONDS = 0.5, 30.0
"""How soon a walk that could not read something is repeated, at first and at last; each time after twice as long."""
_MAX_RETRIES = 10
"""The number of retries of a logdir that is loaded only once."""
_WALK_SHARE = 50
"""A walk that takes t seconds is repeated after at least 50 t: 2 % of a core. Waiting for a store takes none."""


class WalkSchedule:
    """The time of the next walk.

    Args:
        reload_seconds: the least interval; 0: the logdir is walked only once, unless something could not be read.
    """

    def __init__(self, reload_seconds: float) -> None:
        self._reload_seconds = reload_seconds
        self._next = self._walked = 0.0
        self._next_retry = math.inf
        self._retries = 0
        """How many walks in succession found something that could not be read."""

    @property
    def is_due(self) -> bool:
        """Whether the time has come."""
        return time.monotonic() >= self._next

    @property
    def is_pending(self) -> bool:
        """Whether there will be another walk."""
        return self._next < math.inf

    def walk_soon(self) -> None:
        """Walk with the next step."""
        self._next = 0.0

    def walk_later(self) -> None:
        """Walk after the usual interval, as something failed unexpectedly."""
        self._next = time.monotonic() + max(self._reload_seconds, 1.0)

    def note_walk(self, interval: float, seconds: float) -> None:
        """Schedule the next walk.

        Args:
            interval: how long to wait.
            seconds: what the last walk took.
        """
        self._walked = time.monotonic()
        pause = max(interval, _WALK_SHARE * seconds)
        self._next = self._walked + pause if self._reload_seconds else math.inf

    def schedule_retry(self, is_needed: bool) -> None:
        """Repeat the walk soon if something could not be read."""
        if not is_needed:
            self._retries, self._next_retry = 0, math.inf
        elif self._next_retry <= self._walked or self._next_retry == math.inf:
            pause = min(RETRY_SECONDS * 2.0 ** min(self._retries, 30), _LONGEST_RETRY_SECONDS)
            is_last = not self._reload_seconds and self._retries >= _MAX_RETRIES
            self._next_retry = math.inf if is_last else time.monotonic() + pause
            self._retries += 1
        self._next = min(self._next, self._next_retry)
