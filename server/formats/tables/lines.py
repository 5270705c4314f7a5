"""Splits tables into rows: CSV and TSV with a header, and JSON objects, one a line."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from toposcope.server.formats.tables.columns import MAX_COLUMNS

Kind = Literal["csv", "json"]
_DEEPEST = 16
_MAX_QUOTED = 100


class Table(NamedTuple):
    """How the rows of a table are written."""

    kind: Kind
    delimiter: str = ","
    names: tuple[str, ...] = ()
    """The names of the columns of a CSV file."""


def kind_of(name: str) -> Kind:
    """Return how the rows of a file are written, according to its name."""
    return "json" if name.lower().endswith((".jsonl", ".ndjson")) else "csv"


def complete_bytes(content: bytes, kind: Kind) -> int:
    """Return the length of the complete lines at the beginning of content; line feeds in quotes of CSV end none."""
    end = content.rfind(b"\n") + 1
    if kind == "json":
        return end
    shorter = end
    for _ in range(_MAX_QUOTED):
        if content.count(b'"', 0, shorter) % 2 == 0:
            return shorter
        shorter = content.rfind(b"\n", 0, shorter - 1) + 1
    return end


def read_header(line: str, file_name: str) -> Table:
    """Return the table whose first line is the header of a CSV file.

    Raises:
        ValueError: it is no header.
    """
    delimiters = "\t" if file_name.lower().endswith(".tsv") else ",;\t"
    delimiter = max(delimiters, key=line.count)
    try:
        names = next(csv.reader([line.removeprefix("\ufeff")], delimiter=delimiter), [])
    except csv.Error as error:
        raise ValueError(str(error)) from None
    return Table("csv", delimiter, tuple(name.strip() for name in names))


def read_rows(text: str, table: Table) -> Iterator[dict[str, Any]]:
    """Yield the rows in complete lines; values are floats and texts, and empty cells are left out.

    Lines that are no rows are left out: blank ones, repeated headers, and what is not JSON.
    """
    if table.kind == "json":
        yield from filter(None, map(_json_row, text.split("\n")))
        return
    # float() reads more than numbers: "1_000".
    is_plain = "_" not in text
    try:
        for cells in csv.reader(io.StringIO(text, newline=""), delimiter=table.delimiter):
            if is_plain and (numbers := _all_numbers(cells, table)):
                yield numbers
                continue
            row = {name: _cell(cell) for name, cell in zip(table.names, cells, strict=False) if cell.strip()}
            if row and cells[: len(table.names)] != list(table.names):
                yield row
    except csv.Error as error:
        raise ValueError(f"malformed CSV: {error}") from None


def _all_numbers(cells: list[str], table: Table) -> dict[str, Any] | None:
    """Return a row of which every cell is a number, as most are; None for another one."""
    try:
        return dict(zip(table.names, map(float, cells), strict=True))
    except ValueError:
        return None


def _cell(cell: str) -> float | str:
    try:
        return float(cell) if "_" not in cell else cell
    except ValueError:
        return cell


def _json_row(line: str) -> dict[str, Any] | None:
    line = line.strip()
    if not line.startswith("{"):
        return None
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    row: dict[str, Any] = {}
    flatten(content, row)
    return row


def flatten(content: dict[str, Any], row: dict[str, Any], prefix: str = "", depth: int = 0) -> None:
    """Add the numbers and texts of an object to a row; the names of nested ones are joined by "/"."""
    for name, value in content.items():
        path = f"{prefix}{name}"
        if isinstance(value, dict):
            if depth < _DEEPEST:
                flatten(value, row, f"{path}/", depth + 1)
        elif isinstance(value, int | float):
            try:
                row[path] = float(value)
            except OverflowError:
                row[path] = str(value)
        elif isinstance(value, str) and value.strip():
            row[path] = value
        if len(row) >= MAX_COLUMNS:
            return
