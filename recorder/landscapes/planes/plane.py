"""The plane of one landscape: its axes, and what they show of paths; found once and saved beside the job."""

import json
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from toposcope.recorder.landscapes.planes.axes import Axes
from toposcope.recorder.landscapes.planes.projection import projection_of
from toposcope.recorder.landscapes.planes.random_walk import is_random_walk, random_walk
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet, products_from_last
from toposcope.recorder.landscapes.weights.gram import Doubles
from toposcope.recorder.landscapes.weights.hashing import hash_of

_FILE = "plane.json"


class PathOnPlane(NamedTuple):
    """The training of one run, as a plane shows it."""

    numbers: tuple[int, ...]
    """(T,): of its checkpoints among those of the landscape, in the order of the training."""
    coordinates: Doubles
    """(T, K): where they lie."""
    residuals: Doubles
    """(T,): distance from the plane over the distance from the origin; NaN where that is zero."""
    energy: Doubles
    """(K,): share of the path's energy along each axis; empty of a single checkpoint."""
    random_walk_energy: Doubles
    """(K,): what a random walk with as many steps of the same lengths would have on its own best plane; empty unless
    the axes are made of checkpoints."""
    is_random_walk: bool
    """The path cannot be told from one."""

    @property
    def has_steps(self) -> bool:
        """Whether there is more than one checkpoint."""
        return len(self.numbers) > 1


class Plane(NamedTuple):
    """What is known of a plane without its vectors."""

    axes: str
    """Their kind."""
    hash: str
    """Of the vectors: two landscapes with the same lie on the same plane."""
    seed: int
    lengths: Doubles
    """(K,): of the directions."""
    cosine: float
    """Of the angle between them."""
    buffers_move: bool
    """Whether buffers are combined as the weights are."""
    paths: tuple[PathOnPlane, ...]
    """Of the run whose last checkpoint is the origin, then of others."""

    @property
    def coordinates(self) -> Doubles:
        """Return those of all checkpoints of the landscape, shape (T, K), by their numbers."""
        numbers = [number for path in self.paths for number in path.numbers]
        coordinates: Doubles = np.concatenate([path.coordinates for path in self.paths])[np.argsort(numbers)]
        return coordinates


def plane_of(axes: Axes, checkpoints: CheckpointSet, trainings: Sequence[Sequence[int]], seed: int) -> Plane:
    """Return what axes show of trainings.

    Args:
        axes: their origin is the last one of all checkpoints.
        checkpoints: of all trainings.
        trainings: of each the numbers of its checkpoints among these, in the order of the training.
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
    products = products_from_last(checkpoints.products, numbers)
    walk = random_walk(products, is_centred=axes.kind == "pca")
    return PathOnPlane(numbers, *projection, walk.energy, is_random_walk(products))


def save_plane(folder: str, plane: Plane) -> None:
    """Write a plane into a folder, all numbers exact."""
    content = {**plane._asdict(), "paths": [path._asdict() for path in plane.paths]}
    with open(os.path.join(folder, _FILE), "w", encoding="utf-8") as file:
        json.dump(content, file, default=np.ndarray.tolist)


def load_plane(folder: str) -> Plane:
    """Return the plane of a folder; OSError when it is not there."""
    with open(os.path.join(folder, _FILE), encoding="utf-8") as file:
        content = json.load(file)
    paths = tuple(_path(path) for path in content.pop("paths"))
    return Plane(**{**content, "lengths": np.array(content["lengths"])}, paths=paths)


def _path(content: dict[str, Any]) -> PathOnPlane:
    numbers, is_walk = tuple(content.pop("numbers")), content.pop("is_random_walk")
    arrays = {name: np.array(values, np.float64) for name, values in content.items()}
    return PathOnPlane(numbers, **arrays, is_random_walk=is_walk)
