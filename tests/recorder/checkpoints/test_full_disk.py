"""Checkpoints on a full disk: all formats raise an OSError, after which a training can continue."""

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.pytorch import torch
from support.small_files import small_files

from toposcope.recorder.checkpoints import load_checkpoint, save_checkpoint


@pytest.mark.parametrize("ending", ["ckpt", "safetensors"])
@pytest.mark.parametrize("is_torch", [True, False])
@pytest.mark.parametrize("share", [0, 0.002, 0.1, 0.7, 0.9999])
def test_checkpoint_that_cannot_be_written_is_an_oserror(
    tmp_path: Path, ending: str, is_torch: bool, share: float
) -> None:
    """At any position in the file; only the previous checkpoint is left in the directory."""
    path = tmp_path / f"best.{ending}"
    weights: Any = torch.ones(100, 100) if is_torch else np.ones((100, 100), np.float32)
    save_checkpoint({"weight": weights}, path)
    with small_files(int(share * path.stat().st_size)), pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        save_checkpoint({"weight": weights * 2}, path)
    assert os.listdir(tmp_path) == [path.name]
    assert np.array_equal(np.asarray(load_checkpoint(path).network["weight"]), np.ones((100, 100)))
