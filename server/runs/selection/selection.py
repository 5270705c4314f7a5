"""Selects the points of a series for a request: axis, window, number of points and smoothing."""

import bisect
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.series.series import Float64s, Int64s, Points
from toposcope.server.reading.series.series_summary import all_finite
from toposcope.server.runs.recordings.pauses import Pauses, paused_before
from toposcope.server.runs.run import ALL, Ordering, RunView
from toposcope.server.runs.selection.sources import Source, ordered
from toposcope.server.runs.statistics.downsample import Downsampled, Scale, downsample, downsample_along
from toposcope.server.runs.statistics.noise import smoothing_for
from toposcope.server.runs.statistics.smoothing import Requested, Smoothing, smooth, unsettled_points

Axis = Literal["step", "relative_step", "relative", "active", "wall_time"]
OVER_STEPS: tuple[Axis, ...] = ("step", "relative_step")
_JITTER = 1.0
"""Seconds by which points of threads or hosts may be recorded in another order than that of their steps."""


class Origin(NamedTuple):
    """Where an axis begins for a run."""

    start: float
    """A wall_time or a step."""
    pauses: Pauses | None = None
    """What is left out of time."""


class Window(NamedTuple):
    """The requested part of a series."""

    axis: Axis = "step"
    """"relative" counts seconds from the start of the run, "active" those without its pauses, and "relative_step" steps
    from its first one."""
    lo: float = -np.inf
    hi: float = np.inf
    """Bounds on the axis, both included."""
    points: int = 0
    """Approximate maximum number of points (see downsample); 0: every point."""
    scale: Scale = "linear"
    """The scale of the axis; on a logarithmic one, points are distributed as they are drawn."""


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
    """The best of all points in the window that are drawn: of several with the same step on the step axis, the last."""
    settled: int
    """How many of the first selected points are expected to stay if points are appended to the series in order."""
    x: Float64s | None = None
    """The positions, if the series is over another tag or over time without pauses."""
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
    origin = origin_of(run, window.axis)
    inside = _inside(series, ordering, window, origin)
    points = series.take(inside)
    smoothing = smoothed = None
    if requested is not None:
        smoothing, smoothed = smoothed_by(requested, series, _smoothed_along(series, window.axis, origin))
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
        kept, settled_before = _downsample(points, window, origin)
        settled = int(np.searchsorted(kept, min(settled, settled_before)))
        points, smoothed = points.take(kept), None if smoothed is None else smoothed[kept]
    set_back = 0 if by == "step" else _count_set_back(*ordered(run, source, rank, attempt, "step"))
    x = positions(points, "active", origin).astype(np.float64) if window.axis == "active" else None
    return Selected(points, smoothed, smoothing, total, duplicates, best, settled, x, unplaced, set_back)


def count_inside(source: Source, run: RunView, rank: int, attempt: int | str | None, window: Window) -> int:
    """Return how many points of a series are in a window, at most."""
    if window.lo == -np.inf and window.hi == np.inf:
        return max(run.points(tag, rank, attempt).total for tag in source.tags)
    series, ordering = ordered(run, source, rank, attempt, "step" if window.axis in OVER_STEPS else "wall_time")
    inside = _inside(series, ordering, window, origin_of(run, window.axis))
    return inside.stop - inside.start if isinstance(inside, slice) else len(inside)


def _placed(series: Points, axis: Axis) -> tuple[Points, int]:
    """Return (the points of a series that have a place on an axis; how many have none, as their time is impossible)."""
    if axis in OVER_STEPS:
        return series, 0
    times = series.wall_time
    has_place = np.isfinite(times) & ((times > 0) | (axis in ("relative", "active")))
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


def _downsample(points: Points, window: Window, origin: Origin) -> Downsampled:
    if window.scale == "linear":
        return downsample(points.compact_value, window.points)
    return downsample_along(positions(points, window.axis, origin), points.compact_value, window.points, window.scale)


def find_best(points: Points) -> Best:
    """Return the smallest and the largest finite value of points, and their steps."""
    if points.total and not all_finite(points.compact_value):
        points = points.take(np.isfinite(points.compact_value))
    if not points.total:
        return Best()
    step, value = points.compact_step, points.compact_value
    least, most = int(value.argmin()), int(value.argmax())
    return Best(float(value[least]), int(step[least]), float(value[most]), int(step[most]))


def origin_of(run: RunView, axis: Axis) -> Origin:
    """Return where an axis begins for a run."""
    if axis == "relative_step":
        return Origin(run.steps[0] if run.steps else 0)
    started = run.started or 0.0
    return Origin(started, run.pauses) if axis == "active" else Origin(started if axis == "relative" else 0)


def positions(points: Points, axis: Axis, origin: Origin) -> Int64s | Float64s:
    """Return where points are on an axis."""
    start, pauses = origin
    if axis in OVER_STEPS:
        return points.step - int(start) if start else points.step
    placed = points.wall_time - start if start else points.wall_time
    return placed if pauses is None else placed - paused_before(pauses, points.wall_time)


def _smoothed_along(series: Points, axis: Axis, origin: Origin) -> Int64s | Float64s:
    """Return the positions that smoothing depends on, which is by their distances."""
    if axis == "active":
        return positions(series, axis, origin)
    return series.step if axis in OVER_STEPS else series.wall_time


def _inside(points: Points, ordering: Ordering, window: Window, origin: Origin) -> slice | npt.NDArray[np.intp]:
    """Return the index of the points in a window; by bisection if they are in order."""
    if ordering == "none" or window.axis == "active":
        x = positions(points, window.axis, origin)
        return np.flatnonzero((x >= window.lo) & (x <= window.hi))
    keys = points.compact_step if window.axis in OVER_STEPS else points.wall_time
    # Python, unlike NumPy, compares an int with a float exactly.
    exact = int if window.axis in OVER_STEPS else float

    def position(key: np.int64 | np.float64) -> float:
        return exact(key) - origin.start

    lo = bisect.bisect_left(keys, window.lo, key=position)
    return slice(lo, bisect.bisect_right(keys, window.hi, lo, key=position))
