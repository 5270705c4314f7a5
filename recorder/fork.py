"""Child processes: what they inherit of a recorder is the parent's; what they record is written before they end."""

import contextlib
import os
import sys
import weakref
from collections.abc import Callable
from typing import Protocol


class Inheritable(Protocol):
    """Something that a child process inherits without being able to use it."""

    def become_inert(self) -> None:
        """Let go of everything that belongs to the parent."""


_locks: weakref.WeakSet[Inheritable] = weakref.WeakSet()
_others: weakref.WeakSet[Inheritable] = weakref.WeakSet()


def make_inert_in_children(inheritable: Inheritable, *, is_lock: bool = False) -> None:
    """Make inheritable inert in every process that is forked from this one while it lives; locks come first."""
    (_locks if is_lock else _others).add(inheritable)


def close_at_end_of_child(owner: object, close: Callable[[], object]) -> None:
    """In a child of multiprocessing, which ends without atexit, have close called at its end unless owner is gone."""
    process = sys.modules.get("multiprocessing.process")
    if process is not None and process.parent_process() is not None:
        from multiprocessing.util import Finalize

        Finalize(owner, close, exitpriority=0)


def _make_all_inert() -> None:
    # What the others let go of may need the locks, which threads of the parent may have held.
    for inheritable in (*_locks, *_others):
        with contextlib.suppress(Exception):  # One that fails leaves the others no less inert.
            inheritable.become_inert()


if hasattr(os, "register_at_fork"):  # Not on Windows, which has no fork.
    os.register_at_fork(after_in_child=_make_all_inert)
