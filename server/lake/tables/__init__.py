"""The tables of a part of a lake as Parquet files."""
