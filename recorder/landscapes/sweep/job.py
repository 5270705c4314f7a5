"""A job: all that determines the losses of one landscape, saved in a folder that is named by its hash."""

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from toposcope.recorder.landscapes.planes.axes import Axes
from toposcope.recorder.landscapes.planes.plane import Plane, save_plane
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet
from toposcope.recorder.landscapes.weights.gram import Float32s
from toposcope.recorder.landscapes.weights.hashing import hash_of
from toposcope.recorder.landscapes.weights.layout import Layout

FOLDER = "landscapes"
"""In ckpt_dir: one folder a job."""
VERSION = "3"
"""Of the way planes are found and losses are measured: a journal of another version is not continued."""
_JOB, _ORIGIN, _DIRECTIONS, _MODE, _JOURNAL = "job.json", "origin.npy", "directions.npy", "mode", "journal"


class Training(NamedTuple):
    """The checkpoints of another training on the same plane."""

    ckpt_dir: str
    """Relative to the one of the job, where there is such a path."""
    points: tuple[int, ...]
    """Steps or epochs."""


@dataclass(frozen=True)
class LandscapeJob:
    """What a landscape is computed from; plain enough to be written as JSON."""

    ckpt_dir: str
    points: tuple[int, ...]
    """The checkpoints, steps or epochs."""
    others: tuple[Training, ...]
    """On the same plane."""
    landscape_size: int
    """Nodes a side: the grid depends on it."""
    num_samples: int
    """Samples that a model holds."""
    recalibrates: bool
    """Whether statistics of normalisation layers are computed anew at each node."""
    identity: Mapping[str, str]
    """Hashes of checkpoints, samples and network, and settings: two jobs that have the same measure the same losses."""

    @property
    def folder(self) -> str:
        """Path of the folder; its name is a hash that does not depend on where the checkpoints lie."""
        content = {**asdict(self), "ckpt_dir": "", "version": VERSION}
        return os.path.join(self.ckpt_dir, FOLDER, hash_of(json.dumps(content, sort_keys=True).encode()))

    @property
    def trainings(self) -> list[list[int]]:
        """Return the numbers of its own checkpoints among all, in the order of the training, then of each other's."""
        before, others = 0, []
        for other in self.others:
            others.append(list(range(before, before + len(other.points)))[::-1])
            before += len(other.points)
        return [list(range(before, before + len(self.points))), *others]

    def checkpoints(self, layout: Layout) -> CheckpointSet:
        """Return the checkpoints: of the others, each from its end, then its own; errors are those of open()."""
        others = [(os.path.join(self.ckpt_dir, other.ckpt_dir), other.points) for other in self.others]
        return CheckpointSet.open_together([(self.ckpt_dir, self.points), *others], layout)


class HeldAxes(NamedTuple):
    """The vectors of a plane in the space of the weights, memory-mapped."""

    origin: Float32s
    """Shape (N,)."""
    directions: Float32s
    """Shape (K, N)."""


def is_saved(job: LandscapeJob) -> bool:
    """Say whether the folder of a job is there: its axes need not be found again."""
    return os.path.exists(os.path.join(job.folder, _JOB))


def save_job(job: LandscapeJob, axes: Axes, plane: Plane) -> None:
    """Write a job with its axes into its folder.

    Raises:
        OSError: they cannot be written.
    """
    folder = Path(job.folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Complete or not there at all: a folder without axes would be taken for one with.
    part = Path(tempfile.mkdtemp(prefix=".", dir=folder.parent))
    try:
        part.chmod(0o777 & ~_umask())
        np.save(part / _ORIGIN, axes.origin)
        np.save(part / _DIRECTIONS, axes.directions)
        save_plane(str(part), plane)
        (part / _JOB).write_text(json.dumps({**asdict(job), "ckpt_dir": ""}, indent=1), encoding="utf-8")
        part.rename(folder)
    except OSError:
        shutil.rmtree(part, ignore_errors=True)
        if not is_saved(job):  # Else another process was faster.
            raise


def load_job(folder: str) -> LandscapeJob:
    """Return the job of a folder; OSError when it is not there."""
    with open(os.path.join(folder, _JOB), encoding="utf-8") as file:
        content: dict[str, Any] = json.load(file)
    ckpt_dir = os.path.dirname(os.path.dirname(folder))
    others = tuple(Training(folder, tuple(points)) for folder, points in content["others"])
    return LandscapeJob(**{**content, "ckpt_dir": ckpt_dir, "points": tuple(content["points"]), "others": others})


def load_axes(job: LandscapeJob) -> HeldAxes:
    """Return the vectors of a job's plane, not read yet; OSError when they are not there."""
    names = (_ORIGIN, _DIRECTIONS)
    return HeldAxes(*(np.load(os.path.join(job.folder, name), mmap_mode="r") for name in names))


def save_mode(job: LandscapeJob, mode: str) -> None:
    """Note how the network is run for the losses of a saved job: another way may give other last digits."""
    path = os.path.join(job.folder, _MODE)
    with open(f"{path}.part", "w", encoding="utf-8") as file:
        file.write(mode)
    os.replace(f"{path}.part", path)


def load_mode(job: LandscapeJob) -> str | None:
    """Return how the network is run for the losses of a saved job, None when that is not decided."""
    try:
        with open(os.path.join(job.folder, _MODE), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def journal_path(job: LandscapeJob) -> str:
    """Return where the journal of a job is."""
    return os.path.join(job.folder, _JOURNAL)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
