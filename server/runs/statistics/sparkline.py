"""Reduces a series to a few points, for a sparkline."""

from typing import NamedTuple

import numpy as np

from toposcope.server.reading.series.series import Float64s, Int64s, Points
from toposcope.server.reading.series.series_summary import all_finite, drawn_rows
from toposcope.server.runs.statistics.downsample import Indices

MAX_POINTS = 40
_BUCKETS = (MAX_POINTS - 2) // 2


class Sparkline(NamedTuple):
    """Finite points by step: the first, the last, and the smallest and the largest of each bucket."""

    step: Int64s
    value: Float64s


def sparkline(points: Points) -> Sparkline:
    """Return at most MAX_POINTS points of a series of one or more; of several points with the same step, the last.

    Args:
        points: in file order.
    """
    step, value = points.step, points.value
    rows = drawn_rows(step)
    if rows is not None:
        step, value = step[rows], value[rows]
    if not all_finite(value):
        finite = np.isfinite(value)
        step, value = step[finite], value[finite]
    if len(value) <= MAX_POINTS:
        return Sparkline(step, value)
    where = _extremes(value)
    return Sparkline(step[where], value[where])


def _extremes(value: Float64s) -> Indices:
    """Return the rows of the first and the last value, and of the extremes of at most _BUCKETS buckets."""
    # tsdownsample takes 50 us a call, which is too long for ten thousand runs.
    length = -(-len(value) // _BUCKETS)
    whole = len(value) // length * length
    buckets = value[:whole].reshape(-1, length)
    starts = np.arange(0, whole, length)
    rows = {0, len(value) - 1, *(starts + buckets.argmin(1)).tolist(), *(starts + buckets.argmax(1)).tolist()}
    if whole < len(value):
        rows |= {whole + int(value[whole:].argmin()), whole + int(value[whole:].argmax())}
    return np.array(sorted(rows))
