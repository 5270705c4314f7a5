"""A straight line as the smallest TrainableNetwork, and batches for it."""

from collections.abc import Mapping
from typing import Any

import numpy as np


class Line:
    """y = weight * x + bias, trained by gradient descent on the mean squared error."""

    def __init__(self, learning_rate: float = 0.1) -> None:
        self.learning_rate = learning_rate
        self._parameters = {"weight": np.zeros(1), "bias": np.zeros(1)}

    def train_step(self, x: Any, y: Any) -> float:
        """Take one step; return the loss before it."""
        error = self.predict(x) - y
        self._parameters["weight"] -= self.learning_rate * 2 * (error * x).mean()
        self._parameters["bias"] -= self.learning_rate * 2 * error.mean()
        return float((error**2).mean())

    def eval_step(self, x: Any, y: Any) -> tuple[float, Any, Any]:
        """Return loss, outputs and labels."""
        outputs = self.predict(x)
        return float(((outputs - y) ** 2).mean()), outputs, y

    def predict(self, x: Any) -> Any:
        """Return the outputs."""
        return self._parameters["weight"] * x + self._parameters["bias"]

    def parameters(self) -> Mapping[str, Any]:
        """Return weight and bias."""
        return self._parameters

    def load_parameters(self, parameters: Mapping[str, Any]) -> None:
        """Set weight and bias."""
        self._parameters = {name: np.array(value) for name, value in parameters.items()}


def line_batches(number: int, samples: int = 4) -> list[tuple[Any, Any]]:
    """Return batches of the line y = 3 x - 1."""
    random = np.random.default_rng(0)
    points = [random.normal(size=samples) for _ in range(number)]
    return [(x, 3 * x - 1) for x in points]
