"""Which runs are hyperparameter sessions of others and how they are called; and when that changed."""

import threading
from collections.abc import Mapping
from typing import NamedTuple

from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView


class Family(NamedTuple):
    """The sessions among the runs, by name."""

    parents: Mapping[str, str]
    session_names: Mapping[str, str]
    """The names of sessions whose directories are named by the time."""


class Families:
    """Remembers in which revision the parent or the name of a session changed. Threads may share it.

    Args:
        overview: finds the parents.
    """

    def __init__(self, overview: Overview) -> None:
        self._overview = overview
        self._lock = threading.Lock()
        self._first: int | None = None
        """The revision of the first runs."""
        self._last = Family({}, {})
        self._changed: dict[str, int] = {}

    def update(self, runs: Mapping[str, RunView], revision: int) -> Family:
        """Return the sessions among all runs, which are those of a revision."""
        family = Family(self._overview.parents(runs), self._overview.session_names(runs))
        with self._lock:
            if self._first is None:
                self._first, self._last = revision, family
            for old, new in zip(self._last, family, strict=True):
                self._changed |= {name: revision for name, _ in old.items() ^ new.items()}
            self._last = family
        return family

    def changed_since(self, revision: int) -> set[str] | None:
        """Return the runs whose parent or name changed after a revision; None if that is not known."""
        with self._lock:
            if self._first is None or revision < self._first:
                return None
            return {name for name, changed in self._changed.items() if changed > revision}
