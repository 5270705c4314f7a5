"""LandscapeJob: everything that determines the losses of one landscape, saved in a folder named by its hash."""

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
"""The folder in ckpt_dir that contains one folder for each job."""
VERSION = "4"
"""The version of how planes and losses are computed: journals of other versions are not continued."""
_JOB, _ORIGIN, _DIRECTIONS, _MODE, _JOURNAL = "job.json", "origin.npy", "directions.npy", "mode", "journal"


class Training(NamedTuple):
    """The checkpoints of another training on the same plane."""

    ckpt_dir: str
    """Relative to that of the job if possible."""
    points: tuple[int, ...]
    """Steps or epochs."""


@dataclass(frozen=True)
class LandscapeJob:
    """The inputs of a landscape, as plain data that can be written as JSON."""

    ckpt_dir: str
    points: tuple[int, ...]
    """Steps or epochs of the checkpoints."""
    others: tuple[Training, ...]
    """Other trainings on the same plane."""
    landscape_size: int
    """Nodes a side, which determine the grid."""
    num_samples: int
    """Samples of the model."""
    recalibrates: bool
    """Whether running statistics are recomputed at each node."""
    identity: Mapping[str, str]
    """Hashes of checkpoints, samples and network, and settings; jobs with equal identities measure the same losses."""

    @property
    def folder(self) -> str:
        """Path of the job's folder; its name is a hash that does not depend on the location of the checkpoints."""
        content = {**asdict(self), "ckpt_dir": "", "version": VERSION}
        return os.path.join(self.ckpt_dir, FOLDER, hash_of(json.dumps(content, sort_keys=True).encode()))

    @property
    def trainings(self) -> list[list[int]]:
        """The numbers of the checkpoints of each training among all, in its order; the job's own training is first."""
        count, others = 0, []
        for other in self.others:
            others.append(list(range(count, count + len(other.points)))[::-1])
            count += len(other.points)
        return [list(range(count, count + len(self.points))), *others]

    def checkpoints(self, layout: Layout) -> CheckpointSet:
        """Return all checkpoints: of each other training in reverse, then the job's own; errors are those of open()."""
        others = [(os.path.join(self.ckpt_dir, other.ckpt_dir), other.points) for other in self.others]
        return CheckpointSet.open_together([(self.ckpt_dir, self.points), *others], layout)


class MappedAxes(NamedTuple):
    """The memory-mapped vectors of a plane."""

    origin: Float32s
    """Shape (N,)."""
    directions: Float32s
    """Shape (K, N)."""


def is_saved(job: LandscapeJob) -> bool:
    """Return whether the folder of a job exists; its axes are not computed again then."""
    return os.path.exists(os.path.join(job.folder, _JOB))


def save_job(job: LandscapeJob, axes: Axes, plane: Plane) -> None:
    """Write a job and its plane into its folder.

    Raises:
        OSError: they cannot be written.
    """
    folder = Path(job.folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Complete or absent: is_saved() does not look into the folder.
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
        if not is_saved(job):  # Otherwise another process was faster.
            raise


def load_job(folder: str) -> LandscapeJob:
    """Return the job in a folder; OSError if there is none."""
    with open(os.path.join(folder, _JOB), encoding="utf-8") as file:
        content: dict[str, Any] = json.load(file)
    ckpt_dir = os.path.dirname(os.path.dirname(folder))
    others = tuple(Training(folder, tuple(points)) for folder, points in content["others"])
    return LandscapeJob(**{**content, "ckpt_dir": ckpt_dir, "points": tuple(content["points"]), "others": others})


def load_axes(job: LandscapeJob) -> MappedAxes:
    """Return the memory-mapped vectors of a job's plane; OSError if there are none."""
    names = (_ORIGIN, _DIRECTIONS)
    return MappedAxes(*(np.load(os.path.join(job.folder, name), mmap_mode="r") for name in names))


def save_mode(job: LandscapeJob, mode: str) -> None:
    """Save the mode in which the losses of a saved job are computed; another mode may change their last digits."""
    path = os.path.join(job.folder, _MODE)
    with open(f"{path}.part", "w", encoding="utf-8") as file:
        file.write(mode)
    os.replace(f"{path}.part", path)


def load_mode(job: LandscapeJob) -> str | None:
    """Return the mode of a saved job, None if none has been saved."""
    try:
        with open(os.path.join(job.folder, _MODE), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def journal_path(job: LandscapeJob) -> str:
    """Return the path of a job's journal."""
    return os.path.join(job.folder, _JOURNAL)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
