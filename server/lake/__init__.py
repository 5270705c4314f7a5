"""The lake: the scalars, series and runs of a logdir as Parquet files for other programs."""
