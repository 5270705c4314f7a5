"""PendingOutput: what was written to the streams and is not recorded yet, in bounded memory."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import get_ident
from time import time
from typing import NamedTuple

_MAX_WRITES = 10_000
_LONG_TEXT = 2_000
_MAX_TEXT = 100_000
_MAX_CHARACTERS = 4_000_000  # Of long texts.
_MAX_PARTS = 16  # Of a line: a progress bar never ends its line.


class Write(NamedTuple):
    """One call of write()."""

    wall_time: float
    stream: int
    text: str


class PendingOutput:
    """Writes in their order; while there are too many, the oldest are dropped.

    Adding takes no lock, so that it can be interrupted by a signal handler, a finalizer or a fork that also writes.
    Concurrent threads may therefore miscount dropped lines slightly.
    """

    def __init__(self) -> None:
        self._writes: deque[tuple[float, int, str]] = deque()
        self._long_characters = 0
        self._dropped_lines = 0
        """How many there were: adders increase it, and it is never reset, which would race with them."""
        self._taken_lines = 0
        """How many of them were taken."""
        self.is_open = True
        """Whether writes are added."""
        self.ignored_thread = 0
        """Writes of this thread are not added."""

    def adder(self, stream: int) -> Callable[[str], None]:
        """Return a function that adds what was just written to a stream."""
        writes, append = self._writes, self._writes.append

        def add(text: str) -> None:
            # Most of what capturing costs the training: hence a closure.
            if not self.is_open or get_ident() == self.ignored_thread:
                return
            if len(text) > _LONG_TEXT:
                text = self._bounded(text)
            append((time(), stream, text))
            if len(writes) > _MAX_WRITES:
                self._drop_oldest()

        return add

    def take(self) -> list[Write]:
        """Remove and return what there is now."""
        writes: list[Write] = []
        with suppress(IndexError):  # Dropped meanwhile.
            for _ in range(len(self._writes)):
                writes.append(Write(*self._writes.popleft()))
        self._long_characters = 0
        return writes

    def take_dropped_lines(self) -> int:
        """Return the number of lines dropped since the last call."""
        before, self._taken_lines = self._taken_lines, self._dropped_lines
        return self._taken_lines - before

    def become_inert(self) -> None:
        """Remove everything and add nothing more, in a forked process."""
        self.is_open = False
        self._writes.clear()

    def _bounded(self, text: str) -> str:
        """Return the last whole lines of a text, if it is very long: half of a line may contain half of a secret."""
        if len(text) > _MAX_TEXT:
            start = text.find("\n", len(text) - _MAX_TEXT) + 1 or len(text)
            self._dropped_lines += max(1, text.count("\n", 0, start))
            text = text[start:]
        self._long_characters += len(text)
        while self._long_characters > _MAX_CHARACTERS and self._writes:
            self._drop_oldest()
        return text

    def _drop_oldest(self) -> None:
        """Drop the oldest write, and what else belongs to its line: print() writes the line break separately."""
        for _ in range(_MAX_PARTS):
            try:
                text = self._writes.popleft()[2]
            except IndexError:  # Taken meanwhile.
                return
            self._dropped_lines += text.count("\n")
            if len(text) > _LONG_TEXT:
                self._long_characters -= len(text)
            if text.endswith("\n"):
                return
