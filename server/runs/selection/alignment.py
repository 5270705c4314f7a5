"""Aligns the series of several runs: reads them, interpolated, at common positions of an axis."""

import bisect
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.series.series import Float64s, Int64s, Points
from toposcope.server.runs.run import ALL, RunView
from toposcope.server.runs.selection.selection import OVER_STEPS, Axis, origin_of, positions
from toposcope.server.runs.selection.selection_over import points_over
from toposcope.server.runs.selection.sources import Source, ordered
from toposcope.server.runs.statistics.downsample import Indices, Scale, downsample_along
from toposcope.server.runs.statistics.noise import smoothing_for
from toposcope.server.runs.statistics.smoothing import Requested, smooth

Positions = Int64s | Float64s
"""On an axis, strictly ascending: steps, or seconds."""
_MAX_CELLS, _FEWER_CELLS = 1 << 24, 1 << 22
"""Positions times series."""
_CHUNK_CELLS = 1 << 20
_FEWEST_POSITIONS = 1000


class Curve(NamedTuple):
    """A series along an axis: one value a position."""

    x: Positions
    value: Float64s


class PositionLimits(NamedTuple):
    """How many positions are compared, which bounds the time that this takes."""

    positions: int
    """Up to this many are all compared."""
    fewer: int
    """If there are more, this many of them are chosen."""


class Aligned(NamedTuple):
    """The positions at which curves are compared."""

    x: Positions
    total: int
    """Number of positions in the window at which any curve has a point; x may contain fewer."""


def curve_of(
    run: RunView, source: Source, rank: int, attempt: int | str | None, axis: Axis, requested: Requested | None
) -> Curve:
    """Return a whole series along an axis, or over the values of another tag, smoothed or not.

    Of several points at the same position only the last is kept; with every attempt (ALL), the last that was recorded.
    Points whose time is not finite are dropped.
    """
    points, x = _positions(run, source, rank, attempt, axis)
    smoothing = smoothing_for(requested, points.value, x)
    value = points.value if smoothing is None else smooth(points.value, x, smoothing)
    if attempt == ALL:
        order = np.argsort(x, kind="stable")
        x, value = x[order], value[order]
    is_kept = np.append(x[1:] != x[:-1], True) & np.isfinite(x) if len(x) else np.empty(0, np.bool_)
    return Curve(x, value) if is_kept.all() else Curve(x[is_kept], value[is_kept])


def _positions(
    run: RunView, source: Source, rank: int, attempt: int | str | None, axis: Axis
) -> tuple[Points, Positions]:
    if source.x is not None:
        return points_over(run, source, rank, attempt)
    points, _ = ordered(run, source, rank, attempt, "step" if axis in OVER_STEPS else "wall_time")
    return points, positions(points, axis, origin_of(run, axis))


def position_limits(series: int) -> PositionLimits:
    """Return the limits for a number of series together."""
    most, fewer = (max(_FEWEST_POSITIONS, cells // max(1, series)) for cells in (_MAX_CELLS, _FEWER_CELLS))
    return PositionLimits(most, fewer)


def align(curves: list[Curve], lo: float, hi: float, limits: PositionLimits, scale: Scale = "linear") -> Aligned:
    """Return the positions in a window, lo and hi included, at which any of the curves has a point.

    If these are more than the limits allow, each curve contributes positions of its own extremes, so that its extremes
    are kept approximately; the values at the chosen positions are exact.
    """
    visible = [_cut(curve, _window(curve.x, lo, hi)) for curve in curves]
    x = _union([curve.x for curve in visible])
    if len(x) <= limits.positions:
        return Aligned(x, len(x))
    share = max(4, limits.fewer // len(curves))
    chosen = _union([curve.x[downsample_along(*curve, share, scale).kept] for curve in visible])
    if len(chosen) > limits.fewer:
        chosen = chosen[np.linspace(0, len(chosen) - 1, limits.fewer).astype(np.intp)]
    return Aligned(chosen, len(x))


def read_at(curves: list[Curve], x: Positions) -> Iterator[Float64s]:
    """Yield the values of curves at positions, in chunks: arrays of shape (curves, positions of the chunk).

    Between its own points a curve is interpolated linearly. Beyond its ends its value is NaN. At a non-finite point,
    and between it and its neighbours, the value is NaN or infinite.
    """
    width = max(_FEWEST_POSITIONS, _CHUNK_CELLS // len(curves))
    for begin in range(0, len(x), width):
        positions = x[begin : begin + width]
        values = np.full((len(curves), len(positions)), np.nan)
        for row, curve in zip(values, curves, strict=True):
            _read(curve, positions, row)
        yield values


def points_at(curve: Curve, x: Positions, where: npt.NDArray[np.bool_]) -> Indices:
    """Return the indices of the positions at which a curve has a point that is marked in `where`."""
    marked = curve.x[where]
    at = np.searchsorted(x, marked)
    visible = at < len(x)
    at, marked = at[visible], marked[visible]
    own: Indices = at[x[at] == marked]
    return own


def _read(curve: Curve, positions: Positions, row: Float64s) -> None:
    """Fill a row with the values of a curve at positions; beyond the curve's ends the row is not changed."""
    x, value = curve
    if not len(x):
        return
    begin, end = np.searchsorted(positions, x[0]), np.searchsorted(positions, x[-1], "right")
    if begin == end:
        return
    positions, row = positions[begin:end], row[begin:end]
    first = np.searchsorted(x, positions[0])
    if np.array_equal(x[first : first + len(positions)], positions):
        row[:] = value[first : first + len(positions)]
        return
    before = np.searchsorted(x, positions, "right") - 1
    after = np.minimum(before + 1, len(x) - 1)
    distance = _distance(x[before], positions)
    low = value[before]
    with np.errstate(all="ignore"):  # Values that are not finite, and zero distance at the last point.
        row[:] = low + (value[after] - low) * (distance / _distance(x[before], x[after]))
    np.copyto(row, low, where=distance == 0)


def _distance(start: Positions, end: Positions) -> Float64s:
    """Return end - start, where start is at most end, without overflow."""
    if start.dtype == np.int64:  # The difference of two int64 fits a uint64.
        return (end.view(np.uint64) - start.view(np.uint64)).astype(np.float64)
    distance: Float64s = np.subtract(end, start, dtype=np.float64)
    return distance


def _cut(curve: Curve, where: slice) -> Curve:
    return Curve(curve.x[where], curve.value[where])


def _window(x: Positions, lo: float, hi: float) -> slice:
    """Return the slice of the positions from lo to hi. Python, unlike NumPy, compares an int with a float exactly."""
    begin = bisect.bisect_left(x, lo, key=lambda position: position.item())
    return slice(begin, bisect.bisect_right(x, hi, begin, key=lambda position: position.item()))


def _union(parts: list[Positions]) -> Positions:
    """Return every position of any part, once. Most parts are equal to the longest one or contiguous in it."""
    parts = sorted(parts, key=len, reverse=True)
    longest = parts[0]
    others = [part for part in parts[1:] if not _is_slice(part, longest)]
    if not others:
        return longest
    x = np.sort(np.concatenate([longest, *others]))  # np.unique uses a hash table, which is 20 times slower.
    unique: Positions = x[np.append(True, x[1:] != x[:-1])]
    return unique


def _is_slice(part: Positions, whole: Positions) -> bool:
    """Return whether part equals whole[i:j] for some i and j."""
    if not len(part):
        return True
    begin = np.searchsorted(whole, part[0])
    return np.array_equal(whole[begin : begin + len(part)], part)
