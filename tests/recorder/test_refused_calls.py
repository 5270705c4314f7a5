"""Calls with invalid arguments leave no files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.line_network import Line, line_batches

from toposcope.recorder import SummaryRecord
from toposcope.recorder.callbacks import LossMonitor, SummaryCollector
from toposcope.recorder.training.model import Model
from toposcope.recorder.training.watch import watch


def train_with(run: Path, **arguments: Any) -> None:
    """Train with a collector."""
    defaults: dict[str, Any] = {"epoch": 1, "train_dataset": line_batches(2), "callbacks": SummaryCollector(run)}
    Model(Line()).train(**(defaults | arguments))


def watch_with(*callbacks: Any, **arguments: Any) -> None:
    """Watch a loop of one step."""
    with watch(list(callbacks), **arguments) as run:
        run.step(1.0)


REFUSED: list[tuple[type[Exception], Callable[[Path], object]]] = [
    (ValueError, lambda run: SummaryRecord(run, file_prefix="a/b")),
    (ValueError, lambda run: SummaryRecord(run, max_file_size=0)),
    (TypeError, lambda run: SummaryRecord(run, network="LeNet")),
    (ValueError, lambda run: SummaryRecord(run, export_options={"tensor_format": "csv"})),
    (ValueError, lambda run: SummaryRecord(run, flush_seconds=0)),
    (TypeError, lambda run: SummaryRecord(run, heartbeat_seconds="30")),  # type: ignore[arg-type]
    (ValueError, lambda run: SummaryRecord(run, heartbeat_seconds=-1)),
    (ValueError, lambda run: SummaryRecord(run, heartbeat_seconds=1e-3)),
    (ValueError, lambda run: SummaryRecord(run, on_backlog="block")),
    (TypeError, lambda run: SummaryRecord(run, on_backlog=None)),  # type: ignore[arg-type]
    (TypeError, lambda run: SummaryRecord(run, resume="yes")),  # type: ignore[arg-type]
    (TypeError, lambda run: SummaryRecord(run, collects_operators=1)),  # type: ignore[arg-type]
    (ValueError, lambda run: SummaryCollector(run, collect_freq=0)),
    (ValueError, lambda run: SummaryCollector(run, heartbeat_seconds=0)),
    (ValueError, lambda run: SummaryCollector(run, on_backlog="block")),
    (ValueError, lambda run: SummaryCollector(run, collect_specified_data={"collect_nothing": True})),
    (ValueError, lambda run: watch_with(SummaryCollector(run), SummaryCollector(run / "second"))),
    (ValueError, lambda run: train_with(run, callbacks=[SummaryCollector(run), SummaryCollector(run / "second")])),
    (TypeError, lambda run: watch_with(SummaryCollector(run), len)),
    (ValueError, lambda run: watch_with(SummaryCollector(run), epochs=0)),
    (ValueError, lambda run: watch_with(SummaryCollector(run), steps_per_epoch=0)),
    (TypeError, lambda run: watch_with(SummaryCollector(run), optimizer="SGD")),
    (ValueError, lambda run: train_with(run, epoch=0)),
    (TypeError, lambda run: train_with(run, train_dataset=3)),
    (TypeError, lambda run: train_with(run, callbacks=[SummaryCollector(run), len])),
    (ValueError, lambda run: train_with(run, initial_epoch=1)),
    (RuntimeError, lambda run: watch_twice(SummaryCollector(run))),
]


def watch_twice(collector: SummaryCollector) -> None:
    """Use a callback in two trainings at the same time; the first still uses it."""
    monitor = LossMonitor()
    with watch([monitor]) as run:
        run.step(1.0)
        watch_with(collector, monitor)


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused_calls_leave_no_files(tmp_path: Path, number: int) -> None:
    """An invalid argument raises the documented error before a file is created."""
    error, call = REFUSED[number]
    with pytest.raises(error):
        call(tmp_path / "run")

    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_accepted_calls_create_a_file(tmp_path: Path) -> None:
    """The calls above differ from accepted ones in their invalid argument only."""
    train_with(tmp_path / "model")
    watch_with(SummaryCollector(tmp_path / "loop"), LossMonitor())
    SummaryRecord(tmp_path / "record", on_backlog="drop", heartbeat_seconds=1).close()

    assert all(any(folder.glob("*_MS")) for folder in tmp_path.iterdir())
