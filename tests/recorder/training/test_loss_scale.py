"""Loss scales of Model: fixed, adjusted, and together with optimizers that have a scale of their own."""

from typing import Any

import pytest
import torch
from torch import nn

from toposcope.recorder.callbacks import Callback, RunContext
from toposcope.recorder.frameworks.torch.training.steps import TorchSteps
from toposcope.recorder.train_thor import thor
from toposcope.recorder.training import DynamicLossScaleManager, FixedLossScaleManager, Model


def batches(count: int = 4) -> list[tuple[torch.Tensor, torch.Tensor]]:
    generator = torch.Generator().manual_seed(0)
    return [
        (torch.randn(8, 6, generator=generator).double(), torch.randint(3, (8,), generator=generator))
        for _ in range(count)
    ]


def trained(optimizer: Any, data: Any = None, **arguments: Any) -> torch.Tensor:
    """Return the weights of a layer after training it with the optimizer that a function creates."""
    torch.manual_seed(1)
    net = nn.Linear(6, 3).double()
    Model(net, nn.CrossEntropyLoss(), optimizer(net), **arguments).train(1, data or batches())
    return net.weight.detach().clone()


def thor_of(loss_scale: float) -> Any:
    return lambda net: thor(net, 0.1, 0.1, 0.9, loss_scale=loss_scale, frequency=2)


def sgd(net: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.SGD(net.parameters(), 0.1)


@pytest.mark.parametrize("drops", [True, False])
@pytest.mark.parametrize(
    ("plain", "scaled"),
    [(thor_of(1.0), thor_of(128)), (thor_of(1.0), thor_of(1.0)), (sgd, sgd)],
    ids=["THOR's own scale", "THOR without a scale", "SGD"],
)
def test_fixed_loss_scale_changes_nothing(plain: Any, scaled: Any, drops: bool) -> None:
    """A loss scale is divided out once, of the gradients and of the factors of THOR."""
    manager = FixedLossScaleManager(128, drop_overflow_update=drops)
    torch.testing.assert_close(trained(plain), trained(scaled, loss_scale_manager=manager))


@pytest.mark.parametrize("optimizer", [thor_of(1.0), sgd], ids=["THOR", "SGD"])
def test_dynamic_loss_scale_changes_nothing_but_skipped_steps(optimizer: Any) -> None:
    """A step with an overflow is skipped and halves the scale; finite steps double it."""
    broken = (torch.full((8, 6), float("inf")).double(), torch.zeros(8, dtype=torch.int64))
    manager = DynamicLossScaleManager(2.0**10, scale_window=2)
    first, *others = batches()
    torch.testing.assert_close(
        trained(optimizer), trained(optimizer, [first, broken, *others], loss_scale_manager=manager)
    )
    # 2^10, halved after the second of five steps, doubled after the fourth.
    assert manager.get_loss_scale() == 2.0**10


def test_overflow_is_dropped_if_requested() -> None:
    """With drop_overflow_update, a step whose gradients are not finite changes nothing."""
    for drops in (True, False):
        net = nn.Linear(6, 3)
        before = net.weight.detach().clone()
        batch = (torch.full((8, 6), float("inf")), torch.randint(3, (8,)))
        manager = FixedLossScaleManager(128, drop_overflow_update=drops)
        Model(net, nn.CrossEntropyLoss(), sgd(net), loss_scale_manager=manager).train(1, [batch])
        assert torch.equal(before, net.weight) == drops


def test_different_scales_of_optimizer_and_model(caplog: pytest.LogCaptureFixture) -> None:
    """Two different scales are an error before the first step; a scale without a manager is a warning."""
    with pytest.raises(ValueError, match="128, not 64"):
        trained(thor_of(64), loss_scale_manager=FixedLossScaleManager(128))
    assert not caplog.records
    net = nn.Linear(6, 3).double()
    Model(net, nn.CrossEntropyLoss(), thor_of(64)(net)).train(3, batches())
    assert caplog.text.count("loss_scale 64") == 1


def test_optimizer_keeps_its_scale() -> None:
    """After a training with a scale of the model, THOR works in the user's own loop."""
    net = nn.Linear(6, 3).double()
    optimizer = thor(net, 0.1, 0.1, 0.9)
    Model(net, nn.CrossEntropyLoss(), optimizer, loss_scale_manager=FixedLossScaleManager(128)).train(1, batches())
    assert optimizer.loss_scale == 1.0
    assert optimizer.grad_scaler is None


def test_manager_is_among_the_params_of_callbacks() -> None:
    """Under MindSpore's name for it."""

    class Note(Callback):
        def on_train_begin(self, run_context: RunContext) -> None:
            self.manager = run_context.original_args().loss_scale_mananger

    net, note, manager = nn.Linear(6, 3).double(), Note(), FixedLossScaleManager()
    Model(net, nn.CrossEntropyLoss(), sgd(net), loss_scale_manager=manager).train(1, batches(), callbacks=note)
    assert note.manager is manager


def test_dynamic_scale_is_never_below_one_and_always_finite() -> None:
    """However many steps overflow or do not."""
    manager = DynamicLossScaleManager(2.0, scale_window=1)
    for _ in range(5):
        manager.update_loss_scale(True)
    assert manager.get_loss_scale() == 1.0
    for _ in range(2000):
        manager.update_loss_scale(False)
    assert manager.get_loss_scale() == 2.0**1023


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), True, "128", None])
def test_invalid_scales(scale: Any) -> None:
    """The error names the argument and the value."""
    with pytest.raises((TypeError, ValueError), match=f"^loss_scale must be .* not {scale!r}"):
        FixedLossScaleManager(scale)
    with pytest.raises((TypeError, ValueError), match=f"^init_loss_scale must be .* not {scale!r}"):
        DynamicLossScaleManager(scale)

    class Manager:
        def get_loss_scale(self) -> Any:
            return scale

    with pytest.raises((TypeError, ValueError), match=f"loss_scale_manager must be .* not {scale!r}"):
        Model(nn.Linear(6, 3), nn.CrossEntropyLoss(), loss_scale_manager=Manager())


def test_invalid_arguments_of_managers() -> None:
    """The error names the argument."""
    arguments: list[tuple[Any, str, type[Exception]]] = [
        ({"init_loss_scale": 0.5}, "init_loss_scale", ValueError),
        ({"scale_factor": 1}, "scale_factor", ValueError),
        ({"scale_factor": 2.5}, "scale_factor", TypeError),
        ({"scale_window": 0}, "scale_window", ValueError),
    ]
    for given, name, error in arguments:
        with pytest.raises(error, match=name):
            DynamicLossScaleManager(**given)
    with pytest.raises(TypeError, match="drop_overflow_update"):
        FixedLossScaleManager(1, 1)  # type: ignore[arg-type]
    for manager in (4, FixedLossScaleManager):
        with pytest.raises(TypeError, match="get_loss_scale"):
            Model(nn.Linear(6, 3), nn.CrossEntropyLoss(), loss_scale_manager=manager)


def test_grad_scaler_of_the_model_changes_nothing_for_thor() -> None:
    """Where the precision is float16 the model has a GradScaler, whose scale reaches the factors of THOR."""
    weights = []
    for scaler in (None, torch.amp.GradScaler("cpu", init_scale=2.0**12)):
        torch.manual_seed(1)
        net = nn.Linear(6, 3).double()
        optimizer = thor(net, 0.1, 0.1, 0.9, frequency=2)
        steps = TorchSteps(net, loss_fn=nn.CrossEntropyLoss(), optimizer=optimizer)
        steps._scaler = scaler
        for batch in batches():
            steps.zero_grad()
            steps.backward(steps.loss(steps.forward(batch), batch), 1.0)
            steps.step()
        weights.append(net.weight.detach())
    torch.testing.assert_close(*weights)
