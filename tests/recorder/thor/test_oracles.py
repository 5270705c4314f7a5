"""The factors and updates of THOR equal dense computations in float64."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from toposcope.recorder.frameworks.torch.thor.factors import factors_from
from toposcope.recorder.frameworks.torch.thor.refresh import Thresholds, TraceRule
from toposcope.recorder.frameworks.torch.thor.rows import _patches, _with_bias
from toposcope.recorder.train_thor import thor

OPTIONS: dict[str, Any] = {"learning_rate": 1.0, "damping": 0.1, "momentum": 0.0, "frequency": 1}


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


def backward(net: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Compute the gradients of half the mean squared error, summed over outputs."""
    loss = (net(inputs) - targets).square().flatten(1).sum(1).mean() / 2
    loss.backward()
    return loss


def test_factors_are_means_of_per_sample_products() -> None:
    """A is the mean of a a', G the mean of g g' over per-sample gradients."""
    net = nn.Linear(5, 3).double()
    optimizer = thor(net, **OPTIONS)
    inputs, targets = torch.randn(8, 5).double(), torch.randn(8, 3).double()
    backward(net, inputs, targets)

    factors = factors_from(optimizer._capture.sums[""], "mean")

    rows = torch.cat([inputs, torch.ones(8, 1).double()], 1)
    gradients = (net(inputs) - targets).detach()
    torch.testing.assert_close(factors.inputs[0], rows.T @ rows / 8)
    torch.testing.assert_close(factors.gradients[0], gradients.T @ gradients / 8)


@pytest.mark.parametrize("pi", [False, True])
def test_update_is_the_dense_solve(pi: bool) -> None:
    """Without splitting, the update of a linear layer solves the damped Kronecker product."""
    net = nn.Linear(5, 3).double()
    before = torch.cat([net.weight.detach().clone(), net.bias.detach().clone()[:, None]], 1)
    optimizer = thor(net, **OPTIONS, pi=pi)
    inputs, targets = torch.randn(8, 5).double(), torch.randn(8, 3).double()
    backward(net, inputs, targets)
    factors = factors_from(optimizer._capture.sums[""], "mean")
    a, g = factors.inputs[0], factors.gradients[0]
    assert net.weight.grad is not None
    assert net.bias.grad is not None
    gradient = torch.cat([net.weight.grad, net.bias.grad[:, None]], 1)

    optimizer.step()

    ratio = ((a.trace() / 6) / (g.trace() / 3)).sqrt() if pi else torch.ones(())
    damped_a = a + 0.1**0.5 * ratio * torch.eye(6)
    damped_g = g + 0.1**0.5 / ratio * torch.eye(3)
    solved = torch.linalg.solve(torch.kron(damped_g, damped_a), gradient.flatten())
    after = torch.cat([net.weight.detach(), net.bias.detach()[:, None]], 1)
    torch.testing.assert_close(before - after, solved.reshape(3, 6))


@pytest.mark.parametrize(
    "options", [{}, {"stride": 2, "padding": 1}, {"dilation": 2, "padding": "same"}, {"groups": 2}]
)
@pytest.mark.parametrize("padding_mode", ["zeros", "reflect"])
def test_convolution_is_a_linear_layer_of_patches(options: dict[str, Any], padding_mode: Any) -> None:
    """The gradient of a convolution is the product of the rows that its factors are made of."""
    net = nn.Conv2d(4, 6, (3, 2), padding_mode=padding_mode, **options).double()
    optimizer = thor(net, **OPTIONS)
    inputs = torch.randn(3, 4, 7, 8).double()
    output = net(inputs)
    weights = torch.randn_like(output)
    (output * weights).sum().backward()
    layer = optimizer.curvatures[""].layer
    positions = output.shape[2] * output.shape[3]
    rows = torch.cat([_with_bias(layer, part) for part in _patches(net, inputs, positions)], 1)
    gradients = weights.reshape(3, layer.groups, -1, positions).permute(1, 0, 3, 2).flatten(1, 2)
    product = gradients.transpose(1, 2) @ rows
    torch.testing.assert_close(product[:, :, :-1].reshape(net.weight.shape), net.weight.grad)
    assert net.bias is not None
    torch.testing.assert_close(product[:, :, -1].reshape(-1), net.bias.grad)
    sums = optimizer._capture.sums[""]
    torch.testing.assert_close(sums.inputs, rows.transpose(1, 2) @ rows)


def test_embedding_is_a_linear_layer_of_one_hot_vectors() -> None:
    """An embedding is updated like a linear layer whose input is one-hot."""
    embedding, linear = nn.Embedding(7, 4).double(), nn.Linear(7, 4, bias=False).double()
    with torch.no_grad():
        linear.weight.copy_(embedding.weight.T)
    ids, targets = torch.randint(7, (12,)), torch.randn(12, 4).double()
    for net, inputs in ((embedding, ids), (linear, functional.one_hot(ids, 7).double())):
        optimizer = thor(net, **OPTIONS)
        backward(net, inputs, targets)
        optimizer.step()
    torch.testing.assert_close(embedding.weight.T, linear.weight)


def test_least_squares_is_solved_in_one_step() -> None:
    """With G = I, which sampled labels have in expectation, one undamped step solves least squares."""
    net = nn.Linear(5, 3).double()
    inputs, targets = torch.randn(50, 5).double(), torch.randn(50, 3).double()
    optimizer = thor(net, **{**OPTIONS, "damping": 1e-12}, pi=False)
    backward(net, inputs, targets)
    optimizer._capture.sums[""].gradients = torch.eye(3).double()[None] / 50
    optimizer.step()
    rows = torch.cat([inputs, torch.ones(50, 1).double()], 1)
    best = torch.linalg.lstsq(rows, targets).solution
    torch.testing.assert_close(torch.cat([net.weight, net.bias[:, None]], 1).T, best, atol=1e-5, rtol=1e-5)


def test_accumulated_batches_equal_one_batch() -> None:
    """Four micro-batches whose losses are divided by four update like the joined batch."""
    inputs, targets = torch.randn(8, 5).double(), torch.randn(8, 3).double()
    updated = []
    for parts in (1, 4):
        torch.manual_seed(1)
        net = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 3)).double()
        optimizer = thor(net, **OPTIONS)
        for x, y in zip(inputs.chunk(parts), targets.chunk(parts), strict=True):
            ((net(x) - y).square().sum(1).mean() / parts).backward()
        optimizer.step()
        updated.append([each.detach().clone() for each in net.parameters()])
    for one, other in zip(*updated, strict=True):
        torch.testing.assert_close(one, other)


def test_scaled_loss_equals_unscaled() -> None:
    """loss_scale is divided out of gradients and factors."""
    updated = []
    for scale in (1.0, 2.0**16):
        torch.manual_seed(1)
        net = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 3)).double()
        inputs, targets = torch.randn(8, 5).double(), torch.randn(8, 3).double()
        optimizer = thor(net, **OPTIONS, loss_scale=scale)
        (scale * (net(inputs) - targets).square().sum(1).mean()).backward()
        optimizer.step()
        updated.append([each.detach().clone() for each in net.parameters()])
    for one, other in zip(*updated, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("block_size", [6, 100])
def test_blocks_as_large_as_the_factors_change_nothing(block_size: int) -> None:
    """Splitting into one block is the same, bit by bit."""
    updated = []
    for size in (None, block_size):
        torch.manual_seed(1)
        net = nn.Linear(5, 3)
        optimizer = thor(net, **OPTIONS, block_size=size)
        backward(net, torch.randn(8, 5), torch.randn(8, 3))
        optimizer.step()
        updated.append(net.weight.detach().clone())
    assert torch.equal(*updated)


def test_blocks_of_block_diagonal_factors_are_exact() -> None:
    """If the input's factor is block diagonal, inverting its blocks is exact."""
    updated = []
    for size in (None, 2):
        torch.manual_seed(1)
        net = nn.Linear(4, 2, bias=False).double()
        optimizer = thor(net, **OPTIONS, block_size=size)
        inputs = torch.zeros(8, 4).double()
        inputs[:4, :2], inputs[4:, 2:] = torch.randn(4, 2).double(), torch.randn(4, 2).double()
        backward(net, inputs, torch.randn(8, 2).double())
        optimizer.step()
        updated.append(net.weight.detach().clone())
    torch.testing.assert_close(*updated)


def test_sampled_labels_give_the_true_fisher_on_average() -> None:
    """For softmax and one linear layer, G approaches the mean of diag p - p p', and gradients are untouched."""
    net = nn.Linear(4, 3, bias=False).double()
    optimizer = thor(net, **{**OPTIONS, "frequency": 2}, fisher="sampled")
    inputs = torch.randn(20_000, 4).double()
    outputs = net(inputs)

    optimizer.sample_fisher(outputs)

    assert net.weight.grad is None
    factors = factors_from(optimizer._capture.sums[""], "mean")
    p = outputs.detach().softmax(1)
    exact = (torch.diag_embed(p) - p[:, :, None] * p[:, None, :]).mean(0)
    torch.testing.assert_close(factors.gradients[0], exact, atol=0.01, rtol=0.05)
    functional.cross_entropy(outputs, torch.randint(3, (20_000,))).backward()
    optimizer.step()
    optimizer.sample_fisher(net(inputs))
    assert not optimizer._capture.sums  # The next step is not due.


def test_trace_rule() -> None:
    """Above the first threshold factors are refreshed, below the second never again."""
    rule = TraceRule(Thresholds(0.1, 0.01))
    assert [rule.decide(trace) for trace in (1.0, 1.2, 1.25, 1.4, 1.405, 9.0)] == [
        "refreshed",
        "refreshed",
        "kept",
        "refreshed",
        "frozen",
        "frozen",
    ]
