"""Precision-recall curves of TensorBoard's plugin "pr_curves" (tensorboard/plugins/pr_curve/README.md)."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto.framing import Buffer
from toposcope.proto.tensorboard_plugins_pb2 import PrCurvePluginData
from toposcope.recorder.tensorboard.kinds.metadata import metadata_field
from toposcope.recorder.tensorboard.kinds.tensor import float_field

_Array = npt.NDArray[Any]

MAX_THRESHOLDS = 127
"""What the writers of PyTorch and tensorboardX limit the thresholds to."""
_SMALLEST_COUNT = 1e-7


class PrCurveValue(NamedTuple):
    """Counts, precision and recall at each threshold."""

    data: _Array
    """[6, n]: true positives, false positives, true negatives, false negatives, precision, recall."""
    thresholds: int

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        content = PrCurvePluginData(num_thresholds=self.thresholds).SerializeToString()
        return [metadata_field("pr_curves", content), *float_field(self.data)]


class PredictionsValue(NamedTuple):
    """Predictions of a binary classifier, whose curve the thread that writes computes."""

    labels: _Array
    """[n], 0 or 1, or False or True."""
    predictions: _Array
    """[n], probabilities that the label is 1."""
    weights: _Array | float
    """[n], or one for all."""
    thresholds: int

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        curve = pr_curve(self.labels, self.predictions, self.weights, self.thresholds)
        return PrCurveValue(curve, self.thresholds).fields()


def pr_curve(labels: _Array, predictions: _Array, weights: _Array | float, thresholds: int) -> _Array:
    """Return [6, thresholds], the curve at evenly spaced thresholds from 0 to 1: see PrCurveValue.

    A prediction counts as positive at each threshold that it reaches. Where there are no predictions, precision and
    recall are 0.
    """
    buckets = np.floor(predictions.ravel() * (thresholds - 1)).astype(np.int32)
    is_counted = (buckets >= 0) & (buckets < thresholds)
    positive = labels.ravel().astype(np.float64)
    weight = np.broadcast_to(np.asarray(weights, np.float64).ravel(), positive.shape)

    def reached(amounts: _Array) -> _Array:
        """Return the sum of the amounts of the predictions that reach each threshold."""
        counts = np.bincount(buckets[is_counted], amounts[is_counted], thresholds)
        return np.cumsum(counts[::-1])[::-1]

    true_positives, false_positives = reached(positive * weight), reached((1.0 - positive) * weight)
    true_negatives, false_negatives = false_positives[0] - false_positives, true_positives[0] - true_positives
    precision = true_positives / np.maximum(_SMALLEST_COUNT, true_positives + false_positives)
    recall = true_positives / np.maximum(_SMALLEST_COUNT, true_positives + false_negatives)
    return np.stack([true_positives, false_positives, true_negatives, false_negatives, precision, recall])
