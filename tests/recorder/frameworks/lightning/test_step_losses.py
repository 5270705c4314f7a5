"""The loss of a step from the losses of its micro-batches, as Lightning reports them."""

from typing import Any

import pytest
import torch

from toposcope.recorder.frameworks.lightning.step_losses import StepLosses

BATCH = [torch.zeros(4, 2), torch.zeros(4)]


def test_the_division_by_the_number_of_micro_batches_is_undone() -> None:
    """Lightning divides by accumulate_grad_batches, also if fewer batches are left."""
    losses = StepLosses()
    for value in (3.0, 6.0):
        losses.begin_batch()
        losses.end_batch({"loss": torch.tensor(value / 3)}, BATCH, 3)
    assert float(losses.take()) == pytest.approx(4.5)


def test_samples_are_the_weights() -> None:
    """A batch with fewer samples counts less, as in the mean over the samples."""
    losses = StepLosses()
    losses.end_batch({"loss": torch.tensor(1.0)}, [torch.zeros(3, 2)], 1)
    losses.end_batch({"loss": torch.tensor(5.0)}, [torch.zeros(1, 2)], 1)
    assert float(losses.take()) == pytest.approx(2.0)


def test_a_loss_that_is_not_returned_is_that_of_backward() -> None:
    """A module that optimizes itself need not return its loss."""
    losses = StepLosses()
    losses.begin_batch()
    losses.add_backward(torch.tensor(2.0, requires_grad=True))
    losses.end_batch({}, BATCH, 1)
    loss = losses.take()
    assert (float(loss), loss.requires_grad) == (2.0, False)


@pytest.mark.parametrize("outputs", [{}, None, {"other": 1.0}, [{"loss": 1.0}, {"loss": 2.0}]])
def test_of_several_losses_none_is_chosen(outputs: Any) -> None:
    """Two losses of a GAN are not one; neither is the loss of an earlier step."""
    losses = StepLosses()
    losses.end_batch({"loss": torch.tensor(1.0)}, BATCH, 1)
    assert float(losses.take()) == 1.0
    losses.begin_batch()
    losses.add_backward(torch.tensor(1.0))
    losses.add_backward(torch.tensor(2.0))
    losses.end_batch(outputs, BATCH, 1)
    assert losses.take() is None
