"""Finds the runs that match a search, and sorts runs by a field."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from toposcope.server.budget.bounded_access import BoundedAccess
from toposcope.server.notes.run_notes import NO_NOTES, RunNotes
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.parameters.hyper_parameters import Value
from toposcope.server.runs.run import RunView
from toposcope.server.search.fields import NUMBER_FIELDS, TEXT_FIELDS, TIMES
from toposcope.server.search.language.query import Expression, Query, terms
from toposcope.server.search.language.syntax import Field, SearchError
from toposcope.server.search.matching import Matching
from toposcope.server.search.run_table import Codes, Numbers, ParameterSummary, Rows, RunTable
from toposcope.server.text.name_patterns import find_in_names

_WAIT_SECONDS = 5.0
_BY_START, _BY_NAME = ("number", "started"), ("text", "name")
_PREPARED = (_BY_START, _BY_NAME, ("text", "words"))
_PREPARED_ROWS = 5000
"""Rows to compute at a time, in some milliseconds."""


class Found(NamedTuple):
    """The runs that match a search, or a page of them."""

    runs: list[RunView]
    total: int
    """How many match."""
    unknown: list[str]
    """Names in the search that no run has as a field, hyperparameter or metric."""


class Vocabulary(NamedTuple):
    """Names that a search may contain, each with the number of runs that have it."""

    parameters: Mapping[str, int]
    metrics: Mapping[str, int]
    labels: Mapping[str, int]


Key = tuple[str, ...]


class Columns(NamedTuple):
    """Columns of runs, by their keys."""

    numbers: dict[Key, Numbers]
    codes: dict[Key, Codes]


class RunSearch:
    """Searches and sorts the runs of a logdir. Threads may share it; they take turns.

    Args:
        overview: computes summaries and settings of runs.
    """

    def __init__(self, overview: Overview) -> None:
        self._table = RunTable(overview)
        self._access = BoundedAccess(1, _WAIT_SECONDS, "another search has not ended")

    def prepare(
        self, current: Callable[[], tuple[Mapping[str, RunView], Mapping[str, RunNotes]]], *, is_loaded: bool
    ) -> None:
        """Compute what the first requests need, a few rows at a time, so that requests are answered meanwhile.

        Args:
            current: returns all runs and the notes, by name, as find() takes them.
            is_loaded: whether all runs are known, so that it is worth sorting them.
        """
        steps = [partial(self._table.compute, column, _PREPARED_ROWS) for column in _PREPARED]
        steps.append(partial(self._table.prepare_ranks, _BY_NAME, _PREPARED_ROWS))
        for step in steps:
            is_complete = False
            while not is_complete:
                with self._access.admitted():
                    self._table.update(*current())
                    is_complete = step()
        if is_loaded:
            with self._access.admitted():
                self._table.ranks(*_BY_START)
                self._table.ranks(*_BY_NAME)

    def find(
        self,
        runs: Mapping[str, RunView],
        notes: Mapping[str, RunNotes],
        query: Query,
        order: Field,
        is_descending: bool,
        *,
        names: Collection[str] = (),
        page: slice = slice(None),
    ) -> Found:
        """Return the runs that match, sorted: runs with equal values by name, those without a value last.

        Args:
            runs: all runs, by name.
            notes: of those that have notes, by name.
            query: what to find.
            order: the field to sort by.
            is_descending: whether the largest values are first.
            names: of the runs to find at most; none: all.
            page: which of the runs that match to return.

        Raises:
            SearchError: a value in the search is not one that its field can have, or a regular expression is invalid or
                takes too long.
            TimeoutError: an OSError; another search does not end, because the disk does not answer.
        """
        matches = self._matches(runs, notes, query)
        with self._access.admitted():
            self._table.update(runs, notes)
            matching = Matching(self._table, matches)
            mask = matching.mask(query)
            if names:
                mask &= self._table.named(names)
            rows = _sorted(self._table, order, is_descending)
            rows = rows[mask[rows]]
            views = [self._table.runs[row] for row in rows[page].tolist()]
        return Found(views, len(rows), matching.unknown)

    def _matches(
        self, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes], query: Query
    ) -> dict[str, frozenset[str]]:
        """Return the words that match each regular expression; other searches are not kept waiting meanwhile."""
        patterns = [term.pattern for term in terms(query) if isinstance(term, Expression)]
        if not patterns:
            return {}
        with self._access.admitted():
            self._table.update(runs, notes)
            words = sorted({word for each in self._table.texts("words") for word in each})
        try:
            return {pattern: frozenset(find_in_names(f"(?i:{pattern})", words)) for pattern in patterns}
        except ValueError as error:
            raise SearchError(str(error)) from error

    def vocabulary(self, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes]) -> Vocabulary:
        """Return the names that a search may contain."""
        with self._access.admitted():
            self._table.update(runs, notes)
            parameters = self._table.parameters()
            metrics = self._table.metrics()
        labels = Counter(label for name, each in notes.items() if name in runs for label in each.labels)
        return Vocabulary({name: each.runs for name, each in parameters.items()}, metrics, labels)

    def values_of(self, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes], parameter: str) -> list[Value]:
        """Return the distinct values of a hyperparameter."""
        with self._access.admitted():
            self._table.update(runs, notes)
            codes = self._table.codes("param", parameter, rows=np.arange(len(self._table.runs)))
        return [value for value in codes.values if value is not None]

    def columns(
        self,
        runs: Mapping[str, RunView],
        notes: Mapping[str, RunNotes],
        rows: Rows,
        numbers: Iterable[Key],
        codes: Iterable[Key],
    ) -> Columns:
        """Return columns of runs.

        Args:
            runs: all runs, by name.
            notes: of those that have notes, by name.
            rows: the places of the runs among all, in the order of the columns.
            numbers: keys of numeric columns, such as ("started",) and ("min", tag).
            codes: keys of other columns: ("fact", name) and ("param", name).
        """
        with self._access.admitted():
            self._table.update(runs, notes)
            found = {key: self._table.numbers(*key) for key in numbers}
            return Columns(
                {key: Numbers(each.values[rows], each.present[rows]) for key, each in found.items()},
                {key: self._table.codes(*key, rows=rows) for key in codes},
            )

    def values(
        self, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes], names: Sequence[str], field: Field
    ) -> list[Value | None]:
        """Return the values of some runs by which they are sorted; several labels or flags are separated by commas."""
        with self._access.admitted():
            self._table.update(runs, notes)
            rows = self._table.rows_of(names)
            kind, *key = _key(self._table, field)
            if kind == "number":
                values, present = self._table.numbers(*key)
                is_whole = len(key) == 1 and key[0] not in TIMES
                return [_plain(values.item(row), is_whole) if present[row] else None for row in rows]
            if kind == "text":
                texts = self._table.texts(*key)
                noted = [_noted(key[0], name, notes.get(name, NO_NOTES)) for name in names]
                return [text or ", ".join(texts[row]) or None for text, row in zip(noted, rows, strict=True)]
            codes = self._table.codes(kind, *key, rows=np.array(rows, np.intp))
        return [None if code < 0 else codes.values[code] for code in codes.code.tolist()]

    def order(self, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes], order: Field) -> Rows:
        """Return the places of all runs, sorted in ascending order; see find()."""
        with self._access.admitted():
            self._table.update(runs, notes)
            return _sorted(self._table, order, False)

    def parameters(self, runs: Mapping[str, RunView], notes: Mapping[str, RunNotes]) -> Mapping[str, ParameterSummary]:
        """Return what the values of each hyperparameter have in common, by name; see columns()."""
        with self._access.admitted():
            self._table.update(runs, notes)
            return self._table.parameters()


def _plain(number: float, is_whole: bool) -> int | float:
    """Return a step or a count, which are kept as doubles, as an integer."""
    return int(number) if is_whole and number.is_integer() else number


def _noted(field: str, name: str, notes: RunNotes) -> str | None:
    """Return a text as it was entered: those of the table are casefolded; None for other fields."""
    texts = {"name": name, "alias": notes.alias, "note": notes.note, "label": ", ".join(notes.labels)}
    return texts.get(field)


def _sorted(table: RunTable, order: Field, is_descending: bool) -> Rows:
    """Return all rows, sorted."""
    ranks = table.ranks(*_key(table, order))
    keys = np.where(ranks < 0, np.iinfo(np.int64).max, -ranks if is_descending else ranks)
    return np.lexsort((table.ranks(*_BY_NAME), keys))


def _key(table: RunTable, order: Field) -> tuple[str, ...]:
    """Return the column to sort by: a field, else a hyperparameter that any run has, else the last value of a tag."""
    if order.function:
        return (*(() if order.function == "param" else ("number",)), order.function, order.name)
    if order.name in TEXT_FIELDS:
        return "text", order.name
    if order.name in NUMBER_FIELDS:
        return "number", order.name
    return ("param", order.name) if order.name in table.parameters() else ("number", "last", order.name)
