"""Series of a run, joined by step."""

from collections.abc import Sequence
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.budget.cancellation import check
from toposcope.server.reading.series.series import CompactValues, Float64s, Int64s, Points

Join = Literal["equal", "last"]
"""equal: at the steps that both series have; last: at the steps of either, with the last value at or before it."""
_Index = npt.NDArray[np.intp]


class StepCurve(NamedTuple):
    """A series with one value a step, in the order of the steps."""

    step: Int64s
    wall_time: Float64s
    """When the value was known, in seconds since 1970."""
    value: CompactValues

    def take(self, where: _Index | npt.NDArray[np.bool_] | slice) -> "StepCurve":
        """Return the points at a slice, under a mask or at indices."""
        return StepCurve(self.step[where], self.wall_time[where], self.value[where])


def last_of_each_step(points: Points) -> StepCurve:
    """Return the last point of each step.

    Args:
        points: in any order; of several with the same step the last one counts.
    """
    curve = StepCurve(points.step, points.wall_time, points.compact_value)
    if isinstance(points.compact_step, range) and points.compact_step.step > 0:  # Each step has one point.
        return curve
    if np.any(curve.step[1:] < curve.step[:-1]):
        curve = curve.take(np.argsort(curve.step, kind="stable"))
    is_last = np.append(curve.step[1:] != curve.step[:-1], True) if len(curve.step) else np.empty(0, np.bool_)
    return curve if is_last.all() else curve.take(np.flatnonzero(is_last))


def joined_steps(curves: Sequence[StepCurve], join: Join) -> Int64s:
    """Return the steps at which all series have a value, see Join."""
    steps = curves[0].step
    for curve in curves[1:]:
        check()
        if not np.array_equal(steps, curve.step):
            join_two = partial(np.intersect1d, assume_unique=True) if join == "equal" else np.union1d
            steps = join_two(steps, curve.step)
    if join == "equal":
        return steps
    if not all(len(curve.step) for curve in curves):
        return steps[:0]
    return steps[np.searchsorted(steps, max(curve.step[0] for curve in curves)) :]


def values_at(curve: StepCurve, steps: Int64s, join: Join) -> tuple[npt.NDArray[np.bool_], Float64s]:
    """Return (at which of the steps a series has a value, these values).

    Args:
        curve: the series.
        steps: in ascending order.
        join: "equal": only at its own steps; "last": from its first step on.
    """
    at = np.searchsorted(curve.step, steps, "right") - 1
    has_value = at >= 0
    if join == "equal" and len(curve.step):
        has_value &= curve.step[at] == steps
    return has_value, curve.value[at[has_value]].astype(np.float64, copy=False)
