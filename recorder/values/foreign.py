"""Calls into objects of other people: what they raise is not the caller's mistake, and not ours."""

import reprlib
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

_T = TypeVar("_T")


class UnreadableValueError(Exception):
    """The value's own methods failed: report it and skip it, training goes on."""


def shown(value: object) -> str:
    """Return a short description of any value for an error message."""
    try:
        return reprlib.repr(value)
    except Exception:  # It trusts in the names of types.
        return f"a {type(value).__name__}"


def is_convertible(value: object, methods: Iterable[str]) -> bool:
    """Say whether value is an object, no class, that has one of the methods."""
    return not isinstance(value, type) and called(lambda: any(hasattr(value, name) for name in methods))


def unmasked(value: Any) -> Any:
    """Return value with NaN for the masked elements, if there are any; TypeError when its dtype has no NaN."""
    if "numpy.ma" not in sys.modules or not isinstance(value, np.ma.MaskedArray) or not np.ma.is_masked(value):
        return value
    if value.dtype.kind not in "fc":
        raise TypeError(f"Masked elements are recorded as NaN, which {value.dtype} has not: {shown(value)}.")
    return value.filled(np.nan)


def called(method: Callable[[], _T]) -> _T:
    """Return what a method of a foreign object returns; UnreadableValueError whatever it raises."""
    try:
        return method()
    except Exception as error:
        raise UnreadableValueError(f"{type(error).__name__}: {error}") from error
