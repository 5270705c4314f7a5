"""Evaluator: a data set to evaluate on, with its metrics."""

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from toposcope.recorder import metrics as metrics_package
from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.training.progress.eval_interval import Interval, interval_from
from toposcope.recorder.values.arrays.foreign_values import short_repr


class Evaluator:
    """A label, batches, and metrics by name; each evaluator has its own copies of the metrics."""

    def __init__(
        self,
        label: str,
        dataloader: Iterable[Any],
        metrics: Any = None,
        *,
        subset_num_batches: int | None = None,
        eval_interval: Interval | None = None,
    ) -> None:
        """Describe an evaluation.

        Args:
            label: its name.
            dataloader: its batches.
            metrics: in the forms that Model accepts; None: those of the Trainer or the Model that uses it.
            subset_num_batches: how many of the batches are used; -1: all; None: as the Trainer says.
            eval_interval: when it is run during a training of Trainer; see interval_from(). None: as the Trainer says.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: subset_num_batches or eval_interval has an invalid value.
        """
        if not isinstance(dataloader, Iterable):
            raise TypeError(f"The data to evaluate on must be an iterable of batches, not {short_repr(dataloader)}.")
        self.label, self.dataloader = label, dataloader
        self.subset_num_batches = (
            None if subset_num_batches is None else checked_integer("subset_num_batches", subset_num_batches, lowest=-1)
        )
        self.eval_interval = None if eval_interval is None else interval_from(eval_interval)
        self.metrics: dict[str, Any] = {}
        self._has_own_metrics = metrics is not None
        if metrics is not None:  # The package imports the metrics here, when they are needed.
            self.metrics = copy.deepcopy(metrics_package.metrics_from(metrics))

    def with_metrics(self, metrics: Any) -> "Evaluator":
        """Give the evaluator its own copies of these metrics, unless it was created with some; return it."""
        if not self._has_own_metrics:
            self.metrics = copy.deepcopy(metrics_package.metrics_from(metrics))
        return self


def evaluators_from(data: Any, metrics: Any) -> list[Evaluator]:
    """Return the evaluators of data: of batches "eval", of the loaders of a list "eval", "eval_2", "eval_3", ...

    Args:
        data: batches, a dict of label to batches, an Evaluator, a list of them, a list of loaders of PyTorch, or None.
        metrics: of each evaluator that is created or was created without metrics.
    """
    if data is None:
        return []
    if isinstance(data, Evaluator):
        return [data.with_metrics(metrics)]
    if isinstance(data, Mapping):
        return [Evaluator(each, batches, metrics) for each, batches in data.items()]
    if isinstance(data, list | tuple) and data and all(isinstance(each, Evaluator) for each in data):
        return [evaluator.with_metrics(metrics) for evaluator in data]
    if isinstance(data, list | tuple) and data and all(map(_is_loader, data)):
        labels = ["eval", *(f"eval_{number}" for number in range(2, len(data) + 1))]
        return [Evaluator(each, batches, metrics) for each, batches in zip(labels, data, strict=True)]
    return [Evaluator("eval", data, metrics)]


def _is_loader(item: Any) -> bool:
    """Return whether an item of a list is a loader, such as a DataLoader, not a batch."""
    return isinstance(item, Iterable) and hasattr(item, "dataset")
