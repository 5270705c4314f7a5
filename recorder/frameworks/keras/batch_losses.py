"""BatchLosses: the losses of single batches, of which Keras reports only the mean since the beginning of the epoch."""

from contextlib import nullcontext
from typing import Any

import keras
import numpy as np


class BatchLosses:
    """The losses that a model computed for its last batches.

    Keras adds the loss of each batch to a Mean named "loss", inside the compiled step. These means get one more
    variable, to which the step writes the losses: no second computation, and no difference of rounded sums. It remains
    after the training; compile() removes it with the means.
    """

    def __init__(self, model: Any) -> None:
        """Let the means of a model keep losses, before its step is compiled."""
        number = int(getattr(model, "steps_per_execution", 1) or 1)
        means = [
            each for each in model.metrics if each.name == "loss" and type(each) in (keras.metrics.Mean, _LossMean)
        ]
        strategy = getattr(model, "distribute_strategy", None)  # Of TensorFlow: each replica has the variables.
        with nullcontext() if strategy is None else strategy.scope():
            are_new = [_as_loss_mean(mean).begin_keeping(number) for mean in means]
        if any(are_new):
            model.train_function = None  # One that is compiled does not know the variables.
        self._means = means

    def last(self, number: int) -> list[tuple[float, int]]:
        """Return the loss and the number of samples of each of the last batches; none if the losses are unknown.

        The samples are 0 if the model does not weigh the losses by them, as early releases of Keras 3 do not.
        """
        for mean in self._means:
            rows = mean.kept()[-number:]
            if rows[:, 1].all():
                return [(float(total / weight), int(weight) if mean.is_weighted else 0) for total, weight in rows]
        return []


class _LossMean(keras.metrics.Mean):
    """A Mean that also keeps its last values; the class of a Mean that exists is replaced by it."""

    is_weighted = False

    def begin_keeping(self, number: int) -> bool:
        """Keep this number of values; return whether the variable is new."""
        if hasattr(self, "_kept"):
            return False
        # The sum over replicas of a loss times samples, as of the samples, is that of the whole batch.
        self._kept = self.add_variable(shape=(number, 2), initializer="zeros", name="kept")
        return True

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Add a value, and keep it."""
        super().update_state(values, sample_weight)
        self.is_weighted = sample_weight is not None
        ops, kind = keras.ops, self._kept.dtype
        samples = ops.cast(ops.sum(1 if sample_weight is None else sample_weight), kind)
        loss = ops.mean(ops.cast(values, kind))
        self._kept.assign(ops.concatenate([self._kept[1:], ops.reshape(ops.stack([loss * samples, samples]), (1, 2))]))

    def kept(self) -> Any:
        """Return an array of shape (number, 2): loss times samples, and samples."""
        return np.asarray(keras.ops.convert_to_numpy(self._kept), np.float64)


def _as_loss_mean(mean: Any) -> Any:
    mean.__class__ = _LossMean
    return mean
