"""NaNMonitor: ends a training whose loss is NaN."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.pytorch import torch
from support.tiny_training import logged_by, tiny_batches, tiny_network, tiny_trainer

from toposcope.recorder.event_callbacks import NaNMonitor
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State
from toposcope.recorder.training.watch import watch

NAN = math.nan


def test_training_ends_before_the_step_that_would_use_the_loss() -> None:
    """The third batch has a NaN; parameters are those after two steps."""
    batches = tiny_batches(4)
    batches[2][0][0, 0] = NAN
    network = tiny_network()
    with tiny_trainer([NaNMonitor()], model=network, train_dataloader=batches) as trainer:
        with pytest.raises(RuntimeError, match=r"^Train loss contains a NaN\. .* NaN after 2 finished steps"):
            trainer.fit()
        assert int(trainer.state.timestamp.batch) == 2
    assert all(bool(each.isfinite().all()) for each in network.parameters())


def test_infinite_losses_and_evaluations_are_accepted() -> None:
    """Only the training is checked."""
    network = tiny_network()
    nan = torch.full((1, 3), NAN), torch.zeros(1, dtype=torch.long)
    logged_by(NaNMonitor(), model=network, eval_dataloader=[nan])
    with watch(NaNMonitor()) as run:
        assert run.step(math.inf)


def test_watched_loop_is_ended_at_the_report() -> None:
    """The loss may be a number, or a list whose first item is the loss."""
    for loss in (NAN, [torch.tensor(NAN)], np.float32(NAN)):
        with pytest.raises(RuntimeError, match="NaN"), watch(NaNMonitor()) as run:
            run.step(loss)


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (np.array([1.0, NAN, NAN]), r"The loss is NaN \(2 of 3 elements\)"),
        ({"total": np.ones(()), "parts": {"kl": NAN}}, "The loss 'parts/kl' is NaN"),
        ((1.0, [2.0, NAN]), "The loss is NaN"),
    ],
)
def test_message_says_which_part_is_nan(loss: Any, message: str) -> None:
    """Mappings name their parts, tensors count them."""
    state = State()
    state.loss = loss
    with pytest.raises(RuntimeError, match=message):
        NaNMonitor().after_loss(state, Logger(state))


def test_loss_that_is_not_numeric_is_an_error() -> None:
    """TypeError naming the loss."""
    state = State()
    state.loss = SimpleNamespace(total=1.0)
    with pytest.raises(TypeError, match=r"total=1\.0"):
        NaNMonitor().after_loss(state, Logger(state))
