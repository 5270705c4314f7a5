"""A loss on a device is read by the thread that writes, in the order of the steps; run.step() does not wait for it."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.pytorch import torch

from toposcope import server
from toposcope.recorder.callbacks import EarlyStopping, SummaryCollector
from toposcope.recorder.record.summary_record import SummaryRecord
from toposcope.recorder.training.watch import watch
from toposcope.recorder.values.arrays.deferred_scalar import DeferredScalar, deferred_scalar, scalar_now_or_later

METRICS: dict[str, Any] = {"collect_specified_data": {"collect_metric": True}, "keep_default_action": False}


class DeviceTensor:
    """A tensor of an unknown framework, whose number is known once its device is done."""

    shape: tuple[int, ...] = ()
    dtype = "float32"

    def __init__(self, number: float | Exception, done: threading.Event) -> None:
        self.number, self.done = number, done

    def detach(self) -> "DeviceTensor":
        return self

    def clone(self) -> "DeviceTensor":
        return DeviceTensor(self.number, self.done)

    def __mul__(self, factor: float) -> "DeviceTensor":
        assert isinstance(self.number, float)
        return DeviceTensor(self.number * factor, self.done)

    def __add__(self, other: Any) -> "DeviceTensor":
        assert isinstance(self.number, float)
        return DeviceTensor(self.number + getattr(other, "number", other), self.done)

    __radd__ = __add__

    def item(self) -> float:
        """Wait for the device."""
        assert self.done.wait(60)
        if isinstance(self.number, Exception):
            raise self.number
        return self.number


def losses_in(directory: Path) -> list[tuple[int, float]]:
    (run,) = server.open(directory).runs.values()
    losses = run.scalars("loss/auto")
    return list(zip(losses.step.tolist(), losses.value.tolist(), strict=True))


def test_step_returns_before_the_loss_is_computed(tmp_path: Path) -> None:
    """Also for many steps, and together with losses that need no device; all are recorded in order."""
    done = threading.Event()
    with SummaryCollector(tmp_path, **METRICS).watch() as run:
        for step in range(1, 101):
            run.step(DeviceTensor(float(step), done) if step % 3 else float(step))
        done.set()
    assert losses_in(tmp_path) == [(step, float(step)) for step in range(1, 101)]


def test_other_values_of_the_step_are_in_the_same_event(tmp_path: Path) -> None:
    """An event waits for its loss, and later events for it."""
    done = threading.Event()
    with SummaryCollector(tmp_path, 2, {"collect_environment": False, "collect_machine": False}).watch() as run:
        for _ in range(6):
            run.step(DeviceTensor(0.5, done))
        done.set()
    (recorded,) = server.open(tmp_path).runs.values()
    assert recorded.scalars("loss/auto").step.tolist() == [1, 2, 3, 4, 5, 6]
    times = dict(zip(recorded.scalars("loss/auto").step, recorded.scalars("loss/auto").wall_time, strict=True))
    rates = recorded.scalars("throughput/steps_per_second")
    assert [times[step] for step in rates.step] == rates.wall_time.tolist()


def test_loss_that_cannot_be_read_is_skipped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With one line; the others are recorded."""
    done = threading.Event()
    done.set()
    with SummaryCollector(tmp_path, **METRICS).watch() as run:
        for step in range(1, 7):
            run.step(DeviceTensor(RuntimeError("device lost") if step in (2, 4) else float(step), done))
    assert losses_in(tmp_path) == [(1, 1), (3, 3), (5, 5), (6, 6)]
    assert len(caplog.records) == 1
    assert "loss/auto" in caplog.text


def test_micro_batches_on_a_device_are_averaged_there(tmp_path: Path) -> None:
    """Without reading them."""
    done, network = threading.Event(), torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(network.parameters())
    with SummaryCollector(tmp_path, **METRICS).watch(network, optimizer) as run:
        for number in range(4):
            network(torch.zeros(1 + number % 2 * 2, 1)).sum().backward()
            if number % 2:
                optimizer.step()
            run.step(DeviceTensor(float(number), done))
        done.set()
    assert [loss for _, loss in losses_in(tmp_path)] == pytest.approx([0.75, 2.75])


def test_callbacks_read_the_loss_when_they_need_it() -> None:
    """A callback that monitors the loss of a step waits for it."""
    done = threading.Event()
    done.set()
    with watch(EarlyStopping("loss", patience=1)) as run:
        for loss in (1.0, 2.0, 2.0, 2.0):
            run.step(DeviceTensor(loss, done))
            run.end_epoch()
            if run.stop_requested:
                break
    assert run.stop_requested


def test_record_keeps_the_order_of_deferred_values(tmp_path: Path) -> None:
    """A deferred value is one like any other for SummaryRecord; the newest of a tag is recorded."""
    done = threading.Event()
    with SummaryRecord(tmp_path) as recorder:
        for step in range(1, 4):
            recorder.add_value("scalar", "loss/auto", DeferredScalar(DeviceTensor(float(step), done)))
            recorder.record(step)
        done.set()
    assert losses_in(tmp_path) == [(1, 1), (2, 2), (3, 3)]


@pytest.mark.parametrize("value", [0.5, 1, True, np.float32(0.5), np.ones(3), "text", None, [1.0]])
def test_values_on_the_host_are_not_deferred(value: Any) -> None:
    assert deferred_scalar(value) is None


def test_mean_of_a_tensor_on_the_host_is_read_at_once() -> None:
    """Of any shape and dtype."""
    assert scalar_now_or_later(torch.tensor([1.0, 2.0])) == 1.5
    assert scalar_now_or_later(torch.tensor(3, dtype=torch.int32)) == 3.0
    assert scalar_now_or_later(torch.tensor(1 + 2j)) is None
    assert scalar_now_or_later(torch.tensor(0.1, dtype=torch.bfloat16)) == pytest.approx(0.1, rel=1e-2)


def test_step_returns_before_the_curvature_is_computed(tmp_path: Path) -> None:
    """The statistics of a THOR optimizer are tensors on its device."""
    done = threading.Event()

    class Optimizer:
        def curvature_statistics(self) -> dict[str, Any]:
            return {"thor_damping/global": 0.1, "thor_trace/fc1.inputs": DeviceTensor(3.0, done)}

    data = {"collect_curvature": True}
    with SummaryCollector(tmp_path, 1, data, keep_default_action=False).watch(optimizer=Optimizer()) as run:
        for _ in range(3):
            run.step(1.0)
        done.set()
    (recorded,) = server.open(tmp_path).runs.values()
    assert recorded.scalars("thor_trace/fc1.inputs").value.tolist() == [3.0] * 3
    assert recorded.scalars("thor_damping/global").step.tolist() == [1, 2, 3]
