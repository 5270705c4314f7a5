"""Mean absolute error (MAE) and mean squared error (MSE)."""

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.metrics.metric import Metric

Doubles = npt.NDArray[np.float64]


class ErrorMetric(Metric):
    """Sums an error over the elements of each sample; a subclass defines the error."""

    @abstractmethod
    def error(self, difference: Doubles) -> Doubles:
        """Return the error of each element."""

    def clear(self) -> None:
        """Reset the metric."""
        self._sum, self._samples = 0.0, 0

    def update(self, *inputs: Any) -> None:
        """Add a batch: outputs and labels of shape [N] or [N, ...], with equal numbers of elements.

        Raises:
            ValueError: there are not two inputs, or their numbers of samples or elements differ.
            TypeError: an input is not an array.
        """
        outputs, labels = self.checked_inputs(inputs, "outputs", "labels")
        if outputs.size != labels.size or outputs.shape[:1] != labels.shape[:1]:
            shapes = f"{list(outputs.shape)} and {list(labels.shape)}"
            raise ValueError(
                f"Outputs and labels must have equal numbers of samples and elements, not shapes {shapes}."
            )
        difference = outputs.astype(np.float64) - labels.reshape(outputs.shape).astype(np.float64)
        self._sum += float(self.error(difference).sum())
        self._samples += len(outputs) if outputs.ndim else 1

    def eval(self) -> float:
        """Return the mean over samples of the sum over elements, as MindSpore does; RuntimeError without samples."""
        return self._sum / self.checked_samples(self._samples)


class MAE(ErrorMetric):
    """Mean absolute error, summed over the elements of each sample."""

    def error(self, difference: Doubles) -> Doubles:
        """Return the absolute differences."""
        return np.abs(difference)


class MSE(ErrorMetric):
    """Mean squared error, summed over the elements of each sample."""

    def error(self, difference: Doubles) -> Doubles:
        """Return the squared differences."""
        return np.square(difference)
