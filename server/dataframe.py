"""Columns as a DataFrame of pandas, which is imported only here, when one is asked for."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.series import NO_POINTS, Points, concatenate

if TYPE_CHECKING:
    import pandas


def frame(columns: Mapping[str, npt.NDArray[Any]]) -> "pandas.DataFrame":
    """Return a DataFrame of columns of equal length, which are copied.

    Raises:
        ImportError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("a DataFrame needs pandas: pip install pandas") from None
    return pandas.DataFrame({name: column.copy() for name, column in columns.items()})


def frame_of_series(series: Sequence[tuple[str, str, int, Points]]) -> "pandas.DataFrame":
    """Return one DataFrame of many (run, tag, rank, points): run, tag, rank, step, wall_time, value.

    Raises:
        ImportError: pandas is not installed.
    """
    counts = [points.total for *_, points in series]
    names = np.array([(run, tag) for run, tag, _, _ in series], object).reshape(-1, 2)
    ranks = np.array([rank for _, _, rank, _ in series], np.int64)
    together = concatenate([points for *_, points in series], NO_POINTS)
    return frame(
        {
            "run": np.repeat(names[:, 0], counts),
            "tag": np.repeat(names[:, 1], counts),
            "rank": np.repeat(ranks, counts),
            **together._asdict(),
        }
    )
