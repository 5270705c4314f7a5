"""Checkpoints of synthetic trainings, in files like those of SummaryCollector."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from toposcope.recorder.checkpoints import save_checkpoint
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet

Doubles = npt.NDArray[np.float64]
SIZE = 50


def leave_checkpoints(folder: Path, trainings: Sequence[Mapping[str, npt.NDArray[np.generic]]]) -> Path:
    """Write one checkpoint for each mapping of names to arrays, at the points 1, 2, ...; return the folder."""
    folder.mkdir(exist_ok=True)
    files = {}
    for point, tensors in enumerate(trainings, 1):
        files[str(point)] = f"Bowl_{point}_step.safetensors"
        save_checkpoint(tensors, folder / files[str(point)])
    (folder / "train_metadata.json").write_text(json.dumps({"model_params_file_map": files}))
    return folder


def leave_path(folder: Path, path: npt.NDArray[np.floating]) -> Path:
    """Write checkpoints of a network with one weight, flat and of shape (1, N), from a path (T, N)."""
    return leave_checkpoints(folder, [{"weight": row[None].astype(np.float32)} for row in path])


def opened(folder: Path, path: npt.NDArray[np.floating], points: list[int] | None = None) -> CheckpointSet:
    """Return checkpoints of a path."""
    return CheckpointSet.open(leave_path(folder, path), points or range(1, len(path) + 1))


def bowl_path(points: int = 20) -> tuple[Doubles, Doubles]:
    """Return gradient descent in a bowl whose gradient is in a plane, shape (T, 50), and the plane, shape (50, 2)."""
    random = np.random.default_rng(3)
    plane = np.linalg.qr(random.normal(size=(SIZE, 2)))[0]
    hessian = plane @ np.diag([3.0, 0.4]) @ plane.T
    minimum = random.normal(size=SIZE)
    weights = minimum + plane @ [2.0, -5.0]
    path = [weights]
    for _ in range(points - 1):
        path.append(path[-1] - 0.2 * hessian @ (path[-1] - minimum))
    return np.array(path), plane
