"""Recorders in child processes: what a child inherits is made inert, and what it records is written before it ends."""

import contextlib
import mmap
import os
import weakref
from collections.abc import Callable
from typing import Protocol

from toposcope.recorder.imported import imported


class Inheritable(Protocol):
    """An object that a forked process inherits but must not use."""

    def become_inert(self) -> None:
        """Release everything that belongs to the parent process."""


_locks: weakref.WeakSet[Inheritable] = weakref.WeakSet()
_inheritables: weakref.WeakSet[Inheritable] = weakref.WeakSet()


class FirstTime:
    """Something that happens once in a process and all processes that are forked from it."""

    def __init__(self) -> None:
        self._flag = mmap.mmap(-1, 1)  # Memory that forked processes share.

    def take(self) -> bool:
        """Return True the first time."""
        is_first = not self._flag[0]
        self._flag[0] = 1
        return is_first


def make_inert_in_children(inheritable: Inheritable, *, is_lock: bool = False) -> None:
    """Call become_inert() in every process forked from this one while inheritable is alive; on locks first."""
    (_locks if is_lock else _inheritables).add(inheritable)


RECORDER, OWNER_OF_RECORDERS = 0, 1
"""What is closed at the end of a child: owners of recorders first, as they record when they are closed."""


def close_at_end_of_child(owner: object, close: Callable[[], object], layer: int = RECORDER) -> None:
    """Call close at the end of a multiprocessing child, which skips atexit, or when owner is dropped."""
    process = imported("multiprocessing.process")
    if process is not None and process.parent_process() is not None:
        from multiprocessing.util import Finalize

        Finalize(owner, close, exitpriority=layer)


def _make_all_inert() -> None:
    # Locks first: releasing the other objects may need them, and a thread of the parent may have held them.
    for inheritable in (*_locks, *_inheritables):
        with contextlib.suppress(Exception):  # A failure must not leave the remaining objects active.
            inheritable.become_inert()


if hasattr(os, "register_at_fork"):  # Windows has no fork.
    os.register_at_fork(after_in_child=_make_all_inert)
