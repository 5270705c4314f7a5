"""The mean of the elements of any array as one number."""

from typing import Any

import numpy as np

from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError


def mean_of(value: Any) -> float | None:
    """Return the mean of the elements in double precision, NaN if there are none.

    Args:
        value: a number, an array or a tensor of any framework.

    Returns:
        None if value is not numeric, cannot be read, or is complex.
    """
    # The usual losses first: numbers, and tensors without dimensions, for which array_from() takes ten times as long.
    if type(value) is float:
        return value
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        try:
            number = value.item()
        except Exception:  # A type without elements, a fake tensor for example.
            return None
        return float(number) if isinstance(number, int | float) else None
    try:
        numbers = array_from(value).numbers()
    except (TypeError, UnreadableValueError):
        return None
    if numbers.dtype.kind == "c":
        return None
    return float(np.mean(numbers, dtype=np.float64)) if numbers.size else float("nan")
