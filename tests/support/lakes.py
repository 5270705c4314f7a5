"""The tables of a lake, as PyArrow reads them."""

from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

Rows = list[dict[str, Any]]


def table(lake: Path, name: str) -> pyarrow.Table:
    """Return "scalars" or "tags", all parts in the order of their names, or "runs"."""
    paths = [lake / "runs.parquet"] if name == "runs" else sorted((lake / name).glob("*.parquet"))
    return pyarrow.concat_tables([pyarrow.parquet.read_table(path) for path in paths])


def rows(lake: Path, name: str) -> Rows:
    """Return the rows of a table."""
    found: Rows = table(lake, name).to_pylist()
    return found


def content(lake: Path) -> dict[str, list[str]]:
    """Return the rows of each table, sorted, in whichever part they are; as texts, as NaN is not equal to NaN."""
    return {name: sorted(map(repr, rows(lake, name))) for name in ("scalars", "tags", "runs")}


def stamps(lake: Path) -> dict[str, int]:
    """Return the inode of each file, which changes when the file is replaced."""
    files = (path for path in lake.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {path.relative_to(lake).as_posix(): path.stat().st_ino for path in files}
