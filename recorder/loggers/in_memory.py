"""InMemoryLogger: stores what is logged in memory, for notebooks and tests."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.loggers.table import json_table
from toposcope.recorder.training.events.logger_destination import LoggerDestination
from toposcope.recorder.training.progress.timestamp import Timestamp
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError, is_convertible, short_repr

if TYPE_CHECKING:
    from toposcope.recorder.training.state.state import State

_ARRAYS = ("detach", "__array__", "__dlpack__")


class InMemoryLogger(LoggerDestination):
    """Stores all metrics, hyperparameters and tables; corresponds to Composer's `InMemoryLogger`.

        logger = InMemoryLogger()
        ...
        series = logger.get_timeseries("loss/train/total")
        plt.plot(series["batch"], series["loss/train/total"])

    Differences from Composer's class: tensors, also those that require gradients, are copied as numbers, so that no
    graph or device memory is retained; an explicit step is respected; metrics logged before INIT are stored; tables do
    not require pandas.
    """

    def __init__(self) -> None:
        self.data: dict[str, list[tuple[Timestamp, Any]]] = {}
        """Timestamps and values of each metric, oldest first; values are numbers or NumPy arrays."""
        self.most_recent_values: dict[str, Any] = {}
        self.most_recent_timestamps: dict[str, Timestamp] = {}
        self.hyperparameters: dict[str, Any] = {}
        """The newest value of each hyperparameter."""
        self.tables: dict[str, str] = {}
        """The newest table of each name, as JSON with "columns" and "data"."""
        self.state: State | None = None
        """The state of the training, whose timestamp is stored with metrics; None before INIT."""

    def init(self, state: State, logger: Logger) -> None:
        """Remember the state, whose timestamp is stored with metrics."""
        self.state = state

    def log_hyperparameters(self, hyperparameters: dict[str, Any]) -> None:
        """Merge hyperparameters with those of earlier calls."""
        self.hyperparameters.update(hyperparameters)

    def log_metrics(self, metrics: dict[str, Any], step: int | None = None) -> None:
        """Store metrics with the current timestamp, whose batch is replaced by step if it is not None."""
        timestamp = self._timestamp(step)
        for name, value in metrics.items():
            copied = _copied(value)
            self.data.setdefault(name, []).append((timestamp, copied))
            self.most_recent_values[name] = copied
            self.most_recent_timestamps[name] = timestamp

    def log_table(
        self, columns: list[str], rows: list[list[Any]], name: str = "Table", step: int | None = None
    ) -> None:
        """Store a table as JSON."""
        self.tables[name] = json_table(columns, rows)

    def get_timeseries(self, metric: str) -> dict[str, npt.NDArray[Any]]:
        """Return the series of a metric as arrays of equal length.

        Args:
            metric: a key of data.

        Returns:
            The values under the metric's name, and under the name of each field of Timestamp ("epoch", "batch",
            "batch_in_epoch", "sample", "total_wct", ...) the counts, or the seconds, when they were logged.

        Raises:
            ValueError: nothing was logged under this name.
        """
        if metric not in self.data:
            raise ValueError(f"metric must be one of {short_repr(sorted(self.data))}, not {short_repr(metric)}.")
        timestamps, values = zip(*self.data[metric], strict=True)
        states = [timestamp.state_dict() for timestamp in timestamps]
        series = {field: np.array([_number(state[field]) for state in states]) for field in states[0]}
        # A metric may have the name of a field: then its values take precedence.
        return series | {metric: _column(values)}

    def _timestamp(self, step: int | None) -> Timestamp:
        now = Timestamp() if self.state is None else self.state.timestamp
        return now if step is None or int(step) == int(now.batch) else now.copy(batch=int(step))


def _copied(value: object) -> object:
    if isinstance(value, bool | int | float | str) or not is_convertible(value, _ARRAYS):
        return value
    try:
        numbers = array_from(value).numbers()
    except (TypeError, UnreadableValueError):
        return value
    return numbers.item() if numbers.size == 1 else numbers


def _column(values: tuple[Any, ...]) -> npt.NDArray[Any]:
    """Return values as an array, of dtype object if their shapes differ."""
    if len({np.shape(value) for value in values}) == 1:
        return np.array(values)
    column = np.empty(len(values), object)
    column[:] = values
    return column


def _number(count: float | timedelta) -> float:
    return count.total_seconds() if isinstance(count, timedelta) else count
