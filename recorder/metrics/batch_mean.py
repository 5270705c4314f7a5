"""Batch mean: a function of outputs and labels as a metric."""

from collections.abc import Callable
from typing import Any

from toposcope.recorder.metrics.metric import Metric
from toposcope.recorder.values.arrays.foreign_values import short_repr
from toposcope.recorder.values.scalar import scalar_from


class BatchMean(Metric):
    """The mean of a function over all batches, weighted by their numbers of samples."""

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        """Set the function of a batch's outputs (as the network returns them) and labels; it returns one number.

        Raises:
            TypeError: function is not callable.
        """
        if not callable(function):
            raise TypeError(f"A metric must be a function of outputs and labels, not {short_repr(function)}.")
        self._function = function
        super().__init__()

    def clear(self) -> None:
        """Reset the metric."""
        self._sum, self._samples = 0.0, 0

    def update(self, *inputs: Any) -> None:
        """Add a batch: outputs and labels.

        Raises:
            TypeError, ValueError: the function did not return one real number.
        """
        outputs, labels = inputs
        samples = _samples(outputs if labels is None else labels)
        if not samples:
            return
        value = self._function(outputs, labels)
        try:
            self._sum += scalar_from(value).value * samples
        except (TypeError, ValueError) as error:
            name = getattr(self._function, "__name__", type(self._function).__name__)
            raise type(error)(f"The metric {name} must return one number per batch, not {short_repr(value)}.") from None
        self._samples += samples

    def eval(self) -> float:
        """Return the mean, NaN if the function returned NaN for a batch; RuntimeError if there were no samples."""
        return self._sum / self.checked_samples(self._samples)


def _samples(value: Any) -> int:
    """Return the length of the first dimension of an array, or of the first of several arrays; 1 if it has none."""
    if not hasattr(value, "shape"):
        parts = list(value.values()) if isinstance(value, dict) else value
        has_arrays = isinstance(parts, tuple | list) and parts and hasattr(parts[0], "shape")
        return _samples(parts[0]) if has_arrays else len(parts) if isinstance(parts, tuple | list) else 1
    return int(value.shape[0]) if len(value.shape) else 1
