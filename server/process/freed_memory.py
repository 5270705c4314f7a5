"""Returns memory that the process has freed to the system; glibc keeps it otherwise, a few megabytes an arena."""

import ctypes
import time
from collections.abc import Callable
from typing import Any

_MAX_SHARE = 100
"""What it takes is at most a hundredth of the time."""
_LEAST_SECONDS = 10.0
_M_ARENA_MAX = -8
"""M_ARENA_MAX of glibc's malloc.h."""
_ARENAS = 2


def limit_arenas() -> None:
    """Let all threads share two arenas, as they rarely allocate at the same time; to be called before they start.

    glibc creates up to eight arenas a core. A thread that answers requests leaves in its own what its largest reply
    needed.
    """
    set_option = _of_c_library("mallopt")
    if set_option is not None:
        set_option(_M_ARENA_MAX, _ARENAS)


class FreedMemory:
    """Returns memory from time to time."""

    def __init__(self) -> None:
        self._next = 0.0
        self._is_expected = False
        self._return = _of_c_library("malloc_trim")

    def expect(self) -> None:
        """Note that much may have been freed; may be called from any thread."""
        self._is_expected = True

    def return_due(self) -> None:
        """Return what is free now, if anything is expected to be and nothing was returned lately."""
        start = time.monotonic()
        if self._is_expected and start >= self._next and self._return is not None:
            self._is_expected = False
            self._return(0)
            self._next = start + max(_LEAST_SECONDS, _MAX_SHARE * (time.monotonic() - start))


def _of_c_library(name: str) -> Callable[..., Any] | None:
    """Return a function of glibc; None if the process uses another C library."""
    try:
        function: Callable[..., Any] = getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError, TypeError):
        return None
    return function
