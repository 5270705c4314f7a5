"""Combinations: the directions of a plane, as combinations of the displacements of checkpoints.

They follow from the Gram matrix of the displacements alone, that of real checkpoints or of random walks.
"""

import numpy as np

from toposcope.recorder.landscapes.weights.gram import Doubles

_MIN_RATIO = 1e-12
"""The least ratio of the second eigenvalue to the first; smaller ones are float32 rounding."""
_MIN_SHARE = 1e-12
"""A share of the squared distance between first and last: closer to the line between them, a checkpoint is on it."""


def combination_of_kind(kind: str, products: Doubles) -> Doubles:
    """Return the directions of axes that are made from checkpoints.

    Args:
        kind: "anchored", "pca", "three-point" or "interpolate".
        products: (T, T), the Gram matrix of the displacements from the last checkpoint.

    Returns:
        (K, T): K is 1 for a line, and if all checkpoints are on one.
    """
    match kind:
        case "three-point":
            return three_point_combination(products)
        case "interpolate":
            return line_combination(products)
    return principal_combination(products, is_centred=kind == "pca")


def principal_combination(products: Doubles, *, is_centred: bool) -> Doubles:
    """Return the leading principal directions, of length one, of displacements or, centred, of these minus their mean.

    The first checkpoint has a positive x, then a positive y; if its coordinate is zero, the next one does.

    Args:
        products: as for combination_of_kind(), not all zero.
        is_centred: whether the mean is subtracted.
    """
    centred = products
    if is_centred:
        centred = products - products.mean(axis=0) - products.mean(axis=1)[:, None] + products.mean()
    values, vectors = np.linalg.eigh(centred)
    values, vectors = values[:-3:-1], vectors[:, :-3:-1].T
    rank = 1 if values[1] <= _MIN_RATIO * values[0] else 2
    # For directions of length one; coefficients from a centred matrix add up to zero.
    combination: Doubles = vectors[:rank] / np.sqrt(values[:rank, None])
    combination *= _signs(products @ combination.T)[:, None]
    return combination


def three_point_combination(products: Doubles, middle: int | None = None) -> Doubles:
    """Return the directions of the plane through the first, a middle and the last checkpoint; see three_point_axes().

    Args:
        products: as for combination_of_kind(); the first and the last checkpoint differ.
        middle: number of the middle one, or None for the best one.

    Raises:
        ValueError: middle cannot be used.
    """
    first, across, last = products[0], _across(products), len(products) - 1
    candidates = [j for j in range(1, last) if across[j, j] > _MIN_SHARE * first[0]]
    if middle is None and candidates:
        # The part of all squared distances from the line that is along the direction to j: the plane is closest for the
        # largest.
        middle = max(candidates, key=lambda j: ((across[j] ** 2).sum() / across[j, j], -j))
    elif middle is not None and middle not in candidates:
        raise ValueError(f"The middle one of {last + 1} checkpoints is one of {candidates}, not {middle!r}.")
    combination = np.zeros((1 if middle is None else 2, last + 1))
    combination[0, 0] = 1 / np.sqrt(first[0])
    if middle is not None:
        combination[1, [0, middle]] = np.array([-first[middle] / first[0], 1]) / np.sqrt(across[middle, middle])
    return combination


def line_combination(products: Doubles) -> Doubles:
    """Return the direction from the last checkpoint to the first one, which is at 1."""
    combination = np.zeros((1, len(products)))
    combination[0, 0] = 1
    return combination


def _across(products: Doubles) -> Doubles:
    """Return the Gram matrix of the components of displacements orthogonal to the first one."""
    if products[0, 0] <= 0:
        return products
    across: Doubles = products - np.outer(products[0], products[0]) / products[0, 0]
    return across


def _signs(coordinates: Doubles) -> Doubles:
    """Return +1 or -1 for each axis (K,), so that the first nonzero coordinate of a checkpoint becomes positive.

    Args:
        coordinates: (T, K).
    """
    is_nonzero = np.abs(coordinates) > 1e-6 * np.abs(coordinates).max(axis=0)
    first = coordinates[np.argmax(is_nonzero, axis=0), np.arange(coordinates.shape[1])]
    return np.where(first < 0, -1.0, 1.0)
