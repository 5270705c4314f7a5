"""Pauses Python's garbage collections while much is allocated that stays: they would traverse it and free nothing."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_pauses = 0
_were_enabled = False
_freezes = False


def freeze_what_is_loaded() -> None:
    """Exclude what is alive at the end of each pause from collections for good: in a process that only serves.

    In other processes the heap is that of the program which calls us.
    """
    global _freezes
    _freezes = True


@contextmanager
def no_collections() -> Iterator[None]:
    """Pause collections, in all threads; afterwards they are as they were before the first pause."""
    global _pauses, _were_enabled
    with _lock:
        if not _pauses:
            _were_enabled = gc.isenabled()
        _pauses += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if not _pauses:
                if _freezes:
                    gc.freeze()
                if _were_enabled:
                    gc.enable()
