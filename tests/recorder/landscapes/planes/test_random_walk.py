"""Random walks, and paths that are not random walks."""

import numpy as np
import pytest

from toposcope.recorder.landscapes.planes.projection import Projection
from toposcope.recorder.landscapes.planes.random_walk import is_random_walk, random_walk
from toposcope.recorder.landscapes.weights.gram import Doubles


def products_of(path: Doubles) -> Doubles:
    """Return the Gram matrix of displacements from the last point."""
    displacements = path - path[-1]
    return displacements @ displacements.T


def walk(points: int, size: int, seed: int = 0) -> Doubles:
    """Return a random walk."""
    return np.cumsum(np.random.default_rng(seed).normal(size=(points, size)), axis=0)


def energy_of(products: Doubles, *, is_centred: bool = False) -> Doubles:
    """Return the shares of the two largest eigenvalues."""
    if is_centred:
        products = products - products.mean(axis=0) - products.mean(axis=1)[:, None] + products.mean()
    values = np.linalg.eigvalsh(products)[::-1]
    return values[:2] / values.sum()


def is_walk(path: Doubles) -> bool:
    """Return whether a path is classified as a random walk."""
    return is_random_walk(products_of(path))


def expected(path: Doubles, kind: str = "anchored") -> Projection:
    """Return the projection that is expected of a random walk in place of a path, on its own plane."""
    return random_walk(kind, products_of(path), range(len(path))).expected()


@pytest.mark.parametrize(
    ("points", "centred", "anchored"), [(5, 0.84, 0.93), (10, 0.78, 0.91), (30, 0.76, 0.90), (150, 0.76, 0.90)]
)
def test_energies_of_equal_steps_are_those_of_theory(points: int, centred: float, anchored: float) -> None:
    """As simulated; the limits are sums of 1 / k^2."""
    path = np.cumsum(np.eye(points), axis=0)

    assert expected(path, "pca").energy.sum() == pytest.approx(centred, abs=0.006)
    assert expected(path).energy.sum() == pytest.approx(anchored, abs=0.006)
    if points == 150:
        limit = 6 / np.pi**2
        assert np.allclose(expected(path, "pca").energy, [limit, limit / 4], atol=1e-3)
        assert np.allclose(expected(path).energy, [8 / np.pi**2, 8 / np.pi**2 / 9], atol=1e-3)


def test_walks_of_many_dimensions_are_as_expected() -> None:
    """Energies and residuals, with steps of any lengths."""
    path = np.cumsum(np.diff(walk(26, 10_000), axis=0) * np.geomspace(1, 0.1, 25)[:, None], 0)
    products = products_of(path)

    assert np.allclose(energy_of(products), expected(path).energy, atol=0.01)
    assert np.allclose(energy_of(products, is_centred=True), expected(path, "pca").energy, atol=0.01)
    values, vectors = np.linalg.eigh(products)
    on_plane = (vectors[:, -2:] ** 2 * values[-2:]).sum(axis=1)
    residuals = np.sqrt(1 - on_plane[:-1] / np.diag(products)[:-1])
    assert np.allclose(residuals, expected(path).residuals[:-1], atol=0.03)
    assert np.isnan(expected(path).residuals[-1])
    assert np.nanmedian(expected(np.cumsum(np.eye(30), axis=0)).residuals) == pytest.approx(0.31, abs=0.02)


@pytest.mark.parametrize("size", [50, 1000, 10_000])
@pytest.mark.parametrize("points", [4, 10, 31])
def test_random_walks_are_flagged(size: int, points: int) -> None:
    """Nearly all of them."""
    flagged = [is_walk(walk(points, size, seed)) for seed in range(10)]
    assert sum(flagged) >= 9


def test_walks_with_shrinking_or_skew_steps_are_flagged() -> None:
    """As with a learning rate that decays, or noise that is stronger in some directions."""
    shrinking = np.cumsum(np.diff(walk(32, 1000), axis=0) * np.geomspace(1, 0.05, 31)[:, None], axis=0)
    assert is_walk(shrinking)
    assert is_walk(walk(31, 1000) * np.geomspace(1, 0.01, 1000))


def test_paths_with_a_direction_are_not_flagged() -> None:
    """Straight, curved, noisy, of few points, back and forth."""
    random = np.random.default_rng(0)
    angles = np.linspace(0, np.pi / 2, 31)
    curved = np.zeros((31, 500))
    curved[:, 0], curved[:, 1] = np.cos(angles), np.sin(angles)
    straight = np.linspace(0, 1, 31)[:, None] * random.normal(size=500)
    assert not is_walk(straight)
    assert not is_walk(straight[:3])
    assert not is_walk(curved)
    assert not is_walk(curved + 0.01 * random.normal(size=curved.shape))
    assert not is_walk(np.cumsum(np.diff(walk(32, 500), axis=0) + 0.7 * random.normal(size=500), axis=0))
    assert not is_walk(random.normal(size=(31, 500)))
    descent = np.array([[0.9**step, 0.5**step] for step in range(20)]) @ random.normal(size=(2, 500))
    assert not is_walk(descent)


def test_few_noisy_steps_that_all_go_one_way_are_not_flagged() -> None:
    """Any two steps of a real training of ten epochs have a cosine of about 0.3."""
    for seed in range(10):
        random = np.random.default_rng(seed)
        steps = random.normal(size=(9, 5000)) + 0.65 * random.normal(size=5000)
        assert not is_walk(np.cumsum(steps * np.geomspace(1, 0.3, 9)[:, None], axis=0))


def test_two_points_are_inconclusive() -> None:
    """Any two points are on a plane; the same is true if the weights move only once."""
    assert is_walk(walk(2, 100))
    assert is_walk(np.repeat(walk(2, 100), 3, axis=0))
