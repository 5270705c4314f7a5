"""Jobs: the saved state of a landscape, from which a killed computation resumes."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.bowl_network import SIZE, bowl_callback, copy_trained_bowl
from support.landscape_events import journals, newest

from toposcope.recorder.landscapes import SummaryLandscape
from toposcope.recorder.landscapes.planes.axes_of_kind import axes_of_kind
from toposcope.recorder.landscapes.planes.plane import load_plane, plane_of
from toposcope.recorder.landscapes.sweep.job import (
    FOLDER,
    LandscapeJob,
    Training,
    is_saved,
    load_axes,
    load_job,
    load_mode,
    save_job,
    save_mode,
)
from toposcope.recorder.landscapes.sweep.journal import RECORD_BYTES
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet

KILLS = {"here": 2, "workers": 1}
PROGRAM = """
import sys
from support.bowl_network import Bowl, bowl_callback
from toposcope.recorder.landscapes import SummaryLandscape

class Slow(Bowl):
    def eval_step(self, samples):
        print(".", end="", flush=True)
        return super().eval_step(samples)

devices = [0, 1] if sys.argv[2] == "workers" else None
SummaryLandscape(sys.argv[1]).gen_landscapes_with_multi_process(bowl_callback(Slow), device_ids=devices)
"""


def job_of(directory: Path, **settings: Any) -> LandscapeJob:
    """Return a job for the checkpoints of a bowl."""
    given: dict[str, Any] = {
        "ckpt_dir": str(directory / "ckpt_dir"),
        "points": (2, 4, 6),
        "others": (),
        "landscape_size": 9,
        "num_samples": 32,
        "recalibrates": False,
        "identity": {"axes": "anchored"},
    }
    return LandscapeJob(**given | settings)


def test_job_is_loaded_from_its_folder_bit_for_bit(tmp_path: Path) -> None:
    """With its memory-mapped axes, its plane and its mode; also after it has been moved with the other run."""
    for run in ("run", "other"):
        copy_trained_bowl(tmp_path / "runs" / run)
    other = Training(os.path.join("..", "..", "other", "ckpt_dir"), (1, 3, 5, 7))
    job = job_of(tmp_path / "runs" / "run", others=(other,))
    layout = CheckpointSet.open(job.ckpt_dir, job.points).layout
    checkpoints = job.checkpoints(layout)
    assert checkpoints.points == (7, 5, 3, 1, 2, 4, 6)
    axes = axes_of_kind("anchored", checkpoints)
    plane = plane_of(axes, checkpoints, job.trainings, 0)
    job_hashes = checkpoints.hashes
    assert not is_saved(job)
    save_job(job, axes, plane)
    save_mode(job, "eager")
    del checkpoints

    (tmp_path / "runs").rename(tmp_path / "moved")
    moved = replace(job, ckpt_dir=str(tmp_path / "moved" / "run" / "ckpt_dir"))
    assert moved.checkpoints(layout).hashes == job_hashes
    assert is_saved(moved)
    assert load_job(moved.folder) == moved
    assert load_mode(moved) == "eager"
    held = load_axes(moved)
    assert isinstance(held.directions, np.memmap)
    assert (held.origin.shape, held.directions.shape) == ((SIZE,), (2, SIZE))
    assert np.array_equal(held.origin, axes.origin)
    assert np.array_equal(held.directions, axes.directions)
    again = load_plane(moved.folder)
    without_arrays: dict[str, Any] = {"lengths": None, "paths": ()}
    assert again._replace(**without_arrays) == plane._replace(**without_arrays)
    assert np.array_equal(again.lengths, plane.lengths)
    assert [path.numbers for path in again.paths] == [(4, 5, 6), (3, 2, 1, 0)]
    for path, saved in zip(again.paths, plane.paths, strict=True):
        arrays: Iterator[tuple[Any, Any]] = zip(path, saved, strict=True)
        assert all(np.array_equal(loaded, before, equal_nan=True) for loaded, before in arrays)


def test_everything_that_changes_losses_or_nodes_changes_the_folder(tmp_path: Path) -> None:
    """The checkpoints, the samples, the size, the axes."""
    settings: list[dict[str, Any]] = [
        {},
        {"points": (2, 4, 8)},
        {"others": (Training("../../other/ckpt_dir", (1, 2)),)},
        {"landscape_size": 10},
        {"num_samples": 33},
        {"recalibrates": True},
        {"identity": {"axes": "pca"}},
    ]
    assert len({job_of(tmp_path, **each).folder for each in settings}) == len(settings)
    assert job_of(tmp_path).folder == job_of(tmp_path).folder


def killed_at_random(directory: Path, workers: str, dots: int) -> str:
    """Compute and kill -9 after some evaluations; return the output."""
    path = os.pathsep.join(sys.path)
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(directory), workers],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    ) as process:
        assert process.stdout is not None
        printed = process.stdout.read(dots)
        process.send_signal(signal.SIGKILL)
        return printed + process.stdout.read()


def records_of(directory: Path) -> list[bytes]:
    """Return the records of all journals, including repeated ones."""
    found = []
    for path in sorted((directory / "ckpt_dir" / FOLDER).glob("*/journal")):
        content = path.read_bytes()
        found += [content[start : start + RECORD_BYTES] for start in range(0, len(content), RECORD_BYTES)]
    return found


@pytest.mark.parametrize("workers", list(KILLS))
def test_computation_that_is_killed_resumes(tmp_path: Path, workers: str) -> None:
    """At random, several times; no completed loss is measured again, and the bits are the same."""
    copy_trained_bowl(tmp_path / "killed")
    copy_trained_bowl(tmp_path / "undisturbed")
    known: list[bytes] = []
    for _ in range(KILLS[workers]):
        killed_at_random(tmp_path / "killed", workers, random.randint(60, 700))
        records = records_of(tmp_path / "killed")
        assert set(known) <= set(records)
        known = records
    for name in ("killed", "undisturbed"):
        SummaryLandscape(tmp_path / name).gen_landscapes_with_multi_process(bowl_callback())

    places = journals(tmp_path / "killed")
    assert places == journals(tmp_path / "undisturbed")
    assert len(known) > 0
    assert len(records_of(tmp_path / "killed")) == sum(map(len, places.values()))
    assert newest(tmp_path / "killed").keys() == newest(tmp_path / "undisturbed").keys()
