"""StepLosses: the loss of a step of the optimizer, from what Lightning reports of its micro-batches."""

from collections.abc import Mapping
from typing import Any

from toposcope.recorder.training.data.batch import samples_of
from toposcope.recorder.training.own_loops.accumulation import Accumulation


class StepLosses:
    """The micro-batches since the last step, with their losses, detached."""

    def __init__(self) -> None:
        self._reported = Accumulation()
        self._backward: list[Any] = []

    def begin_batch(self) -> None:
        """Begin a micro-batch."""
        self._backward = []

    def add_backward(self, loss: Any) -> None:
        """Add a loss whose gradients are about to be computed."""
        self._backward.append(loss.detach())

    def end_batch(self, outputs: Any, batch: Any, share: int) -> None:
        """End a micro-batch.

        Args:
            outputs: the result of training_step(): a mapping with the loss, divided by share, or a tensor. Without a
                loss it is that of backward(); if that was called for several, as of a GAN, the loss is unknown.
            batch: the batch, whose samples are the weight of the loss.
            share: what the loss was divided by.
        """
        loss = outputs.get("loss") if isinstance(outputs, Mapping) else outputs
        if loss is None or isinstance(loss, list | tuple):
            loss = self._backward[0] if len(self._backward) == 1 else None
        self._backward = []
        if loss is not None:
            loss = loss.detach()
            self._reported.add(loss if share == 1 else loss * share, samples_of(batch))

    def take(self) -> Any:
        """Remove all; return the mean of the losses, weighted by samples; None if none is known."""
        return self._reported.take()[0] if len(self._reported) else None
