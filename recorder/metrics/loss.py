"""Loss: the mean loss over batches."""

from typing import Any, ClassVar

import numpy as np

from toposcope.recorder.metrics.metric import Metric


class Loss(Metric):
    """The mean loss over batches, with equal weights, as MindSpore's Loss."""

    takes_loss: ClassVar[bool] = True

    def clear(self) -> None:
        """Reset the metric."""
        self._sum, self._batches = 0.0, 0

    def update(self, *inputs: Any) -> None:
        """Add the loss of a batch: a number, or a number per sample, which are averaged.

        Raises:
            ValueError: there is not one input, it has more than one dimension, or it is None.
            TypeError: the input is not an array.
        """
        if len(inputs) == 1 and inputs[0] is None:
            raise ValueError("Loss.update() requires a loss, but the evaluation computes none: loss_fn is missing.")
        (loss,) = self.checked_inputs(inputs, "loss")
        if loss.ndim > 1:
            raise ValueError(f"A loss must be a number or one number per sample, not of shape {list(loss.shape)}.")
        if loss.size:
            self._sum += float(np.mean(loss, dtype=np.float64))
            self._batches += 1

    def eval(self) -> float:
        """Return the mean, NaN if a loss was NaN; RuntimeError if there were no batches."""
        return self._sum / self.checked_samples(self._batches)
