"""Checkpoints as flat vectors, and their errors."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from support.checkpoint_folders import leave_checkpoints
from support.pytorch import torch

from toposcope.recorder.checkpoints import save_checkpoint
from toposcope.recorder.landscapes.weights import mapped_checkpoint
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet
from toposcope.recorder.landscapes.weights.layout import layout_of

Tensors = Mapping[str, npt.NDArray[np.generic]]


def training(points: int = 3) -> list[Tensors]:
    """Return the tensors of a network with a BatchNorm, with PyTorch's names."""
    random = np.random.default_rng(0)
    return [
        {
            "bn.running_mean": random.normal(size=3).astype(np.float32),
            "bn.num_batches_tracked": np.array(point),
            "conv.weight": random.normal(size=(3, 2, 2)).astype(np.float32),
            "bn.weight": random.normal(size=3).astype(np.float32),
        }
        for point in range(points)
    ]


LAYOUT = layout_of(
    [("conv.weight", (3, 2, 2), "weight"), ("bn.weight", (3,), "norm"), ("bn.running_mean", (3,), "buffer")]
)


def flat(tensors: Tensors) -> npt.NDArray[np.generic]:
    """Return the vector that LAYOUT describes."""
    return np.concatenate([np.ravel(tensors[name]) for name in ("conv.weight", "bn.weight", "bn.running_mean")])


def test_rows_are_the_concatenated_tensors(tmp_path: Path) -> None:
    """Trained ones first, in the order of the layout; integers are left out."""
    tensors = training()
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, tensors), [1, 3], LAYOUT)

    assert checkpoints.points == (1, 3)
    assert checkpoints.rows.shape == (2, 18)
    assert np.array_equal(checkpoints.rows[:], [flat(tensors[0]), flat(tensors[2])])
    assert checkpoints.rows[-1].dtype == np.float32
    assert np.array_equal(checkpoints.rows.read(0, 11, 14), flat(tensors[0])[11:14])


def test_layout_is_derived_from_names(tmp_path: Path) -> None:
    """If the network is not available."""
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, training()), [1, 2, 3])

    kinds = {tensor.name: tensor.kind for tensor in checkpoints.layout.tensors}
    assert kinds == {"conv.weight": "weight", "bn.weight": "norm", "bn.running_mean": "buffer"}


@pytest.mark.parametrize("suffix", [".ckpt", ".safetensors"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_all_formats_and_dtypes_become_float32(tmp_path: Path, suffix: str, dtype: str) -> None:
    """Files of torch.save() are converted once, in the folder of the checkpoints."""
    tensor = torch.linspace(-1, 1, 12, dtype=getattr(torch, dtype)).reshape(3, 4)
    save_checkpoint({"weight": tensor, "count": torch.tensor(3)}, tmp_path / f"Net_1_step{suffix}")
    named = {"model_params_file_map": {"1": f"Net_1_step{suffix}"}}
    (tmp_path / "train_metadata.json").write_text(json.dumps(named))

    for _ in range(2):
        checkpoints = CheckpointSet.open(tmp_path, [1])
        assert np.array_equal(checkpoints.rows[0], tensor.to(torch.float32).reshape(-1).numpy())
    converted = list((tmp_path / "converted").glob("*")) if suffix == ".ckpt" else []
    assert len(converted) == (suffix == ".ckpt")


def test_absolute_paths_of_mindspore_are_found_after_a_move(tmp_path: Path) -> None:
    """By the names of the files in the folder of the metadata."""
    folder = leave_checkpoints(tmp_path / "before", training())
    metadata = json.loads((folder / "train_metadata.json").read_text())
    metadata["model_params_file_map"] = {
        point: str(folder / name) for point, name in metadata["model_params_file_map"].items()
    }
    (folder / "train_metadata.json").write_text(json.dumps(metadata))
    whole = CheckpointSet.open(folder, [1, 2]).rows[:]
    folder.rename(tmp_path / "after")

    assert np.array_equal(CheckpointSet.open(tmp_path / "after", [1, 2]).rows[:], whole)


def test_missing_and_damaged_files_are_named(tmp_path: Path) -> None:
    """The metadata, a point, a file; a truncated file."""
    with pytest.raises(FileNotFoundError, match=r"train_metadata.json' does not exist: train with SummaryCollector"):
        CheckpointSet.open(tmp_path, [1])
    folder = leave_checkpoints(tmp_path / "ckpt_dir", training())
    with pytest.raises(ValueError, match=r"no checkpoint of 7; .* contains those of \[1, 2, 3\]"):
        CheckpointSet.open(folder, [1, 7])
    with pytest.raises(ValueError, match="at least one checkpoint"):
        CheckpointSet.open(folder, [])
    second = folder / "Bowl_2_step.safetensors"
    whole = second.read_bytes()
    for length in (0, 5, 40, len(whole) - 1):
        second.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"Bowl_2_step.safetensors' is not a complete .safetensors file"):
            CheckpointSet.open(folder, [1, 2])
    second.write_bytes(whole.replace(b'"shape":[3,2,2]', b'"shape":[3,2,9]'))
    with pytest.raises(ValueError, match=r"Bowl_2_step.safetensors' is not a complete .safetensors file"):
        CheckpointSet.open(folder, [1, 2])
    second.unlink()
    with pytest.raises(FileNotFoundError, match=r"The checkpoint of 2 is missing: '.*Bowl_2_step.safetensors'"):
        CheckpointSet.open(folder, [1, 2])
    (folder / "train_metadata.json").write_text("{}")
    with pytest.raises(ValueError, match="contains no checkpoints"):
        CheckpointSet.open(folder, [1])


def test_checkpoints_of_another_network_are_refused(tmp_path: Path) -> None:
    """Tensor and file are named."""
    folder = leave_checkpoints(tmp_path, training())

    other = layout_of([("conv.weight", (3, 2, 3), "weight")])
    with pytest.raises(ValueError, match=r"'conv.weight' has the shape \(3, 2, 2\) in '.*' and \(3, 2, 3\)"):
        CheckpointSet.open(folder, [1], other)
    with pytest.raises(ValueError, match=r"Bowl_1_step.safetensors' has no floating-point tensor 'fc.weight'"):
        CheckpointSet.open(folder, [1], layout_of([("fc.weight", (3,), "weight")]))


def test_hashes_distinguish_files(tmp_path: Path) -> None:
    """Equal weights have equal hashes, whatever else differs in the files."""
    first, second, _ = training()
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, [first, second, first]), [1, 2, 3])

    assert checkpoints.hashes[0] == checkpoints.hashes[2] != checkpoints.hashes[1]


def test_products_are_those_of_the_trained_part(tmp_path: Path) -> None:
    """Of the displacements from the last checkpoint; buffers do not count."""
    tensors = training(4)
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, tensors), [1, 2, 3, 4], LAYOUT)

    trained = np.stack([flat(each)[:15] for each in tensors]).astype(np.float64)
    displacements = trained - trained[-1]
    assert np.allclose(checkpoints.products, displacements @ displacements.T, rtol=1e-12)
    assert not checkpoints.products[-1].any()


def test_weights_that_are_not_finite_are_reported(tmp_path: Path) -> None:
    """With the step of their checkpoint."""
    tensors = training(4)
    tensors[1]["conv.weight"][0, 0, 0] = np.nan
    folder = leave_checkpoints(tmp_path, tensors)

    with pytest.raises(ValueError, match="not finite in the checkpoint of 2"):
        _ = CheckpointSet.open(folder, [1, 2, 3]).products
    with pytest.raises(ValueError, match="The checkpoint of 2, the last one, has weights that are not finite"):
        _ = CheckpointSet.open(folder, [1, 2]).products
    assert CheckpointSet.open(folder, [1, 3, 4]).products.shape == (3, 3)


def test_empty_tensors_are_supported(tmp_path: Path) -> None:
    """They have a position between others."""
    tensors = {"a": np.ones(3, np.float32), "b": np.ones((0, 4), np.float32), "c": np.full(2, 2, np.float32)}
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, [tensors, tensors]), [1, 2])

    assert checkpoints.rows[0].tolist() == [1, 1, 1, 2, 2]
    assert checkpoints.rows.read(0, 1, 5).tolist() == [1, 1, 2, 2]
    assert checkpoints.hashes[0] == checkpoints.hashes[1]


def test_more_checkpoints_than_files_can_be_open_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closed files are opened again if they are still the same files."""
    monkeypatch.setattr(mapped_checkpoint, "_MAX_MAPS", 2)
    tensors = training(5)
    folder = leave_checkpoints(tmp_path, tensors)
    checkpoints = CheckpointSet.open(folder, range(1, 6), LAYOUT)

    assert np.array_equal(checkpoints.rows[:], [flat(each) for each in tensors])
    assert checkpoints.products.shape == (5, 5)
    save_checkpoint(tensors[0], folder / "Bowl_2_step.safetensors")
    with pytest.raises(ValueError, match=r"Bowl_2_step.safetensors' was replaced by another file while it was in use"):
        _ = checkpoints.rows[1]


def test_files_of_a_restarted_training_do_not_disturb(tmp_path: Path) -> None:
    """A checkpoint that is open keeps its numbers when its file is replaced or removed."""
    tensors = training()
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, tensors), [1, 2], LAYOUT)
    os.unlink(tmp_path / "Bowl_1_step.safetensors")
    save_checkpoint(tensors[2], tmp_path / "Bowl_2_step.safetensors")

    assert np.array_equal(checkpoints.rows[:], [flat(tensors[0]), flat(tensors[1])])
