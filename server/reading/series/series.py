"""The points of one tag in one or more files, as columns."""

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.series.columns import allocated, new_column

Int64s = npt.NDArray[np.int64]
Float64s = npt.NDArray[np.float64]
Where = slice | npt.NDArray[np.bool_] | npt.NDArray[np.intp]
CompactSteps = range | npt.NDArray[np.int32] | Int64s
"""Steps at regular distances as a range, others as integers of 32 bits if all fit."""
CompactValues = npt.NDArray[np.float32] | Float64s
"""Values, as float32 if that holds every one exactly."""
_WIDEST = 2**50
"""Between its negative and it, NumPy computes the length of a range, a double, exactly."""


class Points:
    """Points of one scalar series in file order: three columns of equal length, which are never modified.

    The columns may be stored in fewer bytes; `step` and `value` then return copies. Iterates over the three columns.

    Args:
        step: of each point.
        wall_time: of each point, in seconds since 1970.
        value: of each point.
    """

    __slots__ = ("compact_step", "compact_value", "wall_time")

    def __init__(self, step: CompactSteps, wall_time: Float64s, value: CompactValues) -> None:
        self.compact_step = step
        """The steps, as they are stored."""
        self.wall_time = wall_time
        """Seconds since 1970."""
        self.compact_value = value
        """The values, as they are stored."""

    @property
    def step(self) -> Int64s:
        """The steps."""
        return expand(self.compact_step).astype(np.int64, copy=False)

    @property
    def value(self) -> Float64s:
        """The values."""
        return self.compact_value.astype(np.float64, copy=False)

    @property
    def total(self) -> int:
        """Number of points."""
        return len(self.wall_time)

    def __iter__(self) -> Iterator[npt.NDArray[Any]]:
        """Yield the steps, the wall times and the values."""
        yield from (self.step, self.wall_time, self.value)

    def take(self, where: Where) -> "Points":
        """Return the points at a slice, under a mask or at indices."""
        return Points(_take_steps(self.compact_step, where), self.wall_time[where], self.compact_value[where])


def expand(steps: CompactSteps) -> npt.NDArray[np.int32] | Int64s:
    """Return steps as an array."""
    if not isinstance(steps, range):
        return steps
    if max(abs(steps.start), abs(steps.stop)) < _WIDEST:
        return np.arange(steps.start, steps.stop, steps.step, dtype=np.int64)
    return steps.start + steps.step * np.arange(len(steps), dtype=np.int64)  # The stop may be beyond 64 bits.


def _take_steps(steps: CompactSteps, where: Where) -> CompactSteps:
    if not isinstance(steps, range):
        taken: CompactSteps = steps[where]
        return taken
    if isinstance(where, slice):
        return steps[where]
    indices = np.flatnonzero(where) if where.dtype == np.bool_ else where
    return steps.start + steps.step * indices.astype(np.int64)


class Payloads(NamedTuple):
    """Points of a series of any other plugin, with the location of their payloads. The arrays are never modified."""

    step: Int64s
    wall_time: Float64s
    """Seconds since 1970."""
    record: Int64s
    """Where in the file the record begins."""
    start: npt.NDArray[np.uint32]
    """Where in the record the payload begins."""
    length: npt.NDArray[np.uint32]
    """Bytes of the payload."""
    kind: npt.NDArray[np.uint8]
    """Which field contains it, and so how it is encoded: an index into scan.KINDS."""
    file: npt.NDArray[np.uint32]
    """Index into the files of the run; 0 in the series of one file."""

    @property
    def total(self) -> int:
        """Number of points."""
        return len(self.step)

    def take(self, where: Where) -> "Payloads":
        """Return the points at a slice, under a mask or at indices."""
        columns: list[npt.NDArray[Any]] = [column[where] for column in self]
        return Payloads(*columns)


NO_POINTS = Points(np.empty(0, np.int64), np.empty(0), np.empty(0))
NO_PAYLOADS = Payloads(
    np.empty(0, np.int64),
    np.empty(0),
    np.empty(0, np.int64),
    np.empty(0, np.uint32),
    np.empty(0, np.uint32),
    np.empty(0, np.uint8),
    np.empty(0, np.uint32),
)
Columns = TypeVar("Columns", Points, Payloads)
_LONG = 4096
_MARGIN = 1.02


def concatenate(parts: list[Columns], none: Columns) -> Columns:
    """Return the points of all parts, concatenated; a single part is not copied. Without parts, return `none`."""
    parts = [part for part in parts if part.total]
    if len(parts) == 1:
        return parts[0]
    return type(none)(*map(np.concatenate, zip(*parts, strict=True))) if parts else none


class Series:
    """A series of a plugin with payloads that grows at its end; points that it returned before do not change.

    Its arrays have at most an eighth of unused capacity, so a point takes up to 42 bytes.
    """

    def __init__(self, first: Payloads) -> None:
        # Not copied: they may be views of what the index contains.
        self._arrays = Payloads(*map(allocated, _columns(first)))
        self._length = first.total

    @property
    def total(self) -> int:
        """Number of points."""
        return self._length

    def append(self, points: Payloads, growth: float = 1.0) -> None:
        """Add points at the end; the points before are copied only if the arrays are full.

        Args:
            points: the new points.
            growth: by what factor the series is expected to grow soon; a long series reserves capacity for that.
        """
        end = self._length + points.total
        if end > self._arrays.total:
            expected = int(end * growth * _MARGIN) if end >= _LONG else 0
            self._resize(max(end + end // 8 + 8, expected))
        for column, more in zip(_columns(self._arrays), _columns(points), strict=True):
            column[self._length : end] = more
        self._length = end

    def points(self) -> Payloads:
        """Return all points so far, without copying them."""
        return self._arrays if self._length == self._arrays.total else self._arrays.take(slice(self._length))

    def trim(self) -> None:
        """Free the capacity for points that were expected but did not arrive."""
        if self._arrays.total > self._length + self._length // 8 + 8:
            self._resize(self._length)

    def _resize(self, capacity: int) -> None:
        # Other threads may have views of the old arrays, which are not modified.
        columns = [new_column(capacity, column.dtype) for column in _columns(self._arrays)]
        for old, new in zip(_columns(self._arrays), columns, strict=True):
            new[: self._length] = old[: self._length]
        self._arrays = Payloads(*columns)


def _columns(points: Payloads) -> tuple[npt.NDArray[Any], ...]:
    return points
