"""Hessian axes: the directions in which the loss is curved most."""

import numpy as np

from toposcope.recorder.landscapes.planes.axes import Axes, axes_along
from toposcope.recorder.landscapes.planes.curvature import Eigenvalues, HessianProduct, hessian_eigenvalues
from toposcope.recorder.landscapes.weights.gram import Float32s
from toposcope.recorder.landscapes.weights.layout import Layout


def hessian_axes(
    origin: Float32s, layout: Layout, product: HessianProduct, loss: float, *, is_saddle: bool = False, seed: int = 0
) -> tuple[Axes, Eigenvalues]:
    """Return the plane of two eigenvectors of the Hessian at a model, "hessian" or "saddle", and the eigenvalues.

    It shows how sharp the loss is, not where the training went: nearly nothing of the path lies on it. Random planes
    hide saddles, which that of the largest and the smallest eigenvalue shows (Boettcher and Wheeler, 2022,
    https://arxiv.org/abs/2208.13219). The directions are orthogonal, and so long that at a distance of one the loss
    would have changed by its own absolute value if it were quadratic, but no longer than the weights are. Each has its
    largest number positive. Buffers stay as they are.

    Args:
        origin: (N,), the model.
        layout: of it.
        product: the Hessian at the origin times a vector of what is trained.
        loss: at the origin.
        is_saddle: whether the second direction is that of the smallest eigenvalue, not of the second largest.
        seed: of the vector at which the search begins.

    Raises:
        ValueError: a product is not finite, or the loss has no second direction of curvature.
    """
    largest, smallest = (1, 1) if is_saddle else (2, 0)
    found = hessian_eigenvalues(product, layout.parameter_count, largest=largest, smallest=smallest, seed=seed)
    if len(found.values) < 2:
        raise ValueError("The Hessian has one eigenvalue only that can be found: the loss is the same in all others.")
    longest = float(np.linalg.norm(origin[: layout.parameter_count].astype(np.float64))) or 1.0
    directions = np.zeros((2, layout.size), np.float32)
    for direction, value, vector in zip(directions, found.values, found.vectors, strict=True):
        wanted = np.sqrt(2 * abs(loss) / abs(value)) if loss and value else longest
        sign = -1 if vector[np.argmax(np.abs(vector))] < 0 else 1
        direction[: layout.parameter_count] = vector * np.float32(sign * min(wanted, longest))
    return axes_along("saddle" if is_saddle else "hessian", origin, directions, None, layout), found
