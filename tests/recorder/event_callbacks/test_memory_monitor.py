"""MemoryMonitor: statistics of PyTorch's CUDA allocator."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from support.tiny_training import logged_by, series, tiny_network

from toposcope.recorder.event_callbacks import MemoryMonitor
from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State
from toposcope.recorder.training.watch import watch


class OnDevice(torch.nn.Module):
    """A model whose only parameter says that it is on the second CUDA device."""

    def parameters(self, recurse: bool = True) -> Any:
        """Yield the parameter."""
        yield SimpleNamespace(device=torch.device("cuda", 1))


@pytest.fixture
def allocator(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Return the statistics of the second device."""
    statistics = {"allocated_bytes.all.current": 123_456_789_000, "num_alloc_retries": 3, "segment.all.peak": 7}
    monkeypatch.setattr(torch.cuda, "memory_stats", lambda device: statistics if device.index == 1 else {})
    return statistics


def measured(callback: MemoryMonitor) -> InMemoryLogger:
    """Run three batches of a training on a CUDA device; return what was logged."""
    state, memory = State(model=OnDevice()), InMemoryLogger()
    logger = Logger(state, memory)
    memory.init(state, logger)
    callback.fit_start(state, logger)
    for _ in range(3):
        callback.after_train_batch(state, logger)
        state.count_step(1, 0.1)
        callback.batch_end(state, logger)
    return memory


def test_a_model_on_the_cpu_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    """With Composer's sentence; nothing is logged."""
    callback = MemoryMonitor()
    for _ in range(2):
        memory = logged_by(callback, model=tiny_network())
        assert not any("memory/" in name for name in memory.data)
    assert caplog.text.count("The memory monitor only works on CUDA devices, but the model is on cpu") == 1
    with watch(MemoryMonitor()) as run:
        run.step(1.0)
    assert "no parameters" in caplog.text


def test_statistics_of_the_models_device_are_logged_in_gigabytes(allocator: dict[str, int]) -> None:
    """At each batch, before the step of the optimizer."""
    memory = measured(MemoryMonitor())

    assert series(memory, "memory/current_allocated_mem") == [(0, 123.456789), (1, 123.456789), (2, 123.456789)]
    assert memory.most_recent_values == {"memory/current_allocated_mem": 123.456789, "memory/alloc_retries": 3}


def test_chosen_statistics_have_chosen_names(allocator: dict[str, int]) -> None:
    """Bytes in a name become gigabytes."""
    keys = {"allocated_bytes.all.current": "used_bytes", "segment.all.peak": "segments", "unknown": "unknown"}
    memory = measured(MemoryMonitor(keys))

    assert memory.most_recent_values == {"memory/used_gigabytes": 123.456789, "memory/segments": 7}


def test_aggregates_over_processes_are_logged_at_their_interval(allocator: dict[str, int]) -> None:
    """A single process is its own mean and extremes."""
    memory = measured(MemoryMonitor(dist_aggregate_batch_interval=2))

    for name in ("avg", "min", "max"):
        assert series(memory, f"memory/alloc_retries_{name}") == [(0, 3), (2, 3)]


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"memory_keys": ["allocated"]}, TypeError, "memory_keys"),
        ({"memory_keys": {"allocated": 1}}, TypeError, "memory_keys"),
        ({"dist_aggregate_batch_interval": 0}, ValueError, "dist_aggregate_batch_interval"),
    ],
)
def test_errors_name_the_invalid_argument(arguments: dict[str, Any], error: type[Exception], named: str) -> None:
    """They are raised at construction."""
    with pytest.raises(error, match=named):
        MemoryMonitor(**arguments)
