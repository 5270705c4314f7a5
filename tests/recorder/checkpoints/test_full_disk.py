"""Checkpoints on a full disk: one error for all formats, the one after which trainings go on."""

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.small_files import small_files

from toposcope.recorder.checkpoints import load_checkpoint, save_checkpoint


@pytest.mark.parametrize("ending", ["ckpt", "safetensors"])
@pytest.mark.parametrize("is_torchs", [True, False])
@pytest.mark.parametrize("share", [0, 0.002, 0.1, 0.7, 0.9999])
def test_checkpoint_that_cannot_be_written_is_an_oserror(
    tmp_path: Path, ending: str, is_torchs: bool, share: float
) -> None:
    """Wherever in the file there is no more room; the checkpoint before stays, and nothing else."""
    path = tmp_path / f"best.{ending}"
    weights: Any = torch.ones(100, 100) if is_torchs else np.ones((100, 100), np.float32)
    save_checkpoint({"weight": weights}, path)
    with small_files(int(share * path.stat().st_size)), pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        save_checkpoint({"weight": weights * 2}, path)
    assert os.listdir(tmp_path) == [path.name]
    assert np.array_equal(np.asarray(load_checkpoint(path).network["weight"]), np.ones((100, 100)))
