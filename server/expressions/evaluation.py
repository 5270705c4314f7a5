"""Evaluates expressions on whole series."""

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, Literal

import numpy as np

from toposcope.server.expressions.joining import Join, StepCurve, combine
from toposcope.server.expressions.syntax import Call, Number, TagName, Tree
from toposcope.server.reading.series import Float64s

RateUnit = Literal["step", "second"]
_Operand = StepCurve | float
_OPERATORS: Mapping[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.float_power,
    "min": np.minimum,
    "max": np.maximum,
}
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "-": np.negative,
    "abs": np.abs,
    "exp": np.exp,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sqrt": np.sqrt,
}


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
        curve = _evaluate(tree, curves, join, rate)
    assert isinstance(curve, StepCurve), "the parser accepts no expression without a tag"
    return curve


def _evaluate(tree: Tree, curves: Mapping[str, StepCurve], join: Join, rate: RateUnit) -> _Operand:
    if isinstance(tree, Number):
        return tree.value
    if isinstance(tree, TagName):
        return curves[tree.tag]
    operands = [_evaluate(operand, curves, join, rate) for operand in tree.operands]
    return _call(tree, operands, join, rate)


def _call(tree: Call, operands: list[_Operand], join: Join, rate: RateUnit) -> _Operand:
    first, *others = operands
    if tree.function == "rate":
        assert isinstance(first, StepCurve), "the parser accepts no rate of a constant"
        return _rate(first, rate)
    if tree.function in _OPERATORS and (others or tree.function not in _FUNCTIONS):
        compute = _OPERATORS[tree.function]
        return reduce(lambda left, right: _combined(left, right, join, compute), others, first)
    function = _FUNCTIONS[tree.function]
    return first._replace(value=function(first.value)) if isinstance(first, StepCurve) else float(function(first))


def _combined(left: _Operand, right: _Operand, join: Join, compute: Callable[..., Any]) -> _Operand:
    if isinstance(left, StepCurve) and isinstance(right, StepCurve):
        return combine(left, right, join, compute)
    if isinstance(left, StepCurve):
        return left._replace(value=compute(left.value, right))
    if isinstance(right, StepCurve):
        return right._replace(value=compute(left, right.value))
    return float(compute(left, right))


def _rate(curve: StepCurve, unit: RateUnit) -> StepCurve:
    distance = _distances(curve) if unit == "step" else np.diff(curve.wall_time)
    rates: Float64s = np.diff(curve.value) / distance
    advanced = np.flatnonzero(distance > 0)
    return curve.take(advanced + 1)._replace(value=rates[advanced])


def _distances(curve: StepCurve) -> Float64s:
    """Return the differences of the steps, which may exceed 63 bits."""
    steps = curve.step.view(np.uint64)
    return (steps[1:] - steps[:-1]).astype(np.float64)
