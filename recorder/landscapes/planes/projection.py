"""Projection: the coordinates of checkpoints on a plane, and how much of their path the plane shows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from toposcope.recorder.landscapes.planes.axes import Axes
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet, products_from_last
from toposcope.recorder.landscapes.weights.gram import Doubles, products_with


class Projection(NamedTuple):
    """The checkpoints (T) of one training as points on a plane."""

    coordinates: Doubles
    """(T, K): coordinates of the point on the plane closest to each checkpoint, in units of the directions."""
    residuals: Doubles
    """(T,): distance from that point divided by the distance from the origin; NaN for checkpoints at the origin."""
    energy: Doubles
    """(K,): the share of the sum of squared displacements along each axis: of displacements from the last checkpoint of
    the training, or from their mean for the axes "pca". If the directions are not orthogonal, the second one counts
    with its component orthogonal to the first."""


def projection_of(axes: Axes, checkpoints: CheckpointSet, training: Sequence[int] | None = None) -> Projection:
    """Return the projection of a training on axes whose origin is the last of all checkpoints.

    The checkpoints are not read if the axes are combinations of them.

    Args:
        axes: of the plane.
        checkpoints: of the landscape.
        training: numbers of its checkpoints among these, in order; None: all of them.
    """
    products, last = checkpoints.products, len(checkpoints.points) - 1
    chosen = list(range(last + 1) if training is None else training)
    if axes.combination is not None:
        # Products of the directions before their rounding to float32.
        return combined_projection(products, axes.combination, chosen, is_centred=axes.kind == "pca")
    inner = products_with(checkpoints.rows, last, axes.directions, checkpoints.layout.parameter_count)
    return _projection(products, inner, axes.products, chosen, is_centred=False)


def combined_projection(
    products: Doubles, combination: Doubles, training: Sequence[int], *, is_centred: bool
) -> Projection:
    """Return the projection of a training on a plane that is made from checkpoints, of real ones or of random walks.

    Args:
        products: (T, T), the Gram matrix of the displacements of all checkpoints from the last one.
        combination: (K, T) of the displacements: the directions of the plane.
        training: numbers of its checkpoints among these, in order.
        is_centred: whether the energy is of displacements from the mean.
    """
    inner = products @ combination.T
    return _projection(products, inner, combination @ inner, list(training), is_centred=is_centred)


def _projection(
    products: Doubles, inner: Doubles, of_axes: Doubles, chosen: list[int], *, is_centred: bool
) -> Projection:
    """Return the projection, from products with the directions, shape (T, K), and those of the directions, (K, K)."""
    # Along orthonormal directions of the same plane: x, then the component of y orthogonal to x.
    inner, orthonormal, squares = inner[chosen], (inner @ _orthonormal(of_axes))[chosen], np.diag(products)[chosen]
    off_plane = np.maximum(squares - (orthonormal**2).sum(axis=1), 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        residuals = np.sqrt(off_plane / np.where(squares > 0, squares, np.nan))
    energy = _energy(orthonormal, products_from_last(products, chosen), is_centred=is_centred)
    return Projection(inner @ np.linalg.pinv(of_axes, hermitian=True), residuals, energy)


def _energy(orthonormal: Doubles, products: Doubles, *, is_centred: bool) -> Doubles:
    """Return the shares (K,) of a training from its coordinates along orthonormal directions (T, K)."""
    spread = orthonormal - (orthonormal.mean(axis=0) if is_centred else orthonormal[-1])
    total = products.trace() - (products.sum() / len(products) if is_centred else 0)
    energy: Doubles = (spread**2).sum(axis=0) / total if total > 0 else np.zeros(spread.shape[1])
    return energy


def _orthonormal(products: Doubles) -> Doubles:
    """Return coefficients of orthonormal directions, shape (K, K), one a column; zeros for a dependent direction."""
    coefficients = np.zeros_like(products)
    for k in range(len(products)):
        column = np.eye(len(products))[k]
        for before in coefficients.T[:k]:
            column = column - (before @ products[:, k]) * before
        square = column @ products @ column
        if square > 1e-12 * products[k, k]:
            coefficients[:, k] = column / np.sqrt(square)
    return coefficients
