"""Decides which series are smoothed unless a request says how: long ones whose points scatter."""

import math

import numpy as np

from toposcope.server.reading.series.series import Float64s, Int64s
from toposcope.server.runs.statistics.smoothing import Automatic, Requested, Smoothing, TimedAverage

FEWEST = 500
"""Points of a series that may be smoothed: evaluations have fewer, and each of them counts."""
ROUGH = 0.05
"""The mean second difference of neighbouring points that is noise, as a share of the range of the values."""
HALF_LIVES = 64
"""How many half-lives a series has: as many to twice as many."""
_TAIL = 0.05
_SAMPLE = 4096
_SHORTEST = 2.0**-9
"""A half-life, in steps or seconds."""


def smoothing_for(requested: Requested | None, value: Float64s, x: Int64s | Float64s) -> Smoothing | None:
    """Return the smoothing of a series: the requested one, or with Automatic the one that its noise asks for.

    A series of at least FEWEST points is noisy if its mean second difference is at least ROUGH of its range, both
    without the 5 % of the values at either end. A trend has small second differences, and a few spikes hardly change
    their mean. The half-life is a power of two. Both are decided from the first points of the series, and from more of
    them only when it has grown by up to a quarter, so that a live series is not smoothed otherwise with every point.

    Args:
        requested: how to smooth.
        value: the whole series, NaN and infinities included.
        x: positions of its points on the axis.
    """
    if not isinstance(requested, Automatic):
        return requested
    length = _settled(len(value))
    if len(value) < FEWEST or not is_rough(value[:length]):
        return None
    span = float(x[:length].max() - x[:length].min())
    if not 0 < span < math.inf:
        return None
    return TimedAverage(max(_SHORTEST, 2.0 ** math.floor(math.log2(span / HALF_LIVES))))


def _settled(length: int) -> int:
    """Return the largest of the numbers 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, ... that is at most a length."""
    unit = 1 << max(0, length.bit_length() - 3)
    return length // unit * unit


def is_rough(value: Float64s) -> bool:
    """Return whether neighbouring points scatter, judged by a sample of them."""
    value = value[np.isfinite(value)]
    if len(value) < 3:
        return False
    middle = np.arange(1, len(value) - 1, max(1, len(value) // _SAMPLE))
    low, high = np.quantile(value[middle], [_TAIL, 1 - _TAIL])
    if low == high:  # Most are equal.
        low, high = value[middle].min(), value[middle].max()
    before, at, after = (np.clip(value[middle + shift], low, high) for shift in (-1, 0, 1))
    with np.errstate(over="ignore", invalid="ignore"):  # Differences of the largest numbers.
        return bool(np.abs(before - 2 * at + after).mean() >= ROUGH * (high - low) > 0)
