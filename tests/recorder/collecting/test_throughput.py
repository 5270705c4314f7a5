"""Throughput in steps and samples per second."""

import pytest

from toposcope.recorder.collecting.steps.throughput import Throughput


def test_without_a_finished_step_there_is_no_throughput() -> None:
    """Neither at the beginning nor directly after a restart."""
    throughput = Throughput()
    assert throughput.measure(5, 20, 4) == {}
    throughput.restart(5, 20)
    assert throughput.measure(5, 20, 4) == {}


def test_samples_per_second_are_those_that_were_processed() -> None:
    """Of accumulated micro-batches, for example; their number per step does not matter."""
    throughput = Throughput()
    throughput.restart(10, 100)
    metrics = throughput.measure(20, 740, 32)
    assert metrics["throughput/samples_per_second"] == pytest.approx(64 * metrics["throughput/steps_per_second"])


def test_samples_of_steps_are_otherwise_those_of_a_batch() -> None:
    """Without a batch size only steps are measured."""
    throughput = Throughput()
    throughput.restart(10, None)
    metrics = throughput.measure(20, None, 32)
    assert metrics["throughput/samples_per_second"] == pytest.approx(32 * metrics["throughput/steps_per_second"])
    assert list(throughput.measure(30, None, None)) == ["throughput/steps_per_second"]


def test_steps_before_a_restart_do_not_count() -> None:
    """Evaluations between epochs are excluded by restarting."""
    throughput = Throughput()
    throughput.restart(0, None)
    throughput.restart(8, None)
    assert throughput.measure(9, None, None)["throughput/steps_per_second"] > 0
    assert throughput.measure(9, None, None) == {}
