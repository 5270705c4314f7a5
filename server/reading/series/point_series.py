"""A scalar series that grows at its end, in the fewest bytes that hold its points exactly.

Regular steps need no column, others have 32 bits if all fit; values have 32 bits if all are exact float32; wall times
have 64. So most series take 12 bytes a point, any other at most 24. A long one reserves capacity for as many points as
it has, which takes no memory; of a shorter one up to an eighth is unused.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.series.columns import LEAST_MAPPED_BYTES, allocated, copied, new_column
from toposcope.server.reading.series.series import CompactSteps, CompactValues, Int64s, Points, expand

_LONG = 4096
_RESERVING = LEAST_MAPPED_BYTES // np.dtype(np.float32).itemsize
"""Every column of so many points is mapped."""
_MARGIN = 1.02
_FIRST = 32
_INT32 = np.iinfo(np.int32)
_MAX_STRIDE = 1 << 62


class PointSeries:
    """A scalar series that grows; points that it returned before do not change.

    Args:
        first: its first points, compact; they are copied only for other processes, as they may be views of the index.
    """

    def __init__(self, first: Points) -> None:
        steps = first.compact_step
        self._points = Points(
            steps if isinstance(steps, range) else allocated(steps),
            allocated(first.wall_time),
            allocated(first.compact_value),
        )
        """With unused capacity at the end of its arrays."""
        self._length = first.total

    @property
    def total(self) -> int:
        """Number of points."""
        return self._length

    def append(self, points: Points, growth: float = 1.0) -> None:
        """Add points at the end; the points before are copied only if the arrays are full, or too narrow for the new.

        Args:
            points: the new points, compact.
            growth: by what factor the series is expected to grow soon; a long series reserves capacity for that.
        """
        if not points.total:
            return
        end = self._length + points.total
        capacity = len(self._points.wall_time)
        if end > capacity:
            expected = int(end * growth * _MARGIN) if end >= _LONG else 0
            capacity = max(end + _room(end), expected)
        old = self._points
        self._points = Points(
            self._appended_steps(points, capacity),
            _appended(old.wall_time, points.wall_time, self._length, capacity),
            _appended(old.compact_value, points.compact_value, self._length, capacity),
        )
        self._length = end

    def _appended_steps(self, points: Points, capacity: int) -> CompactSteps:
        old, new = self._points.compact_step, points.compact_step
        if not self._length:
            old = range(0)
        if isinstance(old, range):
            joined = _joined(old, new)
            if joined is not None:
                return joined
        return _appended(_narrow_steps(expand(old)), _narrow_steps(expand(new)), self._length, capacity)

    def points(self) -> Points:
        """Return all points so far, without copying them."""
        if self._length == self._points.total:
            return self._points
        return self._points.take(slice(self._length))

    def trim(self) -> None:
        """Free the capacity for points that were expected but did not arrive."""
        if self._points.total > self._length + _room(self._length):
            kept = self.points()
            steps = kept.compact_step
            self._points = Points(
                steps if isinstance(steps, range) else copied(steps),
                copied(kept.wall_time),
                copied(kept.compact_value),
            )


def _room(length: int) -> int:
    """Return for how many more points a series of some length may have capacity."""
    if length >= _RESERVING:
        return length  # Pages that are not written take no memory.
    return length // (32 if length >= _LONG else 8) + 8


def compact(points: Points) -> Points:
    """Return points in the fewest bytes that hold them exactly."""
    return Points(_compact_steps(points), points.wall_time, _narrow_values(points.compact_value))


def compact_copy(points: Points, may_be_wide: bool) -> Points:
    """Return points as compact() does, in new arrays.

    Args:
        points: of any form.
        may_be_wide: whether float32 may not hold every value exactly.
    """
    steps, values = _compact_steps(points), points.compact_value
    narrow = _narrow_values(values) if may_be_wide else values.astype(np.float32)
    return Points(
        steps.copy() if steps is points.compact_step and not isinstance(steps, range) else steps,
        points.wall_time.copy(),
        values.copy() if narrow is values else narrow,
    )


def _compact_steps(points: Points) -> CompactSteps:
    steps = points.compact_step
    if not points.total or isinstance(steps, range):
        return steps
    joined = _joined(range(0), steps)
    return _narrow_steps(steps) if joined is None else joined


def _narrow_values(values: CompactValues) -> CompactValues:
    """Return values as float32 if that holds every one exactly; NaNs may lose what they contain."""
    if values.dtype == np.float32:
        return values
    if len(values) > 2 * _FIRST and _narrow_values(values[:_FIRST]).dtype != np.float32:
        return values  # Doubles, in most cases.
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        narrow = values.astype(np.float32)
    same = narrow == values
    return narrow if same.all() or (same | np.isnan(values)).all() else values


def _narrow_steps(steps: npt.NDArray[np.int32] | Int64s) -> npt.NDArray[np.int32] | Int64s:
    """Return steps with 32 bits if all fit."""
    if steps.dtype == np.int32 or not len(steps):
        return steps
    return steps.astype(np.int32) if _INT32.min <= steps.min() and steps.max() <= _INT32.max else steps


def _joined(old: range, steps: CompactSteps) -> range | None:
    """Return the range that steps extend another one to; None if they do not."""
    first, last, count = int(steps[0]), int(steps[-1]), len(steps)
    start = old.start if old else first
    following = (int(steps[1]) if count > 1 else first + 1) if not old else first
    stride = old.step if len(old) > 1 else following - (old[-1] if old else start)
    before = old[-1] if old else start - stride
    if not 0 < abs(stride) < _MAX_STRIDE or first != before + stride or last != before + stride * count:
        return None
    if count > 2 and not _are_regular(steps, stride):
        return None
    return range(start, last + (1 if stride > 0 else -1), stride)


def _are_regular(steps: CompactSteps, stride: int) -> bool:
    if isinstance(steps, range):
        return steps.step == stride
    return bool((steps[1:] - steps[:-1] == stride).all())


def _appended(old: npt.NDArray[Any], new: npt.NDArray[Any], length: int, capacity: int) -> npt.NDArray[Any]:
    """Return a column with new elements after its first `length` ones: the same if it has the capacity and the type."""
    dtype = np.promote_types(old.dtype, new.dtype) if length else new.dtype
    if len(old) != capacity or old.dtype != dtype:
        # Other threads may have views of the old array, which is not modified.
        column = new_column(capacity, dtype)
        column[:length] = old[:length]
    else:
        column = old
    column[length : length + len(new)] = new
    return column
