"""A Parquet file of a lake: compressed, with the version of the tables in its metadata."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from toposcope.server.lake.tables.schema import VERSION, parquet

if TYPE_CHECKING:
    import pyarrow

METADATA: Mapping[str, str] = {"toposcope.format": "lake", "toposcope.schema": str(VERSION)}
"""The key-value metadata of every file."""


@contextmanager
def parquet_writer(
    file: BinaryIO, schema: "pyarrow.Schema", metadata: Mapping[str, str] = METADATA, **options: Any
) -> Iterator[Any]:
    """Yield a pyarrow.parquet.ParquetWriter.

    Args:
        file: open for writing.
        schema: the columns. It is not stored: for every reader, names are plain text, not dictionaries.
        metadata: texts by name.
        options: further arguments of the writer.
    """
    options = {"compression": "zstd", "store_schema": False} | options
    with parquet().ParquetWriter(file, schema, **options) as writer:
        yield writer
        writer.add_key_value_metadata(dict(metadata))
