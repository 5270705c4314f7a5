"""Steps and samples a second."""

from toposcope.recorder.collecting.throughput import Throughput


def test_nothing_is_told_before_a_step_was_measured() -> None:
    """Neither at the beginning, nor when no step was done since."""
    throughput = Throughput()
    assert throughput.take(5, 4) == {}
    throughput.restart(5)
    assert throughput.take(5, 4) == {}


def test_samples_are_those_of_the_steps() -> None:
    """Without a batch size there are steps only."""
    throughput = Throughput()
    throughput.restart(10)
    figures = throughput.take(20, 32)
    assert figures["throughput/samples_per_second"] == 32 * figures["throughput/steps_per_second"]
    assert list(throughput.take(30, None)) == ["throughput/steps_per_second"]


def test_what_lies_before_a_restart_does_not_count() -> None:
    """Evaluations between epochs: steps count from the restart on."""
    throughput = Throughput()
    throughput.restart(0)
    throughput.restart(8)
    assert throughput.take(9, None)["throughput/steps_per_second"] > 0
    assert throughput.take(9, None) == {}
