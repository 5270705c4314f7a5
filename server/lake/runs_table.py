"""Writes runs.parquet from what the parts of a lake say of their runs and series, and from the notes of users."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import google_crc32c
import orjson

from toposcope.server.lake.folder import Folder
from toposcope.server.lake.metrics_column import metrics_column
from toposcope.server.lake.parts import Part
from toposcope.server.lake.tables.parquet_file import METADATA, parquet_writer
from toposcope.server.lake.tables.schema import parquet, runs_schema
from toposcope.server.tables.arrow import import_pyarrow
from toposcope.server.text.json_values import json_value

if TYPE_CHECKING:
    import pyarrow

RUNS = "runs.parquet"
HYPER_PARAMETERS = "hyper_parameters"
MAX_PARAMETERS = 1000
"""Fields of hyper_parameters; of more names, those that most runs have."""
_CHECKSUM = "toposcope.checksum"
_EXACT = 2**53
_NON_FINITE = ("NaN", "Infinity", "-Infinity")

Row = Mapping[str, Any]


class Notes(NamedTuple):
    """What users noted about a run."""

    alias: str | None = None
    note: str = ""
    labels: tuple[str, ...] = ()
    archived: bool = False


NO_NOTES = Notes()


def write_runs(folder: Folder, parts: Sequence[Part], notes: Mapping[str, Notes]) -> bool:
    """Write runs.parquet, unless it has this content already; return whether it was written.

    Args:
        folder: of the lake.
        parts: all its parts.
        notes: on runs, by name.

    Raises:
        OSError: the folder cannot be written.
    """
    covered = sorted(
        ((part.name, run) for part in parts for run in part.runs.values()), key=lambda each: each[1].row["run"].encode()
    )
    rows = [{**run.row, **_notes(notes.get(run.row["run"], NO_NOTES))} for _, run in covered]
    # Metrics are those of the event files.
    metadata = {**METADATA, _CHECKSUM: _checksum([rows, [run.files for _, run in covered]])}
    if _has(folder, metadata):
        return False
    table = _table(rows)
    metrics = metrics_column(folder, parts, [(part, run.row["run"]) for part, run in covered])
    table = table.append_column("metrics", metrics)
    with folder.create(RUNS) as file, parquet_writer(file, table.schema, metadata) as writer:
        writer.write_table(table)
    return True


def _notes(notes: Notes) -> dict[str, Any]:
    return {**notes._asdict(), "note": notes.note or None, "labels": list(notes.labels)}


def _checksum(content: list[Any]) -> str:
    return f"{google_crc32c.value(orjson.dumps(json_value(content))):08x}"


def _has(folder: Folder, metadata: Mapping[str, str]) -> bool:
    """Return whether the file exists and has some metadata."""
    arrow = import_pyarrow("a lake")
    try:
        found = parquet().read_metadata(arrow.BufferReader(folder.read(RUNS))).metadata or {}
    except (FileNotFoundError, arrow.ArrowInvalid):
        return False
    return all(found.get(name.encode()) == value.encode() for name, value in metadata.items())


def _table(rows: Sequence[Row]) -> "pyarrow.Table":
    arrow = import_pyarrow("a lake")
    schema = runs_schema()
    columns = [
        arrow.array([_plain(row.get(name), name) for row in rows], schema.field(name).type) for name in schema.names
    ]
    table = arrow.table(columns, schema=schema)
    parameters = hyper_parameter_columns([row.get(HYPER_PARAMETERS, {}) for row in rows])
    if parameters:
        struct = arrow.StructArray.from_arrays(list(parameters.values()), list(parameters))
        table = table.append_column(HYPER_PARAMETERS, struct)
    return table


def _plain(value: Any, name: str) -> Any:
    """Return the value of a column, whose JSON has strings for numbers that are not finite."""
    if name == "plugins":
        return list((value or {}).items())
    if name == "first_non_finite" and value:
        return value | {"value": float(value["value"]), "wall_time": float(value["wall_time"])}
    return float(value) if name in ("started", "updated", "ended") and value is not None else value


def hyper_parameter_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, "pyarrow.Array"]:
    """Return the values of each hyperparameter, one a row, by name; see _typed()."""
    counts = Counter(name for row in rows for name in row)
    names = sorted(name for name, _ in counts.most_common(MAX_PARAMETERS))
    return {name: _typed([row.get(name) for row in rows]) for name in names}


def _typed(values: Sequence[Any]) -> "pyarrow.Array":
    """Return values as Booleans, as integers or as numbers if all of them are, else as texts; None is null."""
    arrow = import_pyarrow("a lake")
    kinds = {_kind(value) for value in values if value is not None}
    if kinds == {"Boolean"}:
        return arrow.array(values, arrow.bool_())
    if kinds <= {"integer", "large integer"}:
        return arrow.array(values, arrow.int64())
    if kinds <= {"integer", "number", "non-finite"}:
        return arrow.array([None if value is None else float(value) for value in values], arrow.float64())
    return arrow.array([_text(value) for value in values], arrow.string())


def _kind(value: bool | int | float | str) -> str:
    match value:
        case bool():
            return "Boolean"
        case int() if abs(value) <= _EXACT:
            return "integer"
        case int() if -(2**63) <= value < 2**63:
            return "large integer"
        case float():
            return "number"
        case _:
            return "non-finite" if value in _NON_FINITE else "text"


def _text(value: Any) -> str | None:
    """Return a value as text: "true", "0.1", or the text itself."""
    return value if value is None or isinstance(value, str) else orjson.dumps(value).decode()
