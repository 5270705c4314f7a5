"""Pauses Python's garbage collections while much is allocated that stays: they would traverse it and free nothing."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_pauses = 0


@contextmanager
def no_collections() -> Iterator[None]:
    """Pause collections, in all threads; what is alive when the last pause ends is never traversed again."""
    global _pauses
    with _lock:
        _pauses += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if not _pauses:
                gc.freeze()
                gc.enable()
