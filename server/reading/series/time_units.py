"""The unit of wall times: writers that record other units than seconds since 1970 are recognized by their size."""

import struct
from typing import Literal

import numpy as np

from toposcope.server.reading.series.series import Float64s

Unit = Literal["seconds", "milliseconds", "microseconds", "nanoseconds"]

_LARGEST = 1e11
"""Seconds since 1970, in the year 5138; in milliseconds this is 1973."""
_UNITS: tuple[tuple[float, float, Unit], ...] = (
    (_LARGEST, 1e3, "milliseconds"),
    (1e14, 1e6, "microseconds"),
    (1e17, 1e9, "nanoseconds"),
)
"""(The smallest wall time, how many are in a second, the name of the unit). Those from 1e20 on are of no unit."""
_RANGE = 1e3
_BITS, _DOUBLE = struct.Struct("<Q"), struct.Struct("<d")
LARGEST_BITS = _BITS.unpack(_DOUBLE.pack(_LARGEST))[0]
"""The bits of the smallest wall time that is not in seconds; positive doubles sort as their bits."""


def to_seconds(wall_times: Float64s) -> None:
    """Convert wall times, each from the unit that its size implies, in place."""
    if not np.fmax.reduce(wall_times, initial=0.0) >= _LARGEST:
        return
    for smallest, in_a_second, _ in _UNITS:
        wall_times[(wall_times >= smallest) & (wall_times < smallest * _RANGE)] /= in_a_second


def seconds_bits(bits: int) -> int:
    """Return the bits of a wall time in seconds, from its bits in any unit."""
    if bits < LARGEST_BITS:  # Those of negative ones are larger, and stay too.
        return bits
    wall_times = np.array([bits], np.uint64).view(np.float64)
    to_seconds(wall_times)
    return int(wall_times.view(np.uint64)[0])


def unit_of_bits(bits: int) -> Unit:
    """Return the unit of a wall time, from its bits."""
    (wall_time,) = _DOUBLE.unpack(_BITS.pack(bits))
    return next((unit for smallest, _, unit in _UNITS if smallest <= wall_time < smallest * _RANGE), "seconds")
