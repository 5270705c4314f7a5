"""Kinds: how an evaluation clears, updates and asks a metric, whichever kind it is of."""

from collections.abc import Mapping
from typing import Any

from toposcope.recorder.metrics.metric import numbers_of
from toposcope.recorder.values.foreign import UnreadableValueError


def clear(metric: Any) -> None:
    """Forget all batches."""
    metric.reset() if _is_of_torchmetrics(metric) else metric.clear()


def update(metric: Any, loss: object, outputs: Any, labels: Any) -> None:
    """Add a batch: its loss to a metric that takes the loss, its outputs and labels to any other.

    A metric of torchmetrics is moved to the device of the outputs first.
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
    """Return what the metric came to: a float; an array of doubles, as for each class; or a dict of these by name.

    Raises:
        RuntimeError: there were no samples.
    """
    if not _is_of_torchmetrics(metric):
        return _plain(metric.eval())
    # It would warn only, and tell a number.
    if not getattr(metric, "update_called", True):
        raise RuntimeError(f"{type(metric).__name__} has seen no samples: the evaluation had no batches.")
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
