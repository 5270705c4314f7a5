"""Curvature: the extreme eigenvalues of the Hessian of the loss, and its second derivatives along the axes."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from toposcope.recorder.landscapes.weights.gram import Doubles, Float32s, inner_products, linear_combinations

HessianProduct = Callable[[Float32s], Float32s]
_ROUNDING = 1e-5
"""The rounding of float32 products, relative to the largest eigenvalue."""
_TOLERANCE = 1e-3
"""The limit of residuals, relative to the largest absolute eigenvalue: a larger one may miss extreme eigenvalues."""


class Eigenvalues(NamedTuple):
    """Eigenvalues of a Hessian, computed by Lanczos' method."""

    values: Doubles
    """The largest ones, descending, then the smallest ones, ascending."""
    residuals: Doubles
    """|H v - value v| for each, where v has length one: there is an eigenvalue within that distance."""
    vectors: Float32s
    """The vectors v, one a row."""
    products: int
    """The number of products with the Hessian that were computed."""


def hessian_eigenvalues(
    product: HessianProduct,
    size: int,
    *,
    largest: int = 1,
    smallest: int = 0,
    most_products: int = 100,
    seed: int = 0,
) -> Eigenvalues:
    """Return the extreme eigenvalues of a symmetric matrix, from its products with vectors.

    Lanczos' method (1950), with each vector orthogonalised twice against all before it, so that rounding neither hides
    nor repeats an eigenvalue. It stores at most twice as many vectors as it computes products. SciPy's eigsh computes
    two to five times as many products at the same tolerance, and reports no residuals of what has not converged.

    Args:
        product: H times a vector, float32 (size,) -> (size,).
        size: the number of trained parameters.
        largest: how many of the largest eigenvalues to compute.
        smallest: how many of the smallest.
        most_products: limit of the number of products; the results are then returned with their residuals.
        seed: of the random start vector.

    Raises:
        ValueError: a product is not finite, or the number of eigenvalues is zero or larger than size.
    """
    number = largest + smallest
    if not 1 <= number <= size:
        raise ValueError(f"A Hessian of {size} parameters has 1 to {size} eigenvalues, not {number}.")
    basis = np.random.default_rng(seed).standard_normal((1, size), np.float32)
    basis /= _length(basis[0])
    diagonal: list[float] = []
    off_diagonal: list[float] = []
    while True:
        count = len(diagonal) + 1
        vectors_so_far = basis[:count]
        image = np.asarray(product(vectors_so_far[-1]), np.float32)
        if not np.isfinite(image).all():
            raise ValueError("The product of the Hessian with a vector is not finite: the loss is not smooth there.")
        diagonal.append(float(inner_products(vectors_so_far[-1:], image[None])[0, 0]))
        for _ in range(2):
            image = image - linear_combinations(inner_products(image[None], vectors_so_far), vectors_so_far)[0]
        off_diagonal.append(_length(image))
        values, vectors = np.linalg.eigh(
            np.diag(diagonal) + np.diag(off_diagonal[:-1], 1) + np.diag(off_diagonal[:-1], -1)
        )
        scale = np.abs(values).max()
        # Only rounding is left: the vectors span an invariant space.
        is_closed = off_diagonal[-1] <= _ROUNDING * scale or count == size
        chosen = [*range(count - 1, count - 1 - largest, -1), *range(smallest)]
        chosen = [i for i in dict.fromkeys(chosen) if 0 <= i < count]
        residuals = off_diagonal[-1] * np.abs(vectors[-1, chosen])
        has_converged = count > number and bool((residuals <= _TOLERANCE * scale).all())
        if has_converged or is_closed or count >= most_products:
            return Eigenvalues(
                values[chosen], residuals, linear_combinations(vectors[:, chosen].T, vectors_so_far), count
            )
        if count == len(basis):
            basis = np.concatenate([basis, np.empty_like(basis)])
        basis[count] = image / np.float32(off_diagonal[-1])


def curvatures_along(product: HessianProduct, directions: Float32s) -> Doubles:
    """Return the second derivatives of the loss along directions (K, N), per unit of length: d' H d / d' d, shape (K,).

    They are between the smallest and the largest eigenvalue of the Hessian; NaN for a direction without length, and
    where the product of the Hessian with the direction is not finite.
    """
    curvatures = np.full(len(directions), np.nan)
    for k, direction in enumerate(directions):
        if length := _length(direction):
            unit = direction / np.float32(length)
            image = np.asarray(product(unit), np.float32)
            if np.isfinite(image).all():
                curvatures[k] = inner_products(unit[None], image[None])[0, 0]
    return curvatures


def _length(vector: Float32s) -> float:
    return float(np.sqrt(inner_products(vector[None], vector[None])[0, 0]))
