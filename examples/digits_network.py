"""A network of two layers in plain NumPy: 64 pixels, hidden units with ReLU, 10 digits."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from toposcope.recorder import Node

PIXELS, DIGITS = 64, 10


class Guesses(NamedTuple):
    """The predictions of the network for n images, and the true digits."""

    digits: np.ndarray
    """The true digits, int64[n]."""
    probabilities: np.ndarray
    """The probability of each digit, float64[n, 10]."""

    @property
    def guessed(self) -> np.ndarray:
        """The most probable digits, int64[n]."""
        digits: np.ndarray = self.probabilities.argmax(axis=1)
        return digits

    @property
    def losses(self) -> np.ndarray:
        """The cross entropy of each image, float64[n]."""
        of_true_digits = self.probabilities[np.arange(len(self.digits)), self.digits]
        losses: np.ndarray = -np.log(np.maximum(of_true_digits, 1e-300))
        return losses

    @property
    def accuracy(self) -> float:
        """The fraction of digits that were recognised."""
        return float((self.guessed == self.digits).mean())


class Network:
    """The network, trained by gradient descent with momentum. It implements Toposcope's TrainableNetwork protocol."""

    def __init__(self, hidden: int, momentum: float, random: np.random.Generator) -> None:
        """Initialize random weights for this number of hidden units."""
        self.momentum = momentum
        self.learning_rate = 0.0
        self._parameters = {
            "hidden.weight": random.normal(0, math.sqrt(2 / PIXELS), (PIXELS, hidden)),
            "hidden.bias": np.zeros(hidden),
            "output.weight": random.normal(0, math.sqrt(1 / hidden), (hidden, DIGITS)),
            "output.bias": np.zeros(DIGITS),
        }
        self._velocities = {name: np.zeros_like(parameter) for name, parameter in self._parameters.items()}

    def parameters(self) -> dict[str, np.ndarray]:
        """Return the parameters by name."""
        return self._parameters

    def load_parameters(self, parameters: Mapping[str, np.ndarray]) -> None:
        """Set the parameters."""
        self._parameters = {name: np.array(parameter) for name, parameter in parameters.items()}

    def guess(self, images: np.ndarray, digits: np.ndarray) -> Guesses:
        """Return the predictions for images of these digits."""
        return Guesses(digits, self._forward(images)[1])

    def eval_step(self, images: np.ndarray, digits: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the loss of each image, the probabilities and the true digits."""
        guesses = self.guess(images, digits)
        return guesses.losses, guesses.probabilities, digits

    def train_step(self, images: np.ndarray, digits: np.ndarray) -> tuple[float, Guesses]:
        """Take one gradient step; return the loss and the predictions before it."""
        hidden, probabilities = self._forward(images)
        error = (probabilities - np.eye(DIGITS)[digits]) / len(images)
        error_hidden = (error @ self._parameters["output.weight"].T) * (hidden > 0)
        gradients = {
            "hidden.weight": images.T @ error_hidden,
            "hidden.bias": error_hidden.sum(axis=0),
            "output.weight": hidden.T @ error,
            "output.bias": error.sum(axis=0),
        }
        for name, gradient in gradients.items():
            self._velocities[name] *= self.momentum
            self._velocities[name] -= self.learning_rate * gradient
            self._parameters[name] += self._velocities[name]
        guesses = Guesses(digits, probabilities)
        return float(guesses.losses.mean()), guesses

    def _forward(self, images: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        parameters = self._parameters
        hidden = np.maximum(images @ parameters["hidden.weight"] + parameters["hidden.bias"], 0)
        scores = hidden @ parameters["output.weight"] + parameters["output.bias"]
        exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
        return hidden, exponentials / exponentials.sum(axis=1, keepdims=True)


def nodes(network: Network, batch: int) -> list[Node]:
    """Return the computation of _forward() and the loss as nodes of a graph, written by hand, as NumPy has no graph."""
    parameters = [Node(name, "Parameter", (), p.shape, p.dtype) for name, p in network.parameters().items()]
    units = network.parameters()["hidden.bias"].size
    return [
        Node("images", "Parameter", (), (batch, PIXELS), "float64"),
        Node("digits", "Parameter", (), (batch,), "int64"),
        *parameters,
        Node("Network/hidden/MatMul", "MatMul", ["images", "hidden.weight"], (batch, units), "float64"),
        Node("Network/hidden/Add", "Add", ["Network/hidden/MatMul", "hidden.bias"], (batch, units), "float64"),
        Node("Network/hidden/ReLU", "ReLU", ["Network/hidden/Add"], (batch, units), "float64"),
        Node("Network/output/MatMul", "MatMul", ["Network/hidden/ReLU", "output.weight"], (batch, DIGITS), "float64"),
        Node("Network/output/Add", "Add", ["Network/output/MatMul", "output.bias"], (batch, DIGITS), "float64"),
        Node("Network/output/Softmax", "Softmax", ["Network/output/Add"], (batch, DIGITS), "float64", {"axis": -1}),
        Node("Loss/CrossEntropy", "CrossEntropy", ["Network/output/Softmax", "digits"], (batch,), "float64"),
        Node("Loss/Mean", "Mean", ["Loss/CrossEntropy"], (), "float64"),
    ]
