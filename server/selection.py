"""Which points of a series answer a request: an axis, a window, at most so many points, smoothed or not."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.downsample import downsample
from toposcope.server.run import ALL, RunView
from toposcope.server.series import Float64s, Points
from toposcope.server.smoothing import Smoothing, smooth

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
    series = order(run.points(tag, rank, attempt), window.axis, attempt)
    x = _positions(series, window.axis, run.started or 0.0)
    smoothed = smooth(series.value, smoothing) if smoothing else None
    inside = np.flatnonzero((x >= window.lo) & (x <= window.hi))
    chosen = inside
    if window.points and window.axis == "step" and attempt != ALL:
        chosen = _last_of_equal(series.step, inside)
    duplicates = len(inside) - len(chosen)
    if window.points and len(chosen) > window.points:
        chosen = chosen[downsample(series.value[chosen], window.points)]
    return Selected(series.take(chosen), None if smoothed is None else smoothed[chosen], len(inside), duplicates)


def order(points: Points, axis: Axis, attempt: int | str | None) -> Points:
    """Sort points along an axis, equal ones in file order; of every attempt together: file order as it is."""
    keys = points.step if axis == "step" else points.wall_time
    if attempt == ALL or bool(np.all(keys[1:] >= keys[:-1])):
        return points
    return points.take(np.argsort(keys, kind="stable"))


def _positions(points: Points, axis: Axis, started: float) -> npt.NDArray[np.int64] | Float64s:
    if axis == "step":
        return points.step
    return points.wall_time - started if axis == "relative" else points.wall_time


def _last_of_equal(step: npt.NDArray[np.int64], indices: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    steps = step[indices]
    return indices[np.append(steps[1:] != steps[:-1], True)] if len(indices) else indices
