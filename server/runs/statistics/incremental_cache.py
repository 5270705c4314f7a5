"""Caches results computed from series that grow, and updates them with the new points only."""

import weakref
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.series.series import Points

Result = TypeVar("Result")
Column = npt.NDArray[Any]


class _Entry(NamedTuple, Generic[Result]):
    """The result for the first points of one series of one file."""

    column: "weakref.ref[Column]"
    """The array that contains the points, which is only ever appended to; a file that is read again gets another."""
    total: int
    result: Result


class IncrementalCache(Generic[Result]):
    """Results by run, file and tag. Threads may share it: at worst they compute a result twice.

    Args:
        compute: returns the result for one or more points of a series.
        merge: returns the result for two consecutive parts of a series, from the results for each.
        follows: returns whether the results for the later and the earlier part can be merged; None: always.
    """

    def __init__(
        self,
        compute: Callable[[Points], Result],
        merge: Callable[[Result, Result], Result],
        follows: Callable[[Result, Result], bool] | None = None,
    ) -> None:
        self._compute = compute
        self._merge = merge
        self._follows = follows
        self._entries: dict[str, dict[tuple[str, str], _Entry[Result]]] = {}

    def result(self, run: str, path: str, tag: str, points: Points) -> Result:
        """Return the result for all points, one or more, of a tag in a file of a run."""
        entries = self._entries.setdefault(run, {})
        column, entry = _memory(points.wall_time), entries.get((path, tag))
        if entry is None or entry.column() is not column or entry.total > points.total:
            result = self._compute(points)
        elif entry.total == points.total:
            return entry.result
        else:
            new = self._compute(points.take(slice(entry.total, None)))
            can_merge = self._follows is None or self._follows(new, entry.result)
            result = self._merge(entry.result, new) if can_merge else self._compute(points)
        entries[path, tag] = _Entry(weakref.ref(column), points.total, result)
        return result

    @property
    def runs(self) -> set[str]:
        """The runs that have results."""
        return set(self._entries)

    def forget(self, run: str) -> None:
        """Drop the results of a run."""
        self._entries.pop(run, None)


def _memory(column: Column) -> Column:
    return column.base if isinstance(column.base, np.ndarray) else column
