"""What a table says of a scalar series: its last value, its extremes and its first non-finite point.

All is computed from every point, and two summaries merge: a series that grew costs only its new points.
"""

import math
from typing import NamedTuple

import numpy as np

from toposcope.server.reading.series import Float64s, Int64s, Points


class NonFinitePoint(NamedTuple):
    """A point whose value is NaN or infinite."""

    step: int
    wall_time: float
    """Seconds since 1970."""
    value: float


class Extreme(NamedTuple):
    """The smallest or the largest finite value, and the first step that has it."""

    value: float
    step: int


class SeriesSummary(NamedTuple):
    """A series in a few numbers."""

    points: int
    last: float
    """At the largest step; of points with equal steps the last one recorded."""
    last_step: int
    min: Extreme | None
    """None: no value is finite."""
    max: Extreme | None
    first_non_finite: NonFinitePoint | None
    """At the smallest step; None: every value is finite."""


def summarise(points: Points) -> SeriesSummary:
    """Return the summary of one point or more, in the order of the file."""
    step, value = points.step, points.value
    is_ascending = bool((step[1:] >= step[:-1]).all())
    last = len(step) - 1 - (0 if is_ascending else int(step[::-1].argmax()))
    bad = first_non_finite(points)
    if bad is not None:
        finite = np.isfinite(value)
        step, value = step[finite], value[finite]
    lowest = highest = None
    if len(value):
        lowest = _extreme(step, value, int(value.argmin()), is_ascending)
        highest = _extreme(step, value, int(value.argmax()), is_ascending)
    return SeriesSummary(points.total, points.value.item(last), points.step.item(last), lowest, highest, bad)


def first_non_finite(points: Points) -> NonFinitePoint | None:
    """Return the first non-finite point of one point or more."""
    value = points.value
    if all_finite(value):
        return None
    bad = np.flatnonzero(~np.isfinite(value))
    row = int(bad[points.step[bad].argmin()])
    return NonFinitePoint(points.step.item(row), points.wall_time.item(row), value.item(row))


def all_finite(value: Float64s) -> bool:
    """Say whether no value is NaN or infinite, of one or more."""
    # A NaN is what both find, wherever it stands; a mask costs twice as much, and memory.
    return math.isfinite(value.item(value.argmin())) and math.isfinite(value.item(value.argmax()))


def _extreme(step: Int64s, value: Float64s, first: int, is_ascending: bool) -> Extreme:
    """Return the extreme that is found at a row and at none before."""
    extreme = value.item(first)
    if is_ascending:
        return Extreme(extreme, step.item(first))
    return Extreme(extreme, int(step[value == extreme].min()))


def merge(earlier: SeriesSummary, later: SeriesSummary) -> SeriesSummary:
    """Return the summary of two parts of a series, one recorded after the other."""
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
    """Return the first non-finite point of two parts of a series, one recorded after the other."""
    if earlier is None or later is None:
        return earlier or later
    return later if later.step < earlier.step else earlier
