"""The tasks of `make bench-thor`: data, networks, losses and limits, the same for all optimizers."""

from collections.abc import Callable
from itertools import pairwise
from typing import Literal, NamedTuple

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import Tensor, nn
from torch.nn import functional

PIXELS, DIGITS = 64, 10


class Data(NamedTuple):
    """Inputs and what the network should return for them."""

    train: tuple[Tensor, Tensor]
    test: tuple[Tensor, Tensor]


class Task(NamedTuple):
    """A training."""

    name: str
    data: Callable[[], Data]
    network: Callable[[], nn.Module]
    loss: Callable[[Tensor, Tensor], Tensor]
    """Of outputs and targets, the mean over the samples."""
    value: Callable[[nn.Module, Data], Tensor]
    """What the target is a limit of."""
    batch: int
    target: float | None
    """None: MARGIN times the best value of the first-order optimizers within the steps of tuning."""
    tuning_steps: int
    limit: int
    """Steps of a run after tuning; a run that has not reached the target then has missed it."""
    every: int
    """Steps between evaluations."""
    fisher: Literal["empirical", "sampled"] = "empirical"
    likelihood: Literal["categorical", "normal"] = "categorical"


def digits() -> Data:
    """Return images as rows of 64 pixels between 0 and 1, a quarter of them for the test."""
    pixels, labels = load_digits(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(pixels / 16, labels, test_size=0.25, random_state=0)
    as_inputs = [torch.tensor(array, dtype=torch.float32) for array in (train_x, test_x)]
    as_labels = [torch.tensor(array) for array in (train_y, test_y)]
    return Data((as_inputs[0], as_labels[0]), (as_inputs[1], as_labels[1]))


def digit_images() -> Data:
    """Return images (n, 1, 8, 8)."""
    (train, train_labels), (test, test_labels) = digits()
    return Data((train.view(-1, 1, 8, 8), train_labels), (test.view(-1, 1, 8, 8), test_labels))


def badly_scaled_digits() -> Data:
    """Return digits whose pixels are rotated, scaled by 10^-1.5 to 10^1, and moved by 2."""
    generator = torch.Generator().manual_seed(0)
    rotation, _ = torch.linalg.qr(torch.randn(PIXELS, PIXELS, generator=generator))
    scales = torch.logspace(-1.5, 1, PIXELS)
    (train, train_labels), (test, test_labels) = digits()
    return Data((train @ rotation * scales + 2, train_labels), (test @ rotation * scales + 2, test_labels))


def digits_to_themselves() -> Data:
    """Return images that the network should return."""
    (train, _), (test, _) = digits()
    return Data((train, train), (test, test))


def dense(*sizes: int, activation: Callable[[], nn.Module] = nn.ReLU) -> nn.Sequential:
    """Return linear layers with an activation between them."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), activation()]
    return nn.Sequential(*layers[:-1])


def convolutional() -> nn.Sequential:
    """Return two convolutions and two linear layers with 256 inputs."""
    convolutions = [
        *(nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
    ]
    return nn.Sequential(*convolutions, nn.Flatten(), *dense(256, 256, DIGITS))


def half_squared_error(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return the negative log-likelihood for unit variance, up to a constant: half the squared error of a sample."""
    return 0.5 * (outputs - targets).square().sum(1).mean()


def test_error(network: nn.Module, data: Data) -> Tensor:
    """Return the fraction of test images that the network classifies wrongly."""
    inputs, labels = data.test
    wrong: Tensor = network(inputs).argmax(1) != labels
    return wrong.float().mean()


def train_cross_entropy(network: nn.Module, data: Data) -> Tensor:
    """Return the cross entropy of all training images."""
    inputs, labels = data.train
    return functional.cross_entropy(network(inputs), labels)


def train_squared_error(network: nn.Module, data: Data) -> Tensor:
    """Return half_squared_error() of all training images."""
    inputs, targets = data.train
    return half_squared_error(network(inputs), targets)


TASKS = (
    Task(
        "digits, MLP 64-256-256-10",
        digits,
        lambda: dense(PIXELS, 256, 256, DIGITS),
        functional.cross_entropy,
        test_error,
        batch=512,
        target=0.04,
        tuning_steps=200,
        limit=400,
        every=1,
    ),
    Task(
        "digits, CNN 32-64 channels, 256-256-10",
        digit_images,
        convolutional,
        functional.cross_entropy,
        test_error,
        batch=128,
        target=0.03,
        tuning_steps=200,
        limit=400,
        every=2,
    ),
    Task(
        "badly scaled digits, MLP 64-64-32-10",
        badly_scaled_digits,
        lambda: dense(PIXELS, 64, 32, DIGITS),
        functional.cross_entropy,
        train_cross_entropy,
        batch=128,
        target=None,
        tuning_steps=600,
        limit=1500,
        every=10,
    ),
    Task(
        "autoencoder 64-128-64-32-8-32-64-128-64",
        digits_to_themselves,
        lambda: dense(64, 128, 64, 32, 8, 32, 64, 128, 64, activation=nn.Tanh),
        half_squared_error,
        train_squared_error,
        batch=512,
        target=None,
        tuning_steps=400,
        limit=1000,
        every=10,
        fisher="sampled",
        likelihood="normal",
    ),
)
