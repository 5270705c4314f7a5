"""Top-k accuracy: the fraction of samples whose true class is among the k classes with the highest scores."""

from typing import Any

import numpy as np

from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.metrics.class_labels import scores_and_classes
from toposcope.recorder.metrics.metric import Metric


class TopKCategoricalAccuracy(Metric):
    """The fraction of samples whose true class is among the k with the highest scores; ties go to the first class."""

    def __init__(self, k: int) -> None:
        """Set k.

        Raises:
            TypeError: k is not an integer.
            ValueError: k is not positive.
        """
        self.k = checked_integer("k", k, lowest=1)
        super().__init__()

    def clear(self) -> None:
        """Reset the metric."""
        self._correct = self._samples = 0

    def update(self, *inputs: Any) -> None:
        """Add a batch: scores [N, C] (or [N, C, ...]) and true classes [N] (or [N, ...]) or one-hot.

        A sample with a NaN among its scores is incorrect.

        Raises:
            ValueError: there are not two inputs, their shapes do not match, or a label is not a class.
            TypeError: an input is not an array.
        """
        scores, true = scores_and_classes(*self.checked_inputs(inputs, "scores", "labels"))
        columns = true[:, np.newaxis]
        score = np.take_along_axis(scores, columns, axis=1)
        is_ahead = (scores > score) | ((scores == score) & (np.arange(scores.shape[1]) < columns))
        is_correct = (is_ahead.sum(axis=1) < self.k) & ~np.isnan(scores).any(axis=1)
        self._correct += int(is_correct.sum())
        self._samples += len(true)

    def eval(self) -> float:
        """Return the accuracy, from 0 to 1; RuntimeError if there were no samples."""
        return self._correct / self.checked_samples(self._samples)


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """The fraction of samples whose true class has the highest score."""

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """The fraction of samples whose true class is among the five with the highest scores."""

    def __init__(self) -> None:
        super().__init__(5)
