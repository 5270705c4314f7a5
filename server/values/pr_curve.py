"""Precision-recall curves of TensorBoard's plugin "pr_curves"."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.values.tensor import read_tensor

MAX_THRESHOLDS = 1000
"""Thresholds of a curve that are listed; writers record at most 201 by default."""
_ROWS = 6
_Numbers = npt.NDArray[np.float64]


class PrCurve(NamedTuple):
    """Counts, precision and recall at ascending thresholds, without the last ones that no prediction reaches."""

    thresholds: _Numbers
    """Evenly spaced from 0 to 1."""
    true_positives: _Numbers
    false_positives: _Numbers
    true_negatives: _Numbers
    false_negatives: _Numbers
    precision: _Numbers
    recall: _Numbers
    average_precision: float
    """The mean of the precision, weighted by the increase of recall from each threshold to the next lower one."""


def read_pr_curve(payload: bytes) -> PrCurve:
    """Decode a tensor of the dims [6, thresholds]; of more than MAX_THRESHOLDS, evenly spaced ones are returned.

    Raises:
        ValueError: the payload is malformed, or not such a tensor.
    """
    dtype, dims, values = read_tensor(payload, "tensorboard")
    if values is None or len(dims) != 2 or dims[0] != _ROWS or not dims[1] or values.dtype.kind not in "fiu":
        raise ValueError(f"a precision-recall curve is a {dtype} tensor of the dims {list(dims)}: expected [6, n]")
    rows = values.astype(np.float64)
    reached = np.flatnonzero(rows[0] + rows[1] > 0)
    end = int(reached[-1]) + 1 if len(reached) else 1
    chosen = np.linspace(0, end - 1, min(end, MAX_THRESHOLDS)).round().astype(np.intp)
    average = average_precision(rows[4, :end], rows[5, :end])
    listed = rows[:, chosen]
    return PrCurve(
        np.linspace(0, 1, dims[1])[chosen], listed[0], listed[1], listed[2], listed[3], listed[4], listed[5], average
    )


def average_precision(precision: npt.NDArray[Any], recall: npt.NDArray[Any]) -> float:
    """Return the average precision of a curve at ascending thresholds."""
    with np.errstate(invalid="ignore", over="ignore"):  # a file may contain NaN and infinities
        return float(-np.diff(recall, append=0.0) @ precision)
