"""Series of several runs brought onto common places on an axis, exactly, and compared place by place."""

import bisect
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.series import Float64s, Int64s
from toposcope.server.runs.downsample import Indices, Scale, downsample_along
from toposcope.server.runs.run import ALL, RunView
from toposcope.server.runs.selection import Axis
from toposcope.server.runs.smoothing import Smoothing, smooth

Positions = Int64s | Float64s
"""On an axis, ascending and none twice: steps, or seconds."""
_MOST_CELLS, _FEWER_CELLS = 1 << 24, 1 << 22
"""Positions times series."""
_CHUNK_CELLS = 1 << 20
_FEWEST_PLACES = 1000


class Curve(NamedTuple):
    """A series as it is drawn along an axis: one value a place."""

    x: Positions
    value: Float64s


class PositionLimits(NamedTuple):
    """For how many places there is time."""

    places: int
    """So many at most are all compared."""
    fewer: int
    """Where there are more, so many of them are chosen."""


class Aligned(NamedTuple):
    """The places where curves are compared."""

    x: Positions
    total: int
    """Positions in the window at which any of the curves has a point; with more than x, x are some of them."""


def curve_of(
    run: RunView, tag: str, rank: int, attempt: int | str | None, axis: Axis, smoothing: Smoothing | None
) -> Curve:
    """Return a whole scalar series along an axis, smoothed or not.

    Of points at the same place the last stands for all of them, of every attempt (ALL) the last that was recorded.
    Points at no finite time have no place.
    """
    points, _ = run.ordered(tag, rank, attempt, "step" if axis == "step" else "wall_time")
    x: Positions = points.step
    if axis != "step":
        x = points.wall_time - (run.started or 0.0) if axis == "relative" else points.wall_time
    value = smooth(points.value, x, smoothing) if smoothing else points.value
    if attempt == ALL:
        order = np.argsort(x, kind="stable")
        x, value = x[order], value[order]
    is_placed = np.append(x[1:] != x[:-1], True) & np.isfinite(x) if len(x) else np.empty(0, np.bool_)
    return Curve(x, value) if is_placed.all() else Curve(x[is_placed], value[is_placed])


def position_limits(series: int) -> PositionLimits:
    """Return the room that so many series have together."""
    most, fewer = (max(_FEWEST_PLACES, cells // max(1, series)) for cells in (_MOST_CELLS, _FEWER_CELLS))
    return PositionLimits(most, fewer)


def align(curves: list[Curve], lo: float, hi: float, room: PositionLimits, scale: Scale = "linear") -> Aligned:
    """Return the places in a window, lo and hi included, at which any of the curves has a point.

    Where these are more than there is room for, each curve brings the places of its own extremes, its share of them,
    so that no extreme of a curve is passed over by much; what is read there is as exact as everywhere.
    """
    inside = [_cut(curve, _window(curve.x, lo, hi)) for curve in curves]
    x = _union([curve.x for curve in inside])
    if len(x) <= room.places:
        return Aligned(x, len(x))
    share = max(4, room.fewer // len(curves))
    chosen = _union([curve.x[downsample_along(*curve, share, scale)] for curve in inside])
    if len(chosen) > room.fewer:
        chosen = chosen[np.linspace(0, len(chosen) - 1, room.fewer).astype(np.intp)]
    return Aligned(chosen, len(x))


def read_at(curves: list[Curve], x: Positions) -> Iterator[Float64s]:
    """Read curves at places, some places at a time: arrays of shape (curves, some places).

    Between its own points a curve is interpolated linearly; beyond its ends it has no value, nor beside a point that is
    not finite: there and at such a point itself the number is NaN or infinite.
    """
    width = max(_FEWEST_PLACES, _CHUNK_CELLS // len(curves))
    for begin in range(0, len(x), width):
        places = x[begin : begin + width]
        values = np.full((len(curves), len(places)), np.nan)
        for row, curve in zip(values, curves, strict=True):
            _read(curve, places, row)
        yield values


def points_at(curve: Curve, x: Positions, where: npt.NDArray[np.bool_]) -> Indices:
    """Return the indices of those places at which a curve has a point of its own that is marked in `where`."""
    marked = curve.x[where]
    at = np.searchsorted(x, marked)
    inside = at < len(x)
    at, marked = at[inside], marked[inside]
    own: Indices = at[x[at] == marked]
    return own


def _read(curve: Curve, places: Positions, row: Float64s) -> None:
    """Fill a row with the values of a curve at places; beyond its ends the row stays as it is."""
    x, value = curve
    if not len(x):
        return
    begin, end = np.searchsorted(places, x[0]), np.searchsorted(places, x[-1], "right")
    if begin == end:
        return
    places, row = places[begin:end], row[begin:end]
    first = np.searchsorted(x, places[0])
    if np.array_equal(x[first : first + len(places)], places):
        row[:] = value[first : first + len(places)]
        return
    before = np.searchsorted(x, places, "right") - 1
    behind = np.minimum(before + 1, len(x) - 1)
    way = _distance(x[before], places)
    low = value[before]
    with np.errstate(all="ignore"):  # What is not finite, and no way from the last point on.
        row[:] = low + (value[behind] - low) * (way / _distance(x[before], x[behind]))
    np.copyto(row, low, where=way == 0)


def _distance(start: Positions, end: Positions) -> Float64s:
    """Return how far places are from others that are not behind them."""
    if start.dtype == np.int64:  # Of any two int64 the difference is a uint64.
        return (end.view(np.uint64) - start.view(np.uint64)).astype(np.float64)
    distance: Float64s = np.subtract(end, start, dtype=np.float64)
    return distance


def _cut(curve: Curve, where: slice) -> Curve:
    return Curve(curve.x[where], curve.value[where])


def _window(x: Positions, lo: float, hi: float) -> slice:
    """Return where the places from lo to hi are; Python compares an int with a float exactly."""
    begin = bisect.bisect_left(x, lo, key=lambda place: place.item())
    return slice(begin, bisect.bisect_right(x, hi, begin, key=lambda place: place.item()))


def _union(parts: list[Positions]) -> Positions:
    """Return every place that any of the parts has. Most have the same, or a piece of what the longest has."""
    parts = sorted(parts, key=len, reverse=True)
    longest = parts[0]
    others = [part for part in parts[1:] if not _is_piece(part, longest)]
    if not others:
        return longest
    x = np.sort(np.concatenate([longest, *others]))  # Of which np.unique makes a hash table: 20 times slower.
    once: Positions = x[np.append(True, x[1:] != x[:-1])]
    return once


def _is_piece(part: Positions, whole: Positions) -> bool:
    """Say whether a part is whole[i:j]."""
    if not len(part):
        return True
    begin = np.searchsorted(whole, part[0])
    return np.array_equal(whole[begin : begin + len(part)], part)
