"""Interrupted trainings of the real MindSpore's Model, which our BackupAndRestore and OnRequestExit continue."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn
from mindspore.train import Model

from toposcope.recorder.callbacks import BackupAndRestore, Callback, OnRequestExit, RunContext
from toposcope.recorder.frameworks.mindspore import bridge


class At(Callback):
    """Notes the steps, and calls a function at one of them."""

    def __init__(self, step: int, action: Callable[[], object]) -> None:
        self.steps: list[int] = []
        self._step, self._action = step, action

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Note the step."""
        self.steps.append(step := run_context.original_args().cur_step_num)
        if step == self._step:
            self._action()


def fail() -> None:
    """Raise an error, as a training that is killed."""
    raise KeyError("killed")


def train(epochs: int, *callbacks: Any) -> np.ndarray:
    """Train four steps per epoch; return the weights."""
    ms.set_seed(0)
    network = nn.Dense(4, 3)
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
    inputs = np.linspace(-1, 1, 128, dtype=np.float32).reshape(32, 4)
    columns = {"x": inputs, "y": inputs[:, :3]}
    batches = ms.dataset.NumpySlicesDataset(columns, shuffle=False).batch(8)
    bridged = [bridge(*callbacks)] if callbacks else []
    Model(network, nn.MSELoss(), optimizer).train(epochs, batches, callbacks=bridged, dataset_sink_mode=False)
    weights: np.ndarray = network.weight.asnumpy()
    return weights


def test_a_backup_restores_network_optimizer_and_steps(tmp_path: Path) -> None:
    """MindSpore trains all epochs again: one epoch and two others equal three."""
    whole = train(3)
    with pytest.raises(KeyError, match="killed"):
        train(2, BackupAndRestore(tmp_path), At(6, fail))
    at = At(0, fail)
    weights = train(2, BackupAndRestore(tmp_path), at)

    assert at.steps == list(range(5, 13))
    np.testing.assert_array_equal(weights, whole)
    assert not list(tmp_path.iterdir())


def test_a_signal_ends_the_training_and_the_next_one_continues_it(tmp_path: Path) -> None:
    """After four steps; two further epochs equal three. A Cell is not saved as a program of PyTorch."""
    whole = train(3)
    first, second = At(4, lambda: signal.raise_signal(signal.SIGTERM)), At(0, fail)
    train(3, OnRequestExit(directory=tmp_path), first)
    assert [path.name for path in (tmp_path / "rank_0").iterdir()] == ["Net_train.ckpt"]
    weights = train(2, OnRequestExit(directory=tmp_path), second)

    assert (first.steps, second.steps) == ([1, 2, 3, 4], list(range(5, 13)))
    np.testing.assert_array_equal(weights, whole)
