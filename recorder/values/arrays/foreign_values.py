"""Calls into objects of users and frameworks, whose methods may raise anything."""

import re
import reprlib
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

_T = TypeVar("_T")
_LINE_BREAK = re.compile(r"\s*\n\s*")


class UnreadableValueError(Exception):
    """The value's own methods failed. Callers log the error and skip the value; the training continues."""


def short_repr(value: object) -> str:
    """Return a short repr of any value, in one line, for an error message."""
    try:
        return _LINE_BREAK.sub(" ", reprlib.repr(value))
    except Exception:  # reprlib fails on objects whose type has an unusual name.
        return f"a {type(value).__name__}"


def is_convertible(value: object, methods: Iterable[str]) -> bool:
    """Return whether value is an object, not a class, with one of the methods."""
    return not isinstance(value, type) and call_foreign(lambda: any(hasattr(value, name) for name in methods))


def unmasked(value: Any) -> Any:
    """Return value with NaN in place of masked elements; TypeError if there are some and its dtype has no NaN."""
    if "numpy.ma" not in sys.modules or not isinstance(value, np.ma.MaskedArray) or not np.ma.is_masked(value):
        return value
    if value.dtype.kind not in "fc":
        raise TypeError(
            f"Masked elements are recorded as NaN, which dtype {value.dtype} does not have: {short_repr(value)}."
        )
    return value.filled(np.nan)


def call_foreign(method: Callable[[], _T]) -> _T:
    """Return method(); any exception of it is raised as UnreadableValueError."""
    try:
        return method()
    except Exception as error:
        raise UnreadableValueError(f"{type(error).__name__}: {error}") from error
