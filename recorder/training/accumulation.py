"""Accumulation: the micro-batches that have been reported of a step which has not ended: their losses and samples."""

from typing import Any, NamedTuple

import numpy as np


class MicroBatch(NamedTuple):
    """One forward and backward pass."""

    loss: Any
    """As the user reported it, detached."""
    samples: int
    """0: unknown."""


class Accumulation:
    """The micro-batches of the running step, in order."""

    def __init__(self) -> None:
        self._parts: list[MicroBatch] = []
        self._more_samples = 0

    def __len__(self) -> int:
        """Return the number of micro-batches whose gradients belong to the running step."""
        return len(self._parts)

    def add(self, loss: Any, samples: int) -> None:
        """Add a micro-batch."""
        self._parts.append(MicroBatch(loss, samples))

    def drop(self, number: int) -> None:
        """Remove the first micro-batches, whose step was skipped. Their samples have been processed nevertheless."""
        self._more_samples += sum(part.samples for part in self._parts[:number])
        del self._parts[:number]

    def take(self) -> MicroBatch:
        """Remove all; return their mean loss, weighted by samples, and the number of samples."""
        parts, self._parts = self._parts, []
        samples, self._more_samples = self._more_samples, 0
        if len(parts) == 1:
            loss, own = parts[0]
            return MicroBatch(loss, samples + own)
        return MicroBatch(_mean_loss(parts), samples + sum(part.samples for part in parts))

    def take_apart(self) -> list[MicroBatch]:
        """Remove all and return each."""
        parts, self._parts = self._parts, []
        return parts


def _mean_loss(parts: list[MicroBatch]) -> Any:
    """Return the mean of the losses, computed where they lie; equal weights if a number of samples is unknown."""
    weights = [part.samples for part in parts]
    if not all(weights):
        weights = [1] * len(parts)
    total = sum(weights)
    return sum(_number(part.loss) * (weight / total) for part, weight in zip(parts, weights, strict=True))


def _number(loss: Any) -> Any:
    """Return a loss as one number in single precision or better, without reading it from its device."""
    while isinstance(loss, tuple | list) and loss:
        loss = loss[0]
    if isinstance(loss, int | float):
        return float(loss)
    if isinstance(loss, np.ndarray | np.generic):
        return float(np.asarray(loss, np.float64).mean())
    if callable(getattr(loss, "float", None)):  # A tensor of PyTorch or MindSpore.
        loss = loss.float()
    elif callable(getattr(loss, "astype", None)):
        loss = loss.astype("float32")
    return loss.mean() if getattr(loss, "shape", ()) else loss
