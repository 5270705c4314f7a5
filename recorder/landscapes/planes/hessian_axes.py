"""Hessian axes: the directions of the largest curvature of the loss."""

import numpy as np

from toposcope.recorder.landscapes.planes.axes import Axes, axes_along
from toposcope.recorder.landscapes.planes.curvature import Eigenvalues, HessianProduct, hessian_eigenvalues
from toposcope.recorder.landscapes.weights.gram import Float32s
from toposcope.recorder.landscapes.weights.layout import Layout


def hessian_axes(
    origin: Float32s, layout: Layout, product: HessianProduct, loss: float, *, is_saddle: bool = False, seed: int = 0
) -> tuple[Axes, Eigenvalues]:
    """Return the plane of two eigenvectors of the Hessian at a model, "hessian" or "saddle", and the eigenvalues.

    The plane shows how sharp the loss is, not where the training went: nearly nothing of the path is on it. Random
    planes hide saddles, which the plane of the largest and the smallest eigenvalue shows (Boettcher and Wheeler, 2022,
    https://arxiv.org/abs/2208.13219). The directions are orthogonal. At a distance of one along each, a quadratic loss
    would have changed by its own absolute value; but no direction is longer than the weights. The number with the
    largest absolute value in each direction is positive. Buffers do not move.

    Args:
        origin: (N,), the model.
        layout: of the model.
        product: the Hessian at the origin times a vector of what is trained.
        loss: at the origin.
        is_saddle: whether the second direction belongs to the smallest eigenvalue instead of the second largest.
        seed: of the start vector of the search.

    Raises:
        ValueError: a product is not finite, or there is no second eigenvalue.
    """
    largest, smallest = (1, 1) if is_saddle else (2, 0)
    eigenvalues = hessian_eigenvalues(product, layout.parameter_count, largest=largest, smallest=smallest, seed=seed)
    if len(eigenvalues.values) < 2:
        raise ValueError("The Hessian has only one distinct eigenvalue: there is no second direction of curvature.")
    longest = float(np.linalg.norm(origin[: layout.parameter_count].astype(np.float64))) or 1.0
    directions = np.zeros((2, layout.size), np.float32)
    for direction, value, vector in zip(directions, eigenvalues.values, eigenvalues.vectors, strict=True):
        length = np.sqrt(2 * abs(loss) / abs(value)) if loss and value else longest
        sign = -1 if vector[np.argmax(np.abs(vector))] < 0 else 1
        direction[: layout.parameter_count] = vector * np.float32(sign * min(length, longest))
    return axes_along("saddle" if is_saddle else "hessian", origin, directions, None, layout), eigenvalues
