"""Loss landscapes of compiled PyTorch modules: too slow for every test run, and they need a C++ compiler."""

import resource
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch._inductor.utils import fresh_cache

from toposcope.recorder.landscapes.models.landscape_model import LandscapeModel, model_of
from toposcope.recorder.training import Model

SAMPLES = 2048


class LeNet(nn.Module):
    """LeNet5."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits."""
        x = nn.functional.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = nn.functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x.flatten(1))))))


def landscape_model_of(network: Any) -> LandscapeModel:
    """Return the model of a network for pictures of 32x32."""
    generator = torch.Generator().manual_seed(1)
    images = torch.randn(SAMPLES, 1, 32, 32, generator=generator)
    labels = torch.randint(0, 10, (SAMPLES,), generator=generator)
    data = list(zip(images.split(100), labels.split(100), strict=True))
    return model_of((Model(network, nn.CrossEntropyLoss()), network, data, {"Loss": None}), SAMPLES)


@pytest.fixture
def model() -> Iterator[LandscapeModel]:
    """Return the model of a LeNet5, along one direction."""
    model = landscape_model_of(LeNet())
    direction = np.random.default_rng(0).normal(size=(1, model.layout.size)).astype(np.float32)
    model.hold(model.get(), direction * 0.01)
    yield model
    model.restore()


@pytest.mark.parametrize("mode", ["compile", "channels_last+compile"])
def test_a_compiled_network_finds_the_same_losses(mode: str, model: LandscapeModel) -> None:
    """At all weights, with the same bits each time; slices of other sizes are not compiled again."""
    places = [(0.0,), (1.0,), (-2.0,)]

    def measured_losses() -> list[Any]:
        losses = []
        for place in places:
            model.move(place)
            losses.append(model.losses().sums)
        return losses

    eager = measured_losses()
    model.use(mode)
    assert model.mode == mode
    compiled = measured_losses()
    assert compiled == measured_losses()
    for one, other in zip(eager, compiled, strict=True):
        assert other.mean == pytest.approx(one.mean, rel=1e-5)
        assert other.squares == pytest.approx(one.squares, rel=1e-5)
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    model.losses(0, 300)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - begin < 1
    model.use("eager")
    assert measured_losses() == eager


def test_a_machine_without_a_compiler_measures_as_before(model: LandscapeModel) -> None:
    """The mode is refused, with the reason."""
    before = model.losses().sums
    torch.compiler.reset()
    with fresh_cache(), torch._inductor.config.patch({"cpp.cxx": ("no-such-compiler",)}):
        with pytest.raises(ValueError, match="cannot be compiled"):
            model.use("compile")
        assert model.mode == "eager"
        assert model.tune(100_000) in ("channels_last", "blocked")
    model.use("eager")
    assert model.losses().sums == before


def test_much_work_is_compiled_where_that_is_faster(model: LandscapeModel) -> None:
    """The losses are the same in the mode that timing selects."""
    eager = model.losses().sums
    assert model.tune(100_000) in ("channels_last", "blocked", "channels_last+compile", "compile")
    assert model.losses().sums.mean == pytest.approx(eager.mean, rel=1e-5)
