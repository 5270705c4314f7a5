"""A bowl: a network whose loss is a quadratic function of the weights, so that there is a formula for each result."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.training import Model

SIZE = 6
STIFFNESS = np.geomspace(4.0, 0.02, SIZE)


class Bowl:
    """Loss of a sample s: s + sum of stiffness * weights ** 2 / 2; trained by gradient descent."""

    def __init__(self, learning_rate: float = 0.1) -> None:
        self._weights = {"body.weight": np.linspace(1, 2, SIZE, dtype=np.float32).reshape(2, SIZE // 2)}
        self._learning_rate = np.float32(learning_rate)

    def train_step(self, samples: Any) -> float:
        """Take a step; return the loss before it."""
        loss = self.eval_step(samples)[0]
        weights = self._weights["body.weight"]
        self._weights["body.weight"] = weights - self._learning_rate * (STIFFNESS.astype("f4").reshape(2, -1) * weights)
        return loss

    def eval_step(self, samples: Any) -> tuple[float, Any, Any]:
        """Return the mean loss, without outputs."""
        return float(np.mean(samples)) + bowl_loss(self._weights["body.weight"]), samples, samples

    def parameters(self) -> Mapping[str, Any]:
        """Return the weights."""
        return self._weights

    def load_parameters(self, parameters: Mapping[str, Any]) -> None:
        """Set the weights."""
        self._weights = {name: np.array(value) for name, value in parameters.items()}


def bowl_loss(weights: Any) -> float:
    """Return the loss that the weights add."""
    return float((STIFFNESS * np.asarray(weights, np.float64).reshape(-1) ** 2).sum() / 2)


def samples_of_bowl(batches: int = 4) -> list[tuple[Any]]:
    """Return batches of eight samples, whose mean is one."""
    random = np.random.default_rng(0)
    samples = random.uniform(0.5, 1.5, (batches, 8))
    return [(batch,) for batch in samples - samples.mean() + 1]


def train_bowl(directory: Path | str, steps: int = 12, learning_rate: float = 0.1, **landscapes: Any) -> None:
    """Train and save a checkpoint after each step."""
    settings = {"landscape_size": 9, "num_samples": 32, "intervals": [list(range(1, steps + 1))], **landscapes}
    collector = SummaryCollector(directory, 1, {"collect_landscape": settings}, keep_default_action=False)
    Model(Bowl(learning_rate)).train(1, samples_of_bowl(steps), callbacks=[collector])


@cache
def _trained() -> str:
    directory = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, directory)
    train_bowl(directory)
    return directory


def copy_trained_bowl(directory: Path) -> None:
    """Copy the checkpoints of a training to a directory, always of the same one, since files of two may differ."""
    shutil.copytree(os.path.join(_trained(), "ckpt_dir"), directory / "ckpt_dir")


def bowl_callback(network: Callable[[], Any] = Bowl) -> Callable[[], Any]:
    """Return a callback_fn."""

    def callback_fn() -> Any:
        bowl = network()
        return Model(bowl), bowl, samples_of_bowl(), {"Loss"}

    return callback_fn
