"""Eigenvalues of a Hessian from its products with vectors."""

import numpy as np
import pytest
import torch

from toposcope.recorder.landscapes.planes.curvature import curvatures_along, hessian_eigenvalues
from toposcope.recorder.landscapes.weights.gram import Doubles, Float32s

SIZE = 300


def symmetric(values: Doubles) -> Doubles:
    """Return a matrix with these eigenvalues."""
    vectors = np.linalg.qr(np.random.default_rng(0).normal(size=(values.size, values.size)))[0]
    matrix: Doubles = vectors * values @ vectors.T
    return matrix


class Product:
    """Products with a matrix, with a count of calls."""

    def __init__(self, matrix: Doubles) -> None:
        self.matrix = matrix.astype(np.float32)
        self.count = 0

    def __call__(self, vector: Float32s) -> Float32s:
        """Return one."""
        self.count += 1
        product: Float32s = self.matrix @ vector
        return product


def test_extreme_eigenvalues_are_found() -> None:
    """Within 1 %, in fewer products than a landscape has nodes; residuals bound the errors."""
    values = np.concatenate([np.random.default_rng(1).exponential(0.05, SIZE - 4), [7.2, 3.1, -0.4, -0.9]])
    product = Product(symmetric(values))
    eigenvalues = hessian_eigenvalues(product, SIZE, largest=2, smallest=2)

    assert np.allclose(eigenvalues.values, [7.2, 3.1, -0.9, -0.4], atol=0.01 * 7.2)
    assert (np.abs(eigenvalues.values - [7.2, 3.1, -0.9, -0.4]) <= eigenvalues.residuals + 1e-5).all()
    assert (eigenvalues.residuals <= 0.01 * 7.2).all()
    assert eigenvalues.products == product.count <= 60
    assert np.allclose(eigenvalues.vectors @ eigenvalues.vectors.T, np.eye(4), atol=1e-4)
    off = eigenvalues.vectors @ product.matrix - eigenvalues.values[:, None] * eigenvalues.vectors
    assert np.allclose(np.linalg.norm(off, axis=1), eigenvalues.residuals, atol=2e-4)


def test_largest_eigenvalue_of_a_network_is_that_of_its_whole_hessian() -> None:
    """Within 1 %."""
    random = torch.Generator().manual_seed(0)
    x, labels = torch.randn(64, 5, generator=random), torch.randint(3, (64,), generator=random)
    weights = torch.randn(5 * 8 + 8 * 3, generator=random)

    def loss(flat: torch.Tensor) -> torch.Tensor:
        hidden = torch.tanh(x @ flat[:40].reshape(5, 8))
        return torch.nn.functional.cross_entropy(hidden @ flat[40:].reshape(8, 3), labels)

    def product(vector: Float32s) -> Float32s:
        result: Float32s = torch.autograd.functional.hvp(loss, weights, torch.from_numpy(vector))[1].numpy()
        return result

    hessian = torch.autograd.functional.hessian(loss, weights).numpy().astype(np.float64)
    expected = np.linalg.eigvalsh(hessian)
    eigenvalues = hessian_eigenvalues(product, 64, largest=1, smallest=1)
    assert eigenvalues.values[0] == pytest.approx(expected[-1], rel=0.01)
    assert eigenvalues.values[1] == pytest.approx(expected[0], abs=0.01 * expected[-1])


def test_rounding_neither_hides_nor_repeats_an_eigenvalue() -> None:
    """All eigenvalues of a small matrix; of equal ones, one is found, since Lanczos' method cannot distinguish them."""
    values = np.array([5, 4, 3, 2, 1, 0.5, 0.25, -1])
    eigenvalues = hessian_eigenvalues(Product(symmetric(values)), 8, largest=7, smallest=1)
    assert np.allclose(eigenvalues.values, [*values[:7], -1], atol=1e-4)
    assert (eigenvalues.residuals < 1e-3).all()

    twice = hessian_eigenvalues(Product(np.diag([2.0, 2.0, 1.0, 1.0])), 4, largest=2)
    assert np.allclose(twice.values, [2, 1], atol=1e-4)
    flat = hessian_eigenvalues(Product(np.zeros((5, 5))), 5, largest=2, smallest=1)
    assert flat.values.tolist() == [0]
    assert flat.products == 1


def test_same_seed_gives_the_same_bits() -> None:
    """Eigenvalues that have not converged have their residuals."""
    product = Product(symmetric(np.linspace(-1, 1, SIZE)))
    first, second = (hessian_eigenvalues(product, SIZE, most_products=5) for _ in range(2))
    assert np.array_equal(first.vectors, second.vectors)
    assert first.products == 5
    assert first.residuals[0] > 0.01
    assert abs(first.values[0] - 1) > 1e-4
    assert not np.array_equal(first.vectors, hessian_eigenvalues(product, SIZE, most_products=5, seed=1).vectors)


def test_curvatures_are_second_derivatives_per_length() -> None:
    """They do not depend on the lengths of the directions."""
    matrix = symmetric(np.linspace(-1, 5, 20))
    random = np.random.default_rng(0)
    directions = np.concatenate([100 * random.normal(size=(2, 20)), np.zeros((1, 20))]).astype(np.float32)
    curvatures = curvatures_along(Product(matrix), directions)

    expected = [direction @ matrix @ direction / (direction @ direction) for direction in directions[:2]]
    assert np.allclose(curvatures[:2], expected, rtol=1e-4)
    assert np.isnan(curvatures[2])
    infinite = np.full(20, np.inf, np.float32)
    assert np.isnan(curvatures_along(lambda _: infinite, directions[:1])).all()


def test_bad_hessians_are_refused() -> None:
    """Not finite; more eigenvalues than there are."""
    with pytest.raises(ValueError, match="not finite: the loss is not smooth"):
        hessian_eigenvalues(lambda vector: vector * np.float32(np.nan), 3)
    for largest in (0, 4):
        with pytest.raises(ValueError, match=f"has 1 to 3 eigenvalues, not {largest}"):
            hessian_eigenvalues(Product(np.eye(3)), 3, largest=largest)
