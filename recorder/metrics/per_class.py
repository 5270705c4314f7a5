"""Metrics per class, computed from counts of correct, predicted and true samples: precision, recall and F1."""

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
    """Counts of samples per class, or of labels per sample."""

    correct: Doubles
    """Both predicted and true."""
    predicted: Doubles
    true: Doubles

    def ratio(self, numerator: Doubles, denominator: Doubles) -> Doubles:
        """Return the quotients; 0 where the denominator is 0."""
        return np.divide(numerator, denominator, out=np.zeros_like(denominator), where=denominator > 0)


class PerClassMetric(Metric):
    """Counts the samples of each class; a subclass computes a value from the counts."""

    def __init__(self, eval_type: str = "classification") -> None:
        """Set the kind of classification.

        Args:
            eval_type: "classification": one class per sample; outputs are scores [N, C] (or [N, C, ...]) or predicted
                classes [N], labels are true classes [N] (or [N, ...]) or one-hot. "multilabel": any number of labels
                per sample; outputs and labels are 0 or 1 of shape [N, C].

        Raises:
            TypeError: eval_type is not a str.
            ValueError: eval_type is another str.
        """
        self._is_multilabel = checked_eval_type(eval_type) == "multilabel"
        super().__init__()

    @abstractmethod
    def value(self, counts: Counts) -> Doubles:
        """Return the value of each class."""

    def clear(self) -> None:
        """Reset the metric."""
        self._counts = np.zeros((3, 0))
        self._classes: int | None = None
        self._samples = 0
        self._sum_of_samples = 0.0

    def update(self, *inputs: Any) -> None:
        """Add a batch: outputs and labels.

        A sample with a NaN among its scores counts for its true class, and has no predicted class.

        Raises:
            ValueError: there are not two inputs, their shapes do not match, a value is not a class, or the number of
                classes differs from that of earlier batches.
            TypeError: an input is not an array.
        """
        outputs, labels = self.checked_inputs(inputs, "outputs", "labels")
        if self._is_multilabel:
            predicted, true = predicted_and_true_labels(outputs, labels)
            self._check_classes(predicted.shape[1])
            flags = np.stack([predicted & true, predicted, true])
            self._add(flags.sum(axis=1), len(predicted))
            self._sum_of_samples += float(self.value(Counts(*flags.sum(axis=2, dtype=np.float64))).sum())
        else:
            predictions, classes, number = predicted_and_true_classes(outputs, labels)
            self._check_classes(number)
            number = number or int(max(predictions.max(initial=-1), classes.max(initial=-1))) + 1
            counted = (predictions[predictions == classes], predictions[predictions >= 0], classes)
            self._add(np.stack([np.bincount(numbers, minlength=number) for numbers in counted]), len(classes))

    def eval(self, average: bool = False) -> Doubles | float:
        """Return the value of each class.

        Args:
            average: return one number: the mean over classes, or for "multilabel" the mean over samples of the value
                computed from each sample's labels, as MindSpore does.

        Returns:
            float64[C] from 0 to 1, or their mean; 0 for a class whose denominator is 0.

        Raises:
            TypeError: average is not a bool.
            RuntimeError: there were no samples.
        """
        checked_bool("average", average)
        samples = self.checked_samples(self._samples)
        if average and self._is_multilabel:
            return self._sum_of_samples / samples
        values = self.value(Counts(*self._counts))
        return float(values.mean()) if average else values

    def _check_classes(self, number: int | None) -> None:
        if self._samples and number != self._classes:
            earlier, current = ("no scores" if n is None else f"scores of {n} classes" for n in (self._classes, number))
            raise ValueError(f"{type(self).__name__}: earlier batches had {earlier}; this batch has {current}.")
        self._classes = number

    def _add(self, counts: npt.NDArray[Any], samples: int) -> None:
        missing = counts.shape[1] - self._counts.shape[1]
        self._counts = np.pad(self._counts, ((0, 0), (0, max(0, missing))))
        self._counts += np.pad(counts, ((0, 0), (0, max(0, -missing))))
        self._samples += samples
