"""EarlyStopper: stops a training when a metric has not improved for some time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from toposcope.recorder.arguments import checked_number
from toposcope.recorder.event_callbacks.comparison import comparison
from toposcope.recorder.event_callbacks.stopper import Stopper
from toposcope.recorder.training.progress.time import TimeInput, TimeUnit, checked_time
from toposcope.recorder.training.progress.timestamp import Timestamp
from toposcope.recorder.values.arrays.foreign_values import short_repr

if TYPE_CHECKING:
    from toposcope.recorder.training.state.logger import Logger
    from toposcope.recorder.training.state.state import State


class EarlyStopper(Stopper):
    """Stops the training when the metric last improved more than *patience* ago. Logs nothing.

        EarlyStopper("MulticlassAccuracy", "eval", patience="2ep")

    Parameters and meaning are those of Composer's class. Unlike it, NaN is never the best value, a second training
    starts without the best value of the first one, and state_dict() lets a resumed training continue to wait.
    """

    best: float | None
    """The best value so far."""
    best_occurred: Timestamp | None
    """When it occurred."""

    def __init__(
        self,
        monitor: str,
        dataloader_label: str,
        comp: str | Callable[[Any, Any], Any] | None = None,
        min_delta: float = 0.0,
        patience: TimeInput = 1,
    ) -> None:
        """Set the metric and the patience.

        Args:
            monitor: name of the metric; "loss" is the mean loss of the evaluation, or that of a batch of the training.
            dataloader_label: "train" for a metric of the training, otherwise the label of the evaluator: "eval" unless
                it was given another one.
            comp: when a value improves on the best one: "greater", "less", or a function comp(value, best). None: by
                the words of the name; with a warning and "greater" if they do not say.
            min_delta: a value that differs from the best one by no more than this is no improvement; its sign is
                ignored.
            patience: allowed time without improvement, in epochs (a number, or "3ep") or batches ("100ba"). With
                batches, a metric of the training is compared at the end of each batch as well.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: comp is another str, min_delta is not finite, or patience is negative or in another unit.
        """
        self._is_better = comparison(comp, str(monitor))
        self.min_delta = abs(checked_number("min_delta", min_delta))
        self.patience = checked_time("patience", patience, TimeUnit.EPOCH)
        if self.patience.unit not in (TimeUnit.EPOCH, TimeUnit.BATCH) or self.patience.value < 0:
            raise ValueError(f"patience must be a number of epochs or of batches ('3ba'), not {short_repr(patience)}.")
        super().__init__(monitor, dataloader_label, looks_at_batches=self.patience.unit is TimeUnit.BATCH)
        self.best, self.best_occurred = None, None
        self._is_restored = False

    def init(self, state: State, logger: Logger) -> None:
        """Forget an earlier training."""
        super().init(state, logger)
        if not self._is_restored:
            self.best, self.best_occurred = None, None
        self._is_restored = False

    def should_stop(self, value: float, state: State) -> bool:
        """Return whether the best value, which this may be, is too old."""
        if self.best is None or self.best_occurred is None or self._improves(value, self.best):
            self.best, self.best_occurred = value, state.timestamp
        unit = self.patience.unit
        return state.timestamp.get(unit) - self.best_occurred.get(unit) > self.patience

    def state_dict(self) -> dict[str, Any]:
        """Return the best value and when it occurred."""
        occurred = None if self.best_occurred is None else self.best_occurred.state_dict()
        return {"best": self.best, "best_occurred": occurred}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the best value and when it occurred."""
        occurred = state["best_occurred"]
        self.best = state["best"]
        self.best_occurred = None if occurred is None else Timestamp().load_state_dict(occurred)
        self._is_restored = True

    def _improves(self, value: float, best: float) -> bool:
        if math.isnan(best) or math.isnan(value):
            return not math.isnan(value)
        return self._is_better(value, best) and abs(value - best) > self.min_delta
