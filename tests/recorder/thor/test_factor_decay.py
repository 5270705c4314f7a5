"""The running average of factors."""

import copy
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from toposcope.recorder.train_thor import thor

BATCHES = torch.randn(6, 32, 5, dtype=torch.float64)


def optimizer_of(net: nn.Module, **options: Any) -> Any:
    return thor(net, 0.1, 0.1, 0.9, frequency=2, pi=False, **options)


def train(net: nn.Module, optimizer: Any, steps: range) -> None:
    for step in steps:
        optimizer.zero_grad()
        net(BATCHES[step]).square().sum(1).mean().backward()
        optimizer.step()


def inputs_factor(batch: Tensor) -> Tensor:
    rows = torch.cat([batch, batch.new_ones(len(batch), 1)], 1)
    return rows.T @ rows / len(rows)


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Linear(5, 3, dtype=torch.float64)


def test_refreshes_average_factors() -> None:
    """The first refresh takes the factors of its batch; each further one keeps a share of the last average."""
    net = network()
    optimizer = optimizer_of(net, factor_decay=0.75)
    expected = inputs_factor(BATCHES[0])
    for step in range(5):
        train(net, optimizer, range(step, step + 1))
        if step in (2, 4):
            expected = 0.75 * expected + 0.25 * inputs_factor(BATCHES[step])
        inverse = torch.linalg.inv(expected + 0.1**0.5 * torch.eye(6))
        torch.testing.assert_close(optimizer.curvatures[""].inverse_inputs[0][0], inverse)


@pytest.mark.parametrize("steps", [2, 3])
def test_resuming_restores_the_average(steps: int) -> None:
    """A training restored on a due step or between two equals one that was not interrupted, bit by bit."""
    net = network()
    optimizer = optimizer_of(net, factor_decay=0.9)
    train(net, optimizer, range(steps))
    other = network()
    other.load_state_dict(net.state_dict())
    resumed = optimizer_of(other, factor_decay=0.9)
    resumed.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    train(net, optimizer, range(steps, 6))
    train(other, resumed, range(steps, 6))
    assert all(map(torch.equal, net.parameters(), other.parameters()))


@pytest.mark.parametrize(("value", "error"), [(1.0, ValueError), (-0.1, ValueError), ("0.9", TypeError)])
def test_wrong_decay(value: Any, error: type[Exception]) -> None:
    """The error names the parameter."""
    with pytest.raises(error, match="factor_decay"):
        optimizer_of(network(), factor_decay=value)
