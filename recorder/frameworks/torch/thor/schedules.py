"""Values that change with the step: a number, a sequence with a value per step, or a function of the step."""

from collections.abc import Callable, Sequence
from typing import Any

from toposcope.recorder.values.foreign_values import short_repr

Schedule = Callable[[int], float]


def schedule_from(name: str, value: Any, *, lowest: float = 0.0) -> Schedule | float:
    """Return a value as a number or as a function of the step, counted from 0.

    Args:
        name: of the parameter, for errors.
        value: a number, a tensor, array or sequence of one dimension, whose last value is valid for all further steps,
            or a function of the step.
        lowest: the lowest valid number.

    Raises:
        TypeError: value is something else.
        ValueError: a number is lower than lowest, or the sequence is empty.
    """
    if callable(value):
        return lambda step: float(value(step))
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, str):
        numbers = [_checked(name, number, lowest) for number in value]
        if not numbers:
            raise ValueError(f"{name} must have at least one value.")
        return lambda step: numbers[min(step, len(numbers) - 1)]
    return _checked(name, value, lowest)


def _checked(name: str, value: Any, lowest: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, a sequence of numbers or a function, not {short_repr(value)}.")
    if not value >= lowest:
        raise ValueError(f"{name} must be at least {lowest:g}, not {value!r}.")
    return float(value)
