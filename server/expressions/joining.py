"""Series of a run, joined by step."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.series import Float64s, Int64s, Points

Join = Literal["equal", "last"]
"""equal: at the steps that both series have; last: at the steps of either, with the last value at or before it."""
_Index = npt.NDArray[np.intp]


class StepCurve(NamedTuple):
    """A series with one value a step, in the order of the steps."""

    step: Int64s
    wall_time: Float64s
    """When the value was known, in seconds since 1970."""
    value: Float64s

    def take(self, where: _Index | npt.NDArray[np.bool_] | slice) -> "StepCurve":
        """Return the points at a slice, under a mask or at indices."""
        return StepCurve(self.step[where], self.wall_time[where], self.value[where])


def last_of_each_step(points: Points) -> StepCurve:
    """Return the last point of each step.

    Args:
        points: in any order; of several with the same step the last one counts.
    """
    curve = StepCurve(points.step, points.wall_time, points.value)
    if np.any(curve.step[1:] < curve.step[:-1]):
        curve = curve.take(np.argsort(curve.step, kind="stable"))
    is_last = np.append(curve.step[1:] != curve.step[:-1], True) if len(curve.step) else np.empty(0, np.bool_)
    return curve if is_last.all() else curve.take(np.flatnonzero(is_last))


def combine(
    left: StepCurve, right: StepCurve, join: Join, compute: Callable[[Float64s, Float64s], Float64s]
) -> StepCurve:
    """Return a function of two series at the steps of the join."""
    if not np.array_equal(left.step, right.step):
        left, right = _joined(left, right, join)
    return StepCurve(left.step, np.fmax(left.wall_time, right.wall_time), compute(left.value, right.value))


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
    return has_value, curve.value[at[has_value]]


def _joined(left: StepCurve, right: StepCurve, join: Join) -> tuple[StepCurve, StepCurve]:
    if join == "equal":
        _, at_left, at_right = np.intersect1d(left.step, right.step, assume_unique=True, return_indices=True)
        return left.take(at_left), right.take(at_right)
    steps = np.union1d(left.step, right.step)
    begin = max(left.step[0], right.step[0]) if len(left.step) and len(right.step) else None
    steps = steps[:0] if begin is None else steps[np.searchsorted(steps, begin) :]
    return _last_at(left, steps), _last_at(right, steps)


def _last_at(curve: StepCurve, steps: Int64s) -> StepCurve:
    return curve.take(np.searchsorted(curve.step, steps, "right") - 1)._replace(step=steps)
