"""PyTorch networks whose graphs are recorded in tests."""

from typing import Any

import torch
from torch import Tensor, nn


class DigitsNet(nn.Module):
    """A convolutional network for images of 8x8."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 8, 3), nn.Conv2d(8, 16, 3)
        self.fc = nn.Linear(256, 10)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits."""
        x = torch.relu(self.conv2(torch.relu(self.conv1(x))))
        return self.fc(x.flatten(1))


class Perceptron(nn.Sequential):
    """Linear, BatchNorm, ReLU, Dropout and Linear, with buffers that a forward pass changes and random numbers."""

    def __init__(self) -> None:
        super().__init__(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(8, 3))


class Bottleneck(nn.Module):
    """A block of ResNet-50."""

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        super().__init__()
        outputs = 4 * width
        self.conv1, self.bn1 = nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        """Return the features."""
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn3(self.conv3(self.relu(self.bn2(self.conv2(y)))))
        return self.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet(nn.Module):
    """ResNet-50 (arXiv:1512.03385), as in torchvision."""

    layer1: nn.Module
    layer2: nn.Module
    layer3: nn.Module
    layer4: nn.Module

    def __init__(self) -> None:
        super().__init__()
        width = 64
        self.conv1, self.bn1 = nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width)
        self.relu, self.maxpool = nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)
        inputs = width
        for number, depth in enumerate((3, 4, 6, 3)):
            blocks = []
            for block in range(depth):
                blocks.append(Bottleneck(inputs, width << number, 2 if number and not block else 1))
                inputs = 4 * (width << number)
            self.add_module(f"layer{number + 1}", nn.Sequential(*blocks))
        self.avgpool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(inputs, 1000)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.avgpool(x).flatten(1))


class Branching(nn.Module):
    """Control flow that depends on data, which cannot be traced."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.second = nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Linear(3, 3)
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x: Tensor) -> Tensor:
        """Return features."""
        x = self.norm(self.first(x))
        return self.second(x) if x.sum() > 0 else x * self.scale


class Remembering(nn.Module):
    """Attributes, lists and buffers that a forward pass changes."""

    mean: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.last: Any = None
        self.seen: list[Any] = []
        self.register_buffer("mean", torch.zeros(2))

    def forward(self, x: Tensor) -> Tensor:
        """Return features."""
        self.last = x
        self.seen.append(x)
        with torch.no_grad():
            self.mean.mul_(0.5).add_(x.mean(0))
        return self.fc(x) - self.mean


class ManyOutputs(nn.Module):
    """An LSTM with keyword inputs, a constant, a layer with two names, and a dict of nested outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(4, 5, batch_first=True)
        self.fc = self.head = nn.Linear(5, 3)
        self.offset = torch.tensor([1.0, 2.0, 3.0])

    def forward(self, x: Tensor, *, mask: Tensor, scale: float = 1.0) -> dict[str, Any]:
        """Return logits and intermediate results."""
        hidden, _ = self.lstm(x)
        logits = self.fc(hidden) * scale + self.offset + mask
        left, right = self.head(hidden).split([1, 2], dim=-1)
        return {"logits": logits, "more": (left, [right, hidden])}
