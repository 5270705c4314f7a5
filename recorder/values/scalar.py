"""Scalars: the one number that a value of any framework holds, as a double."""

import math
import reprlib
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple, SupportsFloat

import numpy as np

from toposcope.recorder.values.foreign import called, is_convertible, unmasked

_WANTED = "a real number, or an array or tensor that holds one real number"
# Booleans, integers and floats; "V" is how NumPy sees the bfloat16 and the float8 of ml_dtypes.
_REAL_KINDS = "biufV"


class Scalar(NamedTuple):
    """One number, ready to be recorded."""

    value: float
    is_exact: bool
    """False when no double holds the number; value is then the nearest one."""


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
    except OverflowError:
        raise ValueError(f"{reprlib.repr(value)} is beyond the range of a double (about 1.8e308).") from None
    return Scalar(nearest, is_exact=nearest == number or nearest != nearest)


def _only_element(value: object) -> SupportsFloat:
    tensor = _without_gradient(value)
    if (size := _size(tensor)) != 1:
        raise ValueError(f"A scalar is {_WANTED}; {reprlib.repr(value)} holds {size}.")
    number = called(tensor.item if hasattr(tensor, "item") else lambda: np.asarray(tensor).item())
    if isinstance(number, complex) or not isinstance(number, SupportsFloat) or not _is_real(tensor):
        raise TypeError(f"A scalar is {_WANTED}; {reprlib.repr(value)} holds {type(number).__name__}.")
    return number


def _without_gradient(value: object) -> object:
    """Return value, detached from the graph of its gradient if it has one; TypeError when it is no array or tensor."""
    if not is_convertible(value, ("detach", "__array__", "item")):
        raise TypeError(f"A scalar is {_WANTED}; {reprlib.repr(value)} is of type {type(value).__name__}.")
    return called(value.detach) if hasattr(value, "detach") else value


def _size(tensor: object) -> int:
    # Shapes are asked before data: a large tensor passed by mistake is not moved off its device.
    shape = tensor.shape if hasattr(tensor, "shape") else called(lambda: np.shape(np.asarray(tensor)))
    return called(lambda: math.prod(shape))


def _is_real(tensor: object) -> bool:
    # Only NumPy's dtypes have a kind; for it alone item() turns dates into integers.
    kind = getattr(getattr(tensor, "dtype", None), "kind", "f")
    return isinstance(kind, str) and kind in _REAL_KINDS
