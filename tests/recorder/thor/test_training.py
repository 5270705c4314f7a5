"""THOR in training loops: resuming, accumulation, mixed precision, compilation, several processes, bad batches."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch._dynamo.backends.debugging import aot_eager
from torch.utils.checkpoint import checkpoint

from toposcope.recorder.train_thor import thor

OPTIONS: dict[str, Any] = {"learning_rate": 0.1, "damping": 0.1, "momentum": 0.9, "frequency": 3}
_RANDOM = torch.Generator().manual_seed(0)
INPUTS, TARGETS = torch.randn(64, 6, generator=_RANDOM), torch.randn(64, 3, generator=_RANDOM)


def network(seed: int = 0) -> nn.Module:
    """Return a small network with convolution-free layers, a norm and a bias without weight."""
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.ReLU(inplace=True), nn.Linear(8, 3))


def train(net: nn.Module, optimizer: Any, steps: range, forward: Callable[[Tensor], Tensor] | None = None) -> None:
    """Train with batches of 16 by the number of the step."""
    for step in steps:
        rows = slice(16 * (step % 4), 16 * (step % 4) + 16)
        optimizer.zero_grad()
        outputs = (forward or net)(INPUTS[rows])
        if hasattr(optimizer, "sample_fisher"):
            optimizer.sample_fisher(outputs, "normal")
        (outputs - TARGETS[rows]).square().mean(0).sum().backward()
        optimizer.step()


def weights(net: nn.Module) -> list[Tensor]:
    """Return copies of the parameters."""
    return [each.detach().clone() for each in net.parameters()]


@pytest.mark.parametrize("steps", [3, 4, 5])
def test_oracle_9_resuming_continues_with_the_same_bits(steps: int, tmp_path: Path) -> None:
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


@pytest.mark.parametrize("phase", range(1, 6))
def test_oracle_9_resuming_between_decision_and_refresh(phase: int) -> None:
    """The decisions of the trace rule for the next due step, and a second chance, are part of the state."""
    options = {**OPTIONS, "trace_thresholds": (0.05, 0.001)}
    net = network()
    optimizer = thor(net, **options)
    train(net, optimizer, range(phase))
    resumed = network(seed=1)
    other = thor(resumed, **options)
    resumed.load_state_dict(copy.deepcopy(net.state_dict()))
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    train(net, optimizer, range(phase, 12))
    train(resumed, other, range(phase, 12))
    assert all(map(torch.equal, weights(net), weights(resumed)))
    for one, two in zip(optimizer.curvatures.values(), other.curvatures.values(), strict=True):
        assert (one.decision, one.planned, one.rule) == (two.decision, two.planned, two.rule)


def test_state_in_another_dtype() -> None:
    """A state of a network in float32 can be continued in float64 and in bfloat16."""
    net = network()
    optimizer = thor(net, **OPTIONS)
    train(net, optimizer, range(2))
    for dtype in (torch.float64, torch.bfloat16):
        other = network().to(dtype)
        resumed = thor(other, **OPTIONS)
        resumed.load_state_dict(optimizer.state_dict())
        other(INPUTS.to(dtype)).square().mean().backward()
        resumed.step()
        inverse = resumed.curvatures["0"].inverse_inputs
        assert inverse is not None
        assert inverse[0].dtype == torch.promote_types(dtype, torch.float32)
        assert all(torch.isfinite(each).all() for each in weights(other))


def test_state_of_another_optimizer_is_rejected() -> None:
    """load_state_dict() names what is missing."""
    net = network()
    with pytest.raises(ValueError, match="'thor'"):
        thor(net, **OPTIONS).load_state_dict(torch.optim.SGD(net.parameters(), 0.1).state_dict())
    optimizer = thor(net, **OPTIONS)
    train(net, optimizer, range(1))
    with pytest.raises(ValueError, match="blocks of"):
        thor(net, **OPTIONS, block_size=4).load_state_dict(optimizer.state_dict())
    other = nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.Linear(8, 3))
    with pytest.raises(ValueError, match="'2'"):
        thor(other, **OPTIONS).load_state_dict(optimizer.state_dict())


def test_rejected_state_changes_nothing() -> None:
    """A state whose last layer does not fit leaves momentum, counters and the inverses of the first layer alone."""
    net = network()
    optimizer = thor(net, **OPTIONS)
    train(net, optimizer, range(4))
    before = copy.deepcopy(optimizer.state_dict())
    wrong = copy.deepcopy(optimizer.state_dict())
    for state in wrong["state"].values():
        state["momentum"] += 1
    first, last = wrong["thor"]["curvatures"].values()
    first["inverse_inputs"] = tuple(2 * each for each in first["inverse_inputs"])
    last["inverse_gradients"] = tuple(torch.eye(7)[None] for _ in last["inverse_gradients"])
    with pytest.raises(ValueError, match=r"inverse_gradients of '3' in blocks of \[3\] rows, not \[7\]"):
        optimizer.load_state_dict(wrong)
    after = optimizer.state_dict()
    torch.testing.assert_close(after["state"], before["state"], rtol=0, atol=0)
    for name, state in before["thor"]["curvatures"].items():
        assert torch.equal(after["thor"]["curvatures"][name]["inverse_inputs"][0], state["inverse_inputs"][0])


def test_listed_layers_are_preconditioned_once_they_are_unfrozen() -> None:
    """A layer that was frozen when its parameters were listed is refreshed on due steps after it is trained."""
    net = network()
    net[0].requires_grad_(False)  # type: ignore[index, unused-ignore]
    optimizer = thor(net, **OPTIONS, params=[{"params": net.parameters()}])
    train(net, optimizer, range(3))
    assert list(optimizer.curvatures) == ["3"]
    net[0].requires_grad_(True)  # type: ignore[index, unused-ignore]
    train(net, optimizer, range(3, 7))
    assert {name: each.refreshes for name, each in optimizer.curvatures.items()} == {"0": 1, "3": 3}


def test_frozen_layers_are_no_reason_for_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    """A layer that is frozen during the training keeps its inverses, until it is trained again."""
    net = network()
    optimizer = thor(net, **OPTIONS)
    train(net, optimizer, range(3))
    caplog.clear()
    net[0].requires_grad_(False)  # type: ignore[index, unused-ignore]
    train(net, optimizer, range(3, 9))
    net[0].requires_grad_(True)  # type: ignore[index, unused-ignore]
    train(net, optimizer, range(9, 12))
    assert {name: each.refreshes for name, each in optimizer.curvatures.items()} == {"0": 2, "3": 4}
    assert not caplog.messages


def test_oracle_9_checkpointed_activations_change_nothing() -> None:
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


def test_oracle_9_checkpointed_parts_change_nothing() -> None:
    """Checkpointed parts of a network, also with micro-batches, count once."""
    for is_reentrant in (False, True):
        plain, checkpointed = network(), network()
        for net in (plain, checkpointed):
            optimizer = thor(net, **OPTIONS)
            for step in range(4):
                optimizer.zero_grad()
                for part in range(2):
                    rows = slice(16 * step + 8 * part, 16 * step + 8 * part + 8)
                    hidden = INPUTS[rows].clone().requires_grad_()
                    for part_of_net in (net[:1], net[1:3], net[3:]):  # type: ignore[index, unused-ignore]
                        if net is plain:
                            hidden = part_of_net(hidden)
                        else:
                            hidden = checkpoint(part_of_net, hidden, use_reentrant=is_reentrant)
                    ((hidden - TARGETS[rows]).square().mean(0).sum() / 2).backward()
                optimizer.step()
            assert optimizer.curvatures["0"].decision == "refreshed"
        for one, other in zip(weights(plain), weights(checkpointed), strict=True):
            torch.testing.assert_close(one, other)


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # Of PyTorch itself, at the end of a graph.
@pytest.mark.parametrize("options", [{}, {"trace_thresholds": (0.01, 0.001)}, {"fisher": "sampled"}])
def test_oracle_9_compiled_network_is_trained_like_an_eager_one(options: dict[str, Any]) -> None:
    """Hooks that are registered before compilation also observe the due steps of a compiled network."""
    plain, compiled = network(), network()
    decisions, graphs = [], 0

    def counted(module: Any, inputs: Any) -> Any:
        nonlocal graphs
        graphs += 1
        return aot_eager(module, inputs)

    for net, forward in ((plain, plain), (compiled, torch.compile(compiled, backend=counted))):
        torch.manual_seed(3)
        optimizer = thor(net, **OPTIONS, **options)
        train(net, optimizer, range(11), forward)
        decisions.append([each.decision for each in optimizer.curvatures.values()])
    for one, other in zip(weights(plain), weights(compiled), strict=True):
        torch.testing.assert_close(one, other)
    assert decisions[0] == decisions[1]
    assert graphs <= 5  # One for steps between due steps; on due steps, one for each part between observed layers.


@pytest.mark.filterwarnings("ignore:The .grad attribute")
@pytest.mark.parametrize("is_frozen", [True, False])
def test_layer_added_after_compilation_is_trained_like_an_eager_one(is_frozen: bool) -> None:
    """A layer that was frozen, or not among the parameters, is observed from the first due step after it is added."""

    class Two(nn.Module):
        def __init__(self) -> None:
            torch.manual_seed(0)
            super().__init__()
            self.first, self.last = nn.Linear(6, 8), nn.Linear(8, 3)

        def forward(self, inputs: Tensor) -> Tensor:
            """Return the outputs."""
            return self.last(torch.relu(self.first(inputs)))

    nets = Two(), Two()
    nets[1].compile(backend="eager")
    for net in nets:
        first, last = net.first, net.last
        first.requires_grad_(not is_frozen)
        optimizer = thor(net, **OPTIONS, params=[{"params": last.parameters()}])
        train(net, optimizer, range(4))
        first.requires_grad_(True)
        optimizer.add_param_group({"params": first.parameters()})
        train(net, optimizer, range(4, 8))
        assert optimizer.curvatures["first"].decision == "refreshed"
    for one, other in zip(*map(weights, nets), strict=True):
        torch.testing.assert_close(one, other)


def test_evaluations_and_extra_gradients_are_not_observed() -> None:
    """Passes without gradients, in evaluation mode, and gradients that no parameter receives change no factors."""
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
    torch.autograd.grad(other(inputs).sum(), inputs)  # As for an adversarial example.
    torch.autograd.grad(other(inputs).sum(), list(other.parameters()))
    train(other, optimizer, range(1))
    assert all(map(torch.equal, weights(plain), weights(other)))


def test_gradient_penalty_counts_the_gradients_of_the_whole_loss() -> None:
    """With a penalty of the input's gradient, the factors are those of the backward pass of loss and penalty."""
    net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1)).double()
    optimizer = thor(net, **OPTIONS)
    inputs = INPUTS[:16].double().requires_grad_()
    received: list[Tensor] = []

    def received_from(output: Tensor) -> None:
        output.register_hook(received.append)

    net[2].register_forward_hook(lambda _module, _inputs, output: received_from(output))
    for _ in range(4):
        optimizer.zero_grad()
        outputs = net(inputs)
        (slope,) = torch.autograd.grad(outputs.sum(), inputs, create_graph=True)
        (outputs.square().mean() + slope.square().mean()).backward()
        last = received[-1]
        sums = optimizer._capture.sums.get("2")
        assert (sums is not None) == optimizer.is_due
        if sums is not None:
            torch.testing.assert_close(sums.gradients[0], last.T @ last)
            assert sums.samples == 16
        optimizer.step()
    assert optimizer.curvatures["0"].decision == "refreshed"


def test_backward_pass_for_some_parameters() -> None:
    """Only layers whose weights receive a gradient are observed."""
    net = network()
    optimizer = thor(net, **OPTIONS)
    net(INPUTS).square().mean().backward(inputs=[net[3].weight])  # type: ignore[index, unused-ignore]
    assert list(optimizer._capture.sums) == ["3"]


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_oracle_10_bad_batch_does_not_end_the_training(bad: float) -> None:
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


def test_oracle_10_dead_layer_is_finite() -> None:
    """A layer whose gradients are all zero, and a constant input, result in finite updates."""
    net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    with torch.no_grad():
        net[0].bias.fill_(-1e3)  # type: ignore[operator, unused-ignore]
    optimizer = thor(net, **{**OPTIONS, "damping": 1e-8})
    train(net, optimizer, range(5))
    assert all(bool(torch.isfinite(each).all()) for each in weights(net))


def test_oracle_10_large_damping_is_gradient_descent() -> None:
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


@pytest.mark.parametrize("nesterov", [False, True])
def test_order_of_the_update(nesterov: bool) -> None:
    """Preconditioning, then weight decay where the filter says so, then clipping, then momentum, as in MindSpore."""
    net = nn.Sequential(nn.Linear(4, 3), nn.LayerNorm(3)).double()
    optimizer = thor(
        net,
        0.1,
        0.1,
        0.9,
        weight_decay=0.5,
        use_nesterov=nesterov,
        enable_clip_grad=True,
        decay_filter=lambda parameter: "bias" not in parameter.name,
        frequency=2,
    )
    momenta = [torch.zeros_like(each) for each in net.parameters()]
    for _ in range(3):
        optimizer.zero_grad()
        (10 * net(torch.randn(8, 4, dtype=torch.float64))).square().sum(1).mean().backward()
        before = weights(net)
        optimizer.step()
        curvature = optimizer.curvatures["0"]
        linear = net[0]
        gradient = torch.cat([linear.weight.grad, linear.bias.grad[:, None]], 1)[None]  # type: ignore[index, list-item, unused-ignore]
        natural = curvature.natural(gradient)[0]
        plain = [natural[:, :-1], natural[:, -1], net[1].weight.grad, net[1].bias.grad]
        names = [name for name, _ in net.named_parameters()]
        for name, old, update, momentum, new in zip(names, before, plain, momenta, net.parameters(), strict=True):
            assert isinstance(update, Tensor)
            decayed = update if "bias" in name else update + 0.5 * old
            clipped = decayed / max(1.0, float(decayed.norm()))
            momentum.mul_(0.9).add_(clipped)
            torch.testing.assert_close(new.detach(), old - 0.1 * (clipped + 0.9 * momentum if nesterov else momentum))


def test_trust_region_limits_the_length_of_an_update() -> None:
    """Longer updates are scaled down to the limit in the metric of the Fisher information; shorter ones are not."""
    steps = {}
    for limit in (None, 1e-4, 1e9):
        net = network().double()
        optimizer = thor(net, **{**OPTIONS, "momentum": 0.0}, trust_region=limit)
        before = weights(net)
        net(INPUTS.double()).square().sum(1).mean().backward()
        optimizer.step()
        changes = [new - old for new, old in zip(weights(net), before, strict=True)]
        gradients = [each.grad for each in net.parameters()]
        layers = (0, 1, 4, 5)
        length = 0.0
        for each in layers:
            gradient = gradients[each]
            assert gradient is not None
            length -= 0.1 * float((changes[each] * gradient).sum())
        steps[limit] = (length, changes)
    assert steps[1e-4][0] < steps[None][0]
    assert all(map(torch.equal, steps[None][1], steps[1e9][1]))
    ratio = steps[1e-4][1][0] / steps[None][1][0]
    torch.testing.assert_close(ratio, torch.full_like(ratio, float(ratio[0, 0])))
    assert float(ratio[0, 0]) ** 2 * steps[None][0] == pytest.approx(1e-4)


def test_groups_are_read_in_each_step() -> None:
    """Learning rate, momentum, weight decay and damping may change in any group at any time."""
    net = network()
    optimizer = thor(net, **{**OPTIONS, "frequency": 1})
    train(net, optimizer, range(1))
    first = optimizer.curvatures["0"].damping
    optimizer.param_groups[0].update(lr=0.0, damping=10.0, momentum=0.0)
    before = weights(net)
    train(net, optimizer, range(1, 2))
    assert all(map(torch.equal, before, weights(net)))
    second = optimizer.curvatures["0"].damping
    assert first is not None
    assert second is not None
    assert float(first.inputs * first.gradients) == pytest.approx(0.1)
    assert float(second.inputs * second.gradients) == pytest.approx(10.0)


def test_norms_are_measured_when_asked_for() -> None:
    """Each step measures the norms of the natural and the plain gradient of each layer, if that is switched on."""
    net = network()
    optimizer = thor(net, **OPTIONS)
    train(net, optimizer, range(1))
    assert optimizer.curvatures["0"].norms is None
    optimizer.measures_norms = True
    train(net, optimizer, range(1, 2))
    norms = optimizer.curvatures["0"].norms
    assert norms is not None
    weight, bias = net[0].weight.grad, net[0].bias.grad
    torch.testing.assert_close(norms.plain, torch.cat([weight.flatten(), bias]).norm())
    assert norms.natural > 0


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
    first, _norm, _activation, last = net.children()
    groups: list[dict[str, Any]] = [
        {"params": list(first.parameters()), "lr": 0.5},
        {"params": list(last.parameters())},
    ]
    grouped = thor(net, 0.1, 0.1, 0.9, params=groups)
    scheduled = thor(net, [0.1, 0.01], 0.1, 0.9, params=[dict(groups[0]), dict(groups[1])])
    train(net, scheduled, range(1))
    assert [group["lr"] for group in scheduled.param_groups] == [0.5, 0.01]
    scheduler = torch.optim.lr_scheduler.StepLR(grouped, 1, 0.1)
    before = copy.deepcopy(net[1].state_dict())  # type: ignore[index, unused-ignore]
    train(net, grouped, range(1))
    scheduler.step()
    assert [group["lr"] for group in grouped.param_groups] == pytest.approx([0.05, 0.01])
    assert torch.equal(before["weight"], net[1].weight)  # type: ignore[index, unused-ignore]
