"""Console: the output of a run as numbered lines."""

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from toposcope.server.reading.series.series import Payloads
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.payload import PayloadError, read_payloads
from toposcope.server.runs.run import ALL, RunView
from toposcope.server.values.console import OutputLine, count_output, read_output

CONSOLE = Tag("console", "")
_LARGEST_MESSAGE = 8 << 20
_MAX_FILES = 1000
_MAX_BYTES = 64 << 20
_MAX_MESSAGES = 50_000
"""Limits of the messages that one request reads: half a second."""


class NumberedLine(NamedTuple):
    """A line and its number in the output."""

    number: int
    """From 1 on, in the order in which lines were recorded; it never changes."""
    line: OutputLine


class Totals(NamedTuple):
    """The sizes of an output."""

    lines: int
    dropped: int
    """Lines that were not recorded, because there were too many."""
    ends: list[int]
    """The number of the last line of each message."""


class Page(NamedTuple):
    """A part of an output."""

    lines: list[NumberedLine]
    damaged: int
    """Messages that cannot be read."""
    next: int | None
    """The number after which to continue; None: there are no more lines."""


class Console:
    """Reads the output of runs; remembers how many lines each message contains, so that a page is found at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: OrderedDict[tuple[str, int], list[tuple[int, int]]] = OrderedDict()

    def totals(self, run: RunView, rank: int) -> Totals:
        """Return the sizes of the output of a rank; only messages that are new since the last call are read."""
        payloads = run.payloads(CONSOLE, rank, ALL)
        counts: list[tuple[int, int]] = []
        for number in dict.fromkeys(payloads.file.tolist()):
            counts += self._counts_of(run, payloads, int(number))
        ends = list(accumulate(lines for lines, _ in counts))
        return Totals(ends[-1] if ends else 0, sum(dropped for _, dropped in counts), ends)

    def _counts_of(self, run: RunView, payloads: Payloads, number: int) -> list[tuple[int, int]]:
        """Return the numbers of lines and dropped lines of the messages in one file, which is only appended to."""
        file, rows = run.files[number], np.flatnonzero(payloads.file == number)
        with self._lock:
            known = self._counts.get((file.path, file.inode), [])
        counts = known[: len(rows)]
        counts += map(_count, read_payloads(run, payloads, rows[len(counts) :].tolist()))
        with self._lock:
            self._counts[file.path, file.inode] = counts
            self._counts.move_to_end((file.path, file.inode))
            while len(self._counts) > _MAX_FILES:
                self._counts.popitem(last=False)
        return counts

    def page(
        self, run: RunView, rank: int, totals: Totals, after: int, search: str, limit: int, most_characters: int
    ) -> Page:
        """Return lines with greater numbers than after that contain search.

        Args:
            run: the run.
            rank: of the process that wrote them.
            totals: result of totals().
            after: number of a line, or 0.
            search: text that a line must contain, in upper or lower case; "" for all lines.
            limit: maximum number of lines.
            most_characters: maximum number of characters of the lines together, at least one line excepted.
        """
        lines: list[NumberedLine] = []
        damaged = characters = size = 0
        wanted, number = search.lower(), after
        first = bisect_right(totals.ends, after)
        payloads = run.payloads(CONSOLE, rank, ALL)
        rows = range(first, len(totals.ends))
        for row, payload in zip(rows, read_payloads(run, payloads, rows), strict=True):
            numbered = _lines_of(payload, totals.ends[row - 1] if row else 0)
            if numbered is None:
                damaged += 1
                continue
            size += len(payload) if isinstance(payload, bytes) else 0
            for line in numbered:
                if line.number <= after or (wanted and wanted not in line.line.text.lower()):
                    continue
                characters += len(line.line.text)
                if len(lines) == limit or (lines and characters > most_characters):
                    return Page(lines, damaged, number)
                lines.append(line)
                number = line.number
            number = totals.ends[row]
            if (size > _MAX_BYTES or row - first >= _MAX_MESSAGES) and number < totals.lines:
                return Page(lines, damaged, number)
        return Page(lines, damaged, None)


def _count(payload: bytes | PayloadError) -> tuple[int, int]:
    is_read = not isinstance(payload, PayloadError) and len(payload) <= _LARGEST_MESSAGE
    return count_output(payload) if is_read and isinstance(payload, bytes) else (0, 0)


def _lines_of(payload: bytes | PayloadError, before: int) -> Iterator[NumberedLine] | None:
    if isinstance(payload, PayloadError) or len(payload) > _LARGEST_MESSAGE:
        return None
    try:
        output = read_output(payload)
    except ValueError:
        return None
    return (NumberedLine(before + place, line) for place, line in enumerate(output.lines, 1))
