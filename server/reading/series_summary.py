"""Summaries of scalar series for tables: the last value, the extremes and the first non-finite point.

They are computed from every point. Two summaries can be merged, so that for a series that grew only the new points are
processed.
"""

import math
from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np

from toposcope.server.reading.series import CompactValues, Float64s, Int64s, Points


class NonFinitePoint(NamedTuple):
    """A point whose value is NaN or infinite."""

    step: int
    wall_time: float
    """Seconds since 1970."""
    value: float


class Extreme(NamedTuple):
    """The smallest or the largest finite value, and the first step with it."""

    value: float
    step: int


_FEW_POINTS = 64
Statistic = Literal["last", "min", "max"]
STATISTICS: Mapping[str, Statistic] = {"last": "last", "min": "min", "max": "max"}


class SeriesSummary(NamedTuple):
    """A few statistics of a series."""

    points: int
    last: float
    """At the largest step; if several points have it, the last one recorded."""
    last_step: int
    min: Extreme | None
    """None if no value is finite."""
    max: Extreme | None
    first_non_finite: NonFinitePoint | None
    """At the smallest step; None if every value is finite."""

    def statistic(self, which: Statistic) -> float:
        """Return the last value, or an extreme; NaN if no value is finite."""
        if which == "last":
            return self.last
        extreme = self.min if which == "min" else self.max
        return math.nan if extreme is None else extreme.value


def summarise(points: Points) -> SeriesSummary:
    """Return the summary of one or more points, which are in file order."""
    if points.total <= _FEW_POINTS and (summary := _summarise_few(points)) is not None:
        return summary
    step, value = points.step, points.value
    is_ascending = bool((step[1:] >= step[:-1]).all())
    last = len(step) - 1 - (0 if is_ascending else int(step[::-1].argmax()))
    non_finite = first_non_finite(points)
    if non_finite is not None:
        finite = np.isfinite(value)
        step, value = step[finite], value[finite]
    lowest = highest = None
    if len(value):
        lowest = _extreme(step, value, int(value.argmin()), is_ascending)
        highest = _extreme(step, value, int(value.argmax()), is_ascending)
    return SeriesSummary(points.total, points.value.item(last), points.step.item(last), lowest, highest, non_finite)


def _summarise_few(points: Points) -> SeriesSummary | None:
    """Return the summary of a few points with finite values at regular steps, without arrays; None for others."""
    steps = points.compact_step
    values = points.compact_value.tolist()
    if not isinstance(steps, range) or steps.step < 0 or not all(map(math.isfinite, values)):
        return None
    low, high = min(values), max(values)
    return SeriesSummary(
        len(values),
        values[-1],
        steps[-1],
        Extreme(low, steps[values.index(low)]),
        Extreme(high, steps[values.index(high)]),
        None,
    )


def first_non_finite(points: Points) -> NonFinitePoint | None:
    """Return the first non-finite one of one or more points; None if there is none."""
    value = points.value
    if all_finite(value):
        return None
    rows = np.flatnonzero(~np.isfinite(value))
    row = int(rows[points.step[rows].argmin()])
    return NonFinitePoint(points.step.item(row), points.wall_time.item(row), value.item(row))


def all_finite(value: CompactValues) -> bool:
    """Return whether all of one or more values are finite."""
    # argmin and argmax return the first NaN if there is any; a mask would take twice as long, and memory.
    return math.isfinite(value.item(value.argmin())) and math.isfinite(value.item(value.argmax()))


def _extreme(step: Int64s, value: Float64s, first: int, is_ascending: bool) -> Extreme:
    """Return the extreme that first occurs in a row."""
    extreme = value.item(first)
    if is_ascending:
        return Extreme(extreme, step.item(first))
    return Extreme(extreme, int(step[value == extreme].min()))


def merge(earlier: SeriesSummary, later: SeriesSummary) -> SeriesSummary:
    """Return the summary of two consecutive parts of a series."""
    newest = later if later.last_step >= earlier.last_step else earlier
    lows = [low for low in (earlier.min, later.min) if low]
    highs = [high for high in (earlier.max, later.max) if high]
    return SeriesSummary(
        earlier.points + later.points,
        newest.last,
        newest.last_step,
        min(lows, default=None),
        min(highs, key=lambda high: (-high.value, high.step), default=None),
        merge_non_finite(earlier.first_non_finite, later.first_non_finite),
    )


def merge_non_finite(earlier: NonFinitePoint | None, later: NonFinitePoint | None) -> NonFinitePoint | None:
    """Return the first non-finite point of two consecutive parts of a series."""
    if earlier is None or later is None:
        return earlier or later
    return later if later.step < earlier.step else earlier
