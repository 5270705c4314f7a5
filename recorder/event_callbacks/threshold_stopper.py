"""ThresholdStopper: stops a training when a metric passes a threshold."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from toposcope.recorder.arguments import checked_bool, checked_number
from toposcope.recorder.event_callbacks.comparison import comparison
from toposcope.recorder.event_callbacks.stopper import Stopper

if TYPE_CHECKING:
    from toposcope.recorder.training.state.state import State


class ThresholdStopper(Stopper):
    """Stops the training when the metric is better than the threshold. Logs nothing.

        ThresholdStopper("MulticlassAccuracy", "eval", 0.95)

    Parameters and meaning are those of Composer's class.
    """

    def __init__(
        self,
        monitor: str,
        dataloader_label: str,
        threshold: float,
        *,
        comp: str | Callable[[Any, Any], Any] | None = None,
        stop_on_batch: bool = False,
    ) -> None:
        """Set the metric and the threshold.

        Args:
            monitor: name of the metric; "loss" is the mean loss of the evaluation, or that of a batch of the training.
            dataloader_label: "train" for a metric of the training, otherwise the label of the evaluator: "eval" unless
                it was given another one.
            threshold: the value that the metric must pass.
            comp: when it is passed: "greater", "less", or a function comp(value, threshold). None: by
                the words of the name; with a warning and "greater" if they do not say.
            stop_on_batch: whether a metric of the training is compared after each batch, not only after each epoch.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: comp is another str, or threshold is not finite.
        """
        super().__init__(monitor, dataloader_label, looks_at_batches=checked_bool("stop_on_batch", stop_on_batch))
        self.threshold = checked_number("threshold", threshold)
        self._passes = comparison(comp, monitor)

    def should_stop(self, value: float, state: State) -> bool:
        """Return whether the value passes the threshold."""
        return self._passes(value, self.threshold)
