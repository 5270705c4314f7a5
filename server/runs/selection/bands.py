"""Bands: the centre and the spread of the series of a group of runs."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.budget.cancellation import check
from toposcope.server.reading.series.series import Float64s
from toposcope.server.runs.selection.alignment import Curve, PositionLimits, Positions, align, points_at, read_at
from toposcope.server.runs.statistics.downsample import Indices, Scale, downsample_along

Centre = Literal["mean", "median", "sum"]
Spread = Literal["minmax", "std", "quartiles", "none"]
_Counts = npt.NDArray[np.int64]


class Band(NamedTuple):
    """Statistics across curves: arrays of equal length, one number a position."""

    x: Positions
    centre: Float64s
    """NaN where no curve has a finite value."""
    low: Float64s
    high: Float64s
    """Edges; empty if none were requested."""
    present: _Counts
    """Number of curves with a finite value."""
    non_finite: _Counts
    """Number of curves that have a point there that is NaN or infinite."""
    total: int
    """Number of positions in the window at which any curve has a point."""
    aligned: int
    """How many of these the statistics were computed at, before downsampling; all, unless they exceed the limits."""


def compute_band(
    curves: list[Curve],
    centre: Centre,
    spread: Spread,
    lo: float,
    hi: float,
    points: int,
    limits: PositionLimits,
    scale: Scale = "linear",
) -> Band:
    """Compute a band from every point of some curves.

    The statistics at a position are those of the curves that have a value there, see alignment.read_at. The edges are
    the smallest and the largest value, or the mean minus and plus the standard deviation of the sample (0 of a single
    curve), or the quartiles (interpolated linearly).

    Args:
        curves: one or more.
        centre: statistic of the centre line.
        spread: statistic of the edges.
        lo: lower bound on the axis, included.
        hi: upper bound, included.
        points: about how many positions to return, keeping the extremes of centre and edges; 0: all.
        limits: how many positions to compute.
        scale: of the axis, for downsampling.
    """
    x, total = align(curves, lo, hi, limits, scale)
    lines = np.empty((3, len(x)))
    present, non_finite = np.zeros((2, len(x)), np.int64)
    at = 0
    for values in read_at(curves, x):
        check()
        where = slice(at, at := at + values.shape[1])
        present[where] = _statistics(values, centre, spread, lines[:, where])
    for curve in curves:
        non_finite[points_at(curve, x, ~np.isfinite(curve.value))] += 1
    drawn = lines[:1] if spread == "none" else lines
    kept: slice | Indices = slice(None)
    if points and len(x) > points:
        share = max(4, points // len(drawn))
        kept = np.sort(np.concatenate([downsample_along(x, line, share, scale).kept for line in drawn]))
        kept = kept[np.append(True, kept[1:] != kept[:-1])]
    low, high = (np.empty(0), np.empty(0)) if spread == "none" else (lines[1, kept], lines[2, kept])
    return Band(x[kept], lines[0, kept], low, high, present[kept], non_finite[kept], total, len(x))


def _statistics(values: Float64s, centre: Centre, spread: Spread, lines: Float64s) -> _Counts:
    """Compute statistics of the finite values of each column; return their number.

    Args:
        values: shape (curves, positions); is modified.
        centre: statistic to store in lines[0].
        spread: statistic to store in lines[1:].
        lines: shape (3, positions); is filled.
    """
    absent = ~np.isfinite(values)
    count: _Counts = len(values) - np.count_nonzero(absent, axis=0)
    values[absent] = np.nan
    ordered = values.T
    if centre == "median" or spread == "quartiles":
        ordered = np.sort(ordered, axis=1)  # NaN sort last.
    with np.errstate(all="ignore"):  # Columns without values, and squares that overflow.
        total = np.add.reduce(values, axis=0, where=~absent)
        mean = total / count
        match centre:
            case "mean":
                lines[0] = mean
            case "median":
                lines[0] = _quantile(ordered, count, 0.5)
            case "sum":
                lines[0] = np.where(count > 0, total, np.nan)
        match spread:
            case "minmax":
                np.fmin.reduce(values, axis=0, out=lines[1])
                np.fmax.reduce(values, axis=0, out=lines[2])
            case "std":
                squares = np.add.reduce((values - mean) ** 2, axis=0, where=~absent)
                deviation = np.sqrt(squares / np.maximum(count - 1, 1))
                lines[1:] = mean - deviation, mean + deviation
            case "quartiles":
                lines[1:] = _quantile(ordered, count, 0.25), _quantile(ordered, count, 0.75)
    return count


def _quantile(ordered: Float64s, count: _Counts, share: float) -> Float64s:
    """Return a quantile of the first `count` values of each row, interpolated linearly."""
    position = share * np.maximum(count - 1, 0)
    below = np.floor(position).astype(np.intp)
    above = np.ceil(position).astype(np.intp)
    low, high = (np.take_along_axis(ordered, at[:, np.newaxis], axis=1)[:, 0] for at in (below, above))
    part = position - below
    result: Float64s = np.where(low == high, low, low * (1 - part) + high * part)
    return result
