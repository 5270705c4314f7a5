"""The part of MindSpore's API that the documentation's samples use, implemented with PyTorch."""

# Names are MindSpore's.
# ruff: noqa: N801, N802

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

Tensor = torch.tensor


class nn:
    """Layers, losses and optimizers under MindSpore's names."""

    class Cell(torch.nn.Module):
        """A network whose forward pass is construct()."""

        construct: Callable[..., Any]

        def forward(self, *inputs: Any) -> Any:
            return self.construct(*inputs)

        def trainable_params(self) -> list[torch.nn.Parameter]:
            return list(self.parameters())

    class Dense(torch.nn.Linear):
        """A linear layer."""

        def __init__(self, in_channels: int, out_channels: int, weight_init: Any = None) -> None:
            super().__init__(in_channels, out_channels)

        def trainable_params(self) -> list[torch.nn.Parameter]:
            return list(self.parameters())

    class Conv2d(torch.nn.Conv2d):
        """A convolution."""

        def __init__(self, in_channels: int, out_channels: int, kernel_size: int, pad_mode: str = "valid") -> None:
            super().__init__(in_channels, out_channels, kernel_size, padding=pad_mode)

    ReLU = torch.nn.ReLU
    MaxPool2d = torch.nn.MaxPool2d
    Flatten = torch.nn.Flatten

    @staticmethod
    def SoftmaxCrossEntropyWithLogits(sparse: bool, reduction: str) -> torch.nn.Module:
        """Return the loss."""
        assert sparse
        return torch.nn.CrossEntropyLoss(reduction=reduction)

    @staticmethod
    def Momentum(params: Any, learning_rate: float, momentum: float) -> torch.optim.Optimizer:
        """Return the optimizer."""
        return torch.optim.SGD(params, lr=learning_rate, momentum=momentum)


class NumpySlicesDataset:
    """Samples of a dict of arrays, in batches."""

    def __init__(self, data: dict[str, Any], batch_size: int = 1) -> None:
        self._data, self._batch_size = data, batch_size

    def batch(self, batch_size: int) -> "NumpySlicesDataset":
        return NumpySlicesDataset(self._data, batch_size)

    def __len__(self) -> int:
        return len(next(iter(self._data.values()))) // self._batch_size

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        for index in range(len(self)):
            rows = slice(index * self._batch_size, (index + 1) * self._batch_size)
            yield {name: torch.as_tensor(values[rows]) for name, values in self._data.items()}


class ds:
    """Datasets under MindSpore's names."""

    NumpySlicesDataset = NumpySlicesDataset


class context:
    """The context of MindSpore, which PyTorch does not need."""

    GRAPH_MODE = 0

    @staticmethod
    def set_context(mode: int, device_target: str) -> None:
        """Do nothing."""


class LeNet5(nn.Cell):
    """LeNet5 of the CheckpointConfig sample, for the images of create_dataset()."""

    def __init__(self, num_class: int = 10, num_channel: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(num_channel, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1 = nn.Dense(16 * 5 * 5, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, num_class)
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x: torch.Tensor) -> torch.Tensor:
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


def create_dataset(data_path: str, batch_size: int = 16) -> NumpySlicesDataset:
    """Return images of noise, float32[n, 1, 32, 32], and random digits; data_path is ignored."""
    random = np.random.default_rng(0)
    images, digits = random.random((64, 1, 32, 32), np.float32), random.integers(0, 10, 64)
    return NumpySlicesDataset({"image": images, "label": digits}, batch_size)
