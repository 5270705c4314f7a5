"""Scalar series as CSV: run, tag, rank, step, wall_time, value."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from toposcope.proto.wire import text_bytes
from toposcope.server.budget.cancellation import check
from toposcope.server.reading.series.series import Points
from toposcope.server.text.json_values import number_text

_COLUMNS = ("run", "tag", "rank", "step", "wall_time", "value")
_CHUNK_POINTS = 10_000
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def scalar_csv(series: Iterable[tuple[str, str, int, Points]], *, is_exact: bool = True) -> Iterator[bytes]:
    """Yield a CSV document (RFC 4180, UTF-8) in chunks: a header, then a line for each point.

    Numbers are exact: the shortest text from which the same double is parsed, or NaN, Infinity or -Infinity.

    Args:
        series: (run, tag, rank, points) of each series.
        is_exact: whether names are written as they are. Spreadsheets take one that begins with "=", "+", "-", "@", a
            tab or a carriage return for a formula: otherwise an apostrophe is put before it.
    """
    yield _lines([_COLUMNS])
    for run, tag, rank, points in series:
        if not is_exact:
            run, tag = _as_text(run), _as_text(tag)
        for start in range(0, points.total, _CHUNK_POINTS):
            check()
            columns = [column.tolist() for column in points.take(slice(start, start + _CHUNK_POINTS))]
            yield _lines(
                (run, tag, rank, step, number_text(wall_time), number_text(value))
                for step, wall_time, value in zip(*columns, strict=True)
            )


def _as_text(name: str) -> str:
    return f"'{name}" if name.startswith(_FORMULAS) else name


def _lines(rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text_bytes(text.getvalue())
