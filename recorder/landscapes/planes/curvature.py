"""Curvature: the extreme eigenvalues of the Hessian of the loss, and the second derivatives along the axes."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from toposcope.recorder.landscapes.weights.gram import Doubles, Float32s, inner_products, linear_combinations

HessianProduct = Callable[[Float32s], Float32s]
_ROUNDING = 1e-5
"""Of float32 products, as a share of the largest eigenvalue."""


class Eigenvalues(NamedTuple):
    """Eigenvalues of a Hessian, as Lanczos' method finds them."""

    values: Doubles
    """The largest ones, descending, then the smallest ones, ascending."""
    residuals: Doubles
    """|H v - value v| of each, for a v of length one: the nearest eigenvalue is no farther away."""
    vectors: Float32s
    """The v, a row each."""
    products: int
    """How many products with the Hessian that took."""


def hessian_eigenvalues(
    product: HessianProduct,
    size: int,
    *,
    largest: int = 1,
    smallest: int = 0,
    tolerance: float = 1e-3,
    most_products: int = 100,
    seed: int = 0,
) -> Eigenvalues:
    """Return the extreme eigenvalues of a symmetric matrix of which only products with vectors are known.

    Lanczos' method (1950), each vector made orthogonal to all before it, twice: rounding then neither hides nor repeats
    an eigenvalue. It holds twice as many vectors as it takes products, at most.

    Args:
        product: H times a vector, float32 (size,) -> (size,).
        size: how many parameters are trained.
        largest: how many of the largest eigenvalues are wanted.
        smallest: how many of the smallest.
        tolerance: residuals are to be smaller than this share of the largest absolute eigenvalue. With a larger one it
            may stop at an eigenvalue before it has seen the one beyond.
        most_products: what is found after so many products is returned with its residuals.
        seed: of the random vector at which it begins.

    Raises:
        ValueError: a product is not finite, or no eigenvalue is wanted, or more than there are.
    """
    wanted = largest + smallest
    if not 1 <= wanted <= size:
        raise ValueError(f"A Hessian of {size} parameters has 1 to {size} eigenvalues; {wanted} are wanted.")
    basis = np.random.default_rng(seed).standard_normal((1, size), np.float32)
    basis /= _length(basis[0])
    diagonal: list[float] = []
    beside: list[float] = []
    while True:
        count = len(diagonal) + 1
        known = basis[:count]
        image = np.asarray(product(known[-1]), np.float32)
        if not np.isfinite(image).all():
            raise ValueError("The product of the Hessian with a vector is not finite: the loss is not smooth there.")
        diagonal.append(float(inner_products(known[-1:], image[None])[0, 0]))
        for _ in range(2):
            image = image - linear_combinations(inner_products(image[None], known), known)[0]
        beside.append(_length(image))
        values, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(beside[:-1], 1) + np.diag(beside[:-1], -1))
        scale = np.abs(values).max()
        # What is left is rounding: the space that was reached is closed.
        is_closed = beside[-1] <= _ROUNDING * scale or count == size
        chosen = [*range(count - 1, count - 1 - largest, -1), *range(smallest)]
        chosen = [i for i in dict.fromkeys(chosen) if 0 <= i < count]
        residuals = beside[-1] * np.abs(vectors[-1, chosen])
        is_found = count > wanted and bool((residuals <= tolerance * scale).all())
        if is_found or is_closed or count >= most_products:
            return Eigenvalues(values[chosen], residuals, linear_combinations(vectors[:, chosen].T, known), count)
        if count == len(basis):
            basis = np.concatenate([basis, np.empty_like(basis)])
        basis[count] = image / np.float32(beside[-1])


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
