"""The callbacks of wandb.integration.keras: they record into the active run of the wandb-shaped front."""

import math
from typing import Any

import keras

from toposcope.recorder import wandb
from toposcope.recorder.values.scalar import scalar_from
from toposcope.recorder.wandb.reports import guarded

_LEARNING_RATE = "learning_rate"


class WandbMetricsLogger(keras.callbacks.Callback):
    """Logs the metrics of each epoch as "epoch/<metric>", or of each n-th batch as "batch/<metric>".

    The names, and "epoch/epoch" or "batch/batch_step" as x axis, are those of W&B's class. ToposcopeCallback of
    toposcope.recorder.frameworks.keras records more, and the loss of each batch rather than its mean over the epoch.
    """

    def __init__(self, log_freq: str | int = "epoch", initial_global_step: int = 0, **_: Any) -> None:
        """Define the x axis; log_freq is "epoch", "batch" or the number of batches between two points."""
        super().__init__()
        self._every = 1 if log_freq == "batch" else log_freq if isinstance(log_freq, int) else None
        self._batch_step, self._step = 0, initial_global_step
        if self._every is None:
            wandb.define_metric("epoch/epoch")
            wandb.define_metric("epoch/*", step_metric="epoch/epoch")
        else:
            wandb.define_metric("batch/batch_step")
            wandb.define_metric("batch/*", step_metric="batch/batch_step")

    @guarded
    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Log the metrics of an epoch."""
        wandb.log(self._named("epoch", logs, "epoch", epoch))

    @guarded
    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Log the metrics of a batch."""
        self._step += 1
        if self._every is not None and batch % self._every == 0:
            wandb.log(self._named("batch", logs, "batch_step", self._batch_step))
            self._batch_step += self._every

    def _named(self, prefix: str, logs: Any, step_name: str, step: int) -> dict[str, Any]:
        named = {f"{prefix}/{name}": value for name, value in (logs or {}).items()} | {f"{prefix}/{step_name}": step}
        rate = learning_rate(self.model, self._step)
        return named if rate is None else named | {f"{prefix}/{_LEARNING_RATE}": rate}


class WandbModelCheckpoint(keras.callbacks.ModelCheckpoint):
    """ModelCheckpoint of Keras: the files stay where they are written, there are no artifacts."""


class WandbCallback(keras.callbacks.Callback):
    """Logs the metrics of each epoch under their own names, and keeps the best epoch in the summary.

    W&B's class of this name was part of its releases before 0.20.
    """

    def __init__(
        self, monitor: str = "val_loss", mode: str = "auto", log_batch_frequency: Any = None, **_: Any
    ) -> None:
        """Set which metric decides what the best epoch is; other arguments of W&B's class have no effect."""
        super().__init__()
        self._monitor, self._log_batch_frequency = monitor, log_batch_frequency
        self._is_max = mode == "max" or (mode == "auto" and ("acc" in monitor or monitor.startswith("fmeasure")))
        self._best = -math.inf if self._is_max else math.inf

    @guarded
    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Log the metrics of an epoch."""
        logs = dict(logs or {})
        wandb.log({"epoch": epoch, **logs})
        current = logs.get(self._monitor)
        if current is not None and (current > self._best if self._is_max else current < self._best):
            self._best = current
            if wandb.run is not None:
                wandb.run.summary.update({f"best_{self._monitor}": current, "best_epoch": epoch})

    @guarded
    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Log the metrics of a batch."""
        if self._log_batch_frequency and batch % self._log_batch_frequency == 0:
            wandb.log(dict(logs or {}))


def learning_rate(model: Any, step: int) -> float | None:
    """Return the learning rate of a model's optimizer at a step; None if it has none."""
    try:
        rate = model.optimizer.learning_rate
        return scalar_from(rate(step=step) if callable(rate) else rate).value
    except Exception:  # A model without an optimizer, or one of another kind.
        return None
