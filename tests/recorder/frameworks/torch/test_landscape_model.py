"""The landscape model of a PyTorch module: what it moves, what it leaves alone, and what it refuses."""

import copy
from typing import Any

import pytest
import torch
from support.landscape_networks import METRICS, SAMPLES, Pictures, Smooth, Take, loader, state_of, taken_of
from support.line_network import Line, line_batches
from torch import Tensor, nn

from toposcope.recorder.landscapes.models.landscape_model import model_of
from toposcope.recorder.landscapes.models.loss_sums import LossSums
from toposcope.recorder.training import Model


def test_kinds_are_those_of_the_modules(take: Take) -> None:
    """Tied weights stand once, under their first name; buffers that checkpoints lack, and integers, nowhere."""
    network = nn.Sequential(nn.Embedding(5, 4), nn.LayerNorm(4), nn.Linear(4, 4))
    tokens = [(torch.arange(4).reshape(4, 1), torch.zeros(4, 1, 4))]
    kinds = {each.name: each.kind for each in take(network, nn.MSELoss(), tokens).layout.tensors}
    assert kinds == {
        **{"0.weight": "embedding", "1.weight": "norm", "1.bias": "norm", "2.weight": "weight", "2.bias": "bias"}
    }
    layout = take(Pictures()).layout
    kinds = {each.name: each.kind for each in layout.tensors}
    assert {name for name, kind in kinds.items() if kind == "norm"} == {"norm.weight", "norm.bias"}
    assert {name for name, kind in kinds.items() if kind == "buffer"} == {
        *("offset", "norm.running_mean", "norm.running_var")
    }
    assert "third.weight" not in kinds


def test_a_model_with_an_optimizer_does_not_train(take: Take) -> None:
    """Nor does its optimizer change."""
    network = Smooth()
    optimizer = torch.optim.Adam(network.parameters())
    before = state_of(network)
    model = model_of((Model(network, nn.CrossEntropyLoss(), optimizer), network, loader(), METRICS), SAMPLES)
    model.loss()
    model.restore()
    assert state_of(network) == before
    assert not optimizer.state


def test_a_buffer_that_evaluation_changes_begins_anew(take: Take) -> None:
    """At every point of the landscape; and it is given back as it was."""

    class Counting(nn.Module):
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
    model = take(network)
    flat = model.get()
    losses = []
    for _ in range(2):
        model.load(flat)
        losses.append(model.loss())
    assert losses[0] == losses[1]
    model.restore()
    assert state_of(network) == before


@pytest.mark.parametrize(
    ("layer", "message"), [(nn.LazyLinear(3), "no values yet"), (nn.Linear(2, 2, dtype=torch.complex64), "weight")]
)
def test_weights_that_cannot_be_moved_are_refused(layer: Any, message: str) -> None:
    """By name, and the network is as it was."""
    network = nn.Sequential(nn.Linear(36, 2), layer)
    with pytest.raises(ValueError, match=message):
        taken_of(network)
    assert network.training


def test_a_network_without_weights_is_refused() -> None:
    """There is nothing to move."""
    with pytest.raises(ValueError, match="no weights"):
        taken_of(nn.BatchNorm1d(3, affine=False))


def test_a_network_is_moved_by_one_model_at_a_time(take: Take) -> None:
    """Two would evaluate each other's weights; when it has been given back it may be taken again."""
    network, line = Smooth(), Line()
    first = take(network)
    with pytest.raises(ValueError, match="in use"):
        taken_of(network)
    first.restore()
    assert take(network).loss() == first_loss(network)
    plain = model_of((Model(line), line, line_batches(3), METRICS), 10)
    with pytest.raises(ValueError, match="in use"):
        model_of((Model(line), line, line_batches(3), METRICS), 10)
    plain.restore()


def first_loss(network: nn.Module) -> LossSums:
    """Return the loss of a copy of a module."""
    model = taken_of(copy.deepcopy(network))
    sums = model.loss()
    model.restore()
    return sums


def test_a_model_of_the_users_own_is_used_as_it_is(take: Take) -> None:
    """Whatever callback_fn returns that keeps the promises."""
    model = take(Smooth())
    assert model_of(model, 10) is model


def test_a_device_that_is_not_there_is_the_cpu(take: Take) -> None:
    """So that one list of devices serves machines with GPUs and without."""
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    network = Smooth()
    model = model_of((Model(network, nn.CrossEntropyLoss()), network, loader(), METRICS), 20, device=3)
    assert model.loss().samples == 20
    model.restore()
    with pytest.raises(ValueError, match="device"):
        model_of((Model(network), network, loader(), METRICS), 20, device=-1)
