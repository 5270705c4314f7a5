"""Metrics of evaluations, and the functions through which the loops use them."""

from typing import TYPE_CHECKING

from toposcope.recorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from toposcope.recorder.metrics.accuracy import Accuracy
    from toposcope.recorder.metrics.batch_mean import BatchMean
    from toposcope.recorder.metrics.confusion_matrix import ConfusionMatrix
    from toposcope.recorder.metrics.error import MAE, MSE
    from toposcope.recorder.metrics.f1 import F1, Fbeta
    from toposcope.recorder.metrics.loss import Loss
    from toposcope.recorder.metrics.metric import Metric
    from toposcope.recorder.metrics.metric_calls import clear, result, update
    from toposcope.recorder.metrics.perplexity import Perplexity
    from toposcope.recorder.metrics.precision import Precision
    from toposcope.recorder.metrics.recall import Recall
    from toposcope.recorder.metrics.registry import get_metric_fn, metrics_from, names
    from toposcope.recorder.metrics.top_k import (
        Top1CategoricalAccuracy,
        Top5CategoricalAccuracy,
        TopKCategoricalAccuracy,
    )

__all__ = [
    "F1",
    "MAE",
    "MSE",
    "Accuracy",
    "BatchMean",
    "ConfusionMatrix",
    "Fbeta",
    "Loss",
    "Metric",
    "Perplexity",
    "Precision",
    "Recall",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "clear",
    "get_metric_fn",
    "metrics_from",
    "names",
    "result",
    "update",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "F1": "toposcope.recorder.metrics.f1",
        "MAE": "toposcope.recorder.metrics.error",
        "MSE": "toposcope.recorder.metrics.error",
        "Accuracy": "toposcope.recorder.metrics.accuracy",
        "BatchMean": "toposcope.recorder.metrics.batch_mean",
        "ConfusionMatrix": "toposcope.recorder.metrics.confusion_matrix",
        "Fbeta": "toposcope.recorder.metrics.f1",
        "Loss": "toposcope.recorder.metrics.loss",
        "Metric": "toposcope.recorder.metrics.metric",
        "Perplexity": "toposcope.recorder.metrics.perplexity",
        "Precision": "toposcope.recorder.metrics.precision",
        "Recall": "toposcope.recorder.metrics.recall",
        "Top1CategoricalAccuracy": "toposcope.recorder.metrics.top_k",
        "Top5CategoricalAccuracy": "toposcope.recorder.metrics.top_k",
        "TopKCategoricalAccuracy": "toposcope.recorder.metrics.top_k",
        "clear": "toposcope.recorder.metrics.metric_calls",
        "get_metric_fn": "toposcope.recorder.metrics.registry",
        "metrics_from": "toposcope.recorder.metrics.registry",
        "names": "toposcope.recorder.metrics.registry",
        "result": "toposcope.recorder.metrics.metric_calls",
        "update": "toposcope.recorder.metrics.metric_calls",
    },
)
