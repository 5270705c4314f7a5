"""Axes: the plane in weight space on which a loss landscape is measured."""

from typing import NamedTuple

import numpy as np

from toposcope.recorder.landscapes.planes.combination import principal_combination
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet
from toposcope.recorder.landscapes.weights.gram import Doubles, Float32s, combined, inner_products
from toposcope.recorder.landscapes.weights.layout import Layout

_MIN_VARIANCE = 1e-12


class Axes(NamedTuple):
    """An origin, the last checkpoint, with the coordinates (0, 0), and one or two directions."""

    kind: str
    """"anchored", "pca", "random", "mindspore", "three-point", "interpolate", "hessian" or "saddle"."""
    origin: Float32s
    """(N,): weights and buffers."""
    directions: Float32s
    """(K, N): origin + sum of c_k * directions[k] is the point with the coordinates c. They are zero in the buffers,
    unless the axes are combinations of checkpoints, in which case the buffers move with the weights; variances (see
    Layout.variances) are multiplied: at c they are origin * exp(sum of c_k * directions[k])."""
    combination: Doubles | None
    """(K, T): directions = combination @ displacements of the checkpoints from the last one; a row of zeros for a
    direction that is orthogonal to all of them. None if the directions are not combinations of checkpoints."""
    lengths: Doubles
    """(K,): Euclidean lengths of the directions in the trained weights."""
    products: Doubles
    """(K, K): the Gram matrix of the directions in the trained weights."""

    @property
    def cosine(self) -> float:
        """The cosine of the angle between the directions; NaN for a single direction, or one of length zero."""
        if len(self.lengths) < 2 or not self.lengths.all():
            return float("nan")
        return float(self.products[0, 1] / self.lengths.prod())


def axes_along(kind: str, origin: Float32s, directions: Float32s, combination: Doubles | None, layout: Layout) -> Axes:
    """Return the axes with these directions."""
    trained = directions[:, : layout.parameter_count]
    products = inner_products(trained, trained)
    return Axes(kind, origin, directions, combination, np.sqrt(np.diag(products)), products)


def anchored_axes(checkpoints: CheckpointSet, seed: int = 0) -> Axes:
    """Return the plane through the last checkpoint with the least sum of squared distances from the others.

    The directions are orthonormal in the trained weights: the principal directions of the displacements from the last
    checkpoint, not centred. The first checkpoint has a positive x, then a positive y; if its coordinate is zero, the
    next one does. If all checkpoints are on a line, the second direction is a random one, orthogonal to it.

    Raises:
        ValueError: all checkpoints are equal, there is only one, or weights are not finite.
    """
    return _principal_axes("anchored", checkpoints, seed)


def pca_axes(checkpoints: CheckpointSet, seed: int = 0) -> Axes:
    """Return the principal directions of the displacements minus their mean, through the last checkpoint.

    As in Li et al. (2018, https://arxiv.org/abs/1712.09913); otherwise like anchored_axes().
    """
    return _principal_axes("pca", checkpoints, seed)


def axes_of_combination(kind: str, checkpoints: CheckpointSet, combination: Doubles, seed: int) -> Axes:
    """Return the axes whose directions are combinations of displacements.

    Args:
        kind: of axes.
        checkpoints: the last of them is the origin.
        combination: (K, T), such that the directions have length one in the trained weights; if K is one, the second
            direction is a random one, orthogonal to the first.
        seed: of the random direction.
    """
    directions, layout = directions_of(checkpoints, combination), checkpoints.layout
    if len(combination) == 1:
        directions = np.stack([directions[0], _orthogonal_direction(directions[0], layout, seed)])
        combination = np.stack([combination[0], np.zeros_like(combination[0])])
    return axes_along(kind, checkpoints.rows[-1], directions, combination, layout)


def directions_of(checkpoints: CheckpointSet, combination: Doubles) -> Float32s:
    """Return combinations (K, T) of the displacements from the last checkpoint, with logarithms of the variances.

    A variance that is 1 in the first checkpoint and 0.05 in the last would be negative a little beyond the last: on a
    network with BatchNorms, a third of a landscape had no loss.

    Raises:
        ValueError: a buffer is not finite in a checkpoint.
    """
    rows, layout, last = checkpoints.rows, checkpoints.layout, len(checkpoints.points) - 1
    _check_buffers(checkpoints)
    directions = combined(rows, last, combination, layout.size)
    for tensor in layout.tensors:
        if tensor.is_variance:
            variances = np.array([rows.read(t, tensor.start, tensor.stop) for t in range(last + 1)], np.float64)
            logarithms = np.log(np.maximum(variances, _MIN_VARIANCE))
            directions[:, tensor.start : tensor.stop] = combination @ (logarithms - logarithms[last])
    return directions


def _check_buffers(checkpoints: CheckpointSet) -> None:
    """Raise ValueError if a buffer is not finite in a checkpoint.

    This check precedes all products: some BLAS kernels warn of infinities in a product, others do not.
    """
    rows = checkpoints.rows
    for tensor in checkpoints.layout.tensors:
        if tensor.kind == "buffer" and not all(
            np.isfinite(rows.read(row, tensor.start, tensor.stop)).all() for row in range(len(rows))
        ):
            raise ValueError(f"{tensor.name!r} is not finite in all checkpoints: choose earlier checkpoints.")


def _principal_axes(kind: str, checkpoints: CheckpointSet, seed: int) -> Axes:
    """Return the leading principal directions of the checkpoints."""
    if len(checkpoints.points) == 1 or not checkpoints.products.any():
        reason = "there is only one" if len(checkpoints.points) == 1 else "all are equal"
        raise ValueError(f"Axes need checkpoints that differ; of {_shown(checkpoints.points)} {reason}.")
    combination = principal_combination(checkpoints.products, is_centred=kind == "pca")
    return axes_of_combination(kind, checkpoints, combination, seed)


def _orthogonal_direction(direction: Float32s, layout: Layout, seed: int) -> Float32s:
    """Return a random direction of length one, orthogonal to a direction of length one; zero if there is none."""
    orthogonal = np.zeros_like(direction)
    trained, along = orthogonal[: layout.parameter_count], direction[: layout.parameter_count]
    trained[:] = np.random.default_rng(seed).standard_normal(trained.size, np.float32)
    for _ in range(2):  # The second pass restores digits that the first has lost.
        trained -= along * np.float32(inner_products(along[None], trained[None])[0, 0])
        length = np.sqrt(inner_products(trained[None], trained[None])[0, 0])
        trained /= np.float32(length if length > 1e-3 else np.inf)
    return orthogonal


def _shown(points: tuple[int, ...]) -> str:
    return ", ".join(map(str, points[:5])) + (", ..." if len(points) > 5 else "")
