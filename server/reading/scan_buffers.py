"""The rows of one window: the arrays that a scan fills, and their split by tag."""

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.scan import SMALLEST_ROW, STORES, Rows
from toposcope.server.reading.series import Payloads, Points
from toposcope.server.reading.tag_table import Entry

WINDOW_BYTES = 1 << 19
_SLACK_BYTES = 1 << 16
_SMALLEST_HEAVY_BYTES = 16


class Part(NamedTuple):
    """Points of one tag, in the order of the file."""

    number: int
    """Of the tag, in the table of the file."""
    points: Points | Payloads


class ScanBuffers:
    """Arrays for one window, used again for the next: fresh memory costs more than filling it."""

    def __init__(self, size: int) -> None:
        rows = size // SMALLEST_ROW + 1
        self.size = size
        self.window = np.empty(size, np.uint8)
        self.tag = np.empty(rows, np.int32)
        self.step = np.empty(rows, np.int64)
        self.wall_time = np.empty(rows)
        self.value = np.empty(rows)
        self.start = np.empty(rows, np.uint32)
        self.length = np.empty(rows, np.uint32)
        self.heavy = np.empty(size // _SMALLEST_HEAVY_BYTES + 1, np.int64)
        self.data = self.window.data
        bits, wall_bits = self.value.view(np.uint64), self.wall_time.view(np.uint64)
        columns = (self.tag, self.step, wall_bits, bits, self.value, self.start, self.length, self.heavy)
        self.rows = Rows(*(column.data for column in columns))
        """The columns as a scan takes them."""

    def has_room(self, rows: int, size: int) -> bool:
        """Say whether the rows of a window of so many bytes fit behind so many others."""
        return rows + size // SMALLEST_ROW < len(self.tag)

    def parts(self, rows: int, entries: Sequence[Entry]) -> list[Part]:
        """Split the first rows by tag; copies, so that the arrays can be used again."""
        if not rows:
            return []
        tag = self.tag[:rows]
        places = _places(tag)
        scalars_only = all(entries[number].stores == STORES["scalar"] for number, _ in places)
        columns = [self.step, self.wall_time, self.value, *(() if scalars_only else (self.start, self.length))]
        return [
            Part(number, _points([column[:rows][where].copy() for column in columns], entries[number]))
            for number, where in places
        ]


def _places(tag: npt.NDArray[np.int32]) -> list[tuple[int, slice | npt.NDArray[np.intp]]]:
    """Return (number of a tag, where its rows are) for each tag."""
    period = _period(tag)
    if period:
        return [(number, slice(first, None, period)) for first, number in enumerate(tag[:period].tolist())]
    counts = np.bincount(tag)
    # NumPy sorts 16-bit keys by radix, four times as fast.
    order = np.argsort(tag.astype(np.uint16) if len(counts) <= 1 << 16 else tag, kind="stable")
    numbers = np.flatnonzero(counts)
    ends = np.cumsum(counts[numbers]).tolist()
    return [(number, order[start:end]) for number, start, end in zip(numbers.tolist(), [0, *ends], ends, strict=False)]


def _period(tag: npt.NDArray[np.int32]) -> int:
    """Return after how many rows the tags come again in the same order, each once, as in most trainings; else 0."""
    again = np.flatnonzero(tag[1:] == tag[0])
    period = int(again[0]) + 1 if len(again) else 0
    if not period or len(tag) % period or len(set(tag[:period].tolist())) < period:
        return 0
    return period if bool((tag.reshape(-1, period) == tag[:period]).all()) else 0


def _points(columns: list[npt.NDArray[Any]], entry: Entry) -> Points | Payloads:
    step, wall_time, value, *places = columns
    if entry.stores == STORES["scalar"]:
        return Points(step, wall_time, value)
    rows = len(step)
    record = value.view(np.int64)
    start, length = places
    kind, file = np.full(rows, entry.kind, np.uint8), np.zeros(rows, np.uint32)
    return Payloads(step, wall_time, record, start, length, kind, file)


_of_thread = threading.local()


def scratch(size: int) -> ScanBuffers:
    """Return this thread's arrays for a window of so many bytes."""
    kept: ScanBuffers | None = getattr(_of_thread, "scratch", None)
    if size > WINDOW_BYTES + _SLACK_BYTES:
        return ScanBuffers(size)
    if kept is None:
        kept = _of_thread.scratch = ScanBuffers(WINDOW_BYTES + _SLACK_BYTES)
    return kept
