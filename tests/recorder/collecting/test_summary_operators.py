"""Summary operators in a plain loop, where nobody tells that a step begins before its forward pass."""

from pathlib import Path

import toposcope.server
from toposcope.recorder import summary
from toposcope.recorder.callbacks import SummaryCollector


def test_operators_of_a_loop_without_a_torch_module_are_recorded_at_the_steps_that_are_due(tmp_path: Path) -> None:
    with SummaryCollector(tmp_path / "run", collect_freq=5).watch() as run:
        for step in range(1, 13):
            summary.scalar("seen", float(step))
            run.step(1.0)
    with toposcope.server.open(tmp_path) as logdir:
        seen = logdir.runs["run"].scalars("seen")
        assert seen.step.tolist() == [1, 5, 10]
        assert seen.value.tolist() == [1.0, 5.0, 10.0]
