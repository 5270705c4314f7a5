"""Evaluates expressions on whole series, a few thousand points at a time, so that operands take no memory."""

from collections.abc import Mapping
from functools import reduce
from typing import Literal

import numpy as np

from toposcope.server.budget.cancellation import check
from toposcope.server.expressions.joining import Join, StepCurve, joined_steps
from toposcope.server.expressions.program import compiled
from toposcope.server.expressions.syntax import Call, TagName, Tree
from toposcope.server.reading.series.series import Float64s

RateUnit = Literal["step", "second"]
_CHUNK_POINTS = 1 << 14
"""So many values of each operand stay in the cache of the CPU."""


def evaluate(tree: Tree, curves: Mapping[str, StepCurve], join: Join, rate: RateUnit) -> StepCurve:
    """Return the series of an expression.

    Arithmetic is that of IEEE 754: the logarithm of a negative number is NaN, and 1/0 is infinite.

    Args:
        tree: of an expression with at least one tag.
        curves: the series of its tags.
        join: at which steps operands are combined.
        rate: the unit of rate(x): the difference to the point before, divided by that of the steps or of the wall times
            in seconds. The first point has no rate, nor has one at which the time did not advance.
    """
    with np.errstate(all="ignore"):
        return _evaluate(tree, curves, join, rate)


def _evaluate(tree: Tree, curves: Mapping[str, StepCurve], join: Join, rate: RateUnit) -> StepCurve:
    program = compiled(tree)
    leaves = [_leaf(leaf, curves, join, rate) for leaf in program.leaves]
    if not program.operations:  # It is a tag or a rate.
        return leaves[program.result]
    steps = joined_steps(leaves, join)
    wall_time, value = np.empty(len(steps)), np.empty(len(steps))
    is_aligned = [leaf.step is steps or np.array_equal(leaf.step, steps) for leaf in leaves]
    for begin in range(0, len(steps), _CHUNK_POINTS):
        check()
        part = slice(begin, begin + _CHUNK_POINTS)
        read = [
            leaf.take(part if aligned else np.searchsorted(leaf.step, steps[part], "right") - 1)
            for leaf, aligned in zip(leaves, is_aligned, strict=True)
        ]
        wall_time[part] = reduce(np.fmax, (leaf.wall_time for leaf in read))
        value[part] = program.run([leaf.value.astype(np.float64, copy=False) for leaf in read])
    return StepCurve(steps, wall_time, value)


def _leaf(leaf: Tree, curves: Mapping[str, StepCurve], join: Join, rate: RateUnit) -> StepCurve:
    if isinstance(leaf, TagName):
        return curves[leaf.tag]
    assert isinstance(leaf, Call), "a leaf is a tag or a rate"
    return _rate(_evaluate(leaf.operands[0], curves, join, rate), rate)


def _rate(curve: StepCurve, unit: RateUnit) -> StepCurve:
    check()
    distance = _distances(curve) if unit == "step" else np.diff(curve.wall_time)
    rates: Float64s = np.diff(curve.value.astype(np.float64, copy=False)) / distance
    advanced = np.flatnonzero(distance > 0)
    return curve.take(advanced + 1)._replace(value=rates[advanced])


def _distances(curve: StepCurve) -> Float64s:
    """Return the differences of the steps, which may exceed 63 bits."""
    steps = curve.step.view(np.uint64)
    return (steps[1:] - steps[:-1]).astype(np.float64)
