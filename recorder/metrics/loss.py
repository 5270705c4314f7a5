"""Loss: the mean of the losses of batches."""

from typing import Any, ClassVar

import numpy as np

from toposcope.recorder.metrics.metric import Metric


class Loss(Metric):
    """The mean of the losses of batches, each batch with the same weight; MindSpore's Loss."""

    takes_loss: ClassVar[bool] = True

    def clear(self) -> None:
        """Forget all batches."""
        self._sum, self._batches = 0.0, 0

    def update(self, *inputs: Any) -> None:
        """Add the loss of a batch: a number, or one for each sample, of which the mean counts.

        Raises:
            ValueError: there is not one input, it has more than one dimension, or there is no loss.
            TypeError: it is no array.
        """
        if len(inputs) == 1 and inputs[0] is None:
            raise ValueError("Loss.update() takes the loss; this evaluation computes none: a loss_fn is missing.")
        (loss,) = self.checked_inputs(inputs, "loss")
        if loss.ndim > 1:
            raise ValueError(f"A loss is a number or one for each sample, not of shape {list(loss.shape)}.")
        if loss.size:
            self._sum += float(np.mean(loss, dtype=np.float64))
            self._batches += 1

    def eval(self) -> float:
        """Return the mean, NaN if a loss was; RuntimeError when there were no batches."""
        return self._sum / self.checked_samples(self._batches)
