"""Selects the points of a series over the values of another tag."""

import numpy as np

from toposcope.server.expressions.joining import values_at
from toposcope.server.reading.series.series import Float64s, Points
from toposcope.server.runs.run import RunView
from toposcope.server.runs.selection.selection import Selected, Window, find_best, smoothed_by
from toposcope.server.runs.selection.sources import Source, curve, tag_curve
from toposcope.server.runs.statistics.downsample import downsample, downsample_along
from toposcope.server.runs.statistics.smoothing import Requested


def select_over(
    run: RunView, source: Source, rank: int, attempt: int | str | None, window: Window, requested: Requested | None
) -> Selected:
    """Select from one series of a run, in order of x; the bounds of the window are values of x."""
    points, x = points_over(run, source, rank, attempt)
    smoothing, smoothed = (None, None) if requested is None else smoothed_by(requested, points, x)
    begin, end = np.searchsorted(x, window.lo), np.searchsorted(x, window.hi, "right")
    inside = slice(int(begin), int(end))
    points, x, smoothed = points.take(inside), x[inside], None if smoothed is None else smoothed[inside]
    total, best = points.total, find_best(points)
    if window.points and total > window.points:
        kept = (
            downsample(points.value, window.points)
            if window.scale == "linear"
            else downsample_along(x, points.value, window.points, window.scale)
        ).kept
        points, x, smoothed = points.take(kept), x[kept], None if smoothed is None else smoothed[kept]
    return Selected(points, smoothed, smoothing, total, 0, best, 0, x)


def points_over(run: RunView, source: Source, rank: int, attempt: int | str | None) -> tuple[Points, Float64s]:
    """Return (the points of a source that have a finite x, in order of x and then of the steps; their x)."""
    assert source.x is not None
    series = curve(run, source, rank, attempt)
    has_x, x = values_at(tag_curve(run, source.x, rank, attempt), series.step, source.join)
    series = series.take(has_x)
    is_finite = np.isfinite(x)
    if not is_finite.all():
        series, x = series.take(is_finite), x[is_finite]
    order = np.argsort(x, kind="stable")
    return Points(*series.take(order)), x[order]
