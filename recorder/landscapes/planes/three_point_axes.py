"""Three-point axes: the plane through three checkpoints."""

import numpy as np

from toposcope.recorder.landscapes.planes.axes import Axes, axes_of_combination
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet
from toposcope.recorder.landscapes.weights.gram import Doubles

_MIN_SHARE = 1e-12
"""Of the squared distance between first and last: checkpoints closer to the line between them count as on it."""


def three_point_axes(checkpoints: CheckpointSet, middle: int | None = None, seed: int = 0) -> Axes:
    """Return the plane through the first, a middle and the last checkpoint.

    The x axis points from the last to the first one; y is orthogonal to it, and positive for the middle one. Both
    directions have length one in the trained weights, and the buffers of the three are exact too.

    Args:
        checkpoints: at least three.
        middle: number of the middle one; None: the one whose plane has the least sum of squared distances from all
            others, the earliest of equally good ones.
        seed: of the random second direction, used if all are on a line.

    Raises:
        ValueError: the first and the last one are equal, middle cannot be used, or weights are not finite.
    """
    products, last = checkpoints.products, len(checkpoints.points) - 1
    first, across = products[0], _across(products)
    if first[0] <= 0:
        raise ValueError("A plane through three checkpoints needs a first and a last one that differ.")
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
    return axes_of_combination("three-point", checkpoints, combination, seed)


def _across(products: Doubles) -> Doubles:
    """Return the Gram matrix of the components of displacements orthogonal to the first one."""
    if products[0, 0] <= 0:
        return products
    across: Doubles = products - np.outer(products[0], products[0]) / products[0, 0]
    return across
