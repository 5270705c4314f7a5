"""The random walk: what the path of a training without any direction would look like on its own best plane.

Principal components of a random walk look like a path with a purpose: two of them hold most of its energy, whatever
the dimension (Antognini and Sohl-Dickstein, 2018, https://arxiv.org/abs/1806.08805). A high energy says little, until
it is compared with that of a walk of as many points.
"""

from typing import NamedTuple

import numpy as np

from toposcope.recorder.landscapes.weights.gram import Doubles

_LEAST_DIFFERENCE = 0.02
"""Of energies: who looks at a picture cares for no less."""
_LEAST_COSINE, _MOST_COSINE = 0.1, 0.3
"""Between successive steps: what a walk may have by chance is taken to lie between these."""
_DEVIATIONS = 3.0


class RandomWalk(NamedTuple):
    """What is expected of a walk with steps of the same lengths in random directions of a space of many dimensions."""

    energy: Doubles
    """(2,): the share of the squared displacements along each of its two principal axes."""
    residuals: Doubles
    """(T,): distance of each point from that plane, over its distance from the last point; NaN for the last one."""
    shares: Doubles
    """(T,): those of all principal axes, descending."""


def random_walk(products: Doubles, *, is_centred: bool = False) -> RandomWalk:
    """Return what a random walk with the step lengths of a path would give.

    It needs no simulation: where dimensions are many, the directions of steps are orthogonal, and the Gram matrix of
    the walk is that of orthogonal steps. With equal steps and many points the energies are 6 / pi^2 and a quarter of
    it for displacements from the mean, 8 / pi^2 and a ninth of it for those from the last point.

    Args:
        products: (T, T), the Gram matrix of the displacements of the path from its last point.
        is_centred: whether energies are those of displacements from their mean.
    """
    steps = np.maximum(np.diag(_step_products(products)), 0)
    # From the last point back to i: all steps that follow; two points share those that follow both.
    following = np.append(np.cumsum(steps[::-1])[::-1], 0)
    walk = np.minimum.outer(following, following)
    centred = walk - walk.mean(axis=0) - walk.mean(axis=1)[:, None] + walk.mean() if is_centred else walk
    values, vectors = np.linalg.eigh(centred)
    values, vectors = np.maximum(values[::-1], 0), vectors[:, ::-1]
    total = values.sum()
    shares = values / total if total > 0 else values
    on_plane = np.zeros(len(walk))
    for value, vector in zip(values[:2], vectors.T[:2], strict=False):
        if value > 0:
            on_plane += (walk @ vector) ** 2 / value
    with np.errstate(divide="ignore", invalid="ignore"):
        residuals = np.sqrt(np.maximum(following - on_plane, 0) / np.where(following > 0, following, np.nan))
    energy = np.zeros(2)
    energy[: len(shares[:2])] = shares[:2]
    return RandomWalk(energy, residuals, shares)


def is_random_walk(products: Doubles) -> bool:
    """Say whether a path cannot be told from a random walk, whatever plane it is shown on.

    It can when the energies of its principal axes differ from a walk's by more than three standard deviations of a
    walk's (and by more than 2 %), when its steps go on, or back, in the direction of the steps before more than a
    walk's do by chance, or when all of them have a direction in common. What chance does depends on how many dimensions
    there are; a path tells by how much the directions of its steps differ from right angles.

    Args:
        products: (T, T), the Gram matrix of the displacements of the path from its last point.
    """
    cosines = _step_cosines(products)
    count = len(cosines)
    if count < 2:
        return True  # Two points are a step, and of one step nothing can be told.
    pairs = cosines[np.triu_indices(count, 1)]
    dimensions = 1 / max(float(np.mean(pairs**2)), 1e-9)
    successive = abs(float(np.mean(np.diag(cosines, 1))))
    by_chance = _DEVIATIONS / np.sqrt(dimensions * (count - 1))
    if successive > min(max(by_chance, _LEAST_COSINE), _MOST_COSINE):
        return False
    # A walk's cosines are as often negative, with a mean square of 1 / dimensions.
    if abs(float(pairs.mean())) > _DEVIATIONS / np.sqrt(dimensions * pairs.size):
        return False
    walk, energy = random_walk(products), np.linalg.eigvalsh(products)[:-3:-1] / np.trace(products)
    return bool((np.abs(energy - walk.energy) <= _LEAST_DIFFERENCE + _DEVIATIONS * _deviations(walk, dimensions)).all())


def _deviations(walk: RandomWalk, dimensions: float) -> Doubles:
    """Return the standard deviations of the two energies, to first order in 1 / dimensions.

    The energy along each axis is that of as many independent normal numbers as there are dimensions, and a share is one
    of them over the sum of all.
    """
    shares = walk.energy
    others = (walk.shares**2).sum() - shares**2
    deviations: Doubles = shares * np.sqrt(2 / dimensions * ((1 - shares) ** 2 + others))
    return deviations


def _step_products(products: Doubles) -> Doubles:
    """Return the Gram matrix (T - 1, T - 1) of the steps from each point to the next."""
    return products[1:, 1:] - products[1:, :-1] - products[:-1, 1:] + products[:-1, :-1]


def _step_cosines(products: Doubles) -> Doubles:
    """Return the cosines between the steps; those without a length are left out."""
    steps = _step_products(products)
    has_length = np.diag(steps) > 1e-12 * np.abs(products).max()
    steps = steps[np.ix_(has_length, has_length)]
    lengths = np.sqrt(np.diag(steps))
    cosines: Doubles = steps / np.outer(lengths, lengths)
    return cosines
