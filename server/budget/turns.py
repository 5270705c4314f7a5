"""Threads that compute light requests take turns.

The interpreter runs one of them at a time. To switch between them at every step of NumPy can take as long as the steps.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from toposcope.server.budget.bounded_access import BoundedAccess

_LONGEST_WAIT = 0.2
"""Seconds. Then a thread computes beside the one whose turn it is: that one may be waiting for a disk."""
_LEAST_TURN = 0.005
"""Seconds that a thread may compute before it gives way."""
_access = BoundedAccess(1, _LONGEST_WAIT, "another request is computed")


class _Current(threading.local):
    has_turn = False
    since = 0.0
    """When the turn came."""


_current = _Current()


@contextmanager
def in_turns() -> Iterator[None]:
    """Compute when it is the turn of this thread."""
    _begin()
    try:
        yield
    finally:
        _end()


def give_way() -> None:
    """Let the threads that wait for their turn go first, if it is that of this thread."""
    if _current.has_turn and _access.is_awaited and time.monotonic() - _current.since > _LEAST_TURN:
        _end()
        _begin()


def _begin() -> None:
    with suppress(TimeoutError):
        _access.enter()
        _current.has_turn, _current.since = True, time.monotonic()


def _end() -> None:
    if _current.has_turn:
        _current.has_turn = False
        _access.leave()
