"""SummaryCollector(metric_freq=): at which steps the loss and the learning rates are recorded."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.line_network import Line, line_batches

from toposcope import server
from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.training import Model

QUIET = {"collect_machine": False, "collect_environment": False, "collect_throughput": True}


def steps_of(directory: Path, tag: str) -> list[int]:
    (run,) = server.open(directory).runs.values()
    steps: list[int] = run.scalars(tag).step.tolist()
    return steps


@pytest.mark.parametrize(
    ("metric_freq", "collect_freq", "expected"),
    [
        (1, 10, range(1, 24)),
        (4, 10, [1, 4, 8, 10, 12, 16, 20, 23]),
        (50, 10, [1, 10, 20, 23]),
        (1000, 1000, [1, 23]),
        (None, 10, [1, 10, 20]),
    ],
)
def test_metrics_are_recorded_at_multiples_and_at_the_last_step(
    tmp_path: Path, metric_freq: int | None, collect_freq: int, expected: Sequence[int]
) -> None:
    """And with other values, which follow collect_freq."""
    collector = SummaryCollector(tmp_path, collect_freq, QUIET, metric_freq=metric_freq)
    Model(Line()).train(1, line_batches(23), callbacks=collector)
    assert steps_of(tmp_path, "loss/auto") == steps_of(tmp_path, "learning_rate") == list(expected)
    freq = min(collect_freq, 1000)
    assert steps_of(tmp_path, "throughput/steps_per_second") == [1, *range(freq, 24, freq)]


def test_default_is_every_step(tmp_path: Path) -> None:
    Model(Line()).train(2, line_batches(7), callbacks=SummaryCollector(tmp_path, collect_specified_data=QUIET))
    assert steps_of(tmp_path, "loss/auto") == list(range(1, 15))


def test_last_step_before_an_exception_is_recorded(tmp_path: Path) -> None:
    """Also if it is between two multiples."""

    def train() -> None:
        with SummaryCollector(tmp_path, 100, QUIET, metric_freq=100).watch() as run:
            for _ in range(7):
                run.step(0.5)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train()
    assert steps_of(tmp_path, "loss/auto") == [1, 7]


@pytest.mark.parametrize(("freq", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError), ("1", TypeError)])
def test_invalid_frequency_is_named(tmp_path: Path, freq: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="metric_freq"):
        SummaryCollector(tmp_path, metric_freq=freq)
