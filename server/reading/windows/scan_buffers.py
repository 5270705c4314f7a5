"""The arrays that a scan of one window fills, and how their rows are split by tag."""

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.scan import SMALLEST_ROW, STORES, Rows
from toposcope.server.reading.series.point_series import compact_copy
from toposcope.server.reading.series.series import Payloads, Points
from toposcope.server.reading.tag_table import Entry

WINDOW_BYTES = 1 << 19
LARGEST_WINDOW_BYTES = 1 << 21
"""The window of threads that end when a file was read: larger windows take less time, and more memory."""
_SLACK_BYTES = 1 << 16
_SMALLEST_LARGE_RECORD = 16


class Part(NamedTuple):
    """Points of one tag, in file order."""

    number: int
    """The number of the tag in the tag table of the file."""
    points: Points | Payloads


class ScanBuffers:
    """Arrays for one window, reused for the next: allocating memory takes longer than filling it."""

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
        self.large = np.empty(size // _SMALLEST_LARGE_RECORD + 1, np.int64)
        self.data = self.window.data
        bits, wall_bits = self.value.view(np.uint64), self.wall_time.view(np.uint64)
        columns = (self.tag, self.step, wall_bits, bits, self.value, self.start, self.length, self.large)
        self.rows = Rows(*(column.data for column in columns))
        """The columns in the form that a scan takes."""

    def has_room(self, rows: int, size: int) -> bool:
        """Return whether the rows of a window of `size` bytes fit after `rows` others."""
        return rows + size // SMALLEST_ROW < len(self.tag)

    def split_by_tag(self, rows: int, entries: Sequence[Entry], has_doubles: bool = True) -> list[Part]:
        """Return copies of the first rows, split by tag.

        Args:
            rows: how many.
            entries: the tags.
            has_doubles: whether any scalar may have been read from something else than a float32.
        """
        if not rows:
            return []
        tag = self.tag[:rows]
        period = _period(tag)
        rows_by_tag = _rows_by_tag(tag, period)
        scalars_only = all(entries[number].stores == STORES["scalar"] for number, _ in rows_by_tag)
        if scalars_only and not has_doubles and (parts := self._split_simultaneous(rows, period)):
            return parts
        columns = [self.step, self.wall_time, self.value, *(() if scalars_only else (self.start, self.length))]
        return [
            Part(number, _points([column[:rows][where] for column in columns], entries[number], has_doubles))
            for number, where in rows_by_tag
        ]

    def _split_simultaneous(self, rows: int, period: int) -> list[Part] | None:
        """Split rows of several tags that all have a point at each step and time; None for others.

        The tags share their steps and times. All values are float32.
        """
        if period < 2:
            return None
        shape = rows // period, period
        step, wall_time = self.step[:rows].reshape(shape), self.wall_time[:rows].reshape(shape)
        if not (step == step[:, :1]).all() or not (wall_time == wall_time[:, :1]).all():
            return None
        values = self.value[:rows].reshape(shape)
        first = compact_copy(Points(step[:, 0], wall_time[:, 0], values[:, 0]), may_be_wide=False)
        columns = values.T.astype(np.float32, order="C")
        return [
            Part(number, Points(first.compact_step, first.wall_time, column.copy()))
            for number, column in zip(self.tag[:period].tolist(), columns, strict=True)
        ]


def _rows_by_tag(tag: npt.NDArray[np.int32], period: int) -> list[tuple[int, slice | npt.NDArray[np.intp]]]:
    """Return (number of the tag, index of its rows) for each tag; see _period."""
    if period:
        return [(number, slice(first, None, period)) for first, number in enumerate(tag[:period].tolist())]
    counts = np.bincount(tag)
    # NumPy uses radix sort for 16-bit keys, which is four times as fast.
    order = np.argsort(tag.astype(np.uint16) if len(counts) <= 1 << 16 else tag, kind="stable")
    numbers = np.flatnonzero(counts)
    ends = np.cumsum(counts[numbers]).tolist()
    return [(number, order[start:end]) for number, start, end in zip(numbers.tolist(), [0, *ends], ends, strict=False)]


def _period(tag: npt.NDArray[np.int32]) -> int:
    """Return the number of tags if they repeat in the same order, each once, as in most trainings; else 0."""
    repeats = np.flatnonzero(tag[1:] == tag[0])
    period = int(repeats[0]) + 1 if len(repeats) else len(tag)
    if not period or len(tag) % period or len(set(tag[:period].tolist())) < period:
        return 0
    return period if bool((tag.reshape(-1, period) == tag[:period]).all()) else 0


def _points(columns: list[npt.NDArray[Any]], entry: Entry, has_doubles: bool) -> Points | Payloads:
    """Return copies of columns as points."""
    step, wall_time, value, *location = columns
    if entry.stores == STORES["scalar"]:
        return compact_copy(Points(step, wall_time, value), has_doubles)
    rows = len(step)
    step, wall_time, record = step.copy(), wall_time.copy(), value.copy().view(np.int64)
    start, length = (column.copy() for column in location)
    kind, file = np.full(rows, entry.kind, np.uint8), np.zeros(rows, np.uint32)
    return Payloads(step, wall_time, record, start, length, kind, file)


_of_thread = threading.local()


def thread_buffers(size: int) -> ScanBuffers:
    """Return buffers for a window of `size` bytes: those of this thread, unless it is larger than usual."""
    buffers: ScanBuffers | None = getattr(_of_thread, "buffers", None)
    if size > LARGEST_WINDOW_BYTES + _SLACK_BYTES:
        return ScanBuffers(size)
    if buffers is None or buffers.size < size:
        buffers = _of_thread.buffers = ScanBuffers(max(size, WINDOW_BYTES + _SLACK_BYTES))
    return buffers
