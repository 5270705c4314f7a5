"""Checkpoints of made-up trainings, as files that SummaryCollector would have left."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from toposcope.recorder.checkpoints import save_checkpoint

Doubles = npt.NDArray[np.float64]


def leave_checkpoints(folder: Path, trainings: Sequence[Mapping[str, npt.NDArray[np.generic]]]) -> Path:
    """Write one checkpoint a mapping of names to arrays, the points being 1, 2, ...; return the folder."""
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
