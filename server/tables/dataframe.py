"""Conversion of columns to DataFrames of pandas and Polars, which are imported on first use."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.series.series import NO_POINTS, Points, concatenate

if TYPE_CHECKING:
    import pandas
    import polars


def dataframe(columns: Mapping[str, npt.NDArray[Any]]) -> "pandas.DataFrame":
    """Return a DataFrame with copies of columns of equal length.

    Raises:
        ImportError: pandas is not installed.
    """
    return _dataframe({name: column.copy() for name, column in columns.items()})


def dataframe_of_rows(rows: Sequence[Mapping[str, object]]) -> "pandas.DataFrame":
    """Return a DataFrame of rows with the same columns.

    Raises:
        ImportError: pandas is not installed.
    """
    return _dataframe(list(rows))


def polars_dataframe(columns: Mapping[str, npt.NDArray[Any]]) -> "polars.DataFrame":
    """Return a DataFrame of Polars with columns of equal length.

    Raises:
        ImportError: polars is not installed.
    """
    try:
        import polars
    except ImportError:
        raise ImportError("polars is required for its DataFrames: pip install polars") from None
    return polars.DataFrame(dict(columns))


def dataframe_of_series(series: Sequence[tuple[str, str, int, Points]]) -> "pandas.DataFrame":
    """Return a DataFrame with the columns run, tag, rank, step, wall_time and value, of many (run, tag, rank, points).

    Raises:
        ImportError: pandas is not installed.
    """
    counts = [points.total for *_, points in series]
    names = np.array([(run, tag) for run, tag, _, _ in series], object).reshape(-1, 2)
    ranks = np.array([rank for _, _, rank, _ in series], np.int64)
    columns = concatenate([points for *_, points in series], NO_POINTS)
    return dataframe(
        {
            "run": np.repeat(names[:, 0], counts),
            "tag": np.repeat(names[:, 1], counts),
            "rank": np.repeat(ranks, counts),
            "step": columns.step,
            "wall_time": columns.wall_time,
            "value": columns.value,
        }
    )


def _dataframe(content: Any) -> "pandas.DataFrame":
    try:
        import pandas
    except ImportError:
        raise ImportError("pandas is required for DataFrames: pip install pandas") from None
    return pandas.DataFrame(content)
