"""Accuracy: the fraction of samples that a network classifies correctly."""

from typing import Any

from toposcope.recorder.metrics.class_labels import (
    checked_eval_type,
    predicted_and_true_classes,
    predicted_and_true_labels,
)
from toposcope.recorder.metrics.metric import Metric


class Accuracy(Metric):
    """The fraction of samples with the true class, or with all the true labels, as MindSpore's Accuracy."""

    def __init__(self, eval_type: str = "classification") -> None:
        """Set the kind of classification.

        Args:
            eval_type: "classification": one class per sample; outputs are scores [N, C] (or [N, C, ...]) or predicted
                classes [N], labels are true classes [N] (or [N, ...]) or one-hot. "multilabel": any number of labels
                per sample; outputs and labels are 0 or 1 of shape [N, C], and a sample is correct if all its labels
                are.

        Raises:
            TypeError: eval_type is not a str.
            ValueError: eval_type is another str.
        """
        self._is_multilabel = checked_eval_type(eval_type) == "multilabel"
        super().__init__()

    def clear(self) -> None:
        """Reset the metric."""
        self._correct = self._samples = 0

    def update(self, *inputs: Any) -> None:
        """Add a batch: outputs and labels.

        A sample with a NaN among its scores is incorrect.

        Raises:
            ValueError: there are not two inputs, their shapes do not match, or a value is not a class.
            TypeError: an input is not an array.
        """
        outputs, labels = self.checked_inputs(inputs, "outputs", "labels")
        if self._is_multilabel:
            predicted, true = predicted_and_true_labels(outputs, labels)
            is_correct = (predicted == true).all(axis=1)
        else:
            predicted_classes, true_classes, _ = predicted_and_true_classes(outputs, labels)
            is_correct = predicted_classes == true_classes
        self._correct += int(is_correct.sum())
        self._samples += len(is_correct)

    def eval(self) -> float:
        """Return the accuracy, from 0 to 1; RuntimeError if there were no samples."""
        return self._correct / self.checked_samples(self._samples)
