"""Accuracy: the part of the samples that a network gets right."""

from typing import Any

from toposcope.recorder.metrics.class_labels import (
    checked_eval_type,
    predicted_and_true_classes,
    predicted_and_true_labels,
)
from toposcope.recorder.metrics.metric import Metric


class Accuracy(Metric):
    """The part of the samples whose class is the true one, or all of whose labels are true; MindSpore's Accuracy."""

    def __init__(self, eval_type: str = "classification") -> None:
        """Take what the network tells.

        Args:
            eval_type: "classification": one class a sample; outputs are scores [N, C] (or [N, C, ...]) or chosen
                classes [N], labels are true classes [N] (or [N, ...]) or one-hot. "multilabel": any number of labels
                a sample; outputs and labels are 0 or 1 of [N, C], and a sample is right when all its labels are.

        Raises:
            TypeError: eval_type is no str.
            ValueError: it is another one.
        """
        self._is_multilabel = checked_eval_type(eval_type) == "multilabel"
        super().__init__()

    def clear(self) -> None:
        """Forget all batches."""
        self._right = self._samples = 0

    def update(self, *inputs: Any) -> None:
        """Add a batch, outputs and labels.

        A sample with a NaN among its scores is wrong.

        Raises:
            ValueError: there are not two inputs, their shapes do not fit, or there is what is no class.
            TypeError: an input is no array.
        """
        outputs, labels = self.checked_inputs(inputs, "outputs", "labels")
        if self._is_multilabel:
            given, true = predicted_and_true_labels(outputs, labels)
            is_right = (given == true).all(axis=1)
        else:
            chosen, classes, _ = predicted_and_true_classes(outputs, labels)
            is_right = chosen == classes
        self._right += int(is_right.sum())
        self._samples += len(is_right)

    def eval(self) -> float:
        """Return the accuracy, from 0 to 1; RuntimeError when there were no samples."""
        return self._right / self.checked_samples(self._samples)
