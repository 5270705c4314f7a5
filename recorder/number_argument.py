"""Number argument: the check of a parameter that is one finite number."""

import math

from toposcope.recorder.values.foreign import UnreadableValueError, shown
from toposcope.recorder.values.scalar import scalar_from


def checked_number(parameter: str, number: object) -> float:
    """Return a finite number; TypeError when it is none or a bool, ValueError when it is not finite."""
    try:
        value = None if isinstance(number, bool) else scalar_from(number).value
    except (TypeError, ValueError, UnreadableValueError):
        value = None
    if value is None:
        raise TypeError(f"{parameter} is a number, not {shown(number)}.")
    if not math.isfinite(value):
        raise ValueError(f"{parameter} is a finite number, not {shown(number)}.")
    return value
