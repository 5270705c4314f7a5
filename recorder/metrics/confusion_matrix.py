"""Confusion matrix: the number of samples for each pair of true and predicted class."""

from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.arguments import checked_integer, checked_number, checked_text
from toposcope.recorder.metrics.class_labels import predicted_and_true_classes
from toposcope.recorder.metrics.metric import Metric

_SUMMED_AXES = {"no_norm": (), "target": (1,), "prediction": (0,), "all": (0, 1)}


class ConfusionMatrix(Metric):
    """Rows are true classes, columns are predicted classes, as in MindSpore's ConfusionMatrix."""

    def __init__(self, num_classes: int, normalize: str = "no_norm", threshold: float = 0.5) -> None:
        """Set the classes.

        Args:
            num_classes: number of classes.
            normalize: what sums to 1: "target" each row, "prediction" each column, "all" the matrix; "no_norm": the
                entries are counts.
            threshold: minimum probability of class 1, for outputs of shape [N].

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: normalize is another str, or num_classes is below 2.
        """
        self._classes = checked_integer("num_classes", num_classes, lowest=2)
        if checked_text("normalize", normalize) not in _SUMMED_AXES:
            raise ValueError(f"normalize must be one of {', '.join(map(repr, _SUMMED_AXES))}, not {normalize!r}.")
        self._axes = _SUMMED_AXES[normalize]
        self._threshold = checked_number("threshold", threshold)
        super().__init__()

    def clear(self) -> None:
        """Reset the metric."""
        self._counts: npt.NDArray[np.float64] = np.zeros((self._classes, self._classes))

    def update(self, *inputs: Any) -> None:
        """Add a batch: scores [N, C] or [N, C, ...], predicted classes [N], or probabilities [N] of class 1.

        Labels are true classes or one-hot. A sample with a NaN among its scores is not counted.

        Raises:
            ValueError: there are not two inputs, their shapes do not match, or a value is not a class.
            TypeError: an input is not an array.
        """
        outputs, labels = self.checked_inputs(inputs, "outputs", "labels")
        if outputs.ndim == 1 and outputs.dtype.kind == "f":
            is_number = ~np.isnan(outputs)
            outputs = (outputs >= self._threshold).astype(np.int64)
            if labels.shape == outputs.shape:
                outputs, labels = outputs[is_number], labels[is_number]
        predicted, true, _ = predicted_and_true_classes(outputs, labels)
        highest = max(predicted.max(initial=0), true.max(initial=0))
        if highest >= self._classes:
            raise ValueError(f"A class must be a whole number from 0 to {self._classes - 1}, not {highest}.")
        pairs = (true * self._classes + predicted)[predicted >= 0]
        self._counts += np.bincount(pairs, minlength=self._classes**2).reshape(self._counts.shape)

    def eval(self) -> npt.NDArray[np.float64]:
        """Return counts or fractions of shape [C, C], 0 for empty rows or columns; RuntimeError without samples."""
        self.checked_samples(int(self._counts.sum()))
        if not self._axes:
            return self._counts.copy()
        sums = np.broadcast_to(self._counts.sum(axis=self._axes, keepdims=True), self._counts.shape)
        fractions: npt.NDArray[np.float64] = np.zeros_like(self._counts)
        np.divide(self._counts, sums, out=fractions, where=sums > 0)
        return fractions
