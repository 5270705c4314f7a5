"""Accumulation: the micro-batches that have been reported of a step which has not ended: their losses and samples."""

from typing import Any

from toposcope.recorder.training.data.loss import scalar_loss


class Accumulation:
    """The micro-batches of the running step, in order."""

    def __init__(self) -> None:
        self._losses: list[Any] = []
        self._samples: list[int] = []
        self._more_samples = 0

    def __len__(self) -> int:
        """Return the number of micro-batches whose gradients belong to the running step."""
        return len(self._losses)

    def add(self, loss: Any, samples: int) -> None:
        """Add a micro-batch: its loss, detached, and its number of samples; 0: unknown."""
        self._losses.append(loss)
        self._samples.append(samples)

    def drop(self, number: int) -> None:
        """Remove the first micro-batches, whose step was skipped. Their samples have been processed nevertheless."""
        self._more_samples += sum(self._samples[:number])
        del self._losses[:number], self._samples[:number]

    def take(self) -> tuple[Any, int]:
        """Remove all; return their mean loss, weighted by samples, and the number of samples."""
        losses, samples, more = self._losses, self._samples, self._more_samples
        if len(losses) == 1:  # The usual step.
            self._more_samples = 0
            return losses.pop(), more + samples.pop()
        self._losses, self._samples, self._more_samples = [], [], 0
        return _mean_loss(losses, samples), more + sum(samples)

    def take_samples(self) -> int:
        """Remove all; return the number of samples."""
        samples = self._more_samples + sum(self._samples)
        self._losses, self._samples, self._more_samples = [], [], 0
        return samples

    def take_apart(self) -> list[tuple[Any, int]]:
        """Remove all; return the loss and the number of samples of each."""
        losses, samples = self._losses, self._samples
        self._losses, self._samples = [], []
        return list(zip(losses, samples, strict=True))


def _mean_loss(losses: list[Any], samples: list[int]) -> Any:
    """Return the mean of the losses, computed where they lie; equal weights if a number of samples is unknown."""
    weights = samples if all(samples) else [1] * len(losses)
    total = sum(weights)
    return sum(scalar_loss(loss) * (weight / total) for loss, weight in zip(losses, weights, strict=True))
