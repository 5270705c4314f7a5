"""Scalars: converts values of any framework with one element to a double."""

import math
from typing import Any, NamedTuple, SupportsFloat, cast

import numpy as np

from toposcope.recorder.adapters import is_tensor
from toposcope.recorder.values.arrays.foreign_values import (
    UnreadableValueError,
    call_foreign,
    is_convertible,
    short_repr,
    unmasked,
)

_EXPECTED = "a real number, or an array or tensor with one real element"
# Booleans, integers and floats; "V" is the kind of bfloat16 and float8 of ml_dtypes.
_REAL_KINDS = "biufV"


class Scalar(NamedTuple):
    """A number as a double."""

    value: float
    is_exact: bool
    """False if no double represents the number; value is then the nearest one."""


class _Element(NamedTuple):
    """The only element of an array or tensor."""

    size: int
    number: object
    """None if size is not 1."""
    is_real: bool


def scalar_from(value: Any) -> Scalar:
    """Return the number in value; a tensor on a device is transferred once.

    Raises:
        TypeError: value is neither a real number nor an array or tensor of real numbers.
        ValueError: value does not have exactly one element, or exceeds the range of a double.
        UnreadableValueError: the value's own methods raised an error.
    """
    if is_tensor(value) and not value.ndim:  # The usual loss, at every step.
        item = call_foreign(value.item)
        if type(item) is float:
            return Scalar(item, is_exact=True)
    number: Any = value if _is_plain_number(value) else _only_element(unmasked(value))
    try:
        nearest = float(number)
        return Scalar(nearest, is_exact=bool(nearest == number or nearest != nearest))
    except OverflowError:
        raise ValueError(f"{short_repr(value)} exceeds the range of a double (about 1.8e308).") from None
    except Exception as error:
        raise UnreadableValueError(f"{type(error).__name__}: {error}") from error


def _is_plain_number(value: object) -> bool:
    """Return whether value is a number of Python: an int or a float, a Decimal or a Fraction."""
    # Decimal and Fraction have this method as well. Importing them takes two milliseconds.
    return isinstance(value, int | float) or (
        hasattr(type(value), "as_integer_ratio") and not isinstance(value, np.generic)
    )


def _only_element(value: object) -> SupportsFloat:
    if not is_convertible(value, ("detach", "__array__", "item")):
        raise TypeError(f"A scalar must be {_EXPECTED}; {short_repr(value)} is of type {type(value).__name__}.")
    size, number, is_real = call_foreign(lambda: _element_of(value))
    if size != 1:
        raise ValueError(f"A scalar must be {_EXPECTED}; {short_repr(value)} has {size}.")
    # The usual types first: an isinstance() with a Protocol takes most of the time of a call.
    if not isinstance(number, int | float) and (isinstance(number, complex) or not isinstance(number, SupportsFloat)):
        is_real = False
    if not is_real:
        raise TypeError(
            f"A scalar must be {_EXPECTED}; the element of {short_repr(value)} is of type {type(number).__name__}."
        )
    return cast(SupportsFloat, number)


def _element_of(value: Any) -> _Element:
    tensor = value.detach() if hasattr(value, "detach") else value
    # The shape first: a large tensor passed by mistake is not transferred from its device.
    size = math.prod(tensor.shape if hasattr(tensor, "shape") else np.shape(np.asarray(tensor)))
    # Only NumPy's dtypes have a kind, and only NumPy's item() converts dates to integers.
    kind = getattr(getattr(tensor, "dtype", None), "kind", "f")
    is_real = isinstance(kind, str) and kind in _REAL_KINDS
    if size != 1:
        return _Element(size, None, is_real)
    return _Element(size, tensor.item() if hasattr(tensor, "item") else np.asarray(tensor).item(), is_real)
