"""All event callbacks together, in each kind of loop, with a SummaryLogger."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from support.tiny_training import tiny_batches, tiny_network, tiny_trainer

from toposcope.recorder.event_callbacks import (
    EarlyStopper,
    LRMonitor,
    MemoryMonitor,
    NaNMonitor,
    OptimizerMonitor,
    RuntimeEstimator,
    SpeedMonitor,
    SystemMetricsMonitor,
    ThresholdStopper,
)
from toposcope.recorder.loggers import SummaryLogger
from toposcope.recorder.training.model import Model
from toposcope.recorder.training.watch import watch
from toposcope.server import open as open_logdir

LOSS = torch.nn.CrossEntropyLoss()


def train(callbacks: list[Any], logger: SummaryLogger) -> None:
    """Train 3 epochs of 4 batches with Trainer."""
    options: dict[str, Any] = {"eval_dataloader": tiny_batches(1), "metrics": {"acc"}, "max_duration": "3ep"}
    network = tiny_network()
    optimizer = torch.optim.Adam(network.parameters(), 0.01)
    with tiny_trainer(callbacks, [logger], batches=4, model=network, optimizers=optimizer, **options) as trainer:
        trainer.fit()


def fit(callbacks: list[Any], logger: SummaryLogger) -> None:
    """Train likewise with Model."""
    network = tiny_network()
    optimizer = torch.optim.Adam(network.parameters(), 0.01)
    model = Model(network, LOSS, optimizer, metrics={"acc"}, loggers=[logger])
    model.fit(3, tiny_batches(4), tiny_batches(1), callbacks=callbacks)


def loop(callbacks: list[Any], logger: SummaryLogger) -> None:
    """Train likewise with a loop of the user."""
    network, batches = tiny_network(), tiny_batches(4)
    optimizer = torch.optim.Adam(network.parameters(), 0.01)
    with watch(callbacks, network, optimizer, batches, epochs=3, loggers=logger) as run:
        for _ in range(3):
            for inputs, labels in batches:
                optimizer.zero_grad()
                loss = LOSS(network(inputs), labels)
                loss.backward()
                optimizer.step()
                run.step(loss)
            run.eval({"acc": 0.5})
            if run.stop_requested:
                break


@pytest.mark.parametrize("train_with", [train, fit, loop])
def test_what_they_log_is_recorded(train_with: Callable[[list[Any], SummaryLogger], None], tmp_path: Path) -> None:
    """The stopper ends the training after two epochs without improvement: the accuracy of one is the best."""
    callbacks: list[Any] = [
        SpeedMonitor(2),
        OptimizerMonitor(batch_log_interval=4),
        LRMonitor(),
        MemoryMonitor(),
        NaNMonitor(),
        RuntimeEstimator(),
        EarlyStopper("acc", "eval", lambda value, best: False, patience=0),
        ThresholdStopper("acc", "eval", 2.0),
        SystemMetricsMonitor(),
    ]
    train_with(callbacks, SummaryLogger(tmp_path / "run"))

    with open_logdir(tmp_path) as logdir:
        run = logdir.runs["run"]
        steps = {tag: run.scalars(tag).step.tolist() for tag in run.tags("scalar")}
        assert run.lineage().custom == {"time/remaining_estimate_unit": "hours"}
        rates = run.scalars("lr-Adam/group0").value.tolist()
    assert steps["lr-Adam/group0"] == list(range(1, 9))
    assert rates == pytest.approx([0.01] * 8)
    assert steps["throughput/samples_per_sec"] == list(range(3, 9))
    assert steps["time/remaining_estimate"] == list(range(2, 9))
    for kind in ("grad", "moment", "param", "update"):
        assert steps[f"l2_norm/{kind}/0.weight"] == [4, 8]
    assert steps["l2_norm/grad/global"] == [4, 8]
    assert steps["cpu_percentage"][0] == 0
