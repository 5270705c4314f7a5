"""PendingOutput: what was written to the streams and is not recorded yet, in bounded memory."""

from collections import deque
from time import time
from typing import NamedTuple

_MAX_WRITES = 10_000
_MAX_CHARACTERS = 4_000_000
_MAX_TEXT = 100_000


class Write(NamedTuple):
    """One call of write()."""

    wall_time: float
    stream: int
    text: str


class PendingOutput:
    """Writes in their order; while there are too many, the oldest are dropped.

    add() takes no lock, so that it can be interrupted by a signal handler, a finalizer or a fork that also writes.
    Concurrent threads may therefore miscount dropped lines and characters slightly.
    """

    def __init__(self) -> None:
        self._writes: deque[tuple[float, int, str]] = deque()
        self._characters = 0
        self._dropped_lines = 0

    def add(self, stream: int, text: str) -> None:
        """Add what was just written to a stream."""
        if len(text) > _MAX_TEXT:
            text = self._end_of(text)
        self._characters += len(text)
        while len(self._writes) >= _MAX_WRITES or (self._characters > _MAX_CHARACTERS and self._writes):
            self._drop_oldest()
        self._writes.append((time(), stream, text))

    def take(self) -> list[Write]:
        """Remove and return what there is now."""
        writes: list[Write] = []
        try:
            for _ in range(len(self._writes)):
                writes.append(Write(*self._writes.popleft()))
        except IndexError:  # Dropped meanwhile.
            pass
        self._characters = 0
        return writes

    def take_dropped_lines(self) -> int:
        """Return the number of lines dropped since the last call."""
        dropped, self._dropped_lines = self._dropped_lines, 0
        return dropped

    def clear(self) -> None:
        """Remove everything, in a forked process."""
        self._writes = deque()

    def _end_of(self, text: str) -> str:
        """Return the last whole lines of a long text: half of a line may contain half of a secret."""
        start = text.find("\n", len(text) - _MAX_TEXT) + 1 or len(text)
        self._dropped_lines += max(1, text.count("\n", 0, start))
        return text[start:]

    def _drop_oldest(self) -> None:
        try:
            text = self._writes.popleft()[2]
        except IndexError:  # Taken meanwhile.
            return
        self._characters -= len(text)
        self._dropped_lines += text.count("\n")
