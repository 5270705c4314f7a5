"""Peak: the largest of many numbers, some of which a device may still be computing."""

from collections import deque
from typing import Any

from toposcope.recorder.values.scalar import scalar_from

_MAX_UNREAD = 1000


class Peak:
    """Remembers the largest number. An array is read when JAX has computed it, or else at the end."""

    def __init__(self) -> None:
        self._largest: float | None = None
        self._unread: deque[Any] = deque()

    def add(self, number: Any) -> None:
        """Add a number, or an array with one number, without waiting for its device."""
        if type(number) is float:  # The usual rate, at every step.
            if self._largest is None or not number <= self._largest:
                self._largest = number
            return
        if isinstance(number, int | float):
            self._read(number)
            return
        self._unread.append(number)
        while self._unread and (_is_ready(self._unread[0]) or len(self._unread) > _MAX_UNREAD):
            self._read(self._unread.popleft())

    def value(self) -> float | None:
        """Return the largest number, None if there is none; wait for the arrays that have not been read."""
        while self._unread:
            self._read(self._unread.popleft())
        return self._largest

    def _read(self, number: Any) -> None:
        value = scalar_from(number).value
        self._largest = value if self._largest is None else max(value, self._largest)


def _is_ready(array: Any) -> bool:
    return not hasattr(array, "is_ready") or bool(array.is_ready())
