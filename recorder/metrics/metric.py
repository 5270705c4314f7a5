"""Metric: a value of an evaluation that is accumulated over batches, with MindSpore's interface."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy.typing as npt

from toposcope.recorder.values.arrays.arrays import array_from


class Metric(ABC):
    """Override clear(), update() and eval(). An evaluation calls clear() once, update() per batch, and eval() last.

        class Bias(Metric):
            def clear(self):
                self.sum = self.samples = 0

            def update(self, *inputs):
                outputs, labels = map(numbers_of, inputs)
                self.sum, self.samples = self.sum + (outputs - labels).sum(), self.samples + len(labels)

            def eval(self):
                return self.sum / self.samples

    The inputs are arrays or tensors of the framework, possibly on a device: numbers_of() converts them to NumPy arrays.
    """

    takes_loss: ClassVar[bool] = False
    """Whether update() takes the loss of a batch instead of its outputs and labels."""

    def __init__(self) -> None:
        self.clear()

    @abstractmethod
    def clear(self) -> None:
        """Reset the metric."""

    @abstractmethod
    def update(self, *inputs: Any) -> None:
        """Add a batch: its outputs and labels, or its loss."""

    @abstractmethod
    def eval(self) -> Any:
        """Return the value over the batches since clear(); RuntimeError if they had no samples."""

    def checked_inputs(self, inputs: tuple[object, ...], *names: str) -> list[npt.NDArray[Any]]:
        """Return the inputs of update() as arrays; ValueError if their number is not that of names.

        Each input is a tensor of any framework, which is detached and moved to the CPU, an array, or nested lists;
        otherwise TypeError is raised.
        """
        if len(inputs) != len(names):
            raise ValueError(f"{type(self).__name__}.update() takes {' and '.join(names)}, not {len(inputs)} inputs.")
        return [numbers_of(value) for value in inputs]

    def checked_samples(self, number: int) -> int:
        """Return number; RuntimeError if it is zero."""
        if not number:
            name = type(self).__name__
            raise RuntimeError(f"{name} has received no samples: call update() with a non-empty batch before eval().")
        return number


def numbers_of(value: object) -> npt.NDArray[Any]:
    """Return the numbers of a tensor, array or list as a NumPy array; TypeError for other types."""
    return array_from(value).numbers()
