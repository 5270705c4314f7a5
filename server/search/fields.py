"""The fields of a run: what a search compares, and what runs are sorted by."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from toposcope.server.notes.run_notes import RunNotes
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.parameters.hyper_parameters import Value
from toposcope.server.runs.run import RunView
from toposcope.server.search.facts import RUN_NUMBERS

TEXT_FIELDS = ("name", "alias", "note", "label", "state", "dialect", "is")
CONTAINED_TEXTS = ("name", "alias", "note")
"""Fields in which ":" looks for a part of the text; in others it compares the whole one."""
TIMES = ("started", "updated")
NUMBER_FIELDS = (*TIMES, "duration", "step", "attempts", "ranks")
FLAGS = ("live", "archived", "hidden", "damaged")
"""Values of `is:`."""


class Row(NamedTuple):
    """What the fields of a run are computed from."""

    run: RunView
    notes: RunNotes
    session_name: str
    """"" if the run is not a session with a name of its own."""
    sessions: Sequence[RunView]


_NUMBER_IN_TEXT = re.compile(r"[0-9]{1,18}")
SortKey = tuple[int, float, str]


def number_of(overview: Overview, field: str) -> Callable[[RunView], float | None]:
    """Return a function that computes a number from a run alone; first_bad: the step of its first non-finite value."""
    if field == "first_bad":
        return lambda run: bad.point.step if (bad := overview.first_non_finite(run)) else None
    return RUN_NUMBERS[field]


def numeric_parameter_of(overview: Overview, name: str) -> Callable[[Row], float | None]:
    """Return a function that returns a hyperparameter of a run, if it is a number."""
    return lambda row: _as_number(_parameter(overview, row, name))


def settings_of(overview: Overview, _: Sequence[str]) -> Callable[[Row], Mapping[str, Value]]:
    """Return a function that returns all hyperparameters of a run."""
    return lambda row: overview.settings(row.run, row.sessions).hyper_parameters


def texts_of(overview: Overview, names: Sequence[str]) -> Callable[[Row], tuple[str, ...]]:
    """Return a function that computes the casefolded texts of a field of a run; see RunTable.texts."""
    field, *rest = names
    if field == "param":
        return lambda row: _as_texts(_parameter(overview, row, rest[0]))
    return _TEXTS[field]


def parameter_of(overview: Overview, names: Sequence[str]) -> Callable[[Row], Value | None]:
    """Return a function that returns a hyperparameter of a run."""
    return lambda row: _parameter(overview, row, names[0])


def sort_key(value: float | str | tuple[str, ...] | None) -> SortKey | None:
    """Return a key for sorting values of a field: numbers before texts, and by the numbers in texts."""
    if value is None or value == ():
        return None
    texts = value if isinstance(value, tuple) else (str(value).casefold(),)
    number = None if isinstance(value, tuple) else _as_number(value)
    if number is None:
        return 1, 0.0, "".join([f"{_NUMBER_IN_TEXT.sub(_natural, text)}\0" for text in texts])
    return None if math.isnan(number) else (0, number, "")


def _natural(digits: re.Match[str]) -> str:
    """Return what sorts a number in a text before letters, by how many digits it has, and by those."""
    part = digits[0]
    significant = part.lstrip("0")
    return f"\1{chr(len(significant) + 1)}{significant}{part}"


def _parameter(overview: Overview, row: Row, name: str) -> Value | None:
    return overview.settings(row.run, row.sessions).hyper_parameters.get(name)


def _as_number(value: Value | None) -> float | None:
    if value in ("NaN", "Infinity", "-Infinity"):
        return float(value)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _as_texts(value: Value | None) -> tuple[str, ...]:
    return () if value is None else (str(value).casefold(),)


def _name(row: Row) -> tuple[str, ...]:
    return tuple(text.casefold() for text in (row.run.name, row.session_name) if text)


def _flags(row: Row) -> tuple[str, ...]:
    flags = {
        "live": row.run.live,
        "archived": row.notes.archived,
        "hidden": row.notes.hidden,
        "damaged": any(file.damage for file in row.run.files),
    }
    return tuple(flag for flag, holds in flags.items() if holds)


_TEXTS: Mapping[str, Callable[[Row], tuple[str, ...]]] = {
    "name": _name,
    "alias": lambda row: _as_texts(row.notes.alias),
    "words": lambda row: (*_TEXTS["name"](row), *_TEXTS["alias"](row), *_TEXTS["label"](row)),
    "label": lambda row: tuple(label.casefold() for label in row.notes.labels),
    "note": lambda row: _as_texts(row.notes.note or None),
    "state": lambda row: (row.run.state_name,),
    "dialect": lambda row: (row.run.dialect,),
    "is": _flags,
}
