"""The factors and updates of THOR equal dense computations in float64."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from toposcope.recorder.frameworks.torch.thor.curvature.factors import Factors, factors_from
from toposcope.recorder.train_thor import thor

OPTIONS: dict[str, Any] = {"learning_rate": 1.0, "damping": 0.1, "momentum": 0.0, "frequency": 1}
UNDAMPED = {**OPTIONS, "damping": 1e-28, "pi": False}
"""Damping of 1e-14 on the diagonal of each factor."""


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


def numbers(*shape: int) -> Tensor:
    """Return random numbers in float64."""
    return torch.randn(*shape, dtype=torch.float64)


def backward(net: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Compute the gradients of half the mean squared error, summed over outputs."""
    loss = (net(inputs) - targets).square().flatten(1).sum(1).mean() / 2
    loss.backward()
    return loss


def gathered(optimizer: Any, reduction: Any = "mean", name: str = "") -> Factors:
    """Return the factors that the next step of an optimizer uses."""
    return factors_from(optimizer._capture.sums[name], reduction)


def with_ones(rows: Tensor) -> Tensor:
    """Append a 1 to each row, the input of the bias."""
    return torch.cat([rows, torch.ones(*rows.shape[:-1], 1, dtype=rows.dtype)], -1)


def joined(net: Any) -> Tensor:
    """Return the weights of a linear layer, with the bias as the last column."""
    if net.bias is None:
        return net.weight.detach().clone()
    return torch.cat([net.weight.detach(), net.bias.detach()[:, None]], 1)


def fisher(net: Any, inputs: Tensor, gradients: Tensor) -> Tensor:
    """Return the mean outer product of the gradients of each sample's weights, as autograd computes them."""
    rows = []
    for x, g in zip(inputs, gradients, strict=True):
        weight, bias = torch.autograd.grad((net(x[None]) * g).sum(), [net.weight, net.bias])
        rows.append(torch.cat([weight, bias[:, None]], 1).flatten())
    stacked = torch.stack(rows)
    return stacked.T @ stacked / len(stacked)


@pytest.mark.parametrize("case", ["one sample", "all pairs"])
def test_oracle_1_fisher_is_the_product_of_the_factors(case: str) -> None:
    """For one sample, and for a batch that pairs each input with each gradient, F is exactly A x G."""
    net = nn.Linear(5, 3).double()
    optimizer = thor(net, **OPTIONS)
    inputs, gradients = numbers(1, 5), numbers(1, 3)
    if case == "all pairs":
        inputs, gradients = numbers(6, 5).repeat_interleave(4, 0), numbers(4, 3).repeat(6, 1)
    expected = fisher(net, inputs, gradients)

    ((net(inputs) * gradients).sum() / len(inputs)).backward()

    factors = gathered(optimizer)
    product = torch.kron(factors.gradients[0], factors.inputs[0])
    torch.testing.assert_close(product, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_oracle_1_factors_are_means_of_per_sample_products(reduction: Any) -> None:
    """A is the mean of a a', G the mean of g g' over per-sample gradients, for losses that are means or sums."""
    net = nn.Linear(5, 3).double()
    optimizer = thor(net, **OPTIONS, reduction=reduction)
    inputs, targets = numbers(8, 5), numbers(8, 3)
    loss = (net(inputs) - targets).square().sum(1) / 2
    getattr(loss, reduction)().backward()

    factors = gathered(optimizer, reduction)

    rows, gradients = with_ones(inputs), (net(inputs) - targets).detach()
    torch.testing.assert_close(factors.inputs[0], rows.T @ rows / 8)
    torch.testing.assert_close(factors.gradients[0], gradients.T @ gradients / 8)


@pytest.mark.parametrize("approach", ["expand", "reduce"])
def test_oracle_1_sequences(approach: Any) -> None:
    """Expanded, each position is a row; reduced, inputs are averaged and gradients summed over them."""
    net = nn.Linear(4, 3).double()
    optimizer = thor(net, **OPTIONS, approach=approach)
    inputs, weights = numbers(6, 2, 5, 4), numbers(6, 2, 5, 3)
    ((net(inputs) * weights).sum() / 6).backward()

    factors = gathered(optimizer)

    rows, gradients = with_ones(inputs).reshape(6, 10, 5), weights.reshape(6, 10, 3)
    if approach == "reduce":
        rows, gradients, positions = rows.mean(1), gradients.sum(1), 1
    else:
        rows, gradients, positions = rows.flatten(0, 1), gradients.flatten(0, 1), 10
    torch.testing.assert_close(factors.inputs[0], rows.T @ rows / 6)
    torch.testing.assert_close(factors.gradients[0], gradients.T @ gradients / (6 * positions))


def test_oracle_2_fisher_of_softmax_is_the_hessian(monkeypatch: pytest.MonkeyPatch) -> None:
    """With every label in proportion to its probability, A x G is the Hessian of cross entropy."""
    net = nn.Linear(4, 3, bias=False).double()
    optimizer = thor(net, **OPTIONS, fisher="sampled")
    inputs = numbers(1, 4)
    outputs = net(inputs)
    p = outputs.detach().softmax(1)
    for label in range(3):
        gradient = (3 * p[:, label : label + 1]).sqrt() * (p - functional.one_hot(torch.tensor([label]), 3))
        monkeypatch.setattr(optimizer._sampler, "gradient", lambda *_, gradient=gradient: gradient)
        optimizer.sample_fisher(outputs)

    def loss(weight: Tensor) -> Tensor:
        return functional.cross_entropy(inputs @ weight.reshape(3, 4).T, torch.tensor([1]))

    factors = gathered(optimizer, "sum")
    hessian = torch.autograd.functional.hessian(loss, net.weight.detach().flatten())
    torch.testing.assert_close(torch.kron(factors.gradients[0], factors.inputs[0]), hessian, rtol=1e-12, atol=1e-12)


def ordered_labels(outputs: Tensor, likelihood: str) -> Tensor:
    """Return gradients of the outputs with which G is exactly I, if the number of samples is a multiple of outputs."""
    assert likelihood == "normal"
    size = outputs.shape[1]
    return torch.eye(size, dtype=outputs.dtype).repeat(len(outputs) // size, 1) * size**0.5


def test_oracle_3_least_squares_is_solved_in_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """With G = I, which squared errors have, one undamped step solves least squares, however inputs are scaled."""
    net = nn.Linear(5, 3).double()
    inputs, targets = numbers(51, 5) * torch.logspace(-2, 2, 5).double(), numbers(51, 3)
    optimizer = thor(net, **UNDAMPED, fisher="sampled")
    monkeypatch.setattr(optimizer._sampler, "gradient", ordered_labels)
    optimizer.sample_fisher(net(inputs), "normal")
    backward(net, inputs, targets)
    optimizer.step()
    best = torch.linalg.lstsq(with_ones(inputs), targets).solution
    torch.testing.assert_close(joined(net).T, best, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("pi", [False, True])
def test_oracle_4_update_is_the_dense_solve(pi: bool) -> None:
    """Without splitting, the update of a linear layer solves the damped Kronecker product."""
    net = nn.Linear(5, 3).double()
    before = joined(net)
    optimizer = thor(net, **OPTIONS, pi=pi)
    backward(net, numbers(8, 5), numbers(8, 3))
    factors = gathered(optimizer)
    a, g = factors.inputs[0], factors.gradients[0]
    assert net.weight.grad is not None
    assert net.bias.grad is not None
    gradient = torch.cat([net.weight.grad, net.bias.grad[:, None]], 1)

    optimizer.step()

    ratio = ((a.trace() / 6) / (g.trace() / 3)).sqrt() if pi else torch.ones((), dtype=torch.float64)
    damped_a = a + 0.1**0.5 * ratio * torch.eye(6).double()
    damped_g = g + 0.1**0.5 / ratio * torch.eye(3).double()
    solved = torch.linalg.solve(torch.kron(damped_g, damped_a), gradient.flatten())
    torch.testing.assert_close(before - joined(net), solved.reshape(3, 6), rtol=1e-12, atol=1e-12)
    curvature = optimizer.curvatures[""]
    expected = torch.stack([torch.linalg.cond(damped_a), torch.linalg.cond(damped_g)])
    torch.testing.assert_close(curvature.condition_numbers(), expected)


def test_oracle_5_linear_transformation_of_inputs_changes_nothing() -> None:
    """For inputs X M and weights W M'^-1 the undamped step leads to the same function."""
    inputs, targets, mixing = numbers(40, 5), numbers(40, 3), numbers(5, 5)
    net, other = nn.Linear(5, 3).double(), nn.Linear(5, 3).double()
    with torch.no_grad():
        other.weight.copy_(net.weight @ torch.linalg.inv(mixing).T)
        other.bias.copy_(net.bias)
    for each, x in ((net, inputs), (other, inputs @ mixing)):
        optimizer = thor(each, **UNDAMPED)
        backward(each, x, targets)
        optimizer.step()
    torch.testing.assert_close(net(inputs), other(inputs @ mixing), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stride": 2, "padding": 1},
        {"dilation": 2, "padding": "same"},
        {"groups": 2, "bias": False},
        {"groups": 4, "stride": (1, 2), "padding": (1, 0)},
    ],
)
@pytest.mark.parametrize("padding_mode", ["zeros", "reflect"])
def test_oracle_6_convolution_is_a_linear_layer_of_patches(options: dict[str, Any], padding_mode: Any) -> None:
    """Each group of a convolution is updated like a linear layer whose inputs are its patches."""
    net = nn.Conv2d(4, 8, (3, 2), padding_mode=padding_mode, **options).double()
    before, groups = net.weight.detach().clone(), net.groups
    bias = None if net.bias is None else net.bias.detach().clone()
    optimizer = thor(net, **OPTIONS)
    inputs = numbers(3, 4, 7, 8)
    output = net(inputs)
    weights = torch.randn_like(output)
    ((output * weights).sum() / 3).backward()
    optimizer.step()

    padded = functional.pad(
        inputs, net._reversed_padding_repeated_twice, "constant" if padding_mode == "zeros" else padding_mode
    )
    patches = functional.unfold(padded, net.kernel_size, net.dilation, 0, net.stride)
    patches = patches.reshape(3, groups, -1, patches.shape[-1]).permute(1, 0, 3, 2)
    gradients = weights.reshape(3, groups, 8 // groups, -1).permute(1, 0, 3, 2)
    for group in range(groups):
        rows = slice(group * 8 // groups, (group + 1) * 8 // groups)
        linear = nn.Linear(patches.shape[-1], 8 // groups, bias=bias is not None).double()
        with torch.no_grad():
            linear.weight.copy_(before[rows].flatten(1))
            if bias is not None:
                linear.bias.copy_(bias[rows])
        same = thor(linear, **OPTIONS)
        ((linear(patches[group]) * gradients[group]).sum() / 3).backward()
        same.step()
        torch.testing.assert_close(net.weight[rows].flatten(1), linear.weight)
        if net.bias is not None:
            torch.testing.assert_close(net.bias[rows], linear.bias)


def test_oracle_6_convolution_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patches are unfolded for some samples at a time, which limits memory and changes nothing."""
    updated = []
    for elements in (1 << 24, 1):
        monkeypatch.setattr("toposcope.recorder.frameworks.torch.thor.curvature.rows._CHUNK_ELEMENTS", elements)
        torch.manual_seed(1)
        net = nn.Conv2d(2, 3, 3).double()
        optimizer = thor(net, **OPTIONS)
        backward(net, numbers(4, 2, 6, 6), numbers(4, 3, 4, 4))
        optimizer.step()
        updated.append(net.weight.detach().clone())
    torch.testing.assert_close(*updated)


@pytest.mark.parametrize("padding_idx", [None, 2])
def test_oracle_6_embedding_is_a_linear_layer_of_one_hot_vectors(padding_idx: int | None) -> None:
    """An embedding is updated like a linear layer whose input is one-hot, and zero for padding."""
    embedding, linear = nn.Embedding(7, 4, padding_idx).double(), nn.Linear(7, 4, bias=False).double()
    with torch.no_grad():
        linear.weight.copy_(embedding.weight.T)
    ids, targets = torch.randint(7, (6, 5)), numbers(6, 5, 4)
    used = (ids != padding_idx)[..., None] if padding_idx is not None else torch.ones(6, 5, 1)
    for net, inputs in ((embedding, ids), (linear, functional.one_hot(ids, 7).double() * used)):
        optimizer = thor(net, **OPTIONS)
        ((net(inputs) - targets) * used).square().flatten(1).sum(1).mean().backward()
        optimizer.step()
    torch.testing.assert_close(embedding.weight.T, linear.weight)


@pytest.mark.parametrize("block_size", [5, 6, 100])
def test_oracle_7_blocks_as_large_as_the_factors_change_nothing(block_size: int) -> None:
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


def test_oracle_7_blocks_of_block_diagonal_factors_are_exact() -> None:
    """If the input's factor is block diagonal, inverting its blocks is exact."""
    updated = []
    for size in (None, 2):
        torch.manual_seed(1)
        net = nn.Linear(4, 2, bias=False).double()
        optimizer = thor(net, **OPTIONS, block_size=size)
        inputs = torch.zeros(8, 4).double()
        inputs[:4, :2], inputs[4:, 2:] = numbers(4, 2), numbers(4, 2)
        backward(net, inputs, numbers(8, 2))
        optimizer.step()
        updated.append(net.weight.detach().clone())
    torch.testing.assert_close(*updated)


def test_oracle_7_update_by_blocks_is_the_dense_solve() -> None:
    """With blocks of 2, off-diagonal blocks count as zero; the bias belongs to the last block, as do remaining rows."""
    net = nn.Linear(5, 3).double()
    before = joined(net)
    optimizer = thor(net, **OPTIONS, block_size=2, pi=False)
    backward(net, numbers(8, 5), numbers(8, 3))
    factors = gathered(optimizer)
    assert net.weight.grad is not None
    assert net.bias.grad is not None
    gradient = torch.cat([net.weight.grad, net.bias.grad[:, None]], 1)
    optimizer.step()
    a = torch.block_diag(*(factors.inputs[0, part, part] for part in (slice(0, 2), slice(2, 4), slice(4, 6))))
    g = torch.block_diag(*(factors.gradients[0, part, part] for part in (slice(0, 2), slice(2, 3))))
    damped = torch.kron(g + 0.1**0.5 * torch.eye(3).double(), a + 0.1**0.5 * torch.eye(6).double())
    solved = torch.linalg.solve(damped, gradient.flatten()).reshape(3, 6)
    torch.testing.assert_close(before - joined(net), solved, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("change", ["accumulated", "summed", "scaled"])
def test_oracle_8_batches_that_are_split_or_scaled(change: str) -> None:
    """Micro-batches equal one batch, a loss that is a sum one that is a mean, a scaled loss an unscaled one."""
    inputs, targets = numbers(8, 5), numbers(8, 3)
    updated = []
    for is_changed in (False, True):
        torch.manual_seed(1)
        net = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 3)).double()
        scale = 2.0**16 if is_changed and change == "scaled" else 1.0
        reduction: Any = "sum" if is_changed and change == "summed" else "mean"
        optimizer = thor(net, **{**OPTIONS, "loss_scale": scale, "reduction": reduction})
        parts = 4 if is_changed and change == "accumulated" else 1
        for x, y in zip(inputs.chunk(parts), targets.chunk(parts), strict=True):
            losses = (net(x) - y).square().sum(1)
            (losses.sum() if reduction == "sum" else scale * losses.mean() / parts).backward()
        if reduction == "sum":  # The gradients of the loss are those of the sum; the factors are the same.
            for parameter in net.parameters():
                assert parameter.grad is not None
                parameter.grad.div_(8)
        optimizer.step()
        updated.append([each.detach().clone() for each in net.parameters()])
    for one, other in zip(*updated, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)
