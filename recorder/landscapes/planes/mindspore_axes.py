"""MindSpore's axes, those of its SummaryLandscape, for comparison with it."""

import numpy as np

from toposcope.recorder.landscapes.planes.axes import Axes, axes_along
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet
from toposcope.recorder.landscapes.weights.gram import Doubles, Float32s, combined, displacement_products, products_with
from toposcope.recorder.landscapes.weights.layout import Layout, TensorLayout


def mindspore_axes(checkpoints: CheckpointSet) -> Axes:
    """Return the axes of mindspore.train.SummaryLandscape (2.10), with its peculiarities.

    Only tensors move whose names contain "weight" or "bias" and not "moment". The displacements D (N, T - 1) of their
    numbers are centred over the *numbers*, not over the checkpoints. The directions are the first two left singular
    vectors, each with its largest number positive, times the singular values; then each tensor of a direction is scaled
    to the length of the model's tensor, so the directions are no longer combinations of checkpoints. Where the original
    uses a randomised decomposition without a seed (for more than 500 numbers and at least four checkpoints), this is
    the exact one. A tensor that is zero in a direction stays zero; in the original it makes all losses NaN.

    Raises:
        ValueError: there are no such tensors, fewer than three checkpoints, or all are equal, or one is not finite.
    """
    layout, rows, last = checkpoints.layout, checkpoints.rows, len(checkpoints.points) - 1
    chosen = [tensor for tensor in layout.tensors if _moves(tensor)]
    if not chosen or last < 2:
        missing = "tensors named weight or bias, and there are none" if not chosen else "at least three checkpoints"
        raise ValueError(f"MindSpore's axes need {missing}.")
    selection = _Selection(checkpoints, chosen)
    count = sum(tensor.stop - tensor.start for tensor in chosen)
    with np.errstate(invalid="ignore", over="ignore"):  # The weights may not be finite.
        means = products_with(selection, last, np.ones((1, count), np.float32), count)[:last, 0] / count
        products = displacement_products(selection, last, count)[:last, :last] - count * np.outer(means, means)
    if not np.isfinite(products).all():
        raise ValueError("MindSpore's axes need checkpoints whose weights are finite.")
    values, vectors = np.linalg.eigh(products)
    if values[-1] <= 0:
        raise ValueError("MindSpore's axes need checkpoints that differ; all are equal.")
    combination = np.zeros((2, last + 1))
    combination[:, :last] = vectors[:, :-3:-1].T
    principal = combined(selection, last, combination, count) - (combination[:, :last] @ means)[:, None]
    largest = principal[np.arange(2), np.argmax(np.abs(principal), axis=1)]
    principal *= np.where(largest < 0, -1, 1)[:, None]
    origin = rows[last]
    return axes_along("mindspore", origin, _scaled(principal, origin, chosen, layout), None, layout)


class _Selection:
    """The numbers of some tensors of checkpoints, concatenated."""

    def __init__(self, checkpoints: CheckpointSet, tensors: list[TensorLayout]) -> None:
        self._rows, self._tensors = checkpoints.rows, tensors

    def __len__(self) -> int:
        return len(self._rows)

    def read(self, row: int, start: int, stop: int) -> Float32s:
        """Return the numbers [start, stop) of one checkpoint."""
        parts, begin = [np.empty(0, np.float32)], 0
        for tensor in self._tensors:
            end = begin + tensor.stop - tensor.start
            if begin < stop and start < end:
                first, past = max(start, begin) - begin, min(stop, end) - begin
                parts.append(self._rows.read(row, tensor.start + first, tensor.start + past))
            begin = end
        return np.concatenate(parts)


def _scaled(principal: Doubles | Float32s, origin: Float32s, chosen: list[TensorLayout], layout: Layout) -> Float32s:
    """Return directions in the whole space, each tensor scaled to the length of the model's tensor."""
    directions = np.zeros((2, layout.size), np.float32)
    begin = 0
    for tensor in chosen:
        end = begin + tensor.stop - tensor.start
        model_length = np.linalg.norm(origin[tensor.start : tensor.stop].astype(np.float64))
        for direction, vector in zip(directions, principal, strict=True):
            length = np.linalg.norm(vector[begin:end].astype(np.float64))
            if length > 0:
                direction[tensor.start : tensor.stop] = vector[begin:end] * (model_length / length)
        begin = end
    return directions


def _moves(tensor: TensorLayout) -> bool:
    return ("weight" in tensor.name or "bias" in tensor.name) and "moment" not in tensor.name
