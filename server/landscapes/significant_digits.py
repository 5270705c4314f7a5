"""Rounding to significant decimal digits, with the same result on every processor."""

import math

import numpy as np

from toposcope.server.reading.series.series import Float64s

_LARGEST_EXACT_POWER = 22
"""10**22 is the largest power of ten that a double represents exactly."""
_MAX_VECTORIZED_DIGITS = 15
"""Integers of 15 digits are exact in a double, and their products keep a bit for the distance to a tie."""
_LOWEST_POWER = -323
# Parsed, not computed: NumPy's power is off by an ulp on some processors.
_POWERS = np.array([float(f"1e{power}") for power in range(_LOWEST_POWER, 309)])


def round_to_digits(values: Float64s, digits: int) -> Float64s:
    """Return the doubles nearest to values written with so many significant digits.

    Equals `float(f"{value:.{digits - 1}e}")` for each value: ties of the exact binary value round to even. The fast
    path uses only single multiplications and divisions by exact powers of ten, which IEEE 754 rounds correctly; values
    that it cannot decide, because of their magnitude or because they are next to a tie, are rounded as text.

    Args:
        values: of any shape. Zeros, NaN, infinities and what would round to infinity are returned unchanged.
        digits: from 1 to 17.
    """
    magnitude = np.abs(values)
    is_rounded = np.isfinite(values) & (magnitude > 0)
    decimals = digits - 1 - (np.searchsorted(_POWERS, magnitude, side="right") - 1 + _LOWEST_POWER)
    is_fast = is_rounded & (np.abs(decimals) <= _LARGEST_EXACT_POWER) & (digits <= _MAX_VECTORIZED_DIGITS)
    factor = _POWERS[np.where(is_fast, np.abs(decimals), 0) - _LOWEST_POWER]
    has_decimals = decimals > 0
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.where(has_decimals, values * factor, values / factor)
        whole = np.rint(scaled)
        is_fast &= np.abs(np.abs(scaled - whole) - 0.5) > np.spacing(np.abs(scaled))
        rounded = np.where(has_decimals, whole / factor, whole * factor)
    rounded = np.where(is_fast, rounded, values)
    slow = is_rounded & ~is_fast
    rounded[slow] = [_rounded_as_text(value, digits) for value in values[slow].tolist()]
    return rounded


def _rounded_as_text(value: float, digits: int) -> float:
    rounded = float(f"{value:.{digits - 1}e}")
    return rounded if math.isfinite(rounded) else value
