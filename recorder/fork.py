"""Forked processes: what they inherit of the recorder's writers belongs to the parent, and is made inert at once."""

import os
import weakref
from typing import Protocol


class Inheritable(Protocol):
    """Something that a child process inherits without being able to use it."""

    def become_inert(self) -> None:
        """Let go of everything that belongs to the parent."""


_inheritables: weakref.WeakSet[Inheritable] = weakref.WeakSet()


def make_inert_in_children(inheritable: Inheritable) -> None:
    """Make inheritable inert in every process that is forked from this one, as long as it lives."""
    _inheritables.add(inheritable)


def _make_all_inert() -> None:
    for inheritable in _inheritables:
        inheritable.become_inert()


if hasattr(os, "register_at_fork"):  # Not on Windows, which has no fork.
    os.register_at_fork(after_in_child=_make_all_inert)
