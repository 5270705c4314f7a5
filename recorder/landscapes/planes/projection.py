"""Projection: where checkpoints lie on the plane of a landscape, and how much of the path that shows."""

from typing import NamedTuple

import numpy as np

from toposcope.recorder.landscapes.planes.axes import Axes
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet
from toposcope.recorder.landscapes.weights.gram import Doubles, products_with


class Projection(NamedTuple):
    """The checkpoints (T) of a path as points on a plane."""

    coordinates: Doubles
    """(T, K): of the point on the plane that is closest to each checkpoint, in units of the directions."""
    residuals: Doubles
    """(T,): distance from that point, over the distance from the last checkpoint; NaN for checkpoints equal to it."""
    energy: Doubles
    """(K,): the share of the sum of squared displacements that lies along each axis: of displacements from the last
    checkpoint, or from their mean for the axes "pca". Where directions are not orthogonal, the second counts with what
    is orthogonal to the first."""


def projection_of(axes: Axes, checkpoints: CheckpointSet) -> Projection:
    """Return the projection of checkpoints on axes whose origin is the last of them.

    Without a pass over the checkpoints where the axes are combinations of them.
    """
    products, last = checkpoints.products, len(checkpoints.points) - 1
    if axes.combination is not None:
        # Those of the directions before they were rounded to float32.
        inner = products @ axes.combination.T
        of_axes = axes.combination @ inner
    else:
        of_axes = axes.products
        inner = products_with(checkpoints.rows, last, axes.directions, checkpoints.layout.parameter_count)
    # Along orthonormal directions of the same plane: x, then what of y is orthogonal to it.
    orthonormal = inner @ _orthonormal(of_axes)
    squares, on_plane = np.diag(products), (orthonormal**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        residuals = np.sqrt(np.maximum(squares - on_plane, 0) / np.where(squares > 0, squares, np.nan))
    centred = axes.kind == "pca"
    spread = orthonormal - orthonormal.mean(axis=0) if centred else orthonormal
    total = squares.sum() - (products.sum() / len(products) if centred else 0)
    energy = (spread**2).sum(axis=0) / total if total > 0 else np.zeros(spread.shape[1])
    return Projection(inner @ np.linalg.pinv(of_axes, hermitian=True), residuals, energy)


def _orthonormal(products: Doubles) -> Doubles:
    """Return coefficients (K, K), a column each, of orthonormal directions; of zeros for one that adds nothing."""
    coefficients = np.zeros_like(products)
    for k in range(len(products)):
        column = np.eye(len(products))[k]
        for before in coefficients.T[:k]:
            column = column - (before @ products[:, k]) * before
        square = column @ products @ column
        if square > 1e-12 * products[k, k]:
            coefficients[:, k] = column / np.sqrt(square)
    return coefficients
