"""Scalars: the one number that a value of any framework holds, as a double."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, SupportsFloat

import numpy as np

from toposcope.recorder.values.foreign import UnreadableValueError, called, is_convertible, shown, unmasked

_WANTED = "a real number, or an array or tensor that holds one real number"
# Booleans, integers and floats; "V" is how NumPy sees the bfloat16 and the float8 of ml_dtypes.
_REAL_KINDS = "biufV"


class Scalar(NamedTuple):
    """One number, ready to be recorded."""

    value: float
    is_exact: bool
    """False when no double holds the number; value is then the nearest one."""


class _Element(NamedTuple):
    """What there is to know of an array or tensor that should hold one number."""

    size: int
    number: object
    """None unless size is 1."""
    is_real: bool


def scalar_from(value: object) -> Scalar:
    """Return the one number that value holds; a tensor on a device is moved once.

    Raises:
        TypeError: value is neither a real number nor an array or tensor of real numbers.
        ValueError: it has not exactly one element, or is a number that no double comes near.
        UnreadableValueError: its own methods raised.
    """
    number = value if isinstance(value, bool | int | float | Decimal | Fraction) else _only_element(unmasked(value))
    try:
        nearest = float(number)
        return Scalar(nearest, is_exact=bool(nearest == number or nearest != nearest))
    except OverflowError:
        raise ValueError(f"{shown(value)} is beyond the range of a double (about 1.8e308).") from None
    except Exception as error:
        raise UnreadableValueError(f"{type(error).__name__}: {error}") from error


def _only_element(value: object) -> SupportsFloat:
    if not is_convertible(value, ("detach", "__array__", "item")):
        raise TypeError(f"A scalar is {_WANTED}; {shown(value)} is of type {type(value).__name__}.")
    size, number, is_real = called(lambda: _looked_at(value))
    if size != 1:
        raise ValueError(f"A scalar is {_WANTED}; {shown(value)} holds {size}.")
    if isinstance(number, complex) or not isinstance(number, SupportsFloat) or not is_real:
        raise TypeError(f"A scalar is {_WANTED}; {shown(value)} holds {type(number).__name__}.")
    return number


def _looked_at(value: Any) -> _Element:
    tensor = value.detach() if hasattr(value, "detach") else value
    # Shapes are asked before data: a large tensor passed by mistake is not moved off its device.
    size = math.prod(tensor.shape if hasattr(tensor, "shape") else np.shape(np.asarray(tensor)))
    # Only NumPy's dtypes have a kind; for it alone item() turns dates into integers.
    kind = getattr(getattr(tensor, "dtype", None), "kind", "f")
    is_real = isinstance(kind, str) and kind in _REAL_KINDS
    if size != 1:
        return _Element(size, None, is_real)
    return _Element(size, tensor.item() if hasattr(tensor, "item") else np.asarray(tensor).item(), is_real)
