"""Plane: the axes of one landscape without their vectors, and the paths on them; computed once, saved with the job."""

import json
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from toposcope.recorder.landscapes.planes.axes import Axes
from toposcope.recorder.landscapes.planes.projection import projection_of
from toposcope.recorder.landscapes.planes.random_walk import is_random_walk, is_random_walk_among, random_walk
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet, products_from_last
from toposcope.recorder.landscapes.weights.gram import Doubles
from toposcope.recorder.landscapes.weights.hashing import hash_of

_FILE = "plane.json"


class PathOnPlane(NamedTuple):
    """The path of one run on a plane."""

    numbers: tuple[int, ...]
    """(T,): numbers of its checkpoints among those of the landscape, in the order of the training."""
    coordinates: Doubles
    """(T, K): coordinates of the checkpoints."""
    residuals: Doubles
    """(T,): distance from the plane divided by the distance from the origin; NaN if that is zero."""
    energy: Doubles
    """(K,): share of the path's energy along each axis; empty for a single checkpoint."""
    random_walk_energy: Doubles
    """(K,): the energies of a random walk with steps of the same lengths in place of this path, on a plane of the same
    kind that is fitted to it and the paths of other runs; empty unless the axes are made from checkpoints."""
    is_random_walk: bool
    """Whether the path cannot be distinguished from a random walk."""
    random_walk_residual: float = float("nan")
    """The median of the residuals of the walk; NaN if there is none."""

    @property
    def has_steps(self) -> bool:
        """Whether the path has more than one checkpoint."""
        return len(self.numbers) > 1


class Plane(NamedTuple):
    """A plane without its vectors."""

    axes: str
    """The kind of axes."""
    hash: str
    """The hash of the vectors: landscapes with equal hashes are on the same plane."""
    seed: int
    lengths: Doubles
    """(K,): lengths of the directions."""
    cosine: float
    """The cosine of the angle between the directions."""
    buffers_move: bool
    """Whether buffers move with the weights."""
    paths: tuple[PathOnPlane, ...]
    """The path of the run whose last checkpoint is the origin, then of the other runs."""

    @property
    def coordinates(self) -> Doubles:
        """The coordinates of all checkpoints of the landscape, shape (T, K), by number."""
        numbers = [number for path in self.paths for number in path.numbers]
        coordinates: Doubles = np.concatenate([path.coordinates for path in self.paths])[np.argsort(numbers)]
        return coordinates


def plane_of(axes: Axes, checkpoints: CheckpointSet, trainings: Sequence[Sequence[int]], seed: int) -> Plane:
    """Return the plane of axes with the paths of trainings.

    Args:
        axes: the origin is the last of all checkpoints.
        checkpoints: of all trainings.
        trainings: for each, the numbers of its checkpoints among these, in the order of the training.
        seed: of the axes.
    """
    return Plane(
        axes.kind,
        hash_of(axes.origin, axes.directions),
        seed,
        axes.lengths,
        axes.cosine,
        axes.combination is not None,
        tuple(_path_on(axes, checkpoints, tuple(training)) for training in trainings),
    )


def _path_on(axes: Axes, checkpoints: CheckpointSet, numbers: tuple[int, ...]) -> PathOnPlane:
    nothing = np.empty(0)
    if len(checkpoints.points) == 1:
        return PathOnPlane(numbers, np.zeros((1, len(axes.directions))), np.full(1, np.nan), nothing, nothing, False)
    projection = projection_of(axes, checkpoints, numbers)
    if axes.combination is None:
        return PathOnPlane(numbers, *projection, nothing, False)
    walk = random_walk(axes.kind, checkpoints.products, numbers)
    products = products_from_last(checkpoints.products, numbers)
    if len(numbers) == len(checkpoints.points):
        is_walk = is_random_walk(products)
    else:
        is_walk = is_random_walk_among(walk, products, projection.energy.sum())
    expected = walk.expected()
    energy = np.zeros(len(axes.directions))  # A walk of one step is on a line.
    energy[: expected.energy.size] = expected.energy
    finite = expected.residuals[np.isfinite(expected.residuals)]
    return PathOnPlane(numbers, *projection, energy, is_walk, float(np.median(finite)) if finite.size else float("nan"))


def save_plane(folder: str, plane: Plane) -> None:
    """Write a plane into a folder; all numbers are exact."""
    content = {**plane._asdict(), "paths": [path._asdict() for path in plane.paths]}
    with open(os.path.join(folder, _FILE), "w", encoding="utf-8") as file:
        json.dump(content, file, default=np.ndarray.tolist)


def load_plane(folder: str) -> Plane:
    """Return the plane in a folder; OSError if there is none."""
    with open(os.path.join(folder, _FILE), encoding="utf-8") as file:
        content = json.load(file)
    paths = tuple(_path(path) for path in content.pop("paths"))
    return Plane(**{**content, "lengths": np.array(content["lengths"])}, paths=paths)


def _path(content: dict[str, Any]) -> PathOnPlane:
    numbers, is_walk, residual = (content.pop(name) for name in ("numbers", "is_random_walk", "random_walk_residual"))
    arrays = {name: np.array(values, np.float64) for name, values in content.items()}
    return PathOnPlane(tuple(numbers), **arrays, is_random_walk=is_walk, random_walk_residual=residual)
