"""Metrics that a model provides itself, as in Composer."""

from typing import Any

import pytest
import torch
from support.tiny_training import tiny_batches, tiny_trainer

from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.metrics import Accuracy, Loss
from toposcope.recorder.training.state.evaluator import Evaluator


class WithMetrics(torch.nn.Sequential):
    """A network that names a metric of the training and one of evaluations."""

    def __init__(self) -> None:
        super().__init__(torch.nn.Linear(3, 2))
        self.metrics: dict[bool, dict[str, Any]] = {True: {"mean_loss": Loss()}, False: {"acc": Accuracy()}}

    def get_metrics(self, is_train: bool) -> dict[str, Any]:
        """Return the metrics."""
        return self.metrics[is_train]


def test_metrics_of_the_model_are_used_unless_others_are_given() -> None:
    """Of evaluators that were created without metrics, too; the model's own objects are not changed."""
    network, memory = WithMetrics(), InMemoryLogger()
    evaluators = [Evaluator("bare", tiny_batches(2)), Evaluator("own", tiny_batches(2), {"loss"})]
    evaluators.append(Evaluator("none", tiny_batches(2), {}))
    with tiny_trainer([], [memory], model=network, eval_dataloader=evaluators) as trainer:
        trainer.fit()

    metrics = {name for name in memory.data if name.startswith("metrics/")}
    assert metrics == {"metrics/train/mean_loss", "metrics/bare/acc", "metrics/own/loss"}
    with pytest.raises(RuntimeError, match="no samples"):
        network.metrics[False]["acc"].eval()


def test_given_metrics_and_methods_of_other_libraries() -> None:
    """The former take precedence over those of the model; the latter are not called."""
    memory = InMemoryLogger()
    given: dict[str, Any] = {"metrics": {"loss"}, "train_metrics": {}}
    with tiny_trainer([], [memory], model=WithMetrics(), eval_dataloader=tiny_batches(1), **given) as trainer:
        trainer.fit()
    assert {name for name in memory.data if name.startswith("metrics/")} == {"metrics/eval/loss"}

    class OfAnotherLibrary(WithMetrics):
        def get_metrics(self, reset: bool = False) -> dict[str, Any]:
            raise AssertionError

    with tiny_trainer([], model=OfAnotherLibrary(), eval_dataloader=tiny_batches(1)) as trainer:
        trainer.fit()
