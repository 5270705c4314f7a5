"""Aligned text for terminals."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from toposcope.server.text.escaped import escaped

_WIDEST = 60
"""Characters of a column; longer cells overflow."""


def table_lines(head: Sequence[str], rows: Sequence[Sequence[str]], sides: str, indent: str = "  ") -> Iterator[str]:
    """Yield the lines of a table, none if it has no rows; `sides` has "l" or "r" per column for its alignment."""
    cells = [tuple(map(escaped, row)) for row in (head, *rows)]
    widths = [min(_WIDEST, max(map(len, column))) for column in zip(*cells, strict=True)]
    for row in cells if rows else []:
        padded = [
            cell.ljust(width) if side == "l" else cell.rjust(width)
            for cell, width, side in zip(row, widths, sides, strict=True)
        ]
        yield indent + "  ".join(padded).rstrip()


def time_text(wall_time: float) -> str:
    """Return a time in seconds since 1970 as date and time, or as seconds if it is no date."""
    try:
        return datetime.fromtimestamp(wall_time, UTC).isoformat(" ", "seconds").replace("+00:00", " UTC")
    except (ValueError, OverflowError, OSError):
        return f"{wall_time!r} s"


def text_or_blank(number: int | None) -> str:
    """Return an integer as text; None is blank."""
    return "" if number is None else str(number)


def count_text(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
