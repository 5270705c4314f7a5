"""Samples: the rows of a text of JSON lines, or of a JSON array of objects."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from toposcope.server.budget.cancellation import check
from toposcope.server.samples.identity import keys_of

MAX_ROWS = 200_000
MAX_COLUMNS = 100
_LONGEST_FIRST = 1 << 20
"""Characters of the first object of a text that is read as samples."""
_CHECK_ROWS = 1 << 10
_DECODER = json.JSONDecoder()
_SEPARATOR = re.compile(r"\s*,?\s*")


class Samples(NamedTuple):
    """A table: a row for each object, a column for each of their keys. All of it is untrusted."""

    columns: list[str]
    """In the order in which they occur first, at most MAX_COLUMNS."""
    rows: list[list[Any]]
    """Decoded JSON, a value for each column; None if the object has none. At most MAX_ROWS."""
    keys: list[str]
    """What identifies each row at other steps and in other runs, see keys_of()."""
    left_out_columns: int
    """Further columns."""
    left_out_rows: int
    """Further lines or elements."""
    damaged: list[int]
    """Numbers, from 1 on, of lines or elements that are no objects."""


def is_samples(text: str) -> bool:
    """Return whether a text looks like samples: it begins with an object on a line of its own, or in an array."""
    head = text[:_LONGEST_FIRST].lstrip()
    start = _after_bracket(head) if head.startswith("[") else 0
    if not head.startswith("{", start):
        return False
    try:
        first, end = _DECODER.raw_decode(head, start)
    except (ValueError, RecursionError):
        return False
    return bool(first) and (start > 0 or ("\n" not in head[:end] and not head[end:].partition("\n")[0].strip()))


def read_samples(text: str) -> Samples:
    """Read the rows of a text for which is_samples() is true.

    Raises:
        CancelledError: nobody waits for the result any more.
    """
    places: dict[str, int] = {}
    rows: list[list[Any]] = []
    damaged: list[int] = []
    left_out_rows = 0
    for number, item in enumerate(_items(text), 1):
        if number % _CHECK_ROWS == 0:
            check()
        if len(rows) == MAX_ROWS:
            left_out_rows += 1
        elif isinstance(item, dict):
            rows.append(_row(item, places))
        else:
            damaged.append(number)
    columns = list(places)[:MAX_COLUMNS]
    for row in rows:
        row += [None] * (len(columns) - len(row))
    return Samples(columns, rows, keys_of(columns, rows), len(places) - len(columns), left_out_rows, damaged)


def _after_bracket(text: str) -> int:
    return len(text) - len(text[1:].lstrip())


def _items(text: str) -> Iterator[Any]:
    """Yield what the lines, or the elements of the array, contain; None for a malformed one."""
    text = text.strip()
    if text.startswith("["):
        yield from _elements(text)
    else:
        yield from (_decoded(line) for line in text.split("\n") if line.strip())


def _elements(text: str) -> Iterator[Any]:
    """Yield the elements of an array; None, and nothing more, at what is malformed or missing."""
    at = _after_bracket(text)
    while not text.startswith("]", at):
        try:
            item, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            yield None
            return
        yield item
        separator = _SEPARATOR.match(text, at)
        at = separator.end() if separator else at


def _decoded(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _row(item: dict[str, Any], places: dict[str, int]) -> list[Any]:
    """Return the cells of an object; its new keys become columns."""
    for name in item:
        places.setdefault(name, len(places))
    row: list[Any] = [None] * min(len(places), MAX_COLUMNS)
    for name, value in item.items():
        if (place := places[name]) < MAX_COLUMNS:
            row[place] = value
    return row
