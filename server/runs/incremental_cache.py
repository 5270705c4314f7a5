"""What was made of the points of growing files, brought up to date with the new points only."""

import weakref
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.series import Points

Made = TypeVar("Made")
Column = npt.NDArray[Any]


class _Known(NamedTuple, Generic[Made]):
    """What was made of the first points of a series of one file."""

    column: "weakref.ref[Column]"
    """The memory they stand in, which is only ever appended to; a file that is read anew gets another."""
    total: int
    made: Made


class IncrementalCache(Generic[Made]):
    """Remembers by run, file and tag. Threads may share it: at worst they make the same thing twice.

    Args:
        make: of some points of a series, one or more.
        merge: what was made of the points before with what was made of the points behind.
    """

    def __init__(self, make: Callable[[Points], Made], merge: Callable[[Made, Made], Made]) -> None:
        self._make = make
        self._merge = merge
        self._known: dict[str, dict[tuple[str, str], _Known[Made]]] = {}

    def of(self, run: str, path: str, tag: str, points: Points) -> Made:
        """Return what is made of all points of a tag in a file of a run, one or more."""
        series = self._known.setdefault(run, {})
        column, known = _memory(points.value), series.get((path, tag))
        if known is None or known.column() is not column or known.total > points.total:
            made = self._make(points)
        elif known.total == points.total:
            return known.made
        else:
            made = self._merge(known.made, self._make(points.take(slice(known.total, None))))
        series[path, tag] = _Known(weakref.ref(column), points.total, made)
        return made

    @property
    def runs(self) -> set[str]:
        """The runs of which something is remembered."""
        return set(self._known)

    def forget(self, run: str) -> None:
        """Drop what is remembered of a run."""
        self._known.pop(run, None)


def _memory(column: Column) -> Column:
    return column.base if isinstance(column.base, np.ndarray) else column
