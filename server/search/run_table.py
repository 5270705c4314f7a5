"""The runs of a logdir as columns, in which only the rows of runs that changed are computed again."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.notes.run_notes import NO_NOTES, RunNotes
from toposcope.server.reading.series import Float64s, Int64s
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView
from toposcope.server.search.fields import Row, number_of, parameter_of, sort_key, texts_of

_MOST_COLUMNS = 200
"""Columns that are kept; of more, those not used for the longest time are dropped."""
Mask = npt.NDArray[np.bool_]


class Numbers(NamedTuple):
    """A numeric column."""

    values: Float64s
    """NaN where there is none."""
    present: Mask


class _Column:
    """Values of all rows, which of them must be computed again, and what follows from all of them."""

    def __init__(self, rows: int) -> None:
        self.values = np.empty(rows, object)
        self.stale: Mask = np.ones(rows, np.bool_)
        self.derived: dict[str, Any] = {}

    def move(self, old_rows: npt.NDArray[np.intp]) -> None:
        """Reorder the rows; -1 stands for a new one."""
        values, stale = np.empty(len(old_rows), object), np.ones(len(old_rows), np.bool_)
        is_old = old_rows >= 0
        values[is_old], stale[is_old] = self.values[old_rows[is_old]], self.stale[old_rows[is_old]]
        self.values, self.stale = values, stale
        self.derived.clear()


class RunTable:
    """Columns by name. Not thread-safe.

    Args:
        overview: computes summaries and settings of runs.
    """

    def __init__(self, overview: Overview) -> None:
        self._overview = overview
        self._seen: tuple[Mapping[str, RunView], Mapping[str, RunNotes]] | None = None
        self._rows: list[Row] = []
        self._row_of: dict[str, int] = {}
        self._columns: dict[tuple[str, ...], _Column] = {}

    @property
    def runs(self) -> list[RunView]:
        """The runs, in the order of the rows."""
        return [row.run for row in self._rows]

    def update(self, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes]) -> None:
        """Bring the table up to date.

        Args:
            runs: all runs, by name; the mapping is never modified.
            notes: of those that have notes, by name; never modified either.
        """
        if self._seen is not None and self._seen[0] is runs and self._seen[1] is notes:
            return
        self._seen = runs, notes
        sessions, names = self._overview.sessions(runs), self._overview.session_names(runs)
        rows = [
            Row(run, notes.get(name, NO_NOTES), names.get(name, ""), sessions.get(name, ()))
            for name, run in runs.items()
        ]
        if runs.keys() != self._row_of.keys() or len(rows) != len(self._rows):
            moved = np.array([self._row_of.get(name, -1) for name in runs], np.intp)
            for column in self._columns.values():
                column.move(moved)
            self._rows = [self._rows[row] if row >= 0 else rows[at] for at, row in enumerate(moved.tolist())]
            self._row_of = {name: row for row, name in enumerate(runs)}
        changed = [at for at, (old, new) in enumerate(zip(self._rows, rows, strict=True)) if not _is_same(old, new)]
        for column in self._columns.values() if changed else ():
            column.stale[changed] = True
        self._rows = rows

    def numbers(self, *key: str) -> Numbers:
        """Return a column of numbers; `key` is ("started",), ("param", name) or ("min", tag), for example."""
        column = self._column(("number", *key))
        if "numbers" not in column.derived:
            present = np.array([value is not None for value in column.values], np.bool_)
            column.derived["numbers"] = Numbers(column.values.astype(np.float64), present)
        numbers: Numbers = column.derived["numbers"]
        return numbers

    def texts(self, *key: str) -> Sequence[tuple[str, ...]]:
        """Return a column of casefolded texts, any number of them a run; `key` is ("label",), for example."""
        column = self._column(("text", *key))
        if "texts" not in column.derived:
            column.derived["texts"] = column.values.tolist()
        texts: list[tuple[str, ...]] = column.derived["texts"]
        return texts

    def ranks(self, *key: str) -> Int64s:
        """Return the place of each row in the ascending order of a column, the same for equal values; -1: no value.

        `key` is ("number", ...) or ("text", ...) with the key of the column, or ("param", name).
        """
        column = self._column(key)
        if "ranks" not in column.derived:
            column.derived["ranks"] = _ranks(column.values)
        ranks: Int64s = column.derived["ranks"]
        return ranks

    def _column(self, key: tuple[str, ...]) -> _Column:
        """Return a column, in which all rows are computed."""
        column = self._columns.pop(key, None) or _Column(len(self._rows))
        self._columns[key] = column  # The last one used is the last one.
        if len(self._columns) > _MOST_COLUMNS:
            del self._columns[next(iter(self._columns))]
        if column.stale.any():
            kind, *names = key
            compute = {"number": number_of, "text": texts_of, "param": parameter_of}[kind](self._overview, names)
            for at in np.flatnonzero(column.stale).tolist():
                column.values[at] = compute(self._rows[at])
            column.stale[:] = False
            if self._overview.unread:  # What could not be read is computed again next time.
                column.stale[:] = [row.run.name in self._overview.unread for row in self._rows]
            column.derived.clear()
        return column


def _is_same(old: Row, new: Row) -> bool:
    return (
        old.run is new.run
        and old.notes is new.notes
        and old.session_name == new.session_name
        and all(a is b for a, b in zip(old.sessions, new.sessions, strict=False))
        and len(old.sessions) == len(new.sessions)
    )


def _ranks(values: npt.NDArray[np.object_]) -> Int64s:
    """Return the place of each value in ascending order, the same for equal ones; -1 for those without a key."""
    keys = [sort_key(value) for value in values.tolist()]
    places = {key: place for place, key in enumerate(sorted({key for key in keys if key is not None}))}
    return np.array([-1 if key is None else places[key] for key in keys], np.int64)
