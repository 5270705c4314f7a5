"""The tables of a lake: their columns, and how Parquet encodes them. docs/lake.md describes them for users."""

from typing import TYPE_CHECKING, Any

from toposcope.server.tables.arrow import import_pyarrow

if TYPE_CHECKING:
    import pyarrow

VERSION = 1
"""The version of the tables; changes when a column changes its meaning or goes. Other lakes are written again."""
ROWS_PER_GROUP = 100_000
"""The smallest number of rows in a row group of the points, but the last: what engines skip by its statistics."""
_DICTIONARIES = ["run", "tag", "rank", "attempt"]
_SORTING = ("tag", "run", "rank", "step")


def scalars_schema() -> "pyarrow.Schema":
    """Return the columns of scalars/: one row a point. The dictionaries spare the writer from finding equal names."""
    arrow = import_pyarrow("a lake")
    name = arrow.dictionary(arrow.int32(), arrow.string())
    return arrow.schema(
        [
            ("run", name),
            ("tag", name),
            ("rank", arrow.int32()),
            ("attempt", arrow.int32()),
            ("step", arrow.int64()),
            ("wall_time", arrow.float64()),
            ("value", arrow.float64()),
        ]
    )


def tags_schema() -> "pyarrow.Schema":
    """Return the columns of tags/: one row a series."""
    arrow = import_pyarrow("a lake")
    text, rank, step, number = arrow.string(), arrow.int32(), arrow.int64(), arrow.float64()
    return arrow.schema(
        [
            ("run", text),
            ("tag", text),
            ("rank", rank),
            ("lowest_rank", arrow.bool_()),
            ("points", arrow.int64()),
            ("first_step", step),
            ("last_step", step),
            ("last", number),
            ("min", number),
            ("min_step", step),
            ("max", number),
            ("max_step", step),
            ("first_non_finite_step", step),
            ("first_non_finite_wall_time", number),
            ("first_non_finite_value", number),
        ]
    )


def metrics_type() -> "pyarrow.MapType":
    """Return the type of the column of runs.parquet with statistics by tag: the columns of tags/ that say no name."""
    arrow = import_pyarrow("a lake")
    statistics = [field for field in tags_schema() if field.name not in ("run", "tag", "lowest_rank")]
    return arrow.map_(arrow.string(), arrow.struct(statistics))


def runs_schema() -> "pyarrow.Schema":
    """Return the columns of runs.parquet but metrics and hyper_parameters: one row a run."""
    arrow = import_pyarrow("a lake")
    text, step, number = arrow.string(), arrow.int64(), arrow.float64()
    non_finite = arrow.struct(
        [("tag", text), ("rank", arrow.int32()), ("step", step), ("wall_time", number), ("value", number)]
    )
    return arrow.schema(
        [
            ("run", text),
            ("state", text),
            ("error_type", text),
            ("error_text", text),
            ("started", number),
            ("updated", number),
            ("ended", number),
            ("first_step", step),
            ("last_step", step),
            ("ranks", arrow.list_(arrow.int32())),
            ("attempts", arrow.int32()),
            ("dialect", text),
            ("parent", text),
            ("damaged_records", arrow.int64()),
            ("plugins", arrow.map_(text, arrow.int64())),
            ("first_non_finite", non_finite),
            ("environment", text),
            ("lineage", text),
            ("problems", arrow.list_(text)),
            ("alias", text),
            ("note", text),
            ("labels", arrow.list_(text)),
            ("archived", arrow.bool_()),
        ]
    )


def points_encoding() -> dict[str, Any]:
    """Return the arguments of a ParquetWriter of scalars/; `make bench-lake` compares them with the defaults."""
    names = scalars_schema().names
    return {
        "use_dictionary": _DICTIONARIES,
        "column_encoding": {
            "step": "DELTA_BINARY_PACKED",
            "wall_time": "BYTE_STREAM_SPLIT",
            "value": "BYTE_STREAM_SPLIT",
        },
        "write_page_index": True,
        "sorting_columns": [parquet().SortingColumn(names.index(name)) for name in _SORTING],
    }


def parquet() -> Any:
    """Return the module pyarrow.parquet.

    Raises:
        ModuleNotFoundError: pyarrow is not installed.
    """
    import_pyarrow("a lake")
    import pyarrow.parquet

    return pyarrow.parquet
