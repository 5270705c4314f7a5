"""Writes the points of series as a Parquet file, row group by row group."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from toposcope.server.lake.tables.parquet_file import parquet_writer
from toposcope.server.lake.tables.schema import ROWS_PER_GROUP, points_encoding, scalars_schema
from toposcope.server.lake.tables.series import Series
from toposcope.server.tables.arrow import import_pyarrow

if TYPE_CHECKING:
    import pyarrow


def write_points(file: BinaryIO, series: Iterable[Series]) -> None:
    """Write one row for each point.

    Args:
        file: open for writing.
        series: sorted, see series_of().
    """
    schema = scalars_schema()
    with parquet_writer(file, schema, **points_encoding()) as writer:
        for group in _row_groups(series):
            writer.write_table(_table(group, schema), row_group_size=2 * ROWS_PER_GROUP)


def _row_groups(series: Iterable[Series]) -> Iterator[list[Series]]:
    """Yield series, or parts of them, that together have from one to two times ROWS_PER_GROUP points."""
    group: list[Series] = []
    rows = 0
    for each in series:
        for start in range(0, each.points.total, ROWS_PER_GROUP):
            part = _part(each, slice(start, start + ROWS_PER_GROUP))
            group.append(part)
            rows += part.points.total
            if rows >= ROWS_PER_GROUP:
                yield group
                group, rows = [], 0
    if group:
        yield group


def _part(series: Series, where: slice) -> Series:
    if series.points.total <= ROWS_PER_GROUP:
        return series
    attempt = series.attempt if isinstance(series.attempt, int) else series.attempt[where]
    return series._replace(points=series.points.take(where), attempt=attempt)


def _table(group: list[Series], schema: "pyarrow.Schema") -> "pyarrow.Table":
    totals = [each.points.total for each in group]
    columns: list[Any] = [
        _repeated([each.run for each in group], totals),
        _repeated([each.tag for each in group], totals),
        np.repeat(np.array([each.rank for each in group], np.int32), totals),
        np.concatenate([_attempts(each) for each in group]),
        np.concatenate([each.points.step for each in group]),
        np.concatenate([each.points.wall_time for each in group]),
        np.concatenate([each.points.value for each in group]),
    ]
    return import_pyarrow("a lake").table(columns, schema=schema)


def _attempts(series: Series) -> npt.NDArray[np.int32]:
    if isinstance(series.attempt, int):
        return np.full(series.points.total, series.attempt, np.int32)
    return series.attempt


def _repeated(names: list[str], totals: list[int]) -> "pyarrow.Array":
    """Return each name as often as its total says."""
    arrow = import_pyarrow("a lake")
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    indices = np.repeat(np.array([numbers[name] for name in names], np.int32), totals)
    return arrow.DictionaryArray.from_arrays(indices, arrow.array(list(numbers), arrow.string()))
