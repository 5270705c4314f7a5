"""Composer's event callbacks and Toposcope's log the same in the same trainings, and stop them at the same batch."""

import math
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import composer
import composer.callbacks
import composer.loggers
import composer.models
import composer.optim
import pytest
import torch
import torchmetrics
from torch.utils.data import DataLoader, TensorDataset

from toposcope.recorder import event_callbacks, training
from toposcope.recorder.loggers import InMemoryLogger

pytestmark = pytest.mark.filterwarnings("ignore")


class Api(NamedTuple):
    """What the two libraries call the same."""

    Trainer: Callable[..., Any]
    callbacks: Any
    InMemoryLogger: Callable[[], Any]
    Evaluator: Callable[..., Any]


def _composer_trainer(**arguments: Any) -> Any:
    return composer.Trainer(progress_bar=False, **arguments)


def _evaluator(label: str, dataloader: Any) -> Any:
    return composer.Evaluator(label=label, dataloader=dataloader)


COMPOSER = Api(_composer_trainer, composer.callbacks, composer.loggers.InMemoryLogger, _evaluator)
TOPOSCOPE = Api(training.Trainer, event_callbacks, InMemoryLogger, training.Evaluator)
BOTH = (COMPOSER, TOPOSCOPE)
Logged = dict[str, list[tuple[int, float]]]


class Scores(torchmetrics.Metric):
    """A metric whose value at the n-th computation after an update is the n-th of a sequence; the last one remains."""

    def __init__(self, values: list[float]) -> None:
        super().__init__()
        self.values, self.number = values, 0

    def update(self, *_: Any) -> None:
        """Count."""
        self.number += 1

    def compute(self) -> torch.Tensor:
        """Return the current value."""
        return torch.tensor(self.values[min(self.number, len(self.values)) - 1])

    def reset(self) -> None:
        """Keep counting."""
        super().reset()


class Network(composer.models.ComposerModel):
    """Two layers, with the methods that both trainers call."""

    def __init__(self, scores: list[float] | None = None) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layers = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
        self.scores = scores

    def forward(self, batch: Any) -> Any:
        """Return the outputs of a batch."""
        return self.layers(batch[0])

    def loss(self, outputs: Any, batch: Any) -> Any:
        """Return the loss of a batch."""
        return torch.nn.functional.cross_entropy(outputs, batch[1])

    def get_metrics(self, is_train: bool) -> dict[str, Any]:
        """Return the scores."""
        return {} if self.scores is None else {"score": Scores(self.scores), "val_loss": Scores(self.scores)}

    def update_metric(self, batch: Any, outputs: Any, metric: Any) -> None:
        """Add a batch."""
        metric.update(outputs, batch[1])


def loader(batches: int, last_feature: float = 0.0) -> DataLoader[Any]:
    """Return the same batches of four samples at every call; the last sample contains last_feature."""
    generator = torch.Generator().manual_seed(batches)
    samples = torch.randn(4 * batches, 3, generator=generator)
    samples[-1, -1] = last_feature
    return DataLoader(TensorDataset(samples, torch.arange(len(samples)) % 2), batch_size=4)


def logged(api: Api, callbacks: Callable[[Any], list[Any]], **arguments: Any) -> Logged:
    """Train with callbacks; return the batch and the value of each point by metric."""
    network, memory = Network(), api.InMemoryLogger()
    defaults = {"optimizers": composer.optim.DecoupledAdamW(network.parameters(), lr=0.01, weight_decay=0.0)}
    settings = {"train_dataloader": loader(5), "max_duration": "2ep", **defaults, **arguments}
    trainer = api.Trainer(model=network, callbacks=callbacks(api.callbacks), loggers=[memory], **settings)
    trainer.fit()
    trainer.close()
    return {
        name: [(int(timestamp.batch), float(value)) for timestamp, value in points]
        for name, points in memory.data.items()
    }


def batches_of(found: Logged, *prefixes: str) -> dict[str, list[int]]:
    """Return the batches at which the metrics with these prefixes were logged."""
    return {name: [batch for batch, _ in points] for name, points in found.items() if name.startswith(prefixes)}


def test_the_same_metrics_are_logged_at_the_same_batches() -> None:
    """Of speed, time, learning rate, norms and remaining time, with evaluations."""

    def callbacks(names: Any) -> list[Any]:
        monitors = [names.SpeedMonitor(window_size=2), names.LRMonitor(), names.OptimizerMonitor(batch_log_interval=3)]
        return [*monitors, names.RuntimeEstimator(skip_batches=2)]

    theirs, ours = (
        batches_of(
            logged(api, callbacks, eval_dataloader=api.Evaluator("eval", loader(2))),
            *("throughput/", "time/", "l2_norm/", "lr-"),
        )
        for api in BOTH
    )
    assert ours == theirs
    assert len(ours) > 20


def test_metrics_of_the_machine_have_the_same_names() -> None:
    """Of a machine without GPU; at the first batch, as further ones follow within a tenth of a second."""
    theirs, ours = (
        {name for name in logged(api, lambda names: [names.SystemMetricsMonitor()]) if name.startswith(PREFIXES)}
        for api in BOTH
    )
    assert ours == theirs


PREFIXES = ("cpu", "disk", "network", "min", "max")


@pytest.mark.parametrize("log_optimizer_metrics", [True, False])
def test_norms_are_equal(log_optimizer_metrics: bool) -> None:
    """Those that Composer's optimizer reports, and those that Toposcope measures."""
    theirs, ours = (
        logged(
            api,
            lambda names: [names.OptimizerMonitor(log_optimizer_metrics=log_optimizer_metrics, batch_log_interval=1)],
        )
        for api in BOTH
    )
    names = {name for name in theirs if name.startswith("l2_norm/")}
    assert names == {name for name in ours if name.startswith("l2_norm/")}
    for name in names:
        expected: list[Any] = [(batch, pytest.approx(value, rel=1e-3, abs=1e-6)) for batch, value in theirs[name]]
        assert ours[name] == expected


def test_learning_rates_are_equal() -> None:
    """Of an optimizer of PyTorch without a scheduler."""

    def rates(api: Api) -> Logged:
        network = Network()
        optimizer = torch.optim.SGD(network.parameters(), lr=0.25)
        return logged(api, lambda names: [names.LRMonitor()], optimizers=optimizer)

    theirs, ours = map(rates, BOTH)
    assert ours["lr-SGD/group0"] == theirs["lr-SGD/group0"]


def batches_until_stop(api: Api, stopper: Callable[[Any], Any], values: list[float]) -> int:
    """Train up to 6 epochs of 3 batches with these values of the metric; return the batches."""
    trainer = api.Trainer(
        model=Network(values),
        optimizers=torch.optim.SGD(Network().parameters(), lr=0.1),
        train_dataloader=loader(3),
        eval_dataloader=api.Evaluator("eval", loader(1)),
        max_duration="6ep",
        callbacks=[stopper(api.callbacks)],
    )
    trainer.fit()
    trainer.close()
    return int(trainer.state.timestamp.batch)


@pytest.mark.parametrize("seed", range(12))
def test_stoppers_stop_at_the_same_batch(seed: int) -> None:
    """Random values, patiences, differences, comparisons, and labels."""
    choose = random.Random(seed)
    values = [choose.randint(0, 8) / 8 for _ in range(choose.randint(1, 8))]
    monitor, label = choose.choice(["score", "val_loss"]), choose.choice(["eval", "train"])
    comp = choose.choice([None, "gt", "less", torch.greater])
    patience = choose.choice([0, 1, 2, "1ep", "2ba", "4ba"])
    delta, threshold, on_batch = (
        choose.choice([0.0, 0.125, -0.25]),
        choose.choice([0.3, 0.6, 1.5]),
        choose.random() < 0.5,
    )

    def early(names: Any) -> Any:
        return names.EarlyStopper(monitor, label, comp, delta, patience)

    def at_threshold(names: Any) -> Any:
        return names.ThresholdStopper(monitor, label, threshold, comp=comp, stop_on_batch=on_batch)

    for stopper in (early, at_threshold):
        theirs, ours = (batches_until_stop(api, stopper, values) for api in BOTH)
        assert ours == theirs


def test_a_loss_that_is_nan_ends_both_trainings() -> None:
    """At the fourth batch."""

    def finished(api: Api) -> int:
        network = Network()
        trainer = api.Trainer(
            model=network,
            optimizers=torch.optim.SGD(network.parameters(), lr=0.1),
            train_dataloader=loader(4, math.nan),
            max_duration="1ep",
            callbacks=[api.callbacks.NaNMonitor()],
        )
        with pytest.raises(RuntimeError, match="NaN"):
            trainer.fit()
        trainer.close()
        return int(trainer.state.timestamp.batch)

    assert list(map(finished, BOTH)) == [3, 3]
