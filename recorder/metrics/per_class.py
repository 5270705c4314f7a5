"""Per class: counts of true and chosen samples, which precision, recall and F1 are made of."""

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.arguments import checked_bool
from toposcope.recorder.metrics.class_labels import (
    checked_eval_type,
    predicted_and_true_classes,
    predicted_and_true_labels,
)
from toposcope.recorder.metrics.metric import Metric

Doubles = npt.NDArray[np.float64]


class Counts(NamedTuple):
    """Counts of samples for each class, or of labels for each sample."""

    right: Doubles
    """Chosen and true."""
    chosen: Doubles
    true: Doubles

    def ratio(self, numerator: Doubles, denominator: Doubles) -> Doubles:
        """Return the quotients; 0 where there is nothing to divide."""
        return np.divide(numerator, denominator, out=np.zeros_like(denominator), where=denominator > 0)


class PerClassMetric(Metric):
    """Counts each class; a subclass says what the figure is."""

    def __init__(self, eval_type: str = "classification") -> None:
        """Take what the network tells.

        Args:
            eval_type: "classification": one class a sample; outputs are scores [N, C] (or [N, C, ...]) or chosen
                classes [N], labels are true classes [N] (or [N, ...]) or one-hot. "multilabel": any number of labels
                a sample; outputs and labels are 0 or 1 of [N, C].

        Raises:
            TypeError: eval_type is no str.
            ValueError: it is another one.
        """
        self._is_multilabel = checked_eval_type(eval_type) == "multilabel"
        super().__init__()

    @abstractmethod
    def figure(self, counts: Counts) -> Doubles:
        """Return the figure of each class."""

    def clear(self) -> None:
        """Forget all batches."""
        self._counts = np.zeros((3, 0))
        self._classes: int | None = None
        self._samples = 0
        self._sum_of_samples = 0.0

    def update(self, *inputs: Any) -> None:
        """Add a batch, outputs and labels.

        A sample with a NaN among its scores belongs to its true class and was put into none.

        Raises:
            ValueError: there are not two inputs, their shapes do not fit, there is what is no class, or the number of
                classes is not that of the batches before.
            TypeError: an input is no array.
        """
        outputs, labels = self.checked_inputs(inputs, "outputs", "labels")
        if self._is_multilabel:
            given, true = predicted_and_true_labels(outputs, labels)
            self._check_classes(given.shape[1])
            flags = np.stack([given & true, given, true])
            self._add(flags.sum(axis=1), len(given))
            self._sum_of_samples += float(self.figure(Counts(*flags.sum(axis=2, dtype=np.float64))).sum())
        else:
            chosen, classes, number = predicted_and_true_classes(outputs, labels)
            self._check_classes(number)
            number = number or int(max(chosen.max(initial=-1), classes.max(initial=-1))) + 1
            counted = (chosen[chosen == classes], chosen[chosen >= 0], classes)
            self._add(np.stack([np.bincount(numbers, minlength=number) for numbers in counted]), len(classes))

    def eval(self, average: bool = False) -> Doubles | float:
        """Return the figure of each class.

        Args:
            average: return one number: the mean over the classes, or in "multilabel" the mean over the samples of what
                each one's labels give, as MindSpore does.

        Returns:
            [C] of doubles from 0 to 1, or their mean; 0 for a class with nothing to divide.

        Raises:
            TypeError: average is no bool.
            RuntimeError: there were no samples.
        """
        checked_bool("average", average)
        samples = self.checked_samples(self._samples)
        if average and self._is_multilabel:
            return self._sum_of_samples / samples
        figures = self.figure(Counts(*self._counts))
        return float(figures.mean()) if average else figures

    def _check_classes(self, number: int | None) -> None:
        if self._samples and number != self._classes:
            before = "classes without scores" if self._classes is None else f"{self._classes} classes"
            told = "none" if number is None else f"{number} classes"
            raise ValueError(f"{type(self).__name__}: batches before had {before}; this one has scores of {told}.")
        self._classes = number

    def _add(self, counts: npt.NDArray[Any], samples: int) -> None:
        missing = counts.shape[1] - self._counts.shape[1]
        self._counts = np.pad(self._counts, ((0, 0), (0, max(0, missing))))
        self._counts += np.pad(counts, ((0, 0), (0, max(0, -missing))))
        self._samples += samples
