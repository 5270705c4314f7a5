"""Networks and optimizers of the real MindSpore in our checkpoints, which MindSpore can read."""

from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn

from toposcope.recorder.callbacks.checkpoint_config import CheckpointConfig
from toposcope.recorder.callbacks.model_checkpoint import ModelCheckpoint
from toposcope.recorder.checkpoints import load_checkpoint, restore, save_checkpoint
from toposcope.recorder.frameworks.mindspore import bridge

KEY = b"0123456789abcdef"
APPENDED = {"epoch_num": 3, "rate": 0.1, "is_best": True}


def trained(seed: int = 0) -> tuple[nn.Cell, nn.Optimizer, nn.Cell]:
    """Return a network, its optimizer with moments, and its training step, after one step."""
    ms.set_seed(seed)
    network = nn.SequentialCell(nn.Dense(4, 3), nn.BatchNorm1d(3))
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), optimizer).set_train()
    take(step)
    return network, optimizer, step


def take(step: nn.Cell) -> None:
    """Train one step."""
    random = np.random.default_rng(0)
    step(Tensor(random.normal(size=(8, 4)), ms.float32), Tensor(random.normal(size=(8, 3)), ms.float32))


def numbers_of(cell: nn.Cell) -> dict[str, Any]:
    """Return all parameters as lists."""
    return {name: parameter.asnumpy().tolist() for name, parameter in cell.parameters_dict().items()}


@pytest.mark.parametrize("extension", ["ckpt", "safetensors"])
def test_training_continues_from_a_checkpoint_as_if_it_had_not_stopped(tmp_path: Path, extension: str) -> None:
    """Network, optimizer and appended values are restored exactly."""
    network, optimizer, step = trained()
    save_checkpoint(network, tmp_path / f"a.{extension}", optimizer=optimizer, append=APPENDED)

    other, other_optimizer, other_step = trained(seed=1)
    checkpoint = load_checkpoint(tmp_path / f"a.{extension}")
    restore(checkpoint, other, other_optimizer)

    assert checkpoint.appended == APPENDED
    assert numbers_of(other_step) == numbers_of(step)
    take(step)
    take(other_step)
    assert numbers_of(other_step) == numbers_of(step)
    assert [file.name for file in tmp_path.iterdir()] == [f"a.{extension}"]


@pytest.mark.parametrize("extension", ["ckpt", "safetensors"])
def test_mindspore_reads_the_file(tmp_path: Path, extension: str) -> None:
    """With its load_checkpoint() and load_param_into_net()."""
    network, optimizer, _ = trained()
    path = str(tmp_path / f"a.{extension}")
    save_checkpoint(network, path, optimizer=optimizer, append=APPENDED)

    parameters = ms.load_checkpoint(path, format=extension)
    other = trained(seed=1)[0]
    missing, _ = ms.load_param_into_net(other, parameters)

    assert missing == []
    assert numbers_of(other) == numbers_of(network)
    assert parameters["epoch_num"].asnumpy() == 3


def test_file_of_mindspore_contains_only_the_network(tmp_path: Path) -> None:
    network = trained()[0]
    ms.save_checkpoint(network, str(tmp_path / "a.ckpt"))
    checkpoint = load_checkpoint(tmp_path / "a.ckpt")
    other = trained(seed=1)[0]
    restore(checkpoint, other)
    assert (numbers_of(other), checkpoint.optimizer) == (numbers_of(network), None)


@pytest.mark.parametrize("mode", ["AES-GCM", "AES-CBC"])
def test_mindspore_encrypts_and_a_wrong_key_is_an_error(tmp_path: Path, mode: str) -> None:
    """Both libraries read the file with the key; without it, our error is explicit."""
    network, _, _ = trained()
    path = str(tmp_path / "a.ckpt")
    save_checkpoint(network, path, enc_key=KEY, enc_mode=mode)
    assert ms.load_checkpoint(path, dec_key=KEY, dec_mode=mode).keys() > network.parameters_dict().keys()
    assert load_checkpoint(path, key=KEY, mode=mode).network.keys() == network.parameters_dict().keys()
    with pytest.raises(ValueError, match="key is None"):
        load_checkpoint(path)
    with pytest.raises(ValueError, match="key"):
        load_checkpoint(path, key=bytes(16), mode=mode)


def test_checksum_detects_a_flipped_bit(tmp_path: Path) -> None:
    path = tmp_path / "a.ckpt"
    save_checkpoint(trained()[0], path, crc_check=True)
    load_checkpoint(path)
    content = bytearray(path.read_bytes())
    content[60] ^= 1
    path.chmod(0o600)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.ckpt"):
        load_checkpoint(path)


@pytest.mark.parametrize("fraction", [0.01, 0.5, 0.9])
def test_truncated_file_is_a_value_error(tmp_path: Path, fraction: float) -> None:
    path = tmp_path / "a.ckpt"
    save_checkpoint(trained()[0], path)
    content = path.read_bytes()
    path.chmod(0o600)
    path.write_bytes(content[: int(len(content) * fraction)])
    with pytest.raises(ValueError, match=r"a\.ckpt"):
        load_checkpoint(path)


@pytest.mark.parametrize("async_save", [False, True])
def test_callback_saves_in_the_real_model(tmp_path: Path, async_save: bool) -> None:
    """Through the bridge, every second step and the last are saved, with network and optimizer."""
    data = {"x": np.random.rand(20, 4).astype(np.float32), "y": np.random.rand(20, 3).astype(np.float32)}
    dataset = ms.dataset.NumpySlicesDataset(data).batch(4)
    network = nn.Dense(4, 3)
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
    config = CheckpointConfig(2, keep_checkpoint_max=9, async_save=async_save, append_info=["epoch_num", "step_num"])
    checkpoint = ModelCheckpoint("net", tmp_path, config)
    ms.Model(network, nn.MSELoss(), optimizer).train(1, dataset, callbacks=bridge(checkpoint), dataset_sink_mode=False)

    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["net-1_2.ckpt", "net-1_4.ckpt", "net-1_5.ckpt"]
    loaded = load_checkpoint(checkpoint.latest_ckpt_file_name)
    assert loaded.appended == {"epoch_num": 1, "step_num": 5}
    assert loaded.optimizer is not None
    assert "moments.weight" in loaded.optimizer
    weights = [load_checkpoint(tmp_path / name).network["weight"].asnumpy() for name in names]
    assert np.array_equal(weights[2], network.weight.asnumpy())
    assert not np.array_equal(weights[0], weights[1])
