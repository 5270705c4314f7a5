"""Projection: where checkpoints lie on the plane of a landscape, and how much of their path that shows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from toposcope.recorder.landscapes.planes.axes import Axes
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet, products_from_last
from toposcope.recorder.landscapes.weights.gram import Doubles, products_with


class Projection(NamedTuple):
    """The checkpoints (T) of one training as points on a plane."""

    coordinates: Doubles
    """(T, K): of the point on the plane that is closest to each checkpoint, in units of the directions."""
    residuals: Doubles
    """(T,): distance from that point, over the distance from the origin; NaN for checkpoints equal to it."""
    energy: Doubles
    """(K,): the share of the sum of squared displacements that lies along each axis: of displacements from the last
    checkpoint of the training, or from their mean for the axes "pca". Where directions are not orthogonal, the second
    counts with what is orthogonal to the first."""


def projection_of(axes: Axes, checkpoints: CheckpointSet, training: Sequence[int] | None = None) -> Projection:
    """Return the projection of a training on axes whose origin is the last of all checkpoints.

    Without a pass over the checkpoints where the axes are combinations of them.

    Args:
        axes: of the plane.
        checkpoints: which the axes are of.
        training: numbers of its checkpoints among these, in its order; None: they are of one training.
    """
    products, last = checkpoints.products, len(checkpoints.points) - 1
    if axes.combination is not None:
        # Those of the directions before they were rounded to float32.
        inner = products @ axes.combination.T
        of_axes = axes.combination @ inner
    else:
        of_axes = axes.products
        inner = products_with(checkpoints.rows, last, axes.directions, checkpoints.layout.parameter_count)
    own = list(range(last + 1) if training is None else training)
    # Along orthonormal directions of the same plane: x, then what of y is orthogonal to it.
    inner, orthonormal, squares = inner[own], (inner @ _orthonormal(of_axes))[own], np.diag(products)[own]
    off_plane = np.maximum(squares - (orthonormal**2).sum(axis=1), 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        residuals = np.sqrt(off_plane / np.where(squares > 0, squares, np.nan))
    energy = _energy(orthonormal, products_from_last(products, own), is_centred=axes.kind == "pca")
    return Projection(inner @ np.linalg.pinv(of_axes, hermitian=True), residuals, energy)


def _energy(orthonormal: Doubles, products: Doubles, *, is_centred: bool) -> Doubles:
    """Return the shares (K,) of a training whose places along orthonormal directions are given."""
    spread = orthonormal - (orthonormal.mean(axis=0) if is_centred else orthonormal[-1])
    total = products.trace() - (products.sum() / len(products) if is_centred else 0)
    energy: Doubles = (spread**2).sum(axis=0) / total if total > 0 else np.zeros(spread.shape[1])
    return energy


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
