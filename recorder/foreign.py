"""Calls into objects of other people: what they raise is not the caller's mistake, and not ours."""

from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


class UnreadableValueError(Exception):
    """The value's own methods failed: report it and skip it, training goes on."""


def called(method: Callable[[], _T]) -> _T:
    """Return what a method of a foreign object returns; UnreadableValueError whatever it raises."""
    try:
        return method()
    except Exception as error:
        raise UnreadableValueError(f"{type(error).__name__}: {error}") from error
