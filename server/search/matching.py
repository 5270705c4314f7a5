"""Evaluates a search on the columns of runs."""

import operator
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, get_args

import numpy as np

from toposcope.server.runs.recordings.run_state import State
from toposcope.server.search.fields import CONTAINED_TEXTS, FLAGS, NUMBER_FIELDS, TEXT_FIELDS, TIMES
from toposcope.server.search.language import literals
from toposcope.server.search.language.literals import Pattern
from toposcope.server.search.language.query import Condition, Either, Every, Expression, Not, Operator, Query, Words
from toposcope.server.search.language.syntax import SearchError
from toposcope.server.search.run_table import Mask, Numbers, RunTable

_ONE_OF = {"state": get_args(State), "is": FLAGS}
_COMPARE: Mapping[Operator, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Matching:
    """Evaluates one search on a table, and collects the names that no run has.

    Args:
        table: of the runs.
        matches: by regular expression, the words of the table that match it.
    """

    def __init__(self, table: RunTable, matches: Mapping[str, frozenset[str]]) -> None:
        self._table = table
        self._matches = matches
        self._rows = len(table.runs)
        self.unknown: list[str] = []

    def mask(self, query: Query) -> Mask:
        """Return which rows match."""
        match query:
            case Words(text):
                return self._words(Pattern(text))
            case Expression(pattern):
                matches = self._matches[pattern]
                return np.array([not matches.isdisjoint(words) for words in self._table.texts("words")], np.bool_)
            case Condition():
                return self._condition(query)
            case Not(operand):
                return ~self.mask(operand)
            case Every(operands):
                return reduce(np.logical_and, map(self.mask, operands), np.ones(self._rows, np.bool_))
            case Either(operands):
                return reduce(np.logical_or, map(self.mask, operands), np.zeros(self._rows, np.bool_))

    def _words(self, pattern: Pattern) -> Mask:
        return self._containing(pattern, "words")

    def _containing(self, pattern: Pattern, *key: str) -> Mask:
        """Return the rows of which any text contains a pattern."""
        part = pattern.longest_part
        mask = np.array([part in joined for joined in self._table.joined_texts(*key)], np.bool_)
        texts = self._table.texts(*key)
        for row in np.flatnonzero(mask).tolist():
            mask[row] = any(map(pattern.is_in, texts[row]))
        return mask

    def _condition(self, condition: Condition) -> Mask:
        name, function = condition.name, condition.function
        if function == "" and name in TEXT_FIELDS:
            return self._text_field(condition)
        if function == "" and name in NUMBER_FIELDS:
            return _compared(self._table.numbers(name), condition.operator, _literal(condition))
        if function in ("last", "min", "max"):
            return self._metric(condition)
        return self._parameter(condition)

    def _text_field(self, condition: Condition) -> Mask:
        name, value = condition.name, condition.value
        if condition.operator not in (":", "=", "!="):
            raise _problem(condition, "':', '=' or '!='")
        if name in _ONE_OF and "*" not in value and value.casefold() not in _ONE_OF[name]:
            raise _problem(condition, f"one of {', '.join(_ONE_OF[name])}")
        return self._texts(condition, name)

    def _texts(self, condition: Condition, *key: str) -> Mask:
        """Return the rows of which a text matches; with "!=", those with texts of which none matches."""
        pattern = Pattern(condition.value)
        if condition.operator == ":" and key[0] in CONTAINED_TEXTS:
            return self._containing(pattern, *key)
        is_unequal = condition.operator == "!="
        rows = self._table.texts(*key)
        matching = {texts: bool(texts) and any(map(pattern.equals, texts)) != is_unequal for texts in set(rows)}
        return np.array([matching[texts] for texts in rows], np.bool_)

    def _metric(self, condition: Condition) -> Mask:
        value = literals.number(condition.value)
        if value is None:
            raise _problem(condition, "a number")
        if not self._table.has_metric(condition.name):
            self.unknown.append(condition.name)
            return np.zeros(self._rows, np.bool_)
        return _compared(self._table.numbers(condition.function, condition.name), condition.operator, value)

    def _parameter(self, condition: Condition) -> Mask:
        """Return the rows whose hyperparameter matches; of runs without it, the last value of the tag is compared."""
        name, value = condition.name, literals.number(condition.value)
        if value is None and condition.operator in _COMPARE:
            raise _problem(condition, "a number")
        is_parameter = name in self._table.parameters()
        is_metric = not condition.function and self._table.has_metric(name)
        if not is_parameter and not is_metric:
            self.unknown.append(name)
        mask = self._parameter_itself(condition, value) if is_parameter else np.zeros(self._rows, np.bool_)
        if is_metric and value is not None:
            compared = _compared(self._table.numbers("last", name), condition.operator, value)
            mask |= compared & ~self._has_parameter(name) if is_parameter else compared
        return mask

    def _parameter_itself(self, condition: Condition, value: float | None) -> Mask:
        """Return the rows with a hyperparameter that matches; `value` is the number to compare with, if it is one."""
        name = condition.name
        if value is None:
            return self._texts(condition, "param", name)
        numbers = self._table.numbers("param", name)
        mask = _compared(numbers, condition.operator, value)
        if condition.operator not in _COMPARE:
            mask |= ~numbers.present & self._texts(condition, "param", name)
        return mask

    def _has_parameter(self, name: str) -> Mask:
        return np.array([bool(texts) for texts in self._table.texts("param", name)], np.bool_)


def _compared(numbers: Numbers, compare: Operator, value: float) -> Mask:
    """Return the rows with a number that compares as stated; NaN equals NaN."""
    if compare in _COMPARE:
        mask: Mask = _COMPARE[compare](numbers.values, value)
    else:
        mask = np.isnan(numbers.values) if np.isnan(value) else numbers.values == value
        mask = ~mask if compare == "!=" else mask
    return mask & numbers.present


def _literal(condition: Condition) -> float:
    if condition.name in TIMES:
        value, expected = (
            literals.point_in_time(condition.value),
            "a date or time such as 2026-11-22 or 2026-11-22T18:30",
        )
    elif condition.name == "duration":
        value, expected = literals.duration(condition.value), "a duration such as 90s, 30m, 1.5h or 2d"
    else:
        value, expected = literals.number(condition.value), "a number"
    if value is None:
        raise _problem(condition, expected)
    return value


def _problem(condition: Condition, expected: str) -> SearchError:
    name = f"{condition.function}({condition.name})" if condition.function else condition.name
    return SearchError(f"{name}{condition.operator}{condition.value}: expected {expected}")
