"""Table: rows of named columns, recorded as a text of JSON lines."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple


class Table(NamedTuple):
    """Rows of named columns, such as the prompts, completions and rewards of a language model."""

    columns: Sequence[str]
    """The names of the columns, each once."""
    rows: Iterable[Sequence[Any]]
    """A value for each column: numbers, texts, booleans, None, arrays, and nested lists and dicts of these."""


Other = Callable[[Any], str]
"""Returns a text for a value that has no form in JSON, or raises TypeError."""


def refused(value: Any) -> str:
    """Raise TypeError, see Other."""
    raise TypeError(f"a value of the type {type(value).__name__}, which has no form in JSON.")


def json_lines(table: Table, other: Other = refused) -> Iterator[str]:
    """Yield the rows as JSON lines: an object for each row, whose keys are the columns.

    Numbers that are not finite become the texts "NaN", "Infinity" and "-Infinity"; arrays become nested lists.

    Raises:
        TypeError: a name is not a str, or a value has no form in JSON.
        ValueError: a name is repeated, or a row has another number of values.
    """
    from json import JSONEncoder  # Most recordings have no tables, and start without it.

    columns = list(table.columns)
    if not all(isinstance(name, str) for name in columns):
        raise TypeError(f"the columns of a table must be named by str, not {columns!r}.")
    if len(set(columns)) < len(columns):
        raise ValueError(f"two columns of the table have the same name: {columns!r}.")
    encode = JSONEncoder(ensure_ascii=False).encode
    for number, row in enumerate(table.rows):
        yield encode(_cells(columns, number, row, other))


def _cells(columns: list[str], number: int, row: Sequence[Any], other: Other) -> dict[str, Any]:
    if len(row) != len(columns):
        raise ValueError(f"row {number} of the table has {len(row)} values for {len(columns)} columns.")
    try:
        return {name: _plain(value, other) for name, value in zip(columns, row, strict=True)}
    except TypeError as error:
        raise TypeError(f"row {number} of the table has {error}") from None


def _plain(value: Any, other: Other) -> Any:
    """Return a value that JSON has."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {str(key): _plain(item, other) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, other) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist(), other)
    return other(value)
