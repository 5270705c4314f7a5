"""Which layers THOR preconditions, how they may be called, and how all other parameters are trained."""

import copy
import io
import logging
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrizations, prune

from toposcope.recorder.train_thor import thor

OPTIONS: dict[str, Any] = {"learning_rate": 0.1, "damping": 0.1, "momentum": 0.9, "frequency": 2}


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


class Scaled(nn.Linear):
    """A linear layer with its own forward()."""

    def forward(self, input: Tensor) -> Tensor:
        """Multiply by 2."""
        return super().forward(2 * input)


class Named(nn.Linear):
    """A subclass that computes the same."""


class Attention(nn.Module):
    """Attention of a sequence to itself."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the attended sequence, averaged."""
        outputs, _ = self.attention(
            inputs[:, None] * torch.ones(1, 3, 1),
            inputs[:, None] * torch.ones(1, 3, 1),
            inputs[:, None] * torch.ones(1, 3, 1),
        )
        return outputs.mean(1)


class Tied(nn.Module):
    """Two layers with one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.head = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
        self.second.weight = self.first.weight

    def forward(self, inputs: Tensor) -> Tensor:
        """Apply all."""
        return self.head(self.second(self.first(inputs)))


def frozen_weight() -> nn.Module:
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    net[0].weight.requires_grad_(False)
    return net


def frozen_bias() -> nn.Module:
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    net[0].bias.requires_grad_(False)
    return net


@pytest.mark.parametrize(
    ("net", "layers", "excluded"),
    [
        (frozen_weight(), ["1"], ["0.bias"]),
        (frozen_bias(), ["0", "1"], []),
        (Tied(), ["head"], ["first.weight", "first.bias", "second.bias"]),
        (
            nn.Sequential(parametrizations.weight_norm(nn.Linear(4, 4)), nn.Linear(4, 4)),
            ["1"],
            ["0.parametrizations.weight.original0"],
        ),
        (
            nn.Sequential(prune.l1_unstructured(nn.Linear(4, 4), "weight", 0.5), nn.Linear(4, 4)),
            ["1"],
            ["0.weight_orig"],
        ),
        (
            nn.Sequential(Attention(), nn.Linear(4, 4)),
            ["1"],
            ["0.attention.in_proj_weight", "0.attention.out_proj.weight"],
        ),
        (nn.Sequential(nn.LazyLinear(4), nn.Linear(4, 4)), ["1"], ["0.weight", "0.bias"]),
        (nn.Sequential(Scaled(4, 4), Named(4, 4)), ["1"], ["0.weight", "0.bias"]),
        (nn.Sequential(nn.LayerNorm(4), nn.Linear(4, 4)), ["1"], ["0.weight", "0.bias"]),
    ],
    ids=["frozen weight", "frozen bias", "tied", "parametrized", "pruned", "attention", "lazy", "subclass", "norm"],
)
def test_layers_and_others(
    net: nn.Module, layers: list[str], excluded: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    """What cannot be preconditioned is trained by momentum; one warning names it."""
    with caplog.at_level(logging.WARNING):
        optimizer = thor(net, **OPTIONS)
        assert list(optimizer.curvatures) == layers
        before = {}
        for step in range(4):
            optimizer.zero_grad()
            net(torch.randn(8, 4)).square().sum(1).mean().backward()
            if step == 0:
                before = {name: each.detach().clone() for name, each in net.named_parameters()}
            optimizer.step()
    warnings = [record.getMessage() for record in caplog.records]
    assert len(warnings) == bool(excluded)
    assert all(name in warnings[0] for name in excluded)
    for name, parameter in net.named_parameters():
        assert torch.equal(before[name], parameter) != parameter.requires_grad, name
        assert torch.isfinite(parameter).all()


def test_other_parameters_are_trained_like_sgd_trains_them() -> None:
    """Parameters of other modules are updated by momentum, exactly as torch.optim.SGD does."""
    net, other = nn.LayerNorm(4), nn.LayerNorm(4)
    for each, optimizer in (
        (net, thor(net, 0.1, 0.1, 0.9, weight_decay=0.01, use_nesterov=True)),
        (other, torch.optim.SGD(other.parameters(), 0.1, 0.9, weight_decay=0.01, nesterov=True)),
    ):
        torch.manual_seed(1)
        for _ in range(4):
            optimizer.zero_grad()
            (each(torch.randn(8, 4)) - 1).square().mean().backward()
            optimizer.step()
    torch.testing.assert_close(net.weight, other.weight)
    torch.testing.assert_close(net.bias, other.bias)


@pytest.mark.parametrize("options", [{"max_norm": 1.0}, {"sparse": True}, {"scale_grad_by_freq": True}])
def test_special_embeddings_are_trained_by_momentum(options: dict[str, Any]) -> None:
    """Embeddings whose gradient is sparse or not that of a linear layer are not preconditioned."""
    net = nn.Embedding(5, 3, **options)
    optimizer = thor(net, **OPTIONS)
    assert not optimizer.curvatures
    before = net.weight.detach().clone()
    net(torch.tensor([1, 2])).square().sum().backward()
    optimizer.step()
    assert (before != net.weight).any(1).tolist()[1:3] == [True, True]


def test_weight_that_is_unfrozen_later() -> None:
    """A layer is preconditioned from when its weight is added as a parameter group."""
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    net[0].requires_grad_(False)
    optimizer = thor(net, **OPTIONS)
    net(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()
    net[0].requires_grad_(True)
    optimizer.add_param_group({"params": list(net[0].parameters()), "lr": 0.01})
    for _ in range(3):
        optimizer.zero_grad()
        net(torch.randn(8, 4)).square().mean().backward()
        optimizer.step()
    assert optimizer.curvatures["0"].decision == "refreshed"


def test_bias_that_is_frozen_later() -> None:
    """A bias without gradient, and one that the optimizer does not have, do not end the training."""
    net = nn.Linear(4, 3)
    optimizer = thor(net, **OPTIONS)
    other = nn.Linear(4, 3)
    partial = thor(other, **OPTIONS, params=[{"params": [other.weight]}])
    for _ in range(3):
        for each, layer in ((optimizer, net), (partial, other)):
            each.zero_grad()
            layer(torch.randn(8, 4)).square().mean().backward()
            each.step()
        net.bias.requires_grad_(False)
    assert partial.curvatures[""].layer.bias is None


def updates(net: nn.Module, call: Any, **options: Any) -> list[Tensor]:
    """Train three steps; return the weights."""
    net = copy.deepcopy(net)
    optimizer = thor(net, **OPTIONS, **options)
    torch.manual_seed(2)
    for _ in range(3):
        optimizer.zero_grad()
        call(net).square().flatten(1).sum(1).mean().backward()
        optimizer.step()
    return [each.detach().clone() for each in net.parameters()]


def assert_all_close(one: list[Tensor], other: list[Tensor]) -> None:
    """Compare lists of tensors."""
    for left, right in zip(one, other, strict=True):
        torch.testing.assert_close(left, right)


def test_channels_last_changes_nothing() -> None:
    """Convolutions in channels_last memory format are trained like others."""
    net = nn.Sequential(nn.Conv2d(4, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 4, 3, groups=2)).double()
    last = copy.deepcopy(net).to(memory_format=torch.channels_last)  # type: ignore[call-overload, unused-ignore]

    def call(net: nn.Module) -> Any:
        is_last = not next(net.parameters()).is_contiguous()
        inputs = torch.randn(5, 4, 7, 7, dtype=torch.float64)
        return net(inputs.contiguous(memory_format=torch.channels_last) if is_last else inputs)

    assert_all_close(updates(net, call), updates(last, call))


def test_keyword_argument_is_the_input() -> None:
    """A layer that is called with input=... is observed."""
    net = nn.Linear(4, 3)
    assert_all_close(
        updates(net, lambda net: net(torch.randn(8, 4))), updates(net, lambda net: net(input=torch.randn(8, 4)))
    )


def test_layer_that_is_called_twice_has_one_pair_of_factors() -> None:
    """Two calls in one pass are positions of the same samples, like a sequence of two."""
    net = nn.Linear(4, 3).double()

    def one(net: nn.Module) -> Any:
        return net(torch.randn(8, 2, 4, dtype=torch.float64))

    def two(net: nn.Module) -> Any:
        first, second = torch.randn(8, 2, 4, dtype=torch.float64).unbind(1)
        return torch.stack([net(first), net(second)], 1)

    assert_all_close(updates(net, one), updates(net, two))


def test_copies_of_the_network_are_independent() -> None:
    """A network that is trained by THOR can be copied and pickled; the copy is not observed."""
    net = nn.Sequential(nn.Linear(4, 3))
    optimizer = thor(net, **OPTIONS)
    file = io.BytesIO()
    torch.save(net, file)
    file.seek(0)
    for other in (copy.deepcopy(net), torch.load(file, weights_only=False)):
        other(torch.randn(8, 4)).sum().backward()
        assert not optimizer._capture.sums


@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")  # Of PyTorch itself.
def test_functional_transformations_of_an_observed_network() -> None:
    """torch.func works on a network that is trained by THOR, and is not observed."""
    net = nn.Sequential(nn.Linear(4, 3))
    optimizer = thor(net, **OPTIONS)
    parameters = {name: each.detach() for name, each in net.named_parameters()}
    inputs = torch.randn(8, 4)

    def loss(parameters: dict[str, Tensor], x: Tensor) -> Tensor:
        return torch.func.functional_call(net, parameters, (x,)).square().sum()

    torch.func.grad(loss)(parameters, inputs)
    torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(parameters, inputs)
    torch.func.jvp(lambda each: loss(each, inputs), (parameters,), (parameters,))
    assert not optimizer._capture.sums


def test_optimizer_cannot_be_copied() -> None:
    """A copy would not observe the network; the error says what to do."""
    with pytest.raises(TypeError, match="state_dict"):
        copy.deepcopy(thor(nn.Linear(4, 3), **OPTIONS))


@pytest.mark.parametrize("place", ["outer_sums", "_Call"])
def test_failures_of_the_observation_do_not_end_the_training(
    place: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An error in our hooks costs the factors of the layer, and is logged once."""

    def fail(*_: Any) -> None:
        raise RuntimeError("no memory")

    monkeypatch.setattr(f"toposcope.recorder.frameworks.torch.thor.curvature.capture.{place}", fail)
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 3))
    updates(net, lambda net: net(torch.randn(8, 4)))
    assert [record.getMessage() for record in caplog.records if "no memory" in record.getMessage()] == [
        f"THOR: layer {'0' if place == '_Call' else '1'} cannot be observed: RuntimeError: no memory"
    ]


def test_memory_is_freed_between_steps() -> None:
    """No inputs, gradients or factors are kept after a step."""
    net = nn.Linear(4, 3)
    optimizer = thor(net, **OPTIONS)
    net(torch.randn(8, 4)).sum().backward()
    optimizer.step()
    assert not optimizer._capture.sums
    assert not optimizer._capture._pending
