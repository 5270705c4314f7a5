"""Random walks in place of several trainings on one plane."""

import numpy as np
import pytest

from toposcope.recorder.landscapes.planes.combination import combination_of_kind
from toposcope.recorder.landscapes.planes.projection import Projection, combined_projection
from toposcope.recorder.landscapes.planes.random_walk import is_random_walk_among, random_walk
from toposcope.recorder.landscapes.weights.checkpoint_set import products_from_last
from toposcope.recorder.landscapes.weights.gram import Doubles

SIZE = 20_000
Paths = list[Doubles]


def walks(distance: float = 0, size: int = SIZE, seed: int = 0, decay: float = 1.0) -> Paths:
    """Return three random walks, whose starts are apart by random vectors and whose steps shrink to *decay*."""
    random = np.random.default_rng(seed)
    paths = []
    for steps in (19, 11, 15):
        moves = random.normal(size=(steps + 1, size))
        moves[0] *= distance
        moves[1:] *= np.geomspace(1, decay, steps)[:, None]
        paths.append(np.cumsum(moves, axis=0))
    return paths


def numbered(paths: Paths) -> tuple[Doubles, list[list[int]]]:
    """Return the Gram matrix of the points from the last one of the first path, which is last, and their numbers."""
    own, *others = paths
    rows = np.concatenate([*(path[::-1] for path in others), own])
    ends = np.cumsum([len(path) for path in others])
    numbers = [list(range(end - len(path), end))[::-1] for path, end in zip(others, ends, strict=True)]
    displacements = rows - rows[-1]
    return displacements @ displacements.T, [list(range(len(rows) - len(own), len(rows))), *numbers]


def shown(paths: Paths, kind: str) -> list[Projection]:
    """Return the paths on their joint plane."""
    products, trainings = numbered(paths)
    combination = combination_of_kind(kind, products)
    return [combined_projection(products, combination, each, is_centred=kind == "pca") for each in trainings]


def expected(paths: Paths, kind: str = "anchored") -> list[Projection]:
    """Return for each path the projection that is expected of a random walk in its place."""
    products, trainings = numbered(paths)
    return [random_walk(kind, products, each).expected() for each in trainings]


def are_walks(paths: Paths) -> list[bool]:
    """Return for each path on the joint plane whether it is classified as a random walk."""
    products, trainings = numbered(paths)
    combination = combination_of_kind("anchored", products)
    found = []
    for each in trainings:
        energy = combined_projection(products, combination, each, is_centred=False).energy.sum()
        walk = random_walk("anchored", products, each)
        found.append(is_random_walk_among(walk, products_from_last(products, each), energy))
    return found


@pytest.mark.parametrize("kind", ["anchored", "pca", "three-point", "interpolate"])
@pytest.mark.parametrize("distance", [0, 15], ids=["a common start", "different starts"])
def test_walks_on_a_joint_plane_are_as_expected(kind: str, distance: float) -> None:
    """Energies and residuals of simulated walks; on average far less energy than on the best plane of each."""
    paths = walks(distance, decay=0.3)

    joint = expected(paths, kind)
    for walk, each in zip(joint, shown(paths, kind), strict=True):
        assert walk.energy.sum() == pytest.approx(each.energy.sum(), abs=0.03)
        assert np.nanmedian(walk.residuals) == pytest.approx(np.nanmedian(each.residuals), abs=0.03)
    alone = [expected([path], kind)[0].energy.sum() for path in paths]
    assert np.mean([walk.energy.sum() for walk in joint]) < np.mean(alone) - 0.1


def test_energy_beside_other_walks_is_that_of_simulated_ones() -> None:
    """The mean over walks in 2,000 dimensions, whose other paths differ each time."""
    energies = np.array(
        [[each.energy.sum() for each in shown(walks(size=2000, seed=seed), "anchored")] for seed in range(40)]
    )
    predicted = [each.energy.sum() for each in expected(walks(size=2000))]
    assert np.allclose(energies.mean(axis=0), predicted, atol=0.03)
    assert max(predicted) < 0.85


@pytest.mark.parametrize("size", [100, 1000, 20_000])
@pytest.mark.parametrize("distance", [0, 15], ids=["a common start", "different starts"])
def test_walks_are_flagged_on_their_joint_plane(size: int, distance: float) -> None:
    """Nearly all of them, although their energy is far from that of a walk on its own plane."""
    flagged = [is_walk for seed in range(2) for is_walk in are_walks(walks(distance, size, seed))]
    assert sum(flagged) >= 5


def test_training_beside_a_walk_is_not_flagged_and_the_walk_is() -> None:
    """Each path is judged on its own, on the plane of both."""
    walk = walks()[0]
    straight = np.linspace(0, 5, 20)[:, None] * np.random.default_rng(1).normal(size=SIZE)
    assert are_walks([straight, walk]) == [False, True]
    assert are_walks([walk, straight]) == [True, False]


def test_two_trainings_in_one_direction_are_not_flagged() -> None:
    """From different starts, with noise."""
    random = np.random.default_rng(2)
    direction = random.normal(size=SIZE)
    paths = [walk + np.linspace(0, 15, len(walk))[:, None] * direction for walk in walks(15)]
    assert not any(are_walks(paths))
