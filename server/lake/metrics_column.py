"""The column of runs.parquet with the statistics of the scalar tags of each run, read from the rows of tags/."""

import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from toposcope.server.lake.folder import Folder
from toposcope.server.lake.parts import CONNECTIONS, Part
from toposcope.server.lake.tables.schema import metrics_type, parquet, tags_schema
from toposcope.server.tables.arrow import import_pyarrow

if TYPE_CHECKING:
    import pyarrow


def metrics_column(folder: Folder, parts: Sequence[Part], rows: Sequence[tuple[str, str]]) -> "pyarrow.Array":
    """Return a map for each row: of each tag, sorted, what tags/ says of the lowest rank that has it.

    Args:
        folder: of the lake.
        parts: all its parts.
        rows: the part and the run of each row.

    Raises:
        OSError: the statistics of a part cannot be read.
    """
    arrow = import_pyarrow("a lake")
    with ThreadPoolExecutor(CONNECTIONS, "toposcope-lake") as pool:
        tables = list(pool.map(lambda part: _lowest_ranks(folder, part), parts))
    numbers = {each: number for number, each in enumerate(rows)}
    of_each = [
        [numbers.get((part.name, run), -1) for run in table["run"].to_pylist()]
        for table, part in zip(tables, parts, strict=True)
    ]
    row = np.array(list(itertools.chain.from_iterable(of_each)), np.int64)
    order = np.argsort(row, kind="stable")  # The tags of a row stay sorted.
    sorted_rows = row[order]
    first = np.searchsorted(sorted_rows, 0)  # Those below are no rows.
    ends = np.searchsorted(sorted_rows, np.arange(len(rows) + 1)) - first
    table = arrow.concat_tables([tags_schema().empty_table(), *tables]).take(order[first:]).combine_chunks()
    kind = metrics_type()
    statistics = arrow.StructArray.from_arrays(
        [_array(table, field.name) for field in kind.item_type], fields=list(kind.item_type)
    )
    return arrow.MapArray.from_arrays(arrow.array(ends, arrow.int32()), _array(table, "tag"), statistics)


def _lowest_ranks(folder: Folder, part: Part) -> "pyarrow.Table":
    """Return the rows of a part; none if an interrupted call has not written them."""
    arrow = import_pyarrow("a lake")
    try:
        content = folder.read(part.tags_file)
    except FileNotFoundError:
        return tags_schema().empty_table()
    table = parquet().read_table(arrow.BufferReader(content)).select(tags_schema().names)
    return table.filter(table["lowest_rank"])


def _array(table: "pyarrow.Table", name: str) -> "pyarrow.Array":
    return import_pyarrow("a lake").concat_arrays(table[name].chunks)
