"""RandomWalk: the path of a training without any direction, on its own best plane.

The principal components of a random walk look like a path with a purpose: two of them contain most of its energy, in
any number of dimensions (Antognini and Sohl-Dickstein, 2018, https://arxiv.org/abs/1806.08805). A high energy therefore
means little until it is compared with that of a walk with as many points.
"""

from typing import NamedTuple

import numpy as np

from toposcope.recorder.landscapes.weights.gram import Doubles

_MIN_DIFFERENCE = 0.02
"""The least difference between energies that matters in a picture."""
_MIN_COSINE, _MAX_COSINE = 0.1, 0.3
"""Bounds of the limit for the mean cosine between successive steps of a random walk."""
_DEVIATIONS = 3.0


class RandomWalk(NamedTuple):
    """The expectation for a walk with steps of the same lengths in random directions, in a space of many dimensions."""

    energy: Doubles
    """(2,): the share of the squared displacements along each of the two principal axes."""
    residuals: Doubles
    """(T,): distance of each point from that plane divided by its distance from the last point, where it is NaN."""
    shares: Doubles
    """(T,): the shares of all principal axes, descending."""


def random_walk(products: Doubles, *, is_centred: bool = False) -> RandomWalk:
    """Return the expectation for a random walk with the step lengths of a path.

    No simulation is needed: in many dimensions the directions of steps are orthogonal, and the Gram matrix of the walk
    is that of orthogonal steps. For many equal steps the energies are 6 / pi^2 and a quarter of that for displacements
    from the mean, 8 / pi^2 and a ninth of that for displacements from the last point.

    Args:
        products: (T, T), the Gram matrix of the displacements of the path from its last point.
        is_centred: whether the displacements are from their mean.
    """
    steps = np.maximum(np.diag(_step_products(products)), 0)
    # The displacement of point i contains all following steps; two points share the steps that follow both.
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
    """Return whether a path cannot be distinguished from a random walk, on any plane.

    It can be distinguished if the energies of its principal axes differ from a walk's by more than three standard
    deviations of a walk's (and by more than 2 %), if successive steps are correlated more than a walk's are by chance,
    or if all steps have a direction in common. The effect of chance depends on the number of dimensions, which is
    estimated from how much the directions of the steps differ from right angles.

    Args:
        products: (T, T), the Gram matrix of the displacements of the path from its last point.
    """
    cosines = _step_cosines(products)
    count = len(cosines)
    if count < 2:
        return True  # Two points make one step, from which nothing can be concluded.
    pairs = cosines[np.triu_indices(count, 1)]
    dimensions = 1 / max(float(np.mean(pairs**2)), 1e-9)
    successive = abs(float(np.mean(np.diag(cosines, 1))))
    by_chance = _DEVIATIONS / np.sqrt(dimensions * (count - 1))
    if successive > min(max(by_chance, _MIN_COSINE), _MAX_COSINE):
        return False
    # A walk's cosines have a mean of zero and a mean square of 1 / dimensions.
    if abs(float(pairs.mean())) > _DEVIATIONS / np.sqrt(dimensions * pairs.size):
        return False
    walk, energy = random_walk(products), np.linalg.eigvalsh(products)[:-3:-1] / np.trace(products)
    return bool((np.abs(energy - walk.energy) <= _MIN_DIFFERENCE + _DEVIATIONS * _deviations(walk, dimensions)).all())


def _deviations(walk: RandomWalk, dimensions: float) -> Doubles:
    """Return the standard deviations of the two energies, to first order in 1 / dimensions.

    The energy along each axis is a sum over as many independent normal numbers as there are dimensions, and a share is
    one such energy divided by the sum of all.
    """
    shares = walk.energy
    others = (walk.shares**2).sum() - shares**2
    deviations: Doubles = shares * np.sqrt(2 / dimensions * ((1 - shares) ** 2 + others))
    return deviations


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
