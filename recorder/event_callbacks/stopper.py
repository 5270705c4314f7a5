"""Stopper: an event callback that looks at a metric whenever it has a new value, and may stop the training."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_text
from toposcope.recorder.callbacks.rank_mean import mean_over_ranks
from toposcope.recorder.metrics import result
from toposcope.recorder.training.data.loss import loss_in
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError
from toposcope.recorder.values.scalar import scalar_from

if TYPE_CHECKING:
    from toposcope.recorder.training.state.logger import Logger
    from toposcope.recorder.training.state.state import State


class Stopper(EventCallback, ABC):
    """Looks at a metric of an evaluation at its end, and at one of the training at the end of each epoch.

    Besides the metrics "loss" is available: the mean loss of the evaluation, or that of the newest batch of the
    training. In a data-parallel training the value is the mean over the processes, so that all stop at the same batch.
    A label or a metric that does not exist, or a metric that is not one number, is reported in one log line.
    Evaluations outside of a training are ignored.
    """

    def __init__(self, monitor: str, dataloader_label: str, *, looks_at_batches: bool) -> None:
        """Set the metric.

        Args:
            monitor: name of the metric.
            dataloader_label: "train", or the label of an evaluator.
            looks_at_batches: whether a metric of the training is looked at at the end of each batch, too.

        Raises:
            TypeError: monitor or dataloader_label is not a str.
        """
        self.monitor = checked_text("monitor", monitor)
        self.dataloader_label = checked_text("dataloader_label", dataloader_label)
        self._looks_at_batches = looks_at_batches
        self._is_training = self._is_standalone = self._has_warned = False

    @abstractmethod
    def should_stop(self, value: float, state: State) -> bool:
        """Return whether the training should stop, now that the metric has this value."""

    def init(self, state: State, logger: Logger) -> None:
        """Forget an earlier training, which may have failed."""
        self._is_training = False

    def fit_start(self, state: State, logger: Logger) -> None:
        """Note that a training runs; report a label that none of its evaluations has."""
        self._is_training, self._is_standalone = True, False
        labels = ["train", *(evaluator.label for evaluator in state.evaluators)]
        # The evaluations of watched loops and of MindSpore's Model are not known in advance.
        are_known = state.loop_sources is None and state.train_dataloader is not None
        if are_known and self.dataloader_label not in labels:
            name, label = type(self).__name__, self.dataloader_label
            log.warn("%s has no effect: no evaluator has the label %r, only %s.", name, label, _listed(labels))

    def fit_end(self, state: State, logger: Logger) -> None:
        """Note that the training has ended."""
        self._is_training = False

    def eval_standalone_start(self, state: State, logger: Logger) -> None:
        """Note that the evaluation is not one of a training, although the last training may have failed."""
        self._is_standalone = True

    def eval_standalone_end(self, state: State, logger: Logger) -> None:
        """Note that the evaluation has ended."""
        self._is_standalone = False

    def eval_end(self, state: State, logger: Logger) -> None:
        """Look at the results of the evaluation."""
        is_of_training = self._is_training and not self._is_standalone
        if is_of_training and state.dataloader_label == self.dataloader_label:
            self._look(_eval_metrics(state, self.dataloader_label), state)

    def epoch_end(self, state: State, logger: Logger) -> None:
        """Look at the metrics of the training."""
        if self.dataloader_label == "train":
            self._look(_train_metrics(state), state)

    def batch_end(self, state: State, logger: Logger) -> None:
        """Look at the metrics of the training, if batches are looked at."""
        if self.dataloader_label == "train" and self._looks_at_batches:
            self._look(_train_metrics(state), state)

    def _look(self, metrics: Mapping[str, Any], state: State) -> None:
        value = mean_over_ranks(self._value(metrics), state.parallel_mode)
        if value is not None and self.should_stop(value, state):
            state.stop_training()

    def _value(self, metrics: Mapping[str, Any]) -> float | None:
        if self.monitor not in metrics:
            self._warn(f"there is none; available: {_listed(metrics)}")
            return None
        metric = metrics[self.monitor]
        try:  # In a watched loop the metrics are values.
            is_metric = hasattr(metric, "eval") or hasattr(metric, "compute")
            return scalar_from(result(metric) if is_metric else metric).value
        except (TypeError, ValueError, RuntimeError, UnreadableValueError) as error:
            self._warn(str(error))
            return None

    def _warn(self, reason: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            name, label = type(self).__name__, self.dataloader_label
            log.warn("%s cannot use the metric %r of %r: %s", name, self.monitor, label, reason)


def _eval_metrics(state: State, label: str) -> dict[str, Any]:
    loss = {} if state.eval_loss is None else {"loss": state.eval_loss}
    return {**loss, **state.eval_metrics.get(label, {})}


def _train_metrics(state: State) -> dict[str, Any]:
    return {"loss": loss_in(state.net_outputs), **(state.train_metrics or {})}


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, sorted(names))) or "no metric"
