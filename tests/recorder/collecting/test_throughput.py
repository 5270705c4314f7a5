"""Throughput in steps and samples per second."""

from toposcope.recorder.collecting.throughput import Throughput


def test_without_a_finished_step_there_is_no_throughput() -> None:
    """Neither at the beginning nor directly after a restart."""
    throughput = Throughput()
    assert throughput.measure(5, 4) == {}
    throughput.restart(5)
    assert throughput.measure(5, 4) == {}


def test_samples_per_second_follow_from_the_batch_size() -> None:
    """Without a batch size only steps are measured."""
    throughput = Throughput()
    throughput.restart(10)
    metrics = throughput.measure(20, 32)
    assert metrics["throughput/samples_per_second"] == 32 * metrics["throughput/steps_per_second"]
    assert list(throughput.measure(30, None)) == ["throughput/steps_per_second"]


def test_steps_before_a_restart_do_not_count() -> None:
    """Evaluations between epochs are excluded by restarting."""
    throughput = Throughput()
    throughput.restart(0)
    throughput.restart(8)
    assert throughput.measure(9, None)["throughput/steps_per_second"] > 0
    assert throughput.measure(9, None) == {}
