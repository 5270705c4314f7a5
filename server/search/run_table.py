"""The runs of a logdir as columns, in which only the rows of runs that changed are computed again."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import is_not
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.notes.run_notes import NO_NOTES, RunNotes
from toposcope.server.reading.series.series import Float64s, Int64s
from toposcope.server.reading.series.series_summary import STATISTICS
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.parameters.hyper_parameters import Value
from toposcope.server.runs.run import RunView
from toposcope.server.runs.tag_counts import TagCounts
from toposcope.server.search.facts import FACTS
from toposcope.server.search.fields import (
    Row,
    SortKey,
    number_of,
    numeric_parameter_of,
    parameter_of,
    settings_of,
    sort_key,
    texts_of,
)
from toposcope.server.search.packed_rows import PackedRows, packed_values

_MAX_COLUMNS = 200
_MAX_COUNTED = 1000
"""Columns that are kept; of more, those not used for the longest time are dropped."""
Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]


class Numbers(NamedTuple):
    """A numeric column."""

    values: Float64s
    """NaN where there is none."""
    present: Mask


class Codes(NamedTuple):
    """A column of values of which few differ."""

    code: Int64s
    """For each row, an index into `values`; -1: the run has no value."""
    values: list[Any]
    """The distinct values."""


class ParameterSummary(NamedTuple):
    """What the values of a hyperparameter have in common."""

    runs: int
    """How many runs have it."""
    is_number: bool
    """Whether all values are numbers."""
    values: int
    """The number of distinct values; counting ends at 1000."""


class _Column:
    """Values of all rows, which of them must be computed again, and what follows from all of them."""

    def __init__(self, rows: int, *, is_numeric: bool) -> None:
        self.values: npt.NDArray[Any] = np.full(rows, np.nan) if is_numeric else np.empty(rows, object)
        self.present: Mask = np.zeros(rows, np.bool_)
        """Which rows have a number, if it is numeric."""
        self.stale: Mask = np.ones(rows, np.bool_)
        self.derived: dict[str, Any] = {}
        self.sort_keys: dict[tuple[type, Any], SortKey | None] = {}
        """The keys of the values by which rows were sorted, with their types."""

    def move(self, old_rows: Rows) -> None:
        """Reorder the rows; -1 stands for a new one."""
        moved = _Column(len(old_rows), is_numeric=self.values.dtype != object)
        is_old = old_rows >= 0
        for new, old in ((moved.values, self.values), (moved.present, self.present), (moved.stale, self.stale)):
            new[is_old] = old[old_rows[is_old]]
        self.values, self.present, self.stale, self.derived = moved.values, moved.present, moved.stale, {}

    def set_numbers(self, rows: Rows, numbers: Numbers) -> None:
        """Set the values of some rows of a numeric column."""
        old = np.where(self.present[rows], self.values[rows], np.nan)
        is_same = bool((self.present[rows] == numbers.present).all())
        if not is_same or not np.array_equal(old, numbers.values, equal_nan=True):
            self.derived.clear()
        self.values[rows], self.present[rows] = numbers.values, numbers.present

    def set_objects(self, rows: Rows, objects: Sequence[Any]) -> None:
        """Set the values of some rows of another column."""
        if any(map(_differ, self.values[rows].tolist(), objects)):
            self.derived.clear()
        for row, value in zip(rows.tolist(), objects, strict=True):
            self.values[row] = value  # An assignment of several would take texts apart.


class RunTable:
    """Columns by name. Not thread-safe.

    Args:
        overview: computes summaries and settings of runs.
    """

    def __init__(self, overview: Overview) -> None:
        self._overview = overview
        self._seen: tuple[Mapping[str, RunView], Mapping[str, RunNotes]] | None = None
        self.runs: list[RunView] = []
        """The runs, in the order of the rows."""
        self._row_of: dict[str, int] = {}
        self._notes: Mapping[str, RunNotes] = {}
        self._sessions: Mapping[str, Sequence[RunView]] = {}
        self._session_names: Mapping[str, str] = {}
        self._columns: dict[tuple[str, ...], _Column] = {}
        self._packed = PackedRows()
        self._tag_counts = TagCounts()

    def update(self, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes]) -> None:
        """Bring the table up to date.

        Args:
            runs: all runs, by name; the mapping is never modified.
            notes: of those that have notes, by name; never modified either.
        """
        if self._seen is not None and self._seen[0] is runs and self._seen[1] is notes:
            return
        self._seen = runs, notes
        views = list(runs.values())
        if runs.keys() != self._row_of.keys():
            self._move(runs)
        changed = [row for row, differs in enumerate(map(is_not, self.runs, views)) if differs]
        changed += [self._row_of[name] for name in self._changed_around(runs, notes) if name in self._row_of]
        self.runs = views
        self._packed.update(changed, views)
        for column in self._columns.values() if changed else ():
            column.stale[changed] = True

    def _move(self, runs: Mapping[str, RunView]) -> None:
        """Reorder the rows, as runs were added or removed."""
        names = list(runs)
        moved = np.array([self._row_of.get(name, -1) for name in names], np.intp)
        for column in self._columns.values():
            column.move(moved)
        self._packed.move(moved)
        self.runs = [self.runs[row] if row >= 0 else runs[names[at]] for at, row in enumerate(moved.tolist())]
        self._packed.update(np.flatnonzero(moved < 0).tolist(), self.runs)
        self._row_of = {name: row for row, name in enumerate(names)}

    def _changed_around(self, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes]) -> set[str]:
        """Return the runs whose notes or sessions have changed."""
        sessions, names = self._overview.sessions(runs), self._overview.session_names(runs)
        changed = {name for name in self._notes.keys() | notes.keys() if self._notes.get(name) is not notes.get(name)}
        changed |= {name for name, _ in self._session_names.items() ^ names.items()}
        for name in self._sessions.keys() | sessions.keys():
            old, new = self._sessions.get(name, ()), sessions.get(name, ())
            if len(old) != len(new) or any(map(is_not, old, new)):
                changed.add(name)
        self._notes, self._sessions, self._session_names = notes, sessions, names
        return changed

    def _row(self, at: int) -> Row:
        run = self.runs[at]
        name = run.name
        return Row(
            run, self._notes.get(name, NO_NOTES), self._session_names.get(name, ""), self._sessions.get(name, ())
        )

    def named(self, names: Iterable[str]) -> Mask:
        """Return which rows are those of runs with some names."""
        mask = np.zeros(len(self.runs), np.bool_)
        mask[[self._row_of[name] for name in set(names) & self._row_of.keys()]] = True
        return mask

    def rows_of(self, names: Iterable[str]) -> list[int]:
        """Return the rows of runs, which exist."""
        return [self._row_of[name] for name in names]

    def numbers(self, *key: str) -> Numbers:
        """Return a column of numbers; `key` is ("started",), ("param", name) or ("min", tag), for example."""
        column = self._column(("number", *key))
        return Numbers(column.values, column.present)

    def has_metric(self, tag: str) -> bool:
        """Return whether any run has a scalar tag."""
        runs = {} if self._seen is None else self._seen[0]
        return Tag("scalar", tag) in self._tag_counts.of(runs)[1]

    def metrics(self) -> dict[str, int]:
        """Return the scalar tags, each with the number of runs that have it."""
        runs = {} if self._seen is None else self._seen[0]
        return {tag.name: count for tag, count in self._tag_counts.of(runs)[1].items() if tag.plugin == "scalar"}

    def texts(self, *key: str) -> Sequence[tuple[str, ...]]:
        """Return a column of casefolded texts, any number of them a run; `key` is ("label",), for example."""
        column = self._column(("text", *key))
        texts: list[tuple[str, ...]] = _derived(column, "texts", lambda: column.values.tolist())
        return texts

    def joined_texts(self, *key: str) -> Sequence[str]:
        """Return a column of texts with those of a run joined, to look for a part that any of them may contain."""
        column = self._column(("text", *key))
        texts: list[str] = _derived(column, "joined", lambda: ["\0".join(each) for each in column.values.tolist()])
        return texts

    def codes(self, *key: str, rows: Rows) -> Codes:
        """Return a column of values as numbers of distinct values; `key` is ("fact", name) or ("param", name).

        Args:
            key: of the column.
            rows: of which runs.
        """
        column = self._column(key)
        if len(rows) < len(self.runs):  # Most values may be those of others.
            return _coded(column.values[rows].tolist())
        codes: Codes = _derived(column, "codes", lambda: _coded(column.values.tolist()))
        return Codes(codes.code[rows], codes.values)

    def parameters(self) -> Mapping[str, ParameterSummary]:
        """Return a summary of each hyperparameter, by name."""
        column = self._column(("settings",))
        found: Mapping[str, ParameterSummary] = _derived(
            column, "parameters", lambda: _summarise(column.values.tolist())
        )
        return found

    def ranks(self, *key: str) -> Int64s:
        """Return the place of each row in the ascending order of a column, the same for equal values; -1: no value.

        `key` is ("number", ...) or ("text", ...) with the key of the column, or ("param", name).
        """
        column = self._column(key)
        ranks: Int64s = _derived(column, "ranks", lambda: _ranks(column))
        return ranks

    def prepare_ranks(self, key: tuple[str, ...], most: int) -> bool:
        """Compute by what some values of a column are sorted; return whether that is known of all."""
        column = self._column(key)
        typed = zip(map(type, column.values), column.values, strict=True)
        missing = list(itertools.islice((each for each in typed if each not in column.sort_keys), most))
        column.sort_keys |= {each: sort_key(each[1]) for each in missing}
        return len(missing) < most

    def _column(self, key: tuple[str, ...]) -> _Column:
        """Return a column, in which all rows are computed."""
        self.compute(key)
        return self._columns[key]

    def compute(self, key: tuple[str, ...], most: int | None = None) -> bool:
        """Compute the rows of a column that lack a value; return whether none is left.

        Args:
            key: of the column; see numbers() and texts().
            most: how many of them to compute one by one; None: all.
        """
        kind, *names = key
        column = self._columns.pop(key, None) or _Column(len(self.runs), is_numeric=kind == "number")
        self._columns[key] = column  # The last one used is the last one.
        if len(self._columns) > _MAX_COLUMNS:
            del self._columns[next(iter(self._columns))]
        if not column.stale.any():
            return True
        self._take_from_packs(column, key)
        rows = np.flatnonzero(column.stale)[:most]
        if kind == "number":
            column.set_numbers(rows, self._numbers_of(rows.tolist(), names))
        else:
            column.set_objects(rows, self._objects_of(rows.tolist(), kind, names))
        column.stale[rows] = False
        is_complete = not column.stale.any()
        for name in self._overview.unread & self._row_of.keys():  # Computed again next time.
            column.stale[self._row_of[name]] = True
        return is_complete

    def _take_from_packs(self, column: _Column, key: tuple[str, ...]) -> None:
        """Set the rows of a column that packs contain; they are no longer stale."""
        rows = np.flatnonzero(column.stale & ~self.named(self._sessions))
        for part in self._packed.parts(rows):
            found = packed_values(part, key)
            if found is None:
                continue
            values, present, known = found
            chosen = part.rows[known]
            if key[0] == "number":
                column.set_numbers(chosen, Numbers(values[known], present[known]))
            else:
                column.set_objects(chosen, values[known].tolist())
            column.stale[chosen] = False

    def _objects_of(self, rows: Sequence[int], kind: str, names: Sequence[str]) -> list[Any]:
        """Return the values of some rows of a column that is not numeric."""
        if kind == "fact":
            fact = FACTS[names[0]]
            return [fact(self.runs[row]) for row in rows]
        compute = _COMPUTE[kind](self._overview, names)
        return [compute(self._row(row)) for row in rows]

    def _numbers_of(self, rows: Sequence[int], names: Sequence[str]) -> Numbers:
        """Return the numbers of some rows."""
        which, *rest = names
        statistic = STATISTICS.get(which)
        if statistic is not None:
            summaries = [self._overview.summary(self.runs[row], rest[0]) for row in rows]
            numbers = [None if each is None else each[1].statistic(statistic) for each in summaries]
        elif which == "param":
            of_row = numeric_parameter_of(self._overview, rest[0])
            numbers = [of_row(self._row(row)) for row in rows]
        else:
            of_run = number_of(self._overview, which)
            numbers = [of_run(self.runs[row]) for row in rows]
        values = np.array([np.nan if number is None else number for number in numbers], np.float64)
        return Numbers(values, np.array([number is not None for number in numbers], np.bool_))


def _derived(column: _Column, name: str, compute: Callable[[], Any]) -> Any:
    if name not in column.derived:
        column.derived[name] = compute()
    return column.derived[name]


def _summarise(settings: list[Mapping[str, Value]]) -> dict[str, ParameterSummary]:
    runs = Counter[str]()
    texts: set[str] = set()
    distinct: dict[str, set[Value]] = {}
    for parameters in settings:
        runs.update(parameters.keys())
        for name, value in parameters.items():
            if isinstance(value, (bool, str)):
                texts.add(name)
            values = distinct.setdefault(name, set())
            if len(values) < _MAX_COUNTED:
                values.add(value)
    return {name: ParameterSummary(count, name not in texts, len(distinct[name])) for name, count in runs.items()}


_COMPUTE: Mapping[str, Callable[[Overview, Sequence[str]], Callable[[Row], Any]]] = {
    "text": texts_of,
    "param": parameter_of,
    "settings": settings_of,
}
"""What computes the columns of neither numbers nor facts, by the first part of their keys."""


def _coded(values: list[Any]) -> Codes:
    places: dict[tuple[type, Any], int] = {}  # By type too, as 1 == True.
    code = [-1 if value is None else places.setdefault((type(value), value), len(places)) for value in values]
    return Codes(np.array(code, np.int64), [value for _, value in places])


def _differ(old: object, new: object) -> bool:
    return old is not new and (type(old) is not type(new) or old != new)


def _ranks(column: _Column) -> Int64s:
    """Return the place of each value in ascending order, the same for equal ones; -1 for those without a key."""
    values = column.values
    if values.dtype != object:
        ranks = np.full(len(values), -1, np.int64)
        has_key = column.present & ~np.isnan(values)
        ranks[has_key] = np.unique(values[has_key], return_inverse=True)[1]
        return ranks
    listed = values.tolist()
    old = column.sort_keys
    typed = list(zip(map(type, listed), listed, strict=True))  # By type too, as 1 == True.
    column.sort_keys = known = {each: old[each] if each in old else sort_key(each[1]) for each in typed}
    keys = [known[each] for each in typed]
    places = {key: place for place, key in enumerate(sorted({key: None for key in keys if key is not None}))}
    return np.array([-1 if key is None else places[key] for key in keys], np.int64)
