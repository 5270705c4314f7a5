"""THOR in training loops: resuming, accumulation, mixed precision, compilation, several processes, bad batches."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from toposcope.recorder.train_thor import thor

OPTIONS: dict[str, Any] = {"learning_rate": 0.1, "damping": 0.1, "momentum": 0.9, "frequency": 3}
INPUTS, TARGETS = torch.randn(64, 6), torch.randn(64, 3)


def network(seed: int = 0) -> nn.Module:
    """Return a small network with convolution-free layers, a norm and a bias without weight."""
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.ReLU(inplace=True), nn.Linear(8, 3))


def train(net: nn.Module, optimizer: Any, steps: range, forward: Callable[[Tensor], Tensor] | None = None) -> None:
    """Train with batches of 16 by the number of the step."""
    for step in steps:
        rows = slice(16 * (step % 4), 16 * (step % 4) + 16)
        optimizer.zero_grad()
        loss = ((forward or net)(INPUTS[rows]) - TARGETS[rows]).square().mean(0).sum()
        loss.backward()
        optimizer.step()


def weights(net: nn.Module) -> list[Tensor]:
    """Return copies of the parameters."""
    return [each.detach().clone() for each in net.parameters()]


@pytest.mark.parametrize("steps", [3, 4, 5])
def test_resuming_continues_with_the_same_bits(steps: int, tmp_path: Path) -> None:
    """A training restored on a due step or between two equals one that was not interrupted, bit by bit."""
    net = network()
    optimizer = thor(net, **OPTIONS, trace_thresholds=(0.01, 0.0))
    train(net, optimizer, range(steps))
    torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "checkpoint.pt")
    train(net, optimizer, range(steps, 10))

    resumed = network(seed=1)
    other = thor(resumed, **OPTIONS, trace_thresholds=(0.01, 0.0))
    saved = torch.load(tmp_path / "checkpoint.pt")
    resumed.load_state_dict(saved["net"])
    other.load_state_dict(saved["optimizer"])
    train(resumed, other, range(steps, 10))

    assert all(map(torch.equal, weights(net), weights(resumed)))


def test_state_of_another_optimizer_is_rejected() -> None:
    """load_state_dict() names what is missing."""
    net = network()
    with pytest.raises(ValueError, match="'thor'"):
        thor(net, **OPTIONS).load_state_dict(torch.optim.SGD(net.parameters(), 0.1).state_dict())


def test_checkpointed_activations_change_nothing() -> None:
    """Layers that run twice, because their activations are computed again, are counted once."""
    for is_reentrant in (False, True):
        plain, checkpointed = network(), network()
        train(plain, thor(plain, **OPTIONS), range(5))

        def forward(inputs: Tensor, net: nn.Module = checkpointed, reentrant: bool = is_reentrant) -> Tensor:
            output = checkpoint(net, inputs.requires_grad_(), use_reentrant=reentrant)
            assert isinstance(output, Tensor)
            return output

        train(checkpointed, thor(checkpointed, **OPTIONS), range(5), forward)
        for one, other in zip(weights(plain), weights(checkpointed), strict=True):
            torch.testing.assert_close(one, other)


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # Of PyTorch itself, at the end of a graph.
def test_compiled_network_is_trained_like_an_eager_one() -> None:
    """Hooks that are registered before compilation also observe the due steps of a compiled network."""
    plain, compiled = network(), network()
    train(plain, thor(plain, **OPTIONS), range(7))
    optimizer = thor(compiled, **OPTIONS)
    train(compiled, optimizer, range(7), torch.compile(compiled, backend="aot_eager"))
    for one, other in zip(weights(plain), weights(compiled), strict=True):
        torch.testing.assert_close(one, other)


def test_evaluations_and_extra_gradients_are_not_observed() -> None:
    """Passes without gradients, in evaluation mode, and gradient penalties leave the factors as they are."""
    plain, other = network(), network()
    train(plain, thor(plain, **OPTIONS), range(1))
    optimizer = thor(other, **OPTIONS)
    other.eval()
    other(INPUTS).sum().backward()
    other.train()
    with torch.no_grad():
        other(INPUTS)
    inputs = INPUTS[:16].clone().requires_grad_()
    torch.autograd.grad(other(inputs).sum(), inputs, create_graph=True)
    train(other, optimizer, range(1))
    assert all(map(torch.equal, weights(plain), weights(other)))


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_bad_batch_does_not_end_the_training(bad: float) -> None:
    """A batch that is not finite leaves the last inverses in place; the training continues."""
    net = network()
    optimizer = thor(net, **OPTIONS)
    train(net, optimizer, range(3))
    optimizer.zero_grad()
    (net(INPUTS[:16] * bad) - TARGETS[:16]).square().mean().backward()
    for parameter in net.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    train(net, optimizer, range(4, 9))
    assert all(bool(torch.isfinite(each).all()) for each in weights(net))


def test_dead_layer_is_finite() -> None:
    """A layer whose gradients are all zero, and a constant input, result in finite updates."""
    net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    with torch.no_grad():
        net[0].bias.fill_(-1e3)  # type: ignore[operator]
    optimizer = thor(net, **{**OPTIONS, "damping": 1e-8})
    train(net, optimizer, range(5))
    assert all(bool(torch.isfinite(each).all()) for each in weights(net))


def test_large_damping_is_gradient_descent() -> None:
    """For a large damping, damping times the update approaches the gradient."""
    plain, damped = network(), network()
    sgd = torch.optim.SGD(plain.parameters(), 0.1)
    train(plain, sgd, range(1))
    with torch.no_grad():
        before = weights(damped)
    train(damped, thor(damped, 0.1 * 1e10, 1e10, 0.0, frequency=1, pi=False), range(1))
    steps = [(a - b, c - b) for a, b, c in zip(weights(plain), before, weights(damped), strict=True)]
    torch.testing.assert_close(steps[0][0], steps[0][1], atol=1e-4, rtol=1e-2)
    torch.testing.assert_close(steps[4][0], steps[4][1], atol=1e-4, rtol=1e-2)


def test_schedules_groups_and_closures() -> None:
    """A sequence sets the learning rate of each step; schedulers, groups and closures work as in torch.optim."""
    net = network()
    optimizer = thor(net, [0.1, 0.01], lambda step: 0.1 / (step + 1), 0.9, frequency=2)
    rates = []
    for _ in range(3):

        def closure() -> Tensor:
            optimizer.zero_grad()
            loss = net(INPUTS).square().mean()
            loss.backward()
            return loss

        rates.append(optimizer.param_groups[0]["lr"])
        assert isinstance(optimizer.step(closure), Tensor)
    assert rates == [0.1, 0.01, 0.01]
    groups = [{"params": net[0].parameters(), "lr": 0.5}, {"params": net[3].parameters()}]  # type: ignore[index]
    grouped = thor(net, 0.1, 0.1, 0.9, params=groups)
    scheduler = torch.optim.lr_scheduler.StepLR(grouped, 1, 0.1)
    before = copy.deepcopy(net[1].state_dict())  # type: ignore[index]
    train(net, grouped, range(1))
    scheduler.step()
    assert [group["lr"] for group in grouped.param_groups] == pytest.approx([0.05, 0.01])
    assert torch.equal(before["weight"], net[1].weight)  # type: ignore[index]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"net": 3}, TypeError),
        ({"learning_rate": "fast"}, TypeError),
        ({"learning_rate": -1}, ValueError),
        ({"damping": 0.0}, ValueError),
        ({"momentum": -0.1}, ValueError),
        ({"momentum": True}, TypeError),
        ({"weight_decay": -1.0}, ValueError),
        ({"loss_scale": 0}, ValueError),
        ({"frequency": 0}, ValueError),
        ({"frequency": True}, TypeError),
        ({"approach": "shrink"}, ValueError),
        ({"trace_thresholds": (0.001, 0.01)}, ValueError),
        ({"params": [{"params": [], "speed": 1}]}, ValueError),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception]) -> None:
    """Wrong arguments are rejected with an error that names the parameter."""
    name = next(iter(arguments))
    with pytest.raises(error, match=name if name != "params" else "params"):
        thor(**{"net": network(), **OPTIONS, **arguments})
