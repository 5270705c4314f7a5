"""Batch mean: a function of outputs and labels as a metric."""

from collections.abc import Callable
from typing import Any

from toposcope.recorder.metrics.metric import Metric
from toposcope.recorder.values.foreign import shown
from toposcope.recorder.values.scalar import scalar_from


class BatchMean(Metric):
    """The mean of what a function says of each batch, weighted by the samples in it."""

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        """Take a function of a batch's outputs and labels, as the network gives them, that returns one number.

        Raises:
            TypeError: it is not callable.
        """
        if not callable(function):
            raise TypeError(f"A metric is a function of outputs and labels, not {shown(function)}.")
        self._function = function
        super().__init__()

    def clear(self) -> None:
        """Forget all batches."""
        self._sum, self._samples = 0.0, 0

    def update(self, *inputs: Any) -> None:
        """Add a batch, outputs and labels.

        Raises:
            TypeError, ValueError: the function returned something else than one real number.
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
            raise type(error)(f"The metric {name} returns one number for a batch, not {shown(value)}.") from None
        self._samples += samples

    def eval(self) -> float:
        """Return the mean, NaN if one of the batches gave it; RuntimeError when there were no samples."""
        return self._sum / self.checked_samples(self._samples)


def _samples(value: Any) -> int:
    """Return the length of the first dimension, of the first of several arrays; 1 for what has none."""
    if not hasattr(value, "shape"):
        parts = list(value.values()) if isinstance(value, dict) else value
        is_of_arrays = isinstance(parts, tuple | list) and parts and hasattr(parts[0], "shape")
        return _samples(parts[0]) if is_of_arrays else len(parts) if isinstance(parts, tuple | list) else 1
    return int(value.shape[0]) if len(value.shape) else 1
