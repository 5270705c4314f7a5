"""The landscape model of a PyTorch module: which tensors it moves, restores and refuses."""

import copy
from typing import Any

import pytest
import torch
from support.landscape_networks import (
    METRICS,
    SAMPLES,
    MakeModel,
    Pictures,
    Smooth,
    landscape_model_of,
    loader,
    state_of,
)
from support.line_network import Line, line_batches
from torch import Tensor, nn

from toposcope.recorder.landscapes.models.landscape_model import model_of
from toposcope.recorder.landscapes.models.unit_losses import LossSums
from toposcope.recorder.training import Model


def test_kinds_are_those_of_the_modules(make_model: MakeModel) -> None:
    """Tied weights appear once, under their first name; integers and buffers that are not saved do not appear."""
    network = nn.Sequential(nn.Embedding(5, 4), nn.LayerNorm(4), nn.Linear(4, 4))
    tokens = [(torch.arange(4).reshape(4, 1), torch.zeros(4, 1, 4))]
    kinds = {each.name: each.kind for each in make_model(network, nn.MSELoss(), tokens).layout.tensors}
    assert kinds == {
        **{"0.weight": "embedding", "1.weight": "norm", "1.bias": "norm", "2.weight": "weight", "2.bias": "bias"}
    }
    layout = make_model(Pictures()).layout
    kinds = {each.name: each.kind for each in layout.tensors}
    assert {name for name, kind in kinds.items() if kind == "norm"} == {"norm.weight", "norm.bias"}
    assert {name for name, kind in kinds.items() if kind == "buffer"} == {
        *("offset", "norm.running_mean", "norm.running_var")
    }
    assert "third.weight" not in kinds


def test_a_model_with_an_optimizer_does_not_train(make_model: MakeModel) -> None:
    """Nor does its optimizer change."""
    network = Smooth()
    optimizer = torch.optim.Adam(network.parameters())
    before = state_of(network)
    model = model_of((Model(network, nn.CrossEntropyLoss(), optimizer), network, loader(), METRICS), SAMPLES)
    model.losses()
    model.restore()
    assert state_of(network) == before
    assert not optimizer.state


def test_a_buffer_that_evaluation_changes_is_reset(make_model: MakeModel) -> None:
    """At every point of the landscape; and it is restored in the end."""

    class Counting(nn.Module):
        calls: Tensor
        scale: Tensor

        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(36, 3)
            self.register_buffer("calls", torch.zeros((), dtype=torch.long))
            self.register_buffer("scale", torch.ones(()), persistent=False)

        def forward(self, x: Tensor) -> Tensor:
            self.calls += 1
            self.scale = self.scale * 2
            return self.layer(x.flatten(1)) * self.scale * self.calls

    network = Counting()
    before = state_of(network)
    model = make_model(network)
    flat = model.get()
    losses = []
    for _ in range(2):
        model.load(flat)
        losses.append(model.losses().sums)
    assert losses[0] == losses[1]
    model.restore()
    assert state_of(network) == before


@pytest.mark.parametrize(
    ("layer", "message"), [(nn.LazyLinear(3), "no values yet"), (nn.Linear(2, 2, dtype=torch.complex64), "weight")]
)
def test_weights_that_cannot_be_moved_are_refused(layer: Any, message: str) -> None:
    """The message names them, and the network is unchanged."""
    network = nn.Sequential(nn.Linear(36, 2), layer)
    with pytest.raises(ValueError, match=message):
        landscape_model_of(network)
    assert network.training


def test_a_network_without_weights_is_refused() -> None:
    """There is nothing to move."""
    with pytest.raises(ValueError, match="no weights"):
        landscape_model_of(nn.BatchNorm1d(3, affine=False))


def test_a_network_is_moved_by_one_model_at_a_time(make_model: MakeModel) -> None:
    """Two would evaluate each other's weights; after restore() it may be used again."""
    network, line = Smooth(), Line()
    first = make_model(network)
    with pytest.raises(ValueError, match="in use"):
        landscape_model_of(network)
    first.restore()
    assert make_model(network).losses().sums == first_loss(network)
    plain = model_of((Model(line), line, line_batches(3), METRICS), 10)
    with pytest.raises(ValueError, match="in use"):
        model_of((Model(line), line, line_batches(3), METRICS), 10)
    plain.restore()


def first_loss(network: nn.Module) -> LossSums:
    """Return the loss of a copy of a module."""
    model = landscape_model_of(copy.deepcopy(network))
    sums = model.losses().sums
    model.restore()
    return sums


def test_a_user_defined_landscape_model_is_used_unchanged(make_model: MakeModel) -> None:
    """Any result of callback_fn that implements the protocol."""
    model = make_model(Smooth())
    assert model_of(model, 10) is model


def test_without_gpus_the_device_is_the_cpu(make_model: MakeModel) -> None:
    """The same list of devices works with and without GPUs."""
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    network = Smooth()
    model = model_of((Model(network, nn.CrossEntropyLoss()), network, loader(), METRICS), 20, device=3)
    assert model.losses().sums.samples == 20
    model.restore()
    with pytest.raises(ValueError, match="device"):
        model_of((Model(network), network, loader(), METRICS), 20, device=-1)
