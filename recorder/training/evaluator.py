"""Evaluator: a data set to evaluate on, with its metrics."""

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from toposcope.recorder import metrics as metrics_package
from toposcope.recorder.values.foreign_values import short_repr


class Evaluator:
    """A label, batches, and metrics by name; each evaluator has its own copies of the metrics."""

    def __init__(self, label: str, dataloader: Iterable[Any], metrics: Any = None) -> None:
        """Accept metrics in the forms that Model accepts; TypeError if dataloader is not iterable."""
        if not isinstance(dataloader, Iterable):
            raise TypeError(f"The data to evaluate on must be an iterable of batches, not {short_repr(dataloader)}.")
        self.label, self.dataloader = label, dataloader
        self.metrics: dict[str, Any] = {}
        if metrics is not None:  # The package imports the metrics here, when they are needed.
            self.metrics = copy.deepcopy(metrics_package.metrics_from(metrics))


def evaluators_from(data: Any, metrics: Any, label: str = "eval") -> list[Evaluator]:
    """Return the evaluators of data: batches, a dict of label to batches, an Evaluator, a list of them, or None."""
    if data is None:
        return []
    if isinstance(data, Evaluator):
        return [data]
    if isinstance(data, Mapping):
        return [Evaluator(each, batches, metrics) for each, batches in data.items()]
    if isinstance(data, list | tuple) and data and all(isinstance(each, Evaluator) for each in data):
        return list(data)
    return [Evaluator(label, data, metrics)]
