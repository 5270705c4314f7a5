"""Writes the statistics of series as a Parquet file: one row a series."""

from collections.abc import Iterable
from typing import Any, BinaryIO

from toposcope.server.lake.tables.parquet_file import parquet_writer
from toposcope.server.lake.tables.schema import tags_schema
from toposcope.server.lake.tables.series import Series
from toposcope.server.tables.arrow import import_pyarrow


def write_tags(file: BinaryIO, series: Iterable[Series]) -> None:
    """Write one row for each series.

    Args:
        file: open for writing.
        series: sorted, see series_of().
    """
    schema = tags_schema()
    table = import_pyarrow("a lake").Table.from_pylist([_row(each) for each in series], schema=schema)
    with parquet_writer(file, schema, use_dictionary=["run", "tag", "rank"]) as writer:
        writer.write_table(table)


def _row(series: Series) -> dict[str, Any]:
    summary = series.summary
    row = {
        "run": series.run,
        "tag": series.tag,
        "rank": series.rank,
        "lowest_rank": series.is_of_lowest_rank,
        "points": summary.points,
        "first_step": int(series.points.compact_step[0]),
        "last_step": summary.last_step,
        "last": summary.last,
    }
    for name, extreme in (("min", summary.min), ("max", summary.max)):
        if extreme:
            row |= {name: extreme.value, f"{name}_step": extreme.step}
    if summary.first_non_finite:
        row |= {f"first_non_finite_{name}": value for name, value in summary.first_non_finite._asdict().items()}
    return row
