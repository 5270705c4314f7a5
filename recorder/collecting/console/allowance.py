"""Allowance: how many lines of output may be recorded now, so that a flood of output does not fill the disk."""

import time
from collections.abc import Callable

LINES, LINES_PER_SECOND = 5_000, 50
CHARACTERS, CHARACTERS_PER_SECOND = 1_000_000, 20_000
LAST_LINES, LAST_CHARACTERS = 500, 100_000
"""What the end of a training may always record: it contains the reason if it failed."""


class Allowance:
    """A token bucket of lines and characters: LINES at once, and LINES_PER_SECOND over a long time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with a full bucket; clock returns seconds."""
        self._clock = clock
        self._time = clock()
        self._lines, self._characters = float(LINES), float(CHARACTERS)

    def newest(self, lines: list[int], is_last: bool = False) -> int:
        """Return how many of the newest lines may be recorded, and count them as recorded.

        Args:
            lines: their lengths in characters, the oldest first.
            is_last: whether these are the last lines of the training.
        """
        now = self._clock()
        seconds, self._time = now - self._time, now
        self._lines = min(LINES, self._lines + seconds * LINES_PER_SECOND)
        self._characters = min(CHARACTERS, self._characters + seconds * CHARACTERS_PER_SECOND)
        if is_last:
            self._lines, self._characters = max(self._lines, LAST_LINES), max(self._characters, LAST_CHARACTERS)
        count = 0
        for length in reversed(lines):
            if self._lines < 1 or self._characters < length:
                break
            self._lines, self._characters, count = self._lines - 1, self._characters - length, count + 1
        return count
