"""Columns of one tag: append-only while they are loaded, immutable where they are read."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]
Float64s = npt.NDArray[np.float64]


class Points(NamedTuple):
    """Points of one series in the order of the files; three arrays of equal length that nobody changes."""

    step: Int64s
    wall_time: Float64s
    """Seconds since 1970."""
    value: Float64s

    @property
    def total(self) -> int:
        """Number of points."""
        return len(self.step)

    def take(self, where: slice | npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> "Points":
        """Return the points at a slice, under a mask or at indices."""
        return Points(self.step[where], self.wall_time[where], self.value[where])


NO_POINTS = Points(np.empty(0, np.int64), np.empty(0), np.empty(0))


def concatenate(parts: list[Points]) -> Points:
    """Return the points of all parts, one after the other; a single part is not copied."""
    parts = [part for part in parts if part.total]
    if len(parts) == 1:
        return parts[0]
    return Points(*map(np.concatenate, zip(*parts, strict=True))) if parts else NO_POINTS


class Series:
    """Grows at its end; what it handed out before stays as it was.

    A grown array has an eighth of slack, so a point costs 27 bytes of memory at most.
    """

    def __init__(self) -> None:
        self._arrays = NO_POINTS
        self._length = 0

    def append(self, points: Points) -> None:
        """Add points at the end."""
        length = self._length + points.total
        if length > len(self._arrays.step):
            self._grow(length + length // 8 + 8)
        for column, more in zip(self._arrays, points, strict=True):
            column[self._length : length] = more
        self._length = length

    def points(self) -> Points:
        """Return all points so far, without copying them."""
        return self._arrays.take(slice(self._length))

    def _grow(self, capacity: int) -> None:
        # Readers may hold views of the old arrays: those are left as they are.
        larger = Points(np.empty(capacity, np.int64), np.empty(capacity), np.empty(capacity))
        for old, new in zip(self._arrays, larger, strict=True):
            new[: self._length] = old[: self._length]
        self._arrays = larger
