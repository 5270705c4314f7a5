"""Targets of optimizers that are compared, and the steps to them. Values are losses or error rates: lower is better."""

import math
import statistics
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

Setting = TypeVar("Setting", bound=Hashable)

MARGIN = 1.02
"""A target is the best loss that the tuned first-order optimizers reach in a fixed number of steps, times this."""


class Reading(NamedTuple):
    """A value at a step of the fixed grid."""

    step: int
    value: float
    seconds: float
    """Time of all steps so far, evaluations excluded."""


def first_reading(readings: Iterable[Reading], target: float) -> Reading | None:
    """Return the first reading that is not above the target; None if there is none. NaN is above every target."""
    return next((reading for reading in readings if reading.value <= target), None)


def best_value(readings: Iterable[Reading]) -> float:
    """Return the lowest value; infinity if there is none but NaN."""
    return min((reading.value for reading in readings if not math.isnan(reading.value)), default=math.inf)


def common_target(trials: Iterable[Sequence[Reading]]) -> float:
    """Return the lowest value of all trials times MARGIN."""
    return MARGIN * min(best_value(readings) for readings in trials)


def rank(readings: Sequence[Reading], target: float) -> tuple[float, float]:
    """Return what settings are tuned by, lower is better: steps to the target, then the lowest value."""
    first = first_reading(readings, target)
    return (math.inf if first is None else first.step), best_value(readings)


def finalists_of(trials: Mapping[Setting, Sequence[Reading]], target: float, number: int) -> list[Setting]:
    """Return the settings of the best ranks, best first."""
    return sorted(trials, key=lambda setting: rank(trials[setting], target))[:number]


def best_setting(trials: Mapping[Setting, Sequence[Sequence[Reading]]], target: float) -> Setting:
    """Return the setting with the lowest median of ranks over several trainings."""
    return min(
        trials, key=lambda setting: statistics.median_high(rank(readings, target) for readings in trials[setting])
    )


def median_with_missed(numbers: Iterable[float | None]) -> float:
    """Return the median; None, a run that missed the target, counts as infinity."""
    return statistics.median(math.inf if number is None else number for number in numbers)


def ratio(first: float, second: float) -> float:
    """Return first / second; NaN if both are infinite."""
    return math.nan if math.isinf(first) and math.isinf(second) else first / second


def arithmetic_ratio(sizes: Sequence[int], batch: int, frequency: int, block: int) -> float:
    """Return how many times the operations of a step without THOR one with it has, for linear layers with biases.

    A product of matrices, n x k by k x m, counts 2 n k m, a Cholesky decomposition with inverse n^3. Factors are
    gathered whole; their inverses have blocks, and a bias belongs to the last one.
    """
    plain, natural, due = 0.0, 0.0, 0.0
    for number, (inputs, outputs) in enumerate(pairwise(sizes)):
        products = 3 if number else 2  # The first layer needs no gradient of its inputs.
        plain += products * 2 * batch * inputs * outputs
        parts = [*_parts(inputs, block)]
        parts[-1] += 1
        for rows, blocks in ((outputs, parts), (inputs + 1, _parts(outputs, block))):
            natural += 2 * rows * sum(size**2 for size in blocks)
            due += 2 * batch * sum(blocks) ** 2 + sum(size**3 for size in blocks)
    return 1 + (natural + due / frequency) / plain


def _parts(size: int, block: int) -> list[int]:
    return [min(block, size - start) for start in range(0, size, block)]
