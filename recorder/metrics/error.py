"""Errors: how far outputs are from labels, absolute (MAE) or squared (MSE)."""

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.metrics.metric import Metric

Doubles = npt.NDArray[np.float64]


class ErrorMetric(Metric):
    """Sums an error over the elements of each sample; a subclass says which."""

    @abstractmethod
    def error(self, difference: Doubles) -> Doubles:
        """Return the error of each element."""

    def clear(self) -> None:
        """Forget all batches."""
        self._sum, self._samples = 0.0, 0

    def update(self, *inputs: Any) -> None:
        """Add a batch: outputs and labels of [N] or [N, ...], of equally many elements.

        Raises:
            ValueError: there are not two inputs, or they differ in their elements.
            TypeError: an input is no array.
        """
        outputs, labels = self.checked_inputs(inputs, "outputs", "labels")
        if outputs.size != labels.size or outputs.shape[:1] != labels.shape[:1]:
            shapes = f"{list(outputs.shape)} and {list(labels.shape)}"
            raise ValueError(f"Outputs and labels have equally many samples and elements, not the shapes {shapes}.")
        difference = outputs.astype(np.float64) - labels.reshape(outputs.shape).astype(np.float64)
        self._sum += float(self.error(difference).sum())
        self._samples += len(outputs) if outputs.ndim else 1

    def eval(self) -> float:
        """Return the mean over the samples of each one's sum, as MindSpore does; RuntimeError without samples."""
        return self._sum / self.checked_samples(self._samples)


class MAE(ErrorMetric):
    """Mean absolute error; a sample of several elements counts with their sum."""

    def error(self, difference: Doubles) -> Doubles:
        """Return the absolute differences."""
        return np.abs(difference)


class MSE(ErrorMetric):
    """Mean squared error; a sample of several elements counts with their sum."""

    def error(self, difference: Doubles) -> Doubles:
        """Return the squared differences."""
        return np.square(difference)
