"""Tables: named columns and rows of any values, as JSON, JSON lines and Markdown."""

from collections.abc import Iterable, Sequence

from toposcope.distinct_names import distinct_names
from toposcope.recorder.loggers.formatting import json_text, line, plain
from toposcope.recorder.values.results import table
from toposcope.recorder.values.results.table import Table


def json_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as JSON with "columns" and "data", which pandas reads with `read_json(..., orient="split")`."""
    return json_text({"columns": [str(name) for name in columns], "data": [plain(list(row)) for row in rows]})


def json_lines(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as an object for each row, which the page shows as samples."""
    names = distinct_names(columns)
    cells = ([*map(plain, row), *[None] * len(names)][: len(names)] for row in rows)
    return "\n".join(table.json_lines(Table(names, cells)))


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as Markdown; each cell is one line, with `|` escaped."""
    lines = [_row(columns), "|" + " --- |" * len(columns), *map(_row, rows)]
    return "\n".join(lines)


def _row(cells: Sequence[object]) -> str:
    return "".join(f"| {_cell(cell)} " for cell in cells) + "|"


def _cell(value: object) -> str:
    return line(value).replace("\\", "\\\\").replace("|", "\\|")
