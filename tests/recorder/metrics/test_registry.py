"""What users may pass as metrics, and how an evaluation uses each kind."""

import numpy as np
import pytest
import torch
from torchmetrics import MeanSquaredError, MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassRecall

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

SCORES, LABELS = torch.tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]), torch.tensor([1, 0, 0])


def figures(metrics: object) -> dict[str, object]:
    """Return what metrics say of two equal batches, after one that is forgotten."""
    found = metrics_from(metrics)
    for metric in found.values():
        update(metric, 9.0, SCORES, 1 - LABELS)
        clear(metric)
        for loss in (0.5, 1.5):
            update(metric, torch.tensor(loss), SCORES, LABELS)
    return {name: result(metric) for name, metric in found.items()}


def test_metrics_are_known_by_their_names() -> None:
    assert set(names()) >= {"acc", "accuracy", "precision", "recall", "F1", "topk", "mae", "mse", "loss"}
    assert set(names()) >= {"top_1_accuracy", "top_5_accuracy", "perplexity", "confusion_matrix"}
    top = get_metric_fn("topk", 3)
    assert isinstance(top, TopKCategoricalAccuracy)
    assert top.k == 3
    with pytest.raises(ValueError, match="no metric 'acurracy'; there are F1, acc, accuracy"):
        get_metric_fn("acurracy")


def test_set_of_names_is_sorted_and_a_list_keeps_its_order() -> None:
    assert figures({"recall", "acc", "loss"}).keys() == {"acc", "loss", "recall"}
    assert list(metrics_from({"recall", "acc", "loss"})) == ["acc", "loss", "recall"]
    assert list(metrics_from(["recall", Accuracy()])) == ["recall", "Accuracy"]
    assert metrics_from(None) == {}


def test_results_are_floats_and_arrays() -> None:
    found = figures({"Accuracy": Accuracy(), "hits": "acc", "recall": "recall", "loss": "loss"})
    assert (found["Accuracy"], found["hits"], found["loss"]) == (2 / 3, 2 / 3, 1.0)
    assert isinstance(found["recall"], np.ndarray)
    assert found["recall"].tolist() == [0.5, 1.0]


def test_metrics_of_torchmetrics_are_used_as_they_are() -> None:
    both = MetricCollection([MulticlassAccuracy(2, average="micro"), MulticlassRecall(2)])
    found = figures(
        {"micro": MulticlassAccuracy(2, average="micro"), "each": MulticlassRecall(2, average=None), "both": both}
    )
    assert found["micro"] == pytest.approx(2 / 3)
    assert np.allclose(found["each"], [0.5, 1.0])
    assert found["both"] == pytest.approx({"MulticlassAccuracy": 2 / 3, "MulticlassRecall": 0.75})


def test_metric_of_torchmetrics_without_samples_is_an_error() -> None:
    metric = MulticlassAccuracy(2)
    with pytest.raises(RuntimeError, match="MulticlassAccuracy has seen no samples"):
        result(metric)


def test_functions_and_modules_are_averaged() -> None:
    def hits(outputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return (outputs.argmax(1) == labels).float().mean()

    found = figures([hits, torch.nn.CrossEntropyLoss()])
    assert found["hits"] == pytest.approx(2 / 3)
    assert found["CrossEntropyLoss"] == pytest.approx(torch.nn.CrossEntropyLoss()(SCORES, LABELS).item())


def test_metric_of_the_users_own_is_fed_outputs_and_labels() -> None:
    class Bias(Metric):
        def clear(self) -> None:
            self.sum, self.samples = 0.0, 0

        def update(self, *inputs: object) -> None:
            outputs, labels = map(numbers_of, inputs)
            self.sum, self.samples = self.sum + float((outputs[:, 1] - labels).sum()), self.samples + len(labels)

        def eval(self) -> float:
            return self.sum / self.samples

    assert figures([Bias()])["Bias"] == pytest.approx(0.8 / 3)


@pytest.mark.parametrize(
    ("metrics", "error", "message"),
    [
        ("acc", TypeError, "metrics is a dict, set or list"),
        (3, TypeError, "metrics is a dict, set or list"),
        ({3: Accuracy()}, TypeError, "name of a metric is a str, not 3"),
        ({"": Accuracy()}, ValueError, "'' is none"),
        (["acc", "acc"], ValueError, "'acc' is there twice"),
        ({"acc": Accuracy}, TypeError, r"Accuracy\(\), not the class"),
        ({"acc": 3}, TypeError, "not 3"),
        ({"accurate"}, ValueError, "'accurate'"),
    ],
)
def test_what_is_no_metric_is_an_error(metrics: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        metrics_from(metrics)


def test_metric_is_moved_to_the_device_of_the_outputs() -> None:
    """Shown with the device of shapes without data, as there is no other one everywhere."""
    metric = MeanSquaredError()
    update(metric, None, SCORES.to("meta"), SCORES.to("meta"))
    assert metric.device.type == "meta"
