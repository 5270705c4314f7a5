"""A training on labels with outliers: the losses of samples differ far more from each other than between weights."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.landscapes import SummaryLandscape
from toposcope.recorder.training import Model

SAMPLES, STEPS, INPUTS = 256, 12, 4
TAG = f"landscape_[1, {STEPS}]"


class RobustLine:
    """A linear model with Huber's loss, in double precision."""

    def __init__(self, of_batches: bool = False) -> None:
        """Return losses of samples, or the mean of a batch if *of_batches*."""
        self._weights = {"weight": np.full((1, INPUTS), 0.5)}
        self._of_batches = of_batches

    def train_step(self, inputs: Any, labels: Any) -> float:
        """Take a step of gradient descent; return the loss before it."""
        errors = self._errors(inputs, labels)
        gradient = (np.clip(errors, -1, 1)[:, None] * inputs).mean(axis=0, keepdims=True)
        self._weights["weight"] = self._weights["weight"] - 0.3 * gradient
        return float(huber(errors).mean())

    def eval_step(self, inputs: Any, labels: Any) -> tuple[Any, Any, Any]:
        """Return the losses, without outputs."""
        losses = huber(self._errors(inputs, labels))
        return losses.mean() if self._of_batches else losses, labels, labels

    def parameters(self) -> Mapping[str, Any]:
        """Return the weights."""
        return self._weights

    def load_parameters(self, parameters: Mapping[str, Any]) -> None:
        """Set the weights."""
        self._weights = {name: np.array(value) for name, value in parameters.items()}

    def _errors(self, inputs: Any, labels: Any) -> Any:
        return (inputs * self._weights["weight"]).sum(axis=1) - labels


def huber(errors: Any) -> Any:
    """Return Huber's loss, quadratic up to 1 and then linear."""
    size = np.abs(errors)
    return np.where(size < 1, size**2 / 2, size - 0.5)


def batches(size: int = 32) -> list[tuple[Any, Any]]:
    """Return inputs and labels; one label in sixteen is an outlier."""
    random = np.random.default_rng(0)
    inputs = random.normal(size=(SAMPLES, INPUTS))
    labels = 0.1 * random.normal(size=SAMPLES) + np.where(random.random(SAMPLES) < 1 / 16, 40, 0) * random.choice(
        [-1, 1], SAMPLES
    )
    return [(inputs[start : start + size], labels[start : start + size]) for start in range(0, SAMPLES, size)]


def train_with_outliers(directory: Path, of_batches: bool = False) -> None:
    """Train, save a checkpoint after each step, and compute the landscape of the training."""
    settings = {"landscape_size": 9, "num_samples": SAMPLES, "intervals": [list(range(1, STEPS + 1))]}
    settings["create_landscape"] = {"result": False}
    collector = SummaryCollector(directory, 1, {"collect_landscape": settings}, keep_default_action=False)
    Model(RobustLine()).train(STEPS, [batches(SAMPLES)[0]], callbacks=[collector])

    def callback_fn() -> Any:
        line = RobustLine(of_batches)
        return Model(line), line, batches(), {"Loss"}

    SummaryLandscape(directory).gen_landscapes_with_multi_process(callback_fn)
