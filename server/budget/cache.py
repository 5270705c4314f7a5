"""Keeps what was read or computed, the most recently used first, up to a number of bytes."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Value = TypeVar("Value")


class Cache:
    """Values by key. Thread-safe; a value that two threads need at once is computed twice.

    Args:
        most_bytes: of all values together; a larger one is not kept.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._values = OrderedDict[Hashable, tuple[Any, int]]()
        self._bytes = 0

    def get(self, key: Hashable, make: Callable[[], Value], size: Callable[[Value], int]) -> Value:
        """Return the value of a key.

        Args:
            key: equal for equal values.
            make: returns the value if it is not kept.
            size: returns the bytes of a value.
        """
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                kept: Value = self._values[key][0]
                return kept
        value = make()
        self._keep(key, value, size(value))
        return value

    def has(self, key: Hashable) -> bool:
        """Return whether a value is kept."""
        return key in self._values

    def _keep(self, key: Hashable, value: object, size: int) -> None:
        if size > self._most_bytes:
            return
        with self._lock:
            if key in self._values:
                return
            self._values[key] = value, size
            self._bytes += size
            while self._bytes > self._most_bytes:
                _, (_, dropped) = self._values.popitem(last=False)
                self._bytes -= dropped
