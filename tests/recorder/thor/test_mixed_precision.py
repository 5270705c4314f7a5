"""THOR with autocast, GradScaler, other dtypes, and steps that are skipped."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from toposcope.recorder.train_thor import thor

OPTIONS: dict[str, Any] = {"learning_rate": 0.05, "damping": 0.1, "momentum": 0.9, "frequency": 2}


def network(dtype: torch.dtype = torch.float32) -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.LayerNorm(64), nn.Linear(64, 3)).to(dtype)


def batch(step: int) -> tuple[Tensor, Tensor]:
    random = torch.Generator().manual_seed(step)
    return torch.randn(16, 1, 6, 6, generator=random), torch.randint(3, (16,), generator=random)


def weights(net: nn.Module) -> list[Tensor]:
    return [each.detach().clone() for each in net.parameters()]


def test_autocast_is_close_to_full_precision() -> None:
    """With autocast, factors and inverses are computed in float32, of what the layers compute with."""
    trained = []
    for is_mixed in (False, True):
        net = network()
        optimizer = thor(net, **OPTIONS)
        for step in range(4):
            inputs, labels = batch(step)
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16, enabled=is_mixed):
                loss = nn.functional.cross_entropy(net(inputs), labels)
            loss.backward()
            optimizer.step()
        inverse = optimizer.curvatures["4"].inverse_inputs
        assert inverse is not None
        assert inverse[0].dtype == torch.float32
        trained.append(weights(net))
    for one, other in zip(*trained, strict=True):
        torch.testing.assert_close(one, other, atol=0.02, rtol=0.1)


def test_input_changed_in_place_under_autocast() -> None:
    """Autocast lets a program change the input of a layer before the backward pass; factors are those of the call."""
    factors = []
    for is_changed in (False, True):
        torch.manual_seed(0)
        net = nn.Linear(4, 3)
        optimizer = thor(net, **OPTIONS)
        inputs = torch.randn(8, 4)
        with torch.autocast("cpu", torch.bfloat16):
            output = net(inputs)
        if is_changed:
            inputs.zero_()
        output.square().sum().backward()
        factors.append(optimizer._capture.sums[""].inputs)
    assert torch.equal(*factors)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_other_dtypes(dtype: torch.dtype) -> None:
    """Factors have at least float32."""
    net = network(dtype)
    optimizer = thor(net, **OPTIONS)
    for step in range(3):
        inputs, labels = batch(step)
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(inputs.to(dtype)), labels).backward()
        optimizer.step()
    inverse = optimizer.curvatures["4"].inverse_gradients
    assert inverse is not None
    assert inverse[0].dtype == torch.promote_types(dtype, torch.float32)
    assert all(torch.isfinite(each).all() for each in weights(net))


def train_scaled(
    net: nn.Module, overflows: int | None, *, clears: str, unscales: bool = False, is_given: bool = True
) -> Any:
    """Train six steps with a GradScaler; before a step, a batch may overflow, so that its step is skipped."""
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=3)
    optimizer = thor(net, **OPTIONS, grad_scaler=scaler if is_given else None)
    for step in range(6):
        for is_bad in (True, False) if step == overflows else (False,):
            inputs, labels = batch(step)
            if clears == "optimizer":
                optimizer.zero_grad()
            else:
                net.zero_grad()
            loss = nn.functional.cross_entropy(net(inputs * 2), labels)
            scaler.scale(loss).backward()
            if is_bad:  # Not visible in the factors: only gradients of other parameters overflow.
                net[3].bias.grad.fill_(float("inf"))  # type: ignore[index, unused-ignore]
            if unscales:
                scaler.unscale_(optimizer)
            scaler.step(optimizer)
            scaler.update()
    return optimizer


@pytest.mark.parametrize("clears", ["optimizer", "network"])
@pytest.mark.parametrize("overflows", [None, 0, 1, 2])
def test_scaled_training_equals_unscaled(overflows: int | None, clears: str) -> None:
    """GradScaler is divided out of gradients and factors, and the factors of a skipped step are dropped."""
    net, scaled = network(torch.float64), network(torch.float64)
    for each, optimizer in ((net, thor(net, **OPTIONS)),):
        for step in range(6):
            inputs, labels = batch(step)
            optimizer.zero_grad()
            nn.functional.cross_entropy(each(inputs.double() * 2), labels).backward()
            optimizer.step()
    scaled.register_forward_pre_hook(lambda _, inputs: (inputs[0].double(),))
    optimizer = train_scaled(scaled, overflows, clears=clears, unscales=clears == "network")
    assert optimizer.step_number == 6
    for one, other in zip(weights(net), weights(scaled), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("overflows", [None, 0, 2])
def test_scaler_that_thor_was_not_given_is_found(overflows: int | None) -> None:
    """THOR finds the GradScaler that calls its step()."""
    trained = []
    for is_given in (True, False):
        net = network(torch.float64)
        net.register_forward_pre_hook(lambda _, inputs: (inputs[0].double(),))
        optimizer = train_scaled(net, overflows, clears="optimizer", is_given=is_given)
        assert optimizer.grad_scaler is not None
        trained.append(weights(net))
    for one, other in zip(*trained, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


def test_step_that_a_program_skips() -> None:
    """Factors of a batch whose step() is not called do not count, however the gradients are cleared."""
    trained = []
    for clears in ("nothing skipped", "optimizer", "network", "zeros"):
        net = network(torch.float64)
        optimizer = thor(net, **OPTIONS)
        for step in range(4):
            for skipped in (True, False) if step == 2 and clears != "nothing skipped" else (False,):
                inputs, labels = batch(100 if skipped else step)
                if clears == "network":
                    net.zero_grad()
                else:
                    optimizer.zero_grad(set_to_none=clears != "zeros")
                nn.functional.cross_entropy(net(inputs.double()), labels).backward()
                if not skipped:
                    optimizer.step()
        trained.append(weights(net))
    for other in trained[1:]:
        assert all(map(torch.equal, trained[0], other))


def test_squares_of_scaled_gradients_may_overflow() -> None:
    """Without overflows a GradScaler doubles its scale every 2000 steps, far beyond the root of the largest number."""
    trained = []
    for scale in (1.0, 2.0**100):
        net = network()
        optimizer = thor(net, **OPTIONS, loss_scale=scale)
        for step in range(4):
            inputs, labels = batch(step)
            optimizer.zero_grad()
            (nn.functional.cross_entropy(net(inputs), labels) * scale).backward()
            optimizer.step()
        assert [each.refreshes for each in optimizer.curvatures.values()] == [2, 2]
        trained.append(weights(net))
    for one, other in zip(*trained, strict=True):
        torch.testing.assert_close(one, other)
