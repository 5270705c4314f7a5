"""Returns memory that the process has freed to the system; glibc keeps it otherwise, a few megabytes a thread."""

import ctypes
import time
from collections.abc import Callable

_MOST_SHARE = 100
"""What it takes is at most a hundredth of the time."""
_LEAST_SECONDS = 10.0


class FreedMemory:
    """Returns memory from time to time. Not thread-safe."""

    def __init__(self) -> None:
        self._next = 0.0
        self._return = _malloc_trim()

    def return_soon(self) -> None:
        """Return what is free now, unless that was done lately."""
        start = time.monotonic()
        if start >= self._next and self._return is not None:
            self._return(0)
            self._next = start + max(_LEAST_SECONDS, _MOST_SHARE * (time.monotonic() - start))


def _malloc_trim() -> Callable[[int], int] | None:
    """Return glibc's function; None if the process uses another C library."""
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):
        return None
    return trim
