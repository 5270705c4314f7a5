"""Which points of a series answer a request: an axis, a window, at most so many points, smoothed or not."""

import bisect
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.series import Float64s, Points
from toposcope.server.runs.downsample import downsample
from toposcope.server.runs.run import ALL, Ordering, RunView
from toposcope.server.runs.smoothing import Smoothing, smooth

Axis = Literal["step", "relative", "wall_time"]


class Window(NamedTuple):
    """What part of a series is asked for."""

    axis: Axis = "step"
    """"relative" counts seconds from the start of the run."""
    lo: float = -np.inf
    hi: float = np.inf
    """Bounds on the axis, both included."""
    points: int = 0
    """How many points at most, more or less (see downsample); 0: every point."""


class Selected(NamedTuple):
    """The answer: the points, ordered along the axis."""

    points: Points
    smoothed: Float64s | None
    """One value a point, read off the smoothed whole series."""
    total: int
    """Points in the window before downsampling."""
    duplicates: int
    """Points left out because a later one has the same step."""


def select(
    run: RunView, tag: str, rank: int, attempt: int | str | None, window: Window, smoothing: Smoothing | None
) -> Selected:
    """Select from one series of a run.

    On the step axis, unless every point was asked for, the last of points with equal steps stands for all of them.
    """
    by = "step" if window.axis == "step" else "wall_time"
    series, ordering = run.ordered(tag, rank, attempt, by)
    inside = _inside(series, ordering, window, run.started or 0.0)
    points = series.take(inside)
    smoothed = smooth(series.value, smoothing)[inside] if smoothing else None
    total = points.total
    if window.points and window.axis == "step" and attempt != ALL and ordering != "strict" and total:
        last = np.flatnonzero(np.append(points.step[1:] != points.step[:-1], True))
        points, smoothed = points.take(last), None if smoothed is None else smoothed[last]
    duplicates = total - points.total
    if window.points and points.total > window.points:
        kept = downsample(points.value, window.points)
        points, smoothed = points.take(kept), None if smoothed is None else smoothed[kept]
    return Selected(points, smoothed, total, duplicates)


def _inside(points: Points, ordering: Ordering, window: Window, started: float) -> slice | npt.NDArray[np.intp]:
    """Return where the points of a window are; found by bisection when they are in order."""
    start = started if window.axis == "relative" else 0.0
    keys = points.step if window.axis == "step" else points.wall_time
    if ordering == "none":
        x = keys - start if start else keys
        return np.flatnonzero((x >= window.lo) & (x <= window.hi))
    # Python compares an int with a float exactly.
    position = int if window.axis == "step" else lambda wall_time: float(wall_time) - start
    lo = bisect.bisect_left(keys, window.lo, key=position)
    return slice(lo, bisect.bisect_right(keys, window.hi, lo, key=position))
