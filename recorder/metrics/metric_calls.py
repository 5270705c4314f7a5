"""The calls of metrics in an evaluation: clear, update and result, for our Metric and for torchmetrics."""

from collections.abc import Mapping
from typing import Any

from toposcope.recorder.metrics.metric import numbers_of
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError


def clear(metric: Any) -> None:
    """Reset a metric."""
    metric.reset() if _is_of_torchmetrics(metric) else metric.clear()


def update(metric: Any, loss: object, outputs: Any, labels: Any) -> None:
    """Add a batch: its loss if the metric takes the loss, else its outputs and labels.

    A torchmetrics metric is first moved to the device of the outputs.
    """
    if _is_of_torchmetrics(metric):
        device = getattr(outputs, "device", None)
        if device is not None and getattr(metric, "device", None) != device:
            metric.to(device)
        metric.update(outputs, labels)
    elif getattr(metric, "takes_loss", False):
        metric.update(loss)
    else:
        metric.update(outputs, labels)


def result(metric: Any) -> Any:
    """Return the value of a metric: a float, an array of doubles (one per class, for example), or a dict of these.

    Raises:
        RuntimeError: there were no samples.
    """
    if not _is_of_torchmetrics(metric):
        return _plain(metric.eval())
    # torchmetrics only warns, and returns a number.
    if not getattr(metric, "update_called", True):
        raise RuntimeError(f"{type(metric).__name__} has received no samples: the evaluation had no batches.")
    return _plain(metric.compute())


def _is_of_torchmetrics(metric: Any) -> bool:
    return hasattr(metric, "compute") and hasattr(metric, "reset")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    try:
        numbers = numbers_of(value)
    except (TypeError, UnreadableValueError):
        return value
    return numbers.item() if numbers.size == 1 and numbers.ndim == 0 else numbers
