"""The objects that users may pass as metrics, and their use in an evaluation."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.pytorch import torch

from toposcope.recorder.metrics import (
    Accuracy,
    Metric,
    TopKCategoricalAccuracy,
    clear,
    get_metric_fn,
    metrics_from,
    names,
    result,
    update,
)
from toposcope.recorder.metrics.metric import numbers_of

SCORES, LABELS = np.array([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]], np.float32), np.array([1, 0, 0])


def results_of(metrics: object, convert: Callable[..., Any] = np.asarray) -> dict[str, Any]:
    """Return the results of metrics for two equal batches, after a batch that is cleared."""
    named = metrics_from(metrics)
    for metric in named.values():
        update(metric, 9.0, convert(SCORES), convert(1 - LABELS))
        clear(metric)
        for loss in (0.5, 1.5):
            update(metric, convert(loss), convert(SCORES), convert(LABELS))
    return {name: result(metric) for name, metric in named.items()}


def test_metrics_are_created_by_name() -> None:
    assert set(names()) >= {"acc", "accuracy", "precision", "recall", "F1", "topk", "mae", "mse", "loss"}
    assert set(names()) >= {"top_1_accuracy", "top_5_accuracy", "perplexity", "confusion_matrix"}
    top = get_metric_fn("topk", 3)
    assert isinstance(top, TopKCategoricalAccuracy)
    assert top.k == 3
    with pytest.raises(ValueError, match="no metric 'acurracy'; there are F1, acc, accuracy"):
        get_metric_fn("acurracy")


def test_set_of_names_is_sorted_and_a_list_keeps_its_order() -> None:
    assert results_of({"recall", "acc", "loss"}).keys() == {"acc", "loss", "recall"}
    assert list(metrics_from({"recall", "acc", "loss"})) == ["acc", "loss", "recall"]
    assert list(metrics_from(["recall", Accuracy()])) == ["recall", "Accuracy"]
    assert metrics_from(None) == {}


def test_results_are_floats_and_arrays() -> None:
    results = results_of({"Accuracy": Accuracy(), "hits": "acc", "recall": "recall", "loss": "loss"})
    assert (results["Accuracy"], results["hits"], results["loss"]) == (2 / 3, 2 / 3, 1.0)
    assert isinstance(results["recall"], np.ndarray)
    assert results["recall"].tolist() == [0.5, 1.0]


def test_functions_are_averaged() -> None:
    def hits(outputs: Any, labels: Any) -> Any:
        return (outputs.argmax(1) == labels).mean()

    assert results_of([hits])["hits"] == pytest.approx(2 / 3)


def test_functions_and_modules_of_pytorch_are_averaged() -> None:
    def hits(outputs: "torch.Tensor", labels: "torch.Tensor") -> "torch.Tensor":
        return (outputs.argmax(1) == labels).float().mean()

    results = results_of([hits, torch.nn.CrossEntropyLoss()], torch.tensor)
    assert results["hits"] == pytest.approx(2 / 3)
    expected = torch.nn.CrossEntropyLoss()(torch.tensor(SCORES), torch.tensor(LABELS))
    assert results["CrossEntropyLoss"] == pytest.approx(expected.item())


def test_a_users_metric_receives_outputs_and_labels() -> None:
    class Bias(Metric):
        def clear(self) -> None:
            self.sum, self.samples = 0.0, 0

        def update(self, *inputs: object) -> None:
            outputs, labels = map(numbers_of, inputs)
            self.sum, self.samples = self.sum + float((outputs[:, 1] - labels).sum()), self.samples + len(labels)

        def eval(self) -> float:
            return self.sum / self.samples

    assert results_of([Bias()])["Bias"] == pytest.approx(0.8 / 3)


@pytest.mark.parametrize(
    ("metrics", "error", "message"),
    [
        ("acc", TypeError, "metrics must be a dict, set or list"),
        (3, TypeError, "metrics must be a dict, set or list"),
        ({3: Accuracy()}, TypeError, "name of a metric must be a str, not 3"),
        ({"": Accuracy()}, ValueError, "must not be empty"),
        (["acc", "acc"], ValueError, "'acc' is used twice"),
        ({"acc": Accuracy}, TypeError, r"Accuracy\(\), not the class"),
        ({"acc": 3}, TypeError, "not 3"),
        ({"accurate"}, ValueError, "'accurate'"),
    ],
)
def test_invalid_metrics_are_errors(metrics: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        metrics_from(metrics)
