"""Random axes: two seeded random directions, scaled filter by filter."""

import numpy as np

from toposcope.recorder.landscapes.planes.axes import Axes, axes_along
from toposcope.recorder.landscapes.weights.gram import Float32s
from toposcope.recorder.landscapes.weights.layout import Layout


def random_axes(origin: Float32s, layout: Layout, seed: int) -> Axes:
    """Return two random directions through a model, as Li et al. (2018, https://arxiv.org/abs/1712.09913) draw them.

    Each number is drawn from a normal distribution; then each filter (the numbers that share the first index of a
    tensor of two dimensions or more) is scaled to the length of the model's filter. Biases, normalisations and buffers
    do not move, unless the model has no other trained tensors: then each of its tensors is scaled as a whole.

    Args:
        origin: (N,), the model.
        layout: of the model.
        seed: of the random numbers.

    Raises:
        ValueError: the weights are all zero or not finite.
    """
    trained = layout.tensors[: sum(tensor.kind != "buffer" for tensor in layout.tensors)]
    moved = [tensor for tensor in trained if tensor.kind in ("weight", "embedding")]
    if not np.isfinite(origin[: layout.parameter_count]).all():
        raise ValueError("Random axes are scaled by the weights of the model, which are not finite.")
    random = np.random.default_rng(seed)
    directions = np.zeros((2, layout.size), np.float32)
    for direction in directions:
        for tensor in moved or trained:
            drawn = random.standard_normal(tensor.stop - tensor.start, np.float32)
            weights = origin[tensor.start : tensor.stop]
            filters = tensor.shape[0] if moved and len(tensor.shape) > 1 else 1
            direction[tensor.start : tensor.stop] = _scaled(drawn, weights, filters)
    if not directions.any():
        raise ValueError("Random axes are scaled by the weights of the model, which are all zero.")
    return axes_along("random", origin, directions, None, layout)


def _scaled(drawn: Float32s, weights: Float32s, filters: int) -> Float32s:
    """Return random numbers scaled to the lengths of the filters; zeros for a filter of zeros."""
    rows, filter_weights = drawn.reshape(filters, -1), weights.reshape(filters, -1)
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    filter_lengths = np.linalg.norm(filter_weights.astype(np.float64), axis=1, keepdims=True)
    factors = np.divide(filter_lengths, lengths, out=np.zeros_like(filter_lengths), where=lengths > 0)
    scaled: Float32s = (rows * factors).astype(np.float32).reshape(-1)
    return scaled
