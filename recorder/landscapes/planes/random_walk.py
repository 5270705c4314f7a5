"""RandomWalk: a path without any direction in place of a training, and whether the training differs from one.

The principal components of a random walk look like a path with a purpose: two of them contain most of its energy, in
any number of dimensions (Antognini and Sohl-Dickstein, 2018, https://arxiv.org/abs/1806.08805). A high energy therefore
means little until it is compared with that of a walk with as many points, on a plane that is made in the same way: on
one of several trainings, a walk has less energy than on its own best plane.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from toposcope.recorder.landscapes.planes.combination import combination_of_kind
from toposcope.recorder.landscapes.planes.projection import Projection, combined_projection
from toposcope.recorder.landscapes.weights.gram import Doubles

_MIN_DIFFERENCE = 0.02
"""The least difference between energies that matters in a picture."""
_MIN_COSINE, _MAX_COSINE = 0.1, 0.3
"""Bounds of the limit for the mean cosine between successive steps of a random walk."""
_DEVIATIONS = 3.0
_SIMULATIONS = 32


class RandomWalk(NamedTuple):
    """A random walk in place of one training: from its start, with steps of its lengths, in random directions.

    Other trainings on the plane stay as they are, and the plane is fitted to them and the walk.
    """

    kind: str
    """The kind of the axes, which are made from checkpoints."""
    training: list[int]
    """Numbers of its checkpoints among the T of the landscape, in order; that of the origin is T - 1."""
    of_start: Doubles
    """(T, T): the Gram matrix of all checkpoints, with those of the training at its start, from any origin."""
    lengths: Doubles
    """(S,): of the steps."""
    contains: Doubles
    """(T, S): 1 for the steps between the start and a checkpoint of the training, else 0."""

    def expected(self) -> Projection:
        """Return the walk on its plane in a space of many dimensions, without a simulation.

        Its steps are then orthogonal to each other and to all displacements of other trainings.
        """
        return self._on_plane(self.of_start + (self.contains * self.lengths**2) @ self.contains.T)

    def simulated(self, random: np.random.Generator, dimensions: float) -> Projection:
        """Return a walk on its plane in a space of so many dimensions."""
        squares, vectors = np.linalg.eigh(self.of_start)
        count = max(1, min(round(dimensions), len(squares)))
        points = vectors[:, -count:] * np.sqrt(np.maximum(squares[-count:], 0))
        # In the dimensions of the other trainings, and in the others.
        within = random.normal(size=(self.lengths.size, count))
        beyond = _normal_vectors(random, self.lengths.size, dimensions - count)
        scale = self.lengths / np.sqrt((within**2).sum(axis=1) + (beyond**2).sum(axis=1))
        points = points + self.contains @ (within * scale[:, None])
        off = self.contains @ (beyond * scale[:, None])
        return self._on_plane(points @ points.T + off @ off.T)

    def _on_plane(self, products: Doubles) -> Projection:
        """Return the walk on a plane that is fitted as that of the landscape."""
        products = products - products[:, -1:] - products[-1:] + products[-1, -1]
        combination = combination_of_kind(self.kind, products)
        return combined_projection(products, combination, self.training, is_centred=self.kind == "pca")


def random_walk(kind: str, products: Doubles, training: Sequence[int]) -> RandomWalk:
    """Return a random walk in place of a training.

    Args:
        kind: of the axes: "anchored", "pca", "three-point" or "interpolate".
        products: (T, T), the Gram matrix of the displacements of all checkpoints from the last one.
        training: numbers of its checkpoints, in the order of the training.
    """
    numbers, chosen = np.arange(len(products)), list(training)
    numbers[chosen] = chosen[0]
    contains = np.zeros((len(products), len(chosen) - 1))
    contains[chosen[1:]] = np.tri(len(chosen) - 1)
    squares = np.diag(_step_products(products[np.ix_(chosen, chosen)]))
    return RandomWalk(kind, chosen, products[np.ix_(numbers, numbers)], np.sqrt(np.maximum(squares, 0)), contains)


def is_random_walk(products: Doubles) -> bool:
    """Return whether a path cannot be distinguished from a random walk, on any plane.

    It can be distinguished if its steps have a direction, or if the energies of its principal axes differ from a walk's
    by more than three standard deviations of a walk's (and by more than 2 %). The effect of chance depends on the
    number of dimensions, which is estimated from how much the directions of the steps differ from right angles.

    Args:
        products: (T, T), the Gram matrix of the displacements of the path from its last point.
    """
    dimensions = _dimensions_of_walk(products)
    if dimensions is None:
        return False
    if np.isinf(dimensions):
        return True
    energy = np.linalg.eigvalsh(products)[:-3:-1] / np.trace(products)
    expected, deviations = _principal_energies(products, dimensions)
    return bool((np.abs(energy - expected) <= _MIN_DIFFERENCE + _DEVIATIONS * deviations).all())


def is_random_walk_among(walk: RandomWalk, products: Doubles, energy: float) -> bool:
    """Return whether a path cannot be distinguished from a random walk on a plane of several trainings.

    As is_random_walk(), with the energy on this plane in place of the energies of the path's own principal axes.

    Args:
        walk: in place of the training.
        products: (T, T), the Gram matrix of the displacements of the path from its last point.
        energy: the share of its squared displacements on the plane.
    """
    dimensions = _dimensions_of_walk(products)
    if dimensions is None:
        return False
    if np.isinf(dimensions):
        return True
    random = np.random.default_rng(0)
    energies = [walk.simulated(random, dimensions).energy.sum() for _ in range(_SIMULATIONS)]
    return bool(abs(energy - np.mean(energies)) <= _MIN_DIFFERENCE + _DEVIATIONS * np.std(energies, ddof=1))


def _dimensions_of_walk(products: Doubles) -> float | None:
    """Return the number of dimensions of a walk, infinite for a single step; None if the steps have a direction.

    They have one if successive steps are correlated more than a walk's are by chance, or if all have one in common.
    """
    cosines = _step_cosines(products)
    count = len(cosines)
    if count < 2:
        return float("inf")  # From one step, nothing can be concluded.
    pairs = cosines[np.triu_indices(count, 1)]
    dimensions = 1 / max(float(np.mean(pairs**2)), 1e-9)
    successive = abs(float(np.mean(np.diag(cosines, 1))))
    by_chance = _DEVIATIONS / np.sqrt(dimensions * (count - 1))
    if successive > min(max(by_chance, _MIN_COSINE), _MAX_COSINE):
        return None
    # A walk's cosines have a mean of zero and a mean square of 1 / dimensions.
    has_direction = abs(float(pairs.mean())) > _DEVIATIONS / np.sqrt(dimensions * pairs.size)
    return None if has_direction else dimensions


def _principal_energies(products: Doubles, dimensions: float) -> tuple[Doubles, Doubles]:
    """Return the energies of a walk's two principal axes, and their standard deviations, each of shape (2,).

    The energy along each axis is a sum over as many independent normal numbers as there are dimensions, and a share is
    one such energy divided by the sum of all: to first order in 1 / dimensions.
    """
    steps = np.maximum(np.diag(_step_products(products)), 0)
    # The displacement of point i contains all following steps; two points share the steps that follow both.
    following = np.append(np.cumsum(steps[::-1])[::-1], 0)
    values = np.maximum(np.linalg.eigvalsh(np.minimum.outer(following, following))[::-1], 0)
    all_shares = values / values.sum()
    shares = all_shares[:2]
    others = (all_shares**2).sum() - shares**2
    return shares, shares * np.sqrt(2 / dimensions * ((1 - shares) ** 2 + others))


def _normal_vectors(random: np.random.Generator, count: int, dimensions: float) -> Doubles:
    """Return vectors with the inner products of normal ones in so many dimensions, in at most *count* dimensions."""
    if dimensions <= count:
        return random.normal(size=(count, max(0, round(dimensions))))
    # Bartlett's decomposition of their Gram matrix.
    vectors = np.tril(random.normal(size=(count, count)), -1)
    np.fill_diagonal(vectors, np.sqrt(random.chisquare(dimensions - np.arange(count))))
    return vectors


def _step_products(products: Doubles) -> Doubles:
    """Return the Gram matrix (T - 1, T - 1) of the steps from each point to the next."""
    return products[1:, 1:] - products[1:, :-1] - products[:-1, 1:] + products[:-1, :-1]


def _step_cosines(products: Doubles) -> Doubles:
    """Return the cosines between the steps, without the steps of length zero."""
    steps = _step_products(products)
    has_length = np.diag(steps) > 1e-12 * np.abs(products).max()
    steps = steps[np.ix_(has_length, has_length)]
    lengths = np.sqrt(np.diag(steps))
    cosines: Doubles = steps / np.outer(lengths, lengths)
    return cosines
