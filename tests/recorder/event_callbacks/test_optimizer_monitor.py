"""OptimizerMonitor: norms of gradients, parameters, moments and updates."""

import copy
import math
from typing import Any

import numpy as np
import pytest
import torch
from support.tiny_training import logged_by, series, tiny_batches, tiny_network

from toposcope.recorder.event_callbacks import OptimizerMonitor
from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.training.watch import watch

LOSS = torch.nn.CrossEntropyLoss()


def slow_norms(optimizer_class: Any, moment: str, number: int = 4, **settings: Any) -> list[dict[str, float]]:
    """Train with a plain loop; return the norms of each step, computed in double precision."""
    network = tiny_network()
    optimizer = optimizer_class(network.parameters(), **settings)
    steps = []
    for inputs, labels in tiny_batches(number):
        optimizer.zero_grad()
        LOSS(network(inputs), labels).backward()
        before = copy.deepcopy(dict(network.named_parameters()))
        optimizer.step()
        norms = {}
        for name, parameter in network.named_parameters():
            assert parameter.grad is not None
            norms[f"grad/{name}"] = norm_of(parameter.grad)
            norms[f"param/{name}"] = norm_of(parameter)
            norms[f"update/{name}"] = norm_of(parameter - before[name])
            if moment:
                norms[f"moment/{name}"] = norm_of(optimizer.state[parameter][moment])
        steps.append(norms)
    return steps


def norm_of(tensor: torch.Tensor) -> float:
    return math.sqrt(sum(float(each) ** 2 for each in tensor.detach().flatten()))


def logged_norms(memory: InMemoryLogger, batch: int) -> dict[str, float]:
    """Return the norms that were logged at a batch."""
    names = [name for name in memory.data if name.startswith("l2_norm/")]
    return {
        name.removeprefix("l2_norm/"): value for name in names for step, value in series(memory, name) if step == batch
    }


@pytest.mark.parametrize(
    ("optimizer_class", "moment", "settings"),
    [
        (torch.optim.Adam, "exp_avg", {"lr": 0.01}),
        (torch.optim.AdamW, "exp_avg", {"lr": 0.01, "foreach": True}),
        (torch.optim.SGD, "momentum_buffer", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01}),
        (torch.optim.SGD, "", {"lr": 0.1}),
    ],
)
def test_norms_equal_those_of_a_plain_loop(optimizer_class: Any, moment: str, settings: dict[str, Any]) -> None:
    """For every parameter, at every second of four batches."""
    network = tiny_network()
    optimizer = optimizer_class(network.parameters(), **settings)
    memory = logged_by(OptimizerMonitor(batch_log_interval=2), model=network, optimizers=optimizer, batches=4)

    steps = slow_norms(optimizer_class, moment, **settings)
    assert logged_norms(memory, 1) == logged_norms(memory, 3) == {}
    for batch in (2, 4):
        expected = steps[batch - 1]
        gradients = [norm for name, norm in expected.items() if name.startswith("grad/")]
        expected |= {"grad/global": math.hypot(*gradients)}
        assert logged_norms(memory, batch) == pytest.approx(expected, rel=1e-5)


def test_only_gradients_or_only_global_norms_are_logged_on_request() -> None:
    """Global norms are roots of sums of squares."""
    expected = slow_norms(torch.optim.SGD, "", lr=0.1)[-1]
    gradients = logged_by(
        OptimizerMonitor(log_optimizer_metrics=False, batch_log_interval=4), model=tiny_network(), batches=4
    )
    both = logged_by(OptimizerMonitor(batch_log_interval=4, only_global=True), model=tiny_network(), batches=4)

    assert set(logged_norms(gradients, 4)) == {"grad/global", *(name for name in expected if name.startswith("grad/"))}
    for kind in ("grad", "param", "update"):
        parts = [norm for name, norm in expected.items() if name.startswith(kind)]
        assert logged_norms(both, 4)[f"{kind}/global"] == pytest.approx(math.hypot(*parts), rel=1e-5)
    assert len(logged_norms(both, 4)) == 3


def test_gradients_are_those_of_the_step_in_a_watched_loop() -> None:
    """They are clipped before the step, and cleared before it is reported."""
    network = tiny_network()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    memory = InMemoryLogger()
    with watch(OptimizerMonitor(batch_log_interval=1), network, optimizer, loggers=memory) as run:
        for inputs, labels in tiny_batches(3):
            loss = LOSS(network(inputs), labels)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 0.01)
            optimizer.step()
            optimizer.zero_grad()
            run.step(loss)

    assert series(memory, "l2_norm/grad/global") == [(number, pytest.approx(0.01, rel=1e-3)) for number in (1, 2, 3)]
    assert series(memory, "l2_norm/update/0.weight")[0][0] == 1


@pytest.mark.parametrize("fused", [False, True])
def test_gradients_are_unscaled(fused: bool) -> None:
    """A GradScaler unscales them before the step; a fused optimizer does it itself."""
    network = tiny_network()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, fused=fused)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    memory = InMemoryLogger()
    (inputs, labels), *_ = tiny_batches(1)
    with watch(OptimizerMonitor(batch_log_interval=1), network, optimizer, loggers=memory) as run:
        loss = LOSS(network(inputs), labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        run.step(loss)

    expected = slow_norms(torch.optim.SGD, "", 1, lr=0.1)[0]["grad/0.weight"]
    assert memory.most_recent_values["l2_norm/grad/0.weight"] == pytest.approx(expected, rel=1e-4)


def test_frozen_parameters_are_left_out_and_hooks_are_removed() -> None:
    """A second training with the callback measures its own network."""
    network = tiny_network()
    network[0].requires_grad_(False)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    callback = OptimizerMonitor(batch_log_interval=1)
    memory = logged_by(callback, model=network, optimizers=optimizer, batches=1)

    assert "l2_norm/grad/2.weight" in memory.data
    assert not any("/0." in name for name in memory.data)
    assert not optimizer._optimizer_step_pre_hooks
    assert not optimizer._optimizer_step_post_hooks
    assert "l2_norm/grad/0.weight" in logged_by(callback, model=tiny_network(), batches=1).data


def test_other_frameworks_have_norms_of_gradients() -> None:
    """A loop without PyTorch supplies its gradients."""
    memory = InMemoryLogger()
    monitor = OptimizerMonitor(batch_log_interval=1)
    with watch(monitor, gradients=lambda: {"w": np.array([3.0, 4.0]), "b": np.array([12.0])}, loggers=memory) as run:
        run.step(1.0)

    assert memory.most_recent_values | {"loss/train/total": 1.0} == {
        "l2_norm/grad/w": 5.0,
        "l2_norm/grad/b": 12.0,
        "l2_norm/grad/global": 13.0,
        "loss/train/total": 1.0,
    }


def test_a_loop_without_gradients_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    """It has no norms."""
    memory = InMemoryLogger()
    with watch(OptimizerMonitor(batch_log_interval=1), loggers=memory) as run:
        run.step(1.0)
        run.step(1.0)

    assert set(memory.data) == {"loss/train/total"}
    assert caplog.text.count("OptimizerMonitor") == 1


def test_a_failing_measurement_does_not_end_the_training(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Such as one without enough memory for the copy of the parameters."""

    def fail(tensor: object) -> None:
        raise MemoryError("no memory")

    monkeypatch.setattr("toposcope.recorder.frameworks.torch.training.optimizer_norms._own_part", fail)
    memory = logged_by(OptimizerMonitor(batch_log_interval=1), model=tiny_network(), batches=2)

    assert len(series(memory, "loss/train/total")) == 2
    assert "no memory" in caplog.text


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"log_optimizer_metrics": 1}, TypeError, "log_optimizer_metrics"),
        ({"batch_log_interval": 0}, ValueError, "batch_log_interval"),
        ({"only_global": None}, TypeError, "only_global"),
    ],
)
def test_errors_name_the_invalid_argument(arguments: dict[str, Any], error: type[Exception], named: str) -> None:
    """They are raised at construction."""
    with pytest.raises(error, match=named):
        OptimizerMonitor(**arguments)
