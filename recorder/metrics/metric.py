"""Metric: a figure of an evaluation, kept as sums over its batches; MindSpore's interface."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy.typing as npt

from toposcope.recorder.values.arrays import array_from


class Metric(ABC):
    """Override clear(), update() and eval(); an evaluation calls the first once, the second for each batch.

        class Bias(Metric):
            def clear(self):
                self.sum = self.samples = 0

            def update(self, *inputs):
                outputs, labels = map(numbers_of, inputs)
                self.sum, self.samples = self.sum + (outputs - labels).sum(), self.samples + len(labels)

            def eval(self):
                return self.sum / self.samples

    The inputs are those of the framework, maybe on its device: numbers_of() gives their numbers as an array.
    """

    takes_loss: ClassVar[bool] = False
    """Whether update() takes the loss of a batch, rather than its outputs and labels."""

    def __init__(self) -> None:
        self.clear()

    @abstractmethod
    def clear(self) -> None:
        """Forget all batches."""

    @abstractmethod
    def update(self, *inputs: Any) -> None:
        """Add a batch: its outputs and labels, or its loss."""

    @abstractmethod
    def eval(self) -> Any:
        """Return the figure of the batches since clear(); RuntimeError when they had no samples."""

    def checked_inputs(self, inputs: tuple[object, ...], *wanted: str) -> list[npt.NDArray[Any]]:
        """Return the inputs of update() as arrays; ValueError when they are not as many as wanted.

        Each is a tensor of any framework, which is detached and moved to the CPU, an array, or nested lists; TypeError
        when it is none of them.
        """
        if len(inputs) != len(wanted):
            raise ValueError(f"{type(self).__name__}.update() takes {' and '.join(wanted)}, not {len(inputs)} inputs.")
        return [numbers_of(value) for value in inputs]

    def checked_samples(self, number: int) -> int:
        """Return number; RuntimeError when it is zero."""
        if not number:
            name = type(self).__name__
            raise RuntimeError(
                f"{name} has seen no samples: eval() comes after an update() with a batch that has some."
            )
        return number


def numbers_of(value: object) -> npt.NDArray[Any]:
    """Return the numbers of a tensor, array or list in an array of our own; TypeError when it is none."""
    return array_from(value).numbers()
