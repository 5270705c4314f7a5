"""Expressions, evaluated step by step by a slow evaluator."""

import math
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.server.expressions.evaluation import RateUnit, evaluate
from toposcope.server.expressions.joining import Join, StepCurve, last_of_each_step, values_at
from toposcope.server.expressions.syntax import Call, Number, TagName, Tree, parse, tags_of
from toposcope.server.reading.series.series import Points

Series = dict[int, tuple[float, float]]
"""Wall time and value by step."""
BINARY = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.float_power,
    "min": np.minimum,
    "max": np.maximum,
}
UNARY = {"-": np.negative, "abs": np.abs, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "log2": np.log2}
NUMBERS = st.floats(width=32) | st.integers(-3, 3).map(float)
STEPS = st.integers(-3, 12) | st.sampled_from([-(2**63), 2**63 - 1])
SERIES = st.dictionaries(STEPS, st.tuples(st.floats(0, 9, width=16), NUMBERS), max_size=9)
LEAVES: st.SearchStrategy[Tree] = st.sampled_from("abc").map(TagName) | NUMBERS.map(Number)


def _calls(children: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    unary = st.builds(lambda name, operand: Call(name, (operand,)), st.sampled_from(sorted(UNARY)), children)
    binary = st.builds(lambda name, *pair: Call(name, pair), st.sampled_from(sorted(BINARY)), children, children)
    rate = children.filter(tags_of).map(lambda operand: Call("rate", (operand,)))
    return unary | binary | rate


TREES = st.recursive(LEAVES, _calls, max_leaves=6).filter(tags_of)


def slowly(tree: Tree, series: Mapping[str, Series], join: Join, unit: RateUnit) -> Series | float:
    """Evaluate an expression one step after the other."""
    if isinstance(tree, Number):
        return tree.value
    if isinstance(tree, TagName):
        return series[tree.tag]
    first, *others = [slowly(operand, series, join, unit) for operand in tree.operands]
    if tree.function == "rate":
        assert isinstance(first, dict)
        return _slow_rate(first, unit)
    if not others:
        function = UNARY[tree.function]
        if isinstance(first, dict):
            return {step: (time, float(function(value))) for step, (time, value) in first.items()}
        return float(function(first))
    return _slow_pair(first, others[0], tree.function, join)


def _slow_rate(series: Series, unit: RateUnit) -> Series:
    rates = {}
    steps = sorted(series)
    for before, step in pairwise(steps):
        (time_before, value_before), (time, value) = series[before], series[step]
        distance = float(step - before) if unit == "step" else time - time_before
        if distance > 0:
            rates[step] = (time, float(np.float64(value) - value_before) / distance)
    return rates


def _slow_pair(left: Series | float, right: Series | float, function: str, join: Join) -> Series | float:
    compute = BINARY[function]
    if not isinstance(left, dict) and not isinstance(right, dict):
        return float(compute(left, right))
    every = [set(each) for each in (left, right) if isinstance(each, dict)]
    result = {}
    for step in set.union(*every):
        found = [_slow_value(each, step, join) for each in (left, right)]
        if None not in found:
            (time, value), (other_time, other) = found  # type: ignore[misc] # None is not among them.
            result[step] = (max(time, other_time), float(compute(value, other)))
    return result


def _slow_value(each: Series | float, step: int, join: Join) -> tuple[float, float] | None:
    if not isinstance(each, dict):
        return -math.inf, each
    if join == "equal":
        return each.get(step)
    before = [known for known in each if known <= step]
    return each[max(before)] if before else None


def curve(series: Series) -> StepCurve:
    """Return a series as columns."""
    steps = sorted(series)
    times, values = ([series[step][column] for step in steps] for column in (0, 1))
    return StepCurve(np.array(steps, np.int64), np.array(times, np.float64), np.array(values, np.float64))


@given(TREES, st.fixed_dictionaries(dict.fromkeys("abc", SERIES)), st.sampled_from(["equal", "last"]), st.booleans())
def test_equals_a_slow_evaluator(tree: Tree, series: dict[str, Series], join: Join, by_time: bool) -> None:
    """Random trees, series, joins and units of rates give the same points, whatever their values are."""
    unit: RateUnit = "second" if by_time else "step"
    with np.errstate(all="ignore"):
        expected = slowly(tree, series, join, unit)
    assert isinstance(expected, dict)

    result = evaluate(tree, {tag: curve(points) for tag, points in series.items()}, join, unit)

    assert result.step.tolist() == sorted(expected)
    np.testing.assert_array_equal(result.wall_time, [expected[step][0] for step in sorted(expected)])
    np.testing.assert_allclose(result.value, [expected[step][1] for step in sorted(expected)], rtol=1e-12)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 99))))
def test_the_last_of_each_step_counts(points: list[tuple[int, int]]) -> None:
    """Also if the points are in another order."""
    columns = [np.array([point[column] for point in points], np.int64) for column in (0, 1)]
    result = last_of_each_step(Points(columns[0], columns[1].astype(float), columns[1].astype(float)))
    assert dict(zip(result.step.tolist(), result.value.tolist(), strict=True)) == dict(points)
    assert result.step.tolist() == sorted(dict(points))


@given(SERIES, st.lists(STEPS).map(sorted), st.sampled_from(["equal", "last"]))
def test_values_at_steps(series: Series, steps: list[int], join: Join) -> None:
    """They are those of the join."""
    found = [_slow_value(series, step, join) for step in steps]
    has_value, values = values_at(curve(series), np.array(steps, np.int64), join)
    assert has_value.tolist() == [each is not None for each in found]
    np.testing.assert_array_equal(values, [each[1] for each in found if each is not None])


@pytest.mark.parametrize(("unit", "rates"), [("step", [2.0, 4.0]), ("second", [1.0])])
def test_rate(unit: RateUnit, rates: list[float]) -> None:
    """It is per step or per second; a point at which the time did not advance has no rate per second."""
    series = curve({0: (0.0, 0.0), 10: (20.0, 20.0), 20: (20.0, 60.0)})
    assert evaluate(parse("rate(a)"), {"a": series}, "equal", unit).value.tolist() == rates
