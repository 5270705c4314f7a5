"""watch(): a step is the optimizer's, of one micro-batch or of several whose gradients are accumulated."""

import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.traced_callbacks import Events, Traced
from torch import nn

from toposcope import server
from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.training.watch import watch

QUIET = {"collect_machine": False, "collect_environment": False, "collect_graph": False}


class Losses(Traced):
    """Remembers the loss of each step."""

    def __init__(self) -> None:
        super().__init__("net_outputs")

    @property
    def values(self) -> list[float]:
        return [float(outputs) for (outputs,) in self.params["on_train_step_end"]]


def setup(kind: Any = torch.optim.SGD, **settings: Any) -> tuple[nn.Module, Any]:
    """Return a network and its optimizer."""
    network = nn.Linear(3, 1)
    return network, kind(network.parameters(), lr=0.01, **settings)


def batches(*sizes: int) -> list[torch.Tensor]:
    return [torch.randn(size, 3) for size in sizes]


@pytest.mark.parametrize("accumulation", [1, 4])
def test_a_step_is_a_step_of_the_optimizer(accumulation: int) -> None:
    """Its samples and its loss are those of all its micro-batches."""
    network, optimizer = setup()
    losses, expected, data = Losses(), [], batches(*[64] * 8)
    with watch(losses, network, optimizer, data) as run:
        for number, inputs in enumerate(data, 1):
            loss = network(inputs).square().mean()
            expected.append(loss.item())
            loss.backward()
            if number % accumulation == 0:
                optimizer.step()
            run.step(loss)
            if number % accumulation == 0:
                optimizer.zero_grad()

    assert int(run.state.timestamp.batch) == 8 // accumulation
    assert int(run.state.timestamp.sample) == 8 * 64
    assert int(run.state.timestamp.epoch) == 1
    means = np.reshape(expected, (-1, accumulation)).mean(axis=1)
    assert losses.values == pytest.approx(means.tolist(), rel=1e-6)


@given(st.lists(st.tuples(st.floats(-100, 100), st.integers(1, 50), st.booleans()), min_size=1, max_size=20))
def test_loss_is_the_mean_of_the_samples(micro_batches: list[tuple[float, int, bool]]) -> None:
    """Of micro-batches of any sizes, in steps of any lengths; compared with one long list of samples per step."""
    network, optimizer = setup()
    expected, samples, losses, counts = [], [], Losses(), []
    with watch(losses, network, optimizer) as run:
        for loss, size, is_last in [*micro_batches[:-1], (*micro_batches[-1][:2], True)]:
            network(torch.zeros(size, 3)).sum().backward()
            samples += [loss] * size
            if is_last:
                optimizer.step()
                expected.append(float(np.mean(samples)))
                counts.append(len(samples))
                samples = []
            run.step(loss)

    assert losses.values == pytest.approx(expected, abs=1e-9)
    assert int(run.state.timestamp.sample) == sum(counts)


def test_events_of_accumulated_micro_batches() -> None:
    """An epoch ends by the loader's micro-batches; its last step may continue in the next one."""
    network, optimizer = setup()
    events, data = Events(), batches(4, 4, 4)
    with watch(events, network, optimizer, data) as run:
        for number, inputs in enumerate(data + data, 1):
            network(inputs).sum().backward()
            if number % 2 == 0:
                optimizer.step()
            run.step(0.5)

    step = ["batch_start", "batch_end", "batch_checkpoint"]
    first = ["epoch_start", *step, "batch_start", "epoch_end", "epoch_checkpoint"]
    assert events.names[5:] == [
        *first,
        "epoch_start",
        *step[1:],
        *step,
        "epoch_end",
        "epoch_checkpoint",
        "fit_end",
        "close",
    ]
    assert int(run.state.timestamp.batch) == 3


def test_of_several_optimizers_each_call_counts_once() -> None:
    """Also if one of them steps less often."""
    generator, first = setup()
    critic, second = setup(torch.optim.Adam)
    losses = Losses()
    with watch(losses, generator, [first, second]) as run:
        for number in range(6):
            critic(generator(torch.randn(4, 3)).repeat(1, 3)).sum().backward()
            if number % 3 == 2:
                first.step()
            second.step()
            run.step(float(number))

    assert losses.values == [0, 1, 2, 3, 4, 5]
    assert int(run.state.timestamp.sample) == 24


@pytest.mark.parametrize("optimizer", [None, object()])
def test_without_an_observable_optimizer_each_call_is_a_step(optimizer: Any) -> None:
    """As for NumPy and JAX."""
    with watch([], optimizer=optimizer) as run:
        for _ in range(5):
            run.step(1.0, batch=np.zeros((8, 2)))
    assert (int(run.state.timestamp.batch), int(run.state.timestamp.sample)) == (5, 40)


def test_optimizer_that_steps_after_the_report_counts(caplog: pytest.LogCaptureFixture) -> None:
    """Each step ends when the optimizer steps, with the micro-batches that were reported before."""
    network, optimizer = setup()
    losses = Losses()
    with watch(losses, network, optimizer, batches(4, 4, 4, 4)) as run:
        for number, inputs in enumerate(batches(4, 4, 4, 4)):
            loss = network(inputs).sum()
            loss.backward()
            run.step(float(number))
            if number % 2:
                optimizer.step()
                optimizer.zero_grad()
    assert losses.values == [0.5, 2.5]
    assert not caplog.records


def test_optimizer_that_never_steps_loses_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """After 256 calls, or at the end of a shorter loop, each call is a step, with one warning."""
    for calls in (3, 300):
        caplog.clear()
        network, optimizer = setup()
        losses = Losses()
        with watch(losses, network, optimizer) as run:
            for number in range(calls):
                network(torch.randn(2, 3)).sum().backward()
                run.step(float(number))
        assert losses.values == list(range(calls))
        assert int(run.state.timestamp.sample) == 2 * calls
        assert len(caplog.records) == (calls == 300)


@pytest.mark.parametrize("accumulation", [1, 2])
@pytest.mark.parametrize("calls", [5, 1000])
def test_optimizer_that_is_replaced_loses_nothing(
    accumulation: int, calls: int, caplog: pytest.LogCaptureFixture
) -> None:
    """If the loop goes on with an optimizer that is not watched, each call is a step, with one warning."""
    network, optimizer = setup()
    losses = Losses()
    with watch(losses, network, optimizer) as run:
        for number in range(4):
            network(torch.randn(2, 3)).sum().backward()
            if number % accumulation == accumulation - 1:
                optimizer.step()
            run.step(float(number))
        for number in range(calls):
            network(torch.randn(2, 3)).sum().backward()
            run.step(float(number))
    assert losses.values[4 // accumulation :] == list(range(calls))
    assert ["has not stepped" in record.message for record in caplog.records] == [True]


def test_last_micro_batches_without_a_step_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    network, optimizer = setup()
    losses = Losses()
    with watch(losses, network, optimizer) as run:
        for number in range(6):
            network(torch.randn(2, 3)).sum().backward()
            if number == 3:
                optimizer.step()
            run.step(1.0)
    assert len(losses.values) == 1
    assert "last 2 micro-batches" in caplog.text


def test_losses_before_an_exception_are_recorded_although_no_step_was_observed(tmp_path: Path) -> None:
    network, optimizer = setup()

    def train() -> None:
        with SummaryCollector(tmp_path, 1, QUIET).watch(network, optimizer) as run:
            for number in range(3):
                run.step(float(number))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train()
    (recorded,) = server.open(tmp_path).runs.values()
    assert recorded.scalars("loss/auto").value.tolist() == [0, 1, 2]


COMPILED_OR_FUSED: list[Any] = [
    pytest.param(torch.optim.SGD, {"fused": True}, id="fused SGD"),
    pytest.param(torch.optim.Adam, {"fused": True}, id="fused Adam"),
    pytest.param(torch.optim.SGD, {"foreach": True}, id="foreach SGD"),
]


@pytest.mark.filterwarnings("ignore:`torch.jit.script_method` is deprecated:DeprecationWarning")
@pytest.mark.parametrize(("kind", "settings"), COMPILED_OR_FUSED)
@pytest.mark.parametrize("is_compiled", [False, True])
def test_steps_of_compiled_and_fused_optimizers_are_observed(
    kind: Any, settings: dict[str, Any], is_compiled: bool
) -> None:
    """torch.compile(optimizer.step) runs the hooks."""
    network, optimizer = setup(kind, **settings)
    step: Callable[[], Any] = torch.compile(optimizer.step, backend="eager") if is_compiled else optimizer.step
    with watch([], network, optimizer) as run:
        for number in range(8):
            network(torch.randn(2, 3)).sum().backward()
            if number % 2:
                step()
            run.step(1.0)
    assert int(run.state.timestamp.batch) == 4


class Scaled:
    """A loop with a GradScaler; gradients of the given calls are infinite."""

    def __init__(self, bad: set[int], accumulation: int = 1, **optimizer_settings: Any) -> None:
        self.network, self.optimizer = setup(torch.optim.SGD, **optimizer_settings)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        self.bad, self.accumulation = bad, accumulation
        self.losses = Losses()

    def run(self, order: str, calls: int = 12) -> Any:
        """Train with statements in one of the usual orders; return the run."""
        with watch(self.losses, self.network, self.optimizer) as run:
            for number in range(calls):
                is_last = number % self.accumulation == self.accumulation - 1
                if order == "clear first" and number % self.accumulation == 0:
                    self.optimizer.zero_grad()
                loss = self.network(torch.randn(2, 3)).sum() * (float("inf") if number in self.bad else 1.0)
                if order == "clear late" and number % self.accumulation == 0:
                    self.optimizer.zero_grad()
                self.scaler.scale(loss).backward()
                if is_last:
                    self.scaler.step(self.optimizer)
                    if order != "update last":
                        self.scaler.update()
                if order == "clear before the report" and is_last:
                    self.optimizer.zero_grad()
                run.step(float(number))
                if is_last and order == "update last":
                    self.scaler.update()
                if is_last and order in ("clear last", "update last"):
                    self.optimizer.zero_grad()
        return run


@pytest.mark.parametrize("order", ["clear first", "clear late", "clear before the report", "clear last", "update last"])
@pytest.mark.parametrize("bad", [{0}, {0, 1, 2}, {5}, {0, 3, 4, 11}, {11}, set()])
@pytest.mark.parametrize("fused", [False, True])
def test_step_that_grad_scaler_skips_does_not_count(order: str, bad: set[int], fused: bool) -> None:
    """A skipped step does not count, in any order of clearing gradients and updating the scaler, also at the start."""
    loop = Scaled(bad, fused=fused)
    run = loop.run(order)
    assert loop.losses.values == [number for number in range(12) if number not in bad]
    assert int(run.state.timestamp.batch) == 12 - len(bad)
    assert int(run.state.timestamp.sample) == 2 * 12 - 2 * (11 in bad)


@pytest.mark.parametrize("order", ["clear first", "clear late", "clear before the report", "clear last", "update last"])
@pytest.mark.parametrize("bad", [{0}, {1}, {4, 6}, {0, 2, 8}, set()])
def test_skipped_step_of_accumulated_micro_batches_does_not_count(order: str, bad: set[int]) -> None:
    """None of its micro-batches belongs to another step."""
    loop = Scaled(bad, accumulation=3)
    loop.run(order)
    skipped = {number // 3 for number in bad}
    assert loop.losses.values == pytest.approx([3 * step + 1 for step in range(4) if step not in skipped])


def test_skipped_steps_are_recorded_and_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Their number is recorded at the next step that counts, and at the end."""
    loop = Scaled({0, 1, 5, 11})
    collector = SummaryCollector(tmp_path, 1, QUIET)
    loop.losses = collector  # type: ignore[assignment]
    with caplog.at_level(logging.WARNING):
        loop.run("clear first")
    (recorded,) = server.open(tmp_path).runs.values()
    skipped = recorded.scalars("optimizer/skipped_steps")
    assert list(zip(skipped.step.tolist(), skipped.value.tolist(), strict=True)) == [(1, 2), (4, 3), (8, 4)]
    assert sum("GradScaler" in record.message for record in caplog.records) == 1


class OtherScaler(torch.amp.GradScaler):
    """A GradScaler as another version of PyTorch may have it: its state is not where this version keeps it."""

    def __getattribute__(self, name: str) -> Any:
        if name == "_per_optimizer_states" and "toposcope" in sys._getframe(1).f_globals["__name__"]:
            raise AttributeError(name)
        return super().__getattribute__(name)


def test_unknown_grad_scaler_does_not_end_the_training(caplog: pytest.LogCaptureFixture) -> None:
    """Its steps count, those that it skips are parts of the next one, and one warning says so."""
    loop = Scaled({4})
    loop.scaler = OtherScaler("cpu", init_scale=4.0)
    run = loop.run("clear first")
    assert int(run.state.timestamp.batch) == 11
    assert sum("Steps that GradScaler skips are not counted" in record.message for record in caplog.records) == 1


def wrapped(optimizer: Any) -> Iterator[Any]:
    """Yield the optimizer inside wrappers of the kinds in use."""

    class Wrapper:
        def __init__(self) -> None:
            self.optimizer = optimizer

        def __getattr__(self, name: str) -> Any:
            return getattr(optimizer, name)

    class AlsoAnOptimizer(torch.optim.Optimizer):
        def __init__(self) -> None:
            self.optimizer = optimizer

        def step(self, closure: Any = None) -> Any:
            return self.optimizer.step()

    Wrapper.__module__ = "torch.some"
    yield Wrapper()
    yield AlsoAnOptimizer()


def test_steps_of_wrapped_optimizers_are_observed() -> None:
    for kind in range(2):
        network, optimizer = setup()
        wrapper = list(wrapped(optimizer))[kind]
        with watch([], network, wrapper) as run:
            for number in range(4):
                network(torch.randn(2, 3)).sum().backward()
                if number % 2:
                    wrapper.step()
                run.step(1.0)
        assert int(run.state.timestamp.batch) == 2
        assert not optimizer._optimizer_step_post_hooks
