"""Summaries of scalar series for tables: the last value, the extremes and the first non-finite point.

They are computed from every point that is drawn over steps: of several with the same step, the last. Summaries of parts
that follow one another can be merged, so that for a series that grew only the new points are processed.
"""

import math
from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.series.series import CompactValues, Int64s, Points


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
    """All, also those that are not drawn."""
    first_step: int
    """The smallest."""
    last: float
    """At the largest step; if several points have it, the last one recorded."""
    last_step: int
    min: Extreme | None
    """None if no value is finite."""
    max: Extreme | None
    first_non_finite: NonFinitePoint | None
    """At the smallest step; None if every value is finite."""

    def statistic(self, which: Statistic) -> float | None:
        """Return the last value, which may be NaN, or an extreme; None if no value is finite."""
        if which == "last":
            return self.last
        extreme = self.min if which == "min" else self.max
        return None if extreme is None else extreme.value


def summarise(points: Points) -> SeriesSummary:
    """Return the summary of one or more points, which are in file order."""
    if points.total <= _FEW_POINTS and (summary := _summarise_few(points)) is not None:
        return summary
    rows = drawn_rows(points.step)
    drawn = points if rows is None else points.take(rows)
    step, value = drawn.step, drawn.value
    first_step, last, last_step = step.item(0), value.item(-1), step.item(-1)
    non_finite = first_non_finite(drawn)
    if non_finite is not None:
        finite = np.isfinite(value)
        step, value = step[finite], value[finite]
    lowest = highest = None
    if len(value):
        lowest, highest = (Extreme(value.item(row), step.item(row)) for row in (value.argmin(), value.argmax()))
    return SeriesSummary(points.total, first_step, last, last_step, lowest, highest, non_finite)


def drawn_rows(step: Int64s) -> npt.NDArray[np.intp] | None:
    """Return the rows of the points that are drawn over steps, by step; None if these are all, in order.

    Args:
        step: of points in file order. Of several with the same step, the last is drawn.
    """
    if (step[1:] > step[:-1]).all():
        return None
    order = np.argsort(step, kind="stable")
    ordered = step[order]
    drawn: npt.NDArray[np.intp] = order[np.append(ordered[1:] != ordered[:-1], True)]
    return drawn


def _summarise_few(points: Points) -> SeriesSummary | None:
    """Return the summary of a few points with finite values at regular steps, without arrays; None for others."""
    steps = points.compact_step
    values = points.compact_value.tolist()
    if not isinstance(steps, range) or steps.step < 0 or not all(map(math.isfinite, values)):
        return None
    low, high = min(values), max(values)
    return SeriesSummary(
        len(values),
        steps[0],
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


def follows(later: SeriesSummary, earlier: SeriesSummary) -> bool:
    """Return whether each step of a part of a series is after those of the part before."""
    return later.first_step > earlier.last_step


def merge(earlier: SeriesSummary, later: SeriesSummary) -> SeriesSummary:
    """Return the summary of two parts of a series, of which one follows the other."""
    lows = [low for low in (earlier.min, later.min) if low]
    highs = [high for high in (earlier.max, later.max) if high]
    return SeriesSummary(
        earlier.points + later.points,
        earlier.first_step,
        later.last,
        later.last_step,
        min(lows, default=None),
        min(highs, key=lambda high: (-high.value, high.step), default=None),
        merge_non_finite(earlier.first_non_finite, later.first_non_finite),
    )


def merge_non_finite(earlier: NonFinitePoint | None, later: NonFinitePoint | None) -> NonFinitePoint | None:
    """Return the first non-finite point of two consecutive parts of a series."""
    if earlier is None or later is None:
        return earlier or later
    return later if later.step < earlier.step else earlier
