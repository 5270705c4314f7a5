"""Selects the points of a series for a request: axis, window, number of points and smoothing."""

import bisect
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.series import Float64s, Int64s, Points
from toposcope.server.reading.series_summary import all_finite
from toposcope.server.runs.downsample import Downsampled, Scale, downsample, downsample_along
from toposcope.server.runs.noise import smoothing_for
from toposcope.server.runs.run import ALL, Ordering, RunView
from toposcope.server.runs.smoothing import Requested, Smoothing, smooth, unsettled_points
from toposcope.server.runs.sources import Source, ordered

Axis = Literal["step", "relative_step", "relative", "wall_time"]
OVER_STEPS: tuple[Axis, ...] = ("step", "relative_step")
_JITTER = 1.0
"""Seconds by which points of threads or hosts may be recorded in another order than that of their steps."""


class Window(NamedTuple):
    """The requested part of a series."""

    axis: Axis = "step"
    """"relative" counts seconds from the start of the run, "relative_step" steps from its first one."""
    lo: float = -np.inf
    hi: float = np.inf
    """Bounds on the axis, both included."""
    points: int = 0
    """Approximate maximum number of points (see downsample); 0: every point."""
    scale: Scale = "linear"
    """Of the axis; on a logarithmic one, points are distributed as they are drawn."""


class Best(NamedTuple):
    """The smallest and the largest finite value, and the step of the first point with each; None if none is finite."""

    min: float | None = None
    min_step: int | None = None
    max: float | None = None
    max_step: int | None = None


class Selected(NamedTuple):
    """The selected points, sorted along the axis."""

    points: Points
    smoothed: Float64s | None
    """One value a point, from the smoothed whole series."""
    smoothing: Smoothing | None
    """How it was smoothed."""
    total: int
    """Number of points in the window before downsampling."""
    duplicates: int
    """Number of points omitted because a later one has the same step."""
    best: Best
    """Of all points in the window that are drawn: of several with the same step on the step axis, the last."""
    settled: int
    """How many of the first selected points are expected to stay if points are appended to the series in order."""
    x: Float64s | None = None
    """The positions, if the series is over another tag."""
    unplaced: int = 0
    """Number of points of the whole series that have no place on the axis, as their wall_time is impossible."""
    set_back: int = 0
    """Number of points of the whole series that stand before points of earlier steps on an axis of time."""


def select(
    run: RunView, source: Source, rank: int, attempt: int | str | None, window: Window, requested: Requested | None
) -> Selected:
    """Select from one series of a run, over steps or times.

    On the step axis, unless every point is requested, only the last of several points with the same step is returned.
    """
    by = "step" if window.axis in OVER_STEPS else "wall_time"
    series, ordering = ordered(run, source, rank, attempt, by)
    series, unplaced = _placed(series, window.axis)
    start = axis_start(run, window.axis)
    inside = _inside(series, ordering, window, start)
    points = series.take(inside)
    smoothing = smoothed = None
    if requested is not None:
        smoothing, smoothed = smoothed_by(requested, series, series.step if by == "step" else series.wall_time)
        smoothed = None if smoothed is None else smoothed[inside]
    total, drawn = points.total, None
    if by == "step" and attempt != ALL and ordering != "strict" and total:
        drawn = np.flatnonzero(np.append(points.step[1:] != points.step[:-1], True))
    best = find_best(points if drawn is None else points.take(drawn))
    if window.points and drawn is not None:
        points, smoothed = points.take(drawn), None if smoothed is None else smoothed[drawn]
    duplicates = total - points.total
    # The last point is replaced by one with the same step.
    settled = max(0, points.total - max(1, unsettled_points(smoothing)))
    if window.points and points.total > window.points:
        kept, settled_before = _downsample(points, window, start)
        settled = int(np.searchsorted(kept, min(settled, settled_before)))
        points, smoothed = points.take(kept), None if smoothed is None else smoothed[kept]
    set_back = 0 if by == "step" else _count_set_back(*ordered(run, source, rank, attempt, "step"))
    return Selected(points, smoothed, smoothing, total, duplicates, best, settled, None, unplaced, set_back)


def count_inside(source: Source, run: RunView, rank: int, attempt: int | str | None, window: Window) -> int:
    """Return how many points of a series are in a window, at most."""
    if window.lo == -np.inf and window.hi == np.inf:
        return max(run.points(tag, rank, attempt).total for tag in source.tags)
    series, ordering = ordered(run, source, rank, attempt, "step" if window.axis in OVER_STEPS else "wall_time")
    inside = _inside(series, ordering, window, axis_start(run, window.axis))
    return inside.stop - inside.start if isinstance(inside, slice) else len(inside)


def _placed(series: Points, axis: Axis) -> tuple[Points, int]:
    """Return (the points of a series that have a place on an axis; how many have none, as their time is impossible)."""
    if axis in OVER_STEPS:
        return series, 0
    times = series.wall_time
    has_place = np.isfinite(times) & ((times > 0) | (axis == "relative"))
    unplaced = len(times) - int(np.count_nonzero(has_place))
    return (series.take(has_place), unplaced) if unplaced else (series, 0)


def _count_set_back(points: Points, ordering: Ordering) -> int:
    """Return how many points have an earlier wall_time than points before them: a clock was set back.

    Args:
        points: in the order of their steps.
        ordering: of these steps. If they repeat, they do not say what was recorded first, and the result is 0.
    """
    times = points.wall_time
    if ordering != "strict" or not bool(np.any(times[1:] < times[:-1])):
        return 0
    latest = np.fmax.accumulate(np.where(np.isfinite(times), times, -np.inf))
    return int(np.count_nonzero(times < latest - _JITTER))


def smoothed_by(requested: Requested, series: Points, x: Int64s | Float64s) -> tuple[Smoothing | None, Float64s | None]:
    """Return (how a whole series is smoothed along x, its smoothed values); None, None if it is not."""
    smoothing = smoothing_for(requested, series.value, x)
    return smoothing, None if smoothing is None else smooth(series.value, x, smoothing)


def _downsample(points: Points, window: Window, start: float) -> Downsampled:
    if window.scale == "linear":
        return downsample(points.compact_value, window.points)
    return downsample_along(positions(points, window.axis, start), points.compact_value, window.points, window.scale)


def find_best(points: Points) -> Best:
    """Return the smallest and the largest finite value of points, and their steps."""
    if points.total and not all_finite(points.compact_value):
        points = points.take(np.isfinite(points.compact_value))
    if not points.total:
        return Best()
    step, value = points.compact_step, points.compact_value
    least, most = int(value.argmin()), int(value.argmax())
    return Best(float(value[least]), int(step[least]), float(value[most]), int(step[most]))


def axis_start(run: RunView, axis: Axis) -> float:
    """Return the wall_time, or the step, at which an axis begins for a run."""
    if axis == "relative_step":
        return run.steps[0] if run.steps else 0
    return run.started or 0.0 if axis == "relative" else 0


def positions(points: Points, axis: Axis, start: float) -> Int64s | Float64s:
    """Return where points are on an axis that begins at a step or a wall_time."""
    if axis in OVER_STEPS:
        return points.step - int(start) if start else points.step
    return points.wall_time - start if start else points.wall_time


def _inside(points: Points, ordering: Ordering, window: Window, start: float) -> slice | npt.NDArray[np.intp]:
    """Return the index of the points in a window; by bisection if they are in order."""
    if ordering == "none":
        x = positions(points, window.axis, start)
        return np.flatnonzero((x >= window.lo) & (x <= window.hi))
    keys = points.compact_step if window.axis in OVER_STEPS else points.wall_time
    # Python, unlike NumPy, compares an int with a float exactly.
    exact = int if window.axis in OVER_STEPS else float

    def position(key: np.int64 | np.float64) -> float:
        return exact(key) - start

    lo = bisect.bisect_left(keys, window.lo, key=position)
    return slice(lo, bisect.bisect_right(keys, window.hi, lo, key=position))
