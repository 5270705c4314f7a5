"""The true Fisher information: factors of labels sampled from the outputs of the network."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from toposcope.recorder.frameworks.torch.thor.curvature.factors import factors_from
from toposcope.recorder.metrics import Loss
from toposcope.recorder.train_thor import thor
from toposcope.recorder.training import Model

OPTIONS: dict[str, Any] = {"learning_rate": 0.1, "damping": 0.1, "momentum": 0.9, "frequency": 2, "fisher": "sampled"}


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


@pytest.mark.parametrize("likelihood", ["categorical", "bernoulli", "normal"])
def test_oracle_2_sampled_labels_give_the_true_fisher_on_average(likelihood: str) -> None:
    """G approaches the Hessian of minus the log likelihood; gradients and random numbers are untouched."""
    net = nn.Linear(4, 3, bias=False).double()
    optimizer = thor(net, **OPTIONS)
    inputs = torch.randn(20_000, 4).double()
    outputs = net(inputs)
    random = torch.get_rng_state()

    optimizer.sample_fisher(outputs, likelihood)

    assert net.weight.grad is None
    assert torch.equal(random, torch.get_rng_state())
    factors = factors_from(optimizer._capture.sums[""], "sum")
    logits = outputs.detach()
    p = logits.softmax(1)
    exact = {
        "categorical": (torch.diag_embed(p) - p[:, :, None] * p[:, None, :]).mean(0),
        "bernoulli": torch.diag((logits.sigmoid() * (1 - logits.sigmoid())).mean(0)),
        "normal": torch.eye(3).double(),
    }[likelihood]
    torch.testing.assert_close(factors.gradients[0], exact, atol=0.015, rtol=0.05)
    torch.testing.assert_close(factors.inputs[0], inputs.T @ inputs / 20_000)
    functional.cross_entropy(outputs, torch.randint(3, (20_000,))).backward()
    torch.testing.assert_close(factors_from(optimizer._capture.sums[""], "sum").gradients, factors.gradients)
    optimizer.step()
    optimizer.sample_fisher(net(inputs))
    assert not optimizer._capture.sums  # The next step is not due.


def train(net: nn.Module, optimizer: Any, steps: range, *, order: str = "cleared first") -> list[Tensor]:
    """Train by sampled labels; return the weights."""
    for step in steps:
        random = torch.Generator().manual_seed(step)
        inputs, labels = torch.randn(16, 4, generator=random), torch.randint(3, (16,), generator=random)
        if order == "cleared first":
            optimizer.zero_grad()
        outputs = net(inputs)
        optimizer.sample_fisher(outputs)
        if order == "cleared last":
            optimizer.zero_grad()
        functional.cross_entropy(outputs, labels).backward()
        optimizer.step()
    return [each.detach().clone() for each in net.parameters()]


def network(seed: int = 0) -> nn.Module:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Linear(8, 3))


def test_place_of_zero_grad_does_not_matter() -> None:
    """Clearing gradients between sampling and the backward pass keeps the sampled factors."""
    first, last = network(), network()
    torch.manual_seed(5)
    one = train(first, thor(first, **OPTIONS), range(4))
    torch.manual_seed(5)
    other = train(last, thor(last, **OPTIONS), range(4), order="cleared last")
    assert all(map(torch.equal, one, other))


@pytest.mark.parametrize("steps", [2, 3, 4])
def test_oracle_9_resuming_continues_with_the_same_labels(steps: int, tmp_path: Any) -> None:
    """The state contains the random numbers, so that a resumed training continues with the same bits."""
    net = network()
    optimizer = thor(net, **OPTIONS)
    train(net, optimizer, range(steps))
    torch.save((net.state_dict(), optimizer.state_dict()), tmp_path / "checkpoint.pt")
    expected = train(net, optimizer, range(steps, 8))
    torch.manual_seed(9)
    resumed = network(1)
    other = thor(resumed, **OPTIONS)
    weights, state = torch.load(tmp_path / "checkpoint.pt")
    resumed.load_state_dict(weights)
    other.load_state_dict(state)
    assert all(map(torch.equal, expected, train(resumed, other, range(steps, 8))))


def test_scaled_and_accumulated_losses_do_not_matter() -> None:
    """Sampled labels are those of the outputs: scaling the loss or dividing it by the number of batches is no input."""
    net = nn.Linear(4, 3).double()
    optimizer = thor(net, **OPTIONS, loss_scale=1024, reduction="sum")
    inputs = torch.randn(4000, 4).double()
    for part in inputs.chunk(4):
        optimizer.sample_fisher(net(part), "normal")
    factors = factors_from(optimizer._capture.sums[""], "sum")
    torch.testing.assert_close(factors.gradients[0], torch.eye(3).double(), atol=0.1, rtol=0.1)


@pytest.mark.parametrize(
    ("loss_fn", "likelihood"),
    [
        (nn.CrossEntropyLoss(), "categorical"),
        (functional.cross_entropy, "categorical"),
        (nn.BCEWithLogitsLoss(), "bernoulli"),
        (nn.MSELoss(), "normal"),
        (lambda outputs, labels: outputs.square().mean(), None),
    ],
)
def test_model_samples_the_labels_of_its_loss_function(
    loss_fn: Any, likelihood: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Model calls sample_fisher() for the usual loss functions, in training only."""
    net = network()
    optimizer = thor(net, **OPTIONS)
    asked: list[str] = []
    original = optimizer.sample_fisher

    def sample(outputs: Tensor, likelihood: str) -> None:
        asked.append(likelihood)
        original(outputs, likelihood)

    monkeypatch.setattr(optimizer, "sample_fisher", sample)
    is_classified = likelihood == "categorical"
    labels = torch.randint(3, (8,)) if is_classified else torch.rand(8, 3)
    data = [(torch.randn(8, 4), labels)] * 3
    model = Model(net, loss_fn, optimizer, {"loss": Loss()})
    model.train(1, data)
    assert asked == ([likelihood] * 3 if likelihood else [])
    assert optimizer.curvatures["0"].decision == ("refreshed" if likelihood else "failed")


def test_model_samples_a_label_for_each_pixel() -> None:
    """Outputs with classes in the second dimension are sampled at each position."""
    net = nn.Conv2d(1, 3, 1)
    optimizer = thor(net, **OPTIONS)
    Model(net, nn.CrossEntropyLoss(), optimizer).train(1, [(torch.randn(4, 1, 5, 6), torch.randint(3, (4, 5, 6)))])
    assert optimizer.curvatures[""].decision == "refreshed"


def test_wrong_likelihood() -> None:
    """The error names the valid values; the optimizer goes on."""
    net = network()
    optimizer = thor(net, **OPTIONS)
    with pytest.raises(ValueError, match="'categorical'"):
        optimizer.sample_fisher(net(torch.randn(8, 4)), "poisson")
    train(net, optimizer, range(2))
    assert optimizer.curvatures["0"].decision == "refreshed"


def test_forgotten_sampling_is_named(caplog: pytest.LogCaptureFixture) -> None:
    """Without sample_fisher() the training continues by momentum; a warning says what is missing."""
    net = network()
    optimizer = thor(net, **OPTIONS)
    for _ in range(3):
        optimizer.zero_grad()
        net(torch.randn(8, 4)).sum().backward()
        optimizer.step()
    assert sum("sample_fisher" in record.getMessage() for record in caplog.records) == 1
