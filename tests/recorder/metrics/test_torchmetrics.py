"""Metrics of torchmetrics, as users may pass them."""

import numpy as np
import pytest
import torch
from torchmetrics import MeanSquaredError, MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassRecall

from toposcope.recorder.metrics import clear, metrics_from, result, update

SCORES, LABELS = torch.tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]), torch.tensor([1, 0, 0])


def test_torchmetrics_objects_are_metrics() -> None:
    both = MetricCollection([MulticlassAccuracy(2, average="micro"), MulticlassRecall(2)])
    metrics = metrics_from(
        {"micro": MulticlassAccuracy(2, average="micro"), "each": MulticlassRecall(2, average=None), "both": both}
    )
    for metric in metrics.values():
        update(metric, 9.0, SCORES, 1 - LABELS)
        clear(metric)
        for _ in range(2):
            update(metric, 0.5, SCORES, LABELS)
    results = {name: result(metric) for name, metric in metrics.items()}
    assert results["micro"] == pytest.approx(2 / 3)
    assert np.allclose(results["each"], [0.5, 1.0])
    assert results["both"] == pytest.approx({"MulticlassAccuracy": 2 / 3, "MulticlassRecall": 0.75})


def test_torchmetrics_object_without_samples_is_an_error() -> None:
    metric = MulticlassAccuracy(2)
    with pytest.raises(RuntimeError, match="MulticlassAccuracy has received no samples"):
        result(metric)


def test_metric_is_moved_to_the_device_of_the_outputs() -> None:
    """Tested with the meta device, which exists on every machine."""
    metric = MeanSquaredError()
    update(metric, None, SCORES.to("meta"), SCORES.to("meta"))
    assert metric.device.type == "meta"
