"""Smoothing of a whole series, before any downsampling."""

import re
from typing import NamedTuple

import numpy as np

from toposcope.server.reading.series import Float64s

_PATTERN = re.compile(r"ema:(0|0?\.\d{1,16})")


class Smoothing(NamedTuple):
    """Debiased exponential moving average."""

    weight: float
    """Of what came before, in [0, 1)."""


def parse_smoothing(text: str) -> Smoothing:
    """Parse "ema:WEIGHT".

    Raises:
        ValueError: text is not of that form.
    """
    match = _PATTERN.fullmatch(text)
    if not match:
        raise ValueError(f"smooth={text!r}: expected ema:WEIGHT with 0 <= WEIGHT < 1, for example ema:0.9")
    return Smoothing(float(match[1]))


def smooth(value: Float64s, smoothing: Smoothing) -> Float64s:
    """Return the debiased exponential moving average of a series, one value a point.

    Non-finite values stand in the result as they are and count for nothing in the average of the others.
    With x the finite values and w the weight: s[n] = sum(w**k * x[n - k]) / sum(w**k), over k = 0..n
    (Kingma and Ba, Adam, 2015, section 3: the bias correction).
    """
    finite = np.isfinite(value)
    if finite.all():
        return _average(value, smoothing.weight)
    smoothed = value.copy()
    smoothed[finite] = _average(value[finite], smoothing.weight)
    return smoothed


def _average(value: Float64s, weight: float) -> Float64s:
    """Sum the weighted past by doubling: after k rounds each place holds the sum over its last 2**k values."""
    total = value * (1 - weight)
    reach = 1
    factor = weight
    while reach < len(value) and factor > 1e-18:
        more = total.copy()
        more[reach:] += factor * total[:-reach]
        total = more
        reach *= 2
        factor *= factor
    if weight == 0:
        return total
    # -expm1(n * log(w)) is 1 - w**n without cancellation.
    result: Float64s = total / -np.expm1(np.arange(1, len(value) + 1) * np.log(weight))
    return result
