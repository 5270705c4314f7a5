"""PyTorch networks and images for tests of loss landscapes."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from toposcope.recorder.landscapes.models.landscape_model import LandscapeModel, model_of
from toposcope.recorder.training import Model

SAMPLES = 48
METRICS = {"Loss": None}
MakeModel = Callable[..., LandscapeModel]


class Pictures(nn.Module):
    """A network with BatchNorm, dropout, tied and frozen weights, another dtype and another memory format."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3)
        self.norm = nn.BatchNorm2d(6)
        self.drop = nn.Dropout(0.5)
        self.first, self.second = nn.Linear(24, 8), nn.Linear(8, 8)
        self.third, self.head = nn.Linear(8, 8), nn.Linear(8, 3)
        self.third.weight = self.second.weight
        self.conv.to(memory_format=torch.channels_last)  # type: ignore[call-overload, unused-ignore]  # PyTorch omits this overload.
        self.head = self.head.bfloat16()
        self.second.bias.requires_grad = False
        self.register_buffer("table", torch.arange(3.0), persistent=False)
        self.register_buffer("offset", torch.full((3,), 0.1))
        randomise(self.norm)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits."""
        x = torch.tanh(self.norm(self.conv(x)))
        x = nn.functional.max_pool2d(x, 2).flatten(1)
        x = torch.tanh(self.third(torch.tanh(self.second(self.drop(torch.tanh(self.first(x)))))))
        return self.head(x.bfloat16()).float() * 0.1 * self.table + self.offset


class Smooth(nn.Sequential):
    """A network in float32 alone, whose losses are exact enough for finite differences."""

    def __init__(self) -> None:
        norm = nn.BatchNorm1d(8)
        super().__init__(nn.Flatten(), nn.Linear(36, 8), norm, nn.Tanh(), nn.Dropout(), nn.Linear(8, 3))
        randomise(norm)


def randomise(norm: nn.BatchNorm1d | nn.BatchNorm2d) -> None:
    """Replace the running statistics of a BatchNorm by random numbers."""
    assert norm.running_mean is not None
    assert norm.running_var is not None
    with torch.no_grad():
        norm.running_mean.normal_()
        norm.running_var.uniform_(0.5, 2)


def pictures(samples: int = 50) -> TensorDataset:
    """Return pictures of 6x6 with labels."""
    generator = torch.Generator().manual_seed(3)
    images = torch.randn(samples, 1, 6, 6, generator=generator)
    return TensorDataset(images, torch.randint(0, 3, (samples,), generator=generator))


def loader(samples: int = 50, **settings: Any) -> Any:
    """Return a loader of pictures, 20 a batch."""
    return DataLoader(pictures(samples), batch_size=20, **settings)


def state_of(network: Any) -> object:
    """Return all state of a module and of PyTorch that a landscape might change."""
    named = [*network.named_parameters(remove_duplicate=False), *network.named_buffers(remove_duplicate=False)]
    tensors = [
        (name, id(tensor), tensor.data_ptr(), tensor.stride(), tensor.requires_grad, tensor.grad, tensor.dtype)
        for name, tensor in named
    ]
    values = [bytes(tensor.detach().contiguous().view(-1).view(torch.uint8).numpy()) for _, tensor in named]
    modes = [module.training for module in network.modules()]
    momenta = [getattr(module, "momentum", 0) for module in network.modules()]
    random = bytes(torch.get_rng_state().numpy()), str(np.random.get_state())
    return tensors, values, modes, momenta, torch.get_num_threads(), torch.backends.cudnn.benchmark, random


def landscape_model_of(
    network: Any, loss_fn: Any = None, dataset: Any = None, num_samples: int = SAMPLES
) -> LandscapeModel:
    """Return the landscape model of a module."""
    loss_fn = nn.CrossEntropyLoss() if loss_fn is None else loss_fn
    model = Model(network, loss_fn)
    return model_of((model, network, loader() if dataset is None else dataset, METRICS), num_samples)


def landscape_models() -> Iterator[MakeModel]:
    """Yield landscape_model_of() for a fixture; the networks are restored at the end."""
    models: list[LandscapeModel] = []

    def landscape_model(*arguments: Any, **settings: Any) -> LandscapeModel:
        models.append(landscape_model_of(*arguments, **settings))
        return models[-1]

    yield landscape_model
    for model in models:
        model.restore()
