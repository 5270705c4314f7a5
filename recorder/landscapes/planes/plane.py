"""The plane of one landscape: its axes, and what they show of the path; found once and saved beside the job."""

import json
import os
from typing import Any, NamedTuple

import numpy as np

from toposcope.recorder.landscapes.planes.axes import Axes
from toposcope.recorder.landscapes.planes.projection import projection_of
from toposcope.recorder.landscapes.planes.random_walk import is_random_walk, random_walk
from toposcope.recorder.landscapes.sweep.hashing import hash_of
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet
from toposcope.recorder.landscapes.weights.gram import Doubles

_FILE = "plane.json"


class Plane(NamedTuple):
    """What is known of a plane without its vectors."""

    axes: str
    """Their kind."""
    hash: str
    """Of the vectors: two landscapes with the same lie on the same plane."""
    seed: int
    coordinates: Doubles
    """(T, K): of the checkpoints; the last one, which is the origin, has zeros."""
    residuals: Doubles
    """(T,): distance from the plane over the distance from the origin; NaN where that is zero."""
    energy: Doubles
    """(K,): share of the path's energy along each axis; empty of a single checkpoint."""
    random_walk_energy: Doubles
    """(K,): what a random walk with as many steps of the same lengths would have; empty unless the axes are made of
    the checkpoints."""
    is_random_walk: bool
    """The path cannot be told from one."""
    lengths: Doubles
    """(K,): of the directions."""
    cosine: float
    """Of the angle between them."""
    buffers_move: bool
    """Whether buffers are combined as the weights are."""

    @property
    def has_path(self) -> bool:
        """Whether there is more than the origin."""
        return len(self.coordinates) > 1


def plane_of(axes: Axes, checkpoints: CheckpointSet, seed: int) -> Plane:
    """Return what axes, whose origin is the last checkpoint, show of the checkpoints."""
    coordinates, residuals, energy = np.zeros((1, len(axes.directions))), np.full(1, np.nan), np.empty(0)
    walk_energy, is_walk = np.empty(0), False
    if len(checkpoints.points) > 1:
        coordinates, residuals, energy = projection_of(axes, checkpoints)
    if axes.combination is not None:
        walk = random_walk(checkpoints.products, is_centred=axes.kind == "pca")
        walk_energy, is_walk = walk.energy, is_random_walk(checkpoints.products)
    return Plane(
        axes.kind,
        hash_of(axes.origin, axes.directions),
        seed,
        coordinates,
        residuals,
        energy,
        walk_energy,
        is_walk,
        axes.lengths,
        axes.cosine,
        axes.combination is not None,
    )


def save_plane(folder: str, plane: Plane) -> None:
    """Write a plane into a folder, all numbers exact."""
    content = {name: getattr(plane, name) for name in Plane._fields}
    plain = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in content.items()}
    with open(os.path.join(folder, _FILE), "w", encoding="utf-8") as file:
        json.dump(plain, file)


def load_plane(folder: str) -> Plane:
    """Return the plane of a folder; OSError when it is not there."""
    with open(os.path.join(folder, _FILE), encoding="utf-8") as file:
        content = json.load(file)
    values: dict[str, Any] = {
        name: np.array(value) if isinstance(value, list) else value for name, value in content.items()
    }
    return Plane(**values)
