"""The registry of metrics by name, and the conversion of what users pass as metrics."""

from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Any

from toposcope.recorder.metrics.accuracy import Accuracy
from toposcope.recorder.metrics.batch_mean import BatchMean
from toposcope.recorder.metrics.confusion_matrix import ConfusionMatrix
from toposcope.recorder.metrics.error import MAE, MSE
from toposcope.recorder.metrics.f1 import F1
from toposcope.recorder.metrics.loss import Loss
from toposcope.recorder.metrics.metric import Metric
from toposcope.recorder.metrics.perplexity import Perplexity
from toposcope.recorder.metrics.precision import Precision
from toposcope.recorder.metrics.recall import Recall
from toposcope.recorder.metrics.top_k import Top1CategoricalAccuracy, Top5CategoricalAccuracy, TopKCategoricalAccuracy
from toposcope.recorder.values.arrays.foreign_values import short_repr

_CLASSES: MappingProxyType[str, Callable[..., Metric]] = MappingProxyType(
    {
        "accuracy": Accuracy,
        "acc": Accuracy,
        "precision": Precision,
        "recall": Recall,
        "F1": F1,
        "topk": TopKCategoricalAccuracy,
        "top_1_accuracy": Top1CategoricalAccuracy,
        "top_5_accuracy": Top5CategoricalAccuracy,
        "mae": MAE,
        "mse": MSE,
        "loss": Loss,
        "perplexity": Perplexity,
        "confusion_matrix": ConfusionMatrix,
    }
)
_INTERFACES = (("clear", "update", "eval"), ("reset", "update", "compute"))
"""The methods of Metric and of torchmetrics."""


def names() -> list[str]:
    """Return the names that get_metric_fn() accepts, sorted."""
    return sorted(_CLASSES)


def get_metric_fn(name: str, *args: Any, **kwargs: Any) -> Metric:
    """Return a new metric by name ("accuracy", "topk", ...), created with the arguments of its class.

    Raises:
        ValueError: the name is unknown; the message lists the existing names.
        TypeError: the class does not accept these arguments.
    """
    if not isinstance(name, str) or name not in _CLASSES:
        raise ValueError(f"There is no metric {short_repr(name)}; there are {', '.join(names())}.")
    return _CLASSES[name](*args, **kwargs)


def metrics_from(metrics: object) -> dict[str, Any]:
    """Return the metrics of an evaluation by name.

    Args:
        metrics: None for none; a set, list or tuple of metrics; or a dict of metrics by name. Each metric is a name in
            names(); a Metric, or another object with clear(), update() and eval(); a torchmetrics object, with
            update(), compute() and reset(); or a function of a batch's outputs and labels, whose results are averaged
            over the samples. Outside of a dict, the name of a metric object is that of its class or function.

    Returns:
        Objects that clear(), update() and result() of this package accept, by name; a set is sorted by name.

    Raises:
        TypeError: metrics, a name or a metric has the wrong type.
        ValueError: a name is unknown, empty or a duplicate.
    """
    if metrics is None:
        return {}
    if isinstance(metrics, dict):
        return _named(metrics.items())
    if isinstance(metrics, list | tuple):
        return _named((_name_of(metric), metric) for metric in metrics)
    if isinstance(metrics, set | frozenset):
        return metrics_from(sorted(metrics, key=_name_of))
    raise TypeError(f"metrics must be a dict, set or list of metrics, or None, not {short_repr(metrics)}.")


def _named(pairs: Iterable[tuple[object, object]]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for name, metric in pairs:
        if not isinstance(name, str):
            raise TypeError(f"The name of a metric must be a str, not {short_repr(name)}.")
        if not name:
            raise ValueError("The name of a metric must not be empty.")
        if name in named:
            raise ValueError(f"The names of metrics must be unique; {name!r} is used twice.")
        named[name] = _metric_from(metric)
    return named


def _metric_from(metric: object) -> Any:
    if isinstance(metric, str):
        return get_metric_fn(metric)
    if isinstance(metric, type):
        raise TypeError(f"A metric must be an object, {metric.__name__}(), not the class.")
    if any(all(callable(getattr(metric, name, None)) for name in methods) for methods in _INTERFACES):
        return metric
    if callable(metric):
        return BatchMean(metric)
    raise TypeError(
        f"A metric must be a name, a Metric, a torchmetrics object, or a function of outputs and labels, "
        f"not {short_repr(metric)}."
    )


def _name_of(metric: object) -> str:
    if isinstance(metric, str):
        return metric
    return str(getattr(metric, "__name__", type(metric).__name__))
