"""Calls into objects of other people: what they raise is not the caller's mistake, and not ours."""

from collections.abc import Callable, Iterable
from typing import TypeVar

_T = TypeVar("_T")


class UnreadableValueError(Exception):
    """The value's own methods failed: report it and skip it, training goes on."""


def is_convertible(value: object, methods: Iterable[str]) -> bool:
    """Say whether value is an object, no class, that has one of the methods."""
    return not isinstance(value, type) and called(lambda: any(hasattr(value, name) for name in methods))


def called(method: Callable[[], _T]) -> _T:
    """Return what a method of a foreign object returns; UnreadableValueError whatever it raises."""
    try:
        return method()
    except Exception as error:
        raise UnreadableValueError(f"{type(error).__name__}: {error}") from error
