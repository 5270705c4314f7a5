"""Names: the metrics that are known by a name, and what users may pass as metrics."""

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
from toposcope.recorder.values.foreign import shown

_KNOWN: MappingProxyType[str, Callable[..., Metric]] = MappingProxyType(
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
_WANTED = "a metric's name, a metric (of ours or of torchmetrics), or a function of outputs and labels"


def names() -> list[str]:
    """Return the names that get_metric_fn() knows, sorted."""
    return sorted(_KNOWN)


def get_metric_fn(name: str, *args: Any, **kwargs: Any) -> Metric:
    """Return a new metric of the name, as "accuracy" or "topk", made with the arguments of its class.

    Raises:
        ValueError: the name is unknown; it names those that are known.
        TypeError: the class does not take these arguments.
    """
    if not isinstance(name, str) or name not in _KNOWN:
        raise ValueError(f"There is no metric {shown(name)}; there are {', '.join(names())}.")
    return _KNOWN[name](*args, **kwargs)


def metrics_from(metrics: object) -> dict[str, Any]:
    """Return the metrics of an evaluation by name.

    Args:
        metrics: None for none; a set, list or tuple of metrics; or a dict of them by the names they shall have. Each is
            a name of names(); a Metric, or another object with clear(), update() and eval(); an object of torchmetrics,
            with update(), compute() and reset(); or a function of a batch's outputs and labels, whose numbers are
            averaged over the samples. Without a name of its own, a metric is called as its class or function.

    Returns:
        What clear(), update() and result() of this package take, by name; of a set sorted by name.

    Raises:
        TypeError: metrics, a name or a metric is of another type.
        ValueError: a name is unknown, empty or there twice.
    """
    if metrics is None:
        return {}
    if isinstance(metrics, dict):
        return _named(metrics.items())
    if isinstance(metrics, list | tuple):
        return _named((_name_of(metric), metric) for metric in metrics)
    if isinstance(metrics, set | frozenset):
        return metrics_from(sorted(metrics, key=_name_of))
    raise TypeError(f"metrics is a dict, set or list of metrics, or None; not {shown(metrics)}.")


def _named(pairs: Iterable[tuple[object, object]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, metric in pairs:
        if not isinstance(name, str):
            raise TypeError(f"The name of a metric is a str, not {shown(name)}.")
        if not name or name in found:
            raise ValueError(f"Each metric has a name of its own; {name!r} is {'there twice' if name else 'none'}.")
        found[name] = _metric_from(metric)
    return found


def _metric_from(metric: object) -> Any:
    if isinstance(metric, str):
        return get_metric_fn(metric)
    if isinstance(metric, type):
        raise TypeError(f"A metric is an object, {metric.__name__}(), not the class.")
    if any(all(callable(getattr(metric, name, None)) for name in kind) for kind in _KINDS):
        return metric
    if callable(metric):
        return BatchMean(metric)
    raise TypeError(f"A metric is {_WANTED}; not {shown(metric)}.")


_KINDS = (("clear", "update", "eval"), ("reset", "update", "compute"))


def _name_of(metric: object) -> str:
    if isinstance(metric, str):
        return metric
    return str(getattr(metric, "__name__", type(metric).__name__))
