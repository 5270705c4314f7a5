"""Values that change with the step: a number, a sequence with a value per step, or a function of the step."""

from collections.abc import Callable, Sequence
from typing import Any

from toposcope.recorder.arguments import checked_number
from toposcope.recorder.values.arrays.foreign_values import short_repr

Schedule = Callable[[int], float]


def schedule_from(name: str, value: Any, *, is_positive: bool = False) -> Schedule | float:
    """Return a value as a number or as a function of the step, counted from 0.

    Args:
        name: of the parameter, for errors.
        value: a number; a tensor, array or sequence of one dimension, whose last value is valid for all further steps;
            or a function of the step, whose values are checked when they are used.
        is_positive: whether 0 is invalid.

    Raises:
        TypeError: value is something else.
        ValueError: a number is negative or not finite, or the sequence is empty.
    """
    if callable(value):
        return lambda step: _checked(f"{name}({step})", value(step), is_positive)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        numbers = [_checked(name, number, is_positive) for number in value]
        if not numbers:
            raise ValueError(f"{name} must have at least one value, not {short_repr(value)}.")
        return lambda step: numbers[min(step, len(numbers) - 1)]
    return _checked(name, value, is_positive)


def _checked(name: str, value: Any, is_positive: bool) -> float:
    try:
        return checked_amount(name, value, is_positive=is_positive)
    except TypeError:
        raise TypeError(
            f"{name} must be a number, a sequence of numbers or a function, not {short_repr(value)}."
        ) from None


def checked_amount(name: str, value: Any, *, is_positive: bool = False) -> float:
    """Return a number that is finite and not negative as a float; TypeError or ValueError if it is not."""
    number = checked_number(name, value)
    if number < 0 or (is_positive and number == 0):
        raise ValueError(f"{name} must be {'positive' if is_positive else 'at least 0'}, not {short_repr(value)}.")
    return number
