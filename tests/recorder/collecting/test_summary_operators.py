"""Summary operators in a user-written loop, where the beginning of a step is not reported before its forward pass."""

from pathlib import Path

import toposcope.server
from toposcope.recorder import summary
from toposcope.recorder.callbacks import SummaryCollector


def test_operators_in_a_loop_without_a_torch_module_are_recorded_at_due_steps(tmp_path: Path) -> None:
    with SummaryCollector(tmp_path / "run", collect_freq=5).watch() as run:
        for step in range(1, 13):
            summary.scalar("step", float(step))
            run.step(1.0)
    with toposcope.server.open(tmp_path) as logdir:
        series = logdir.runs["run"].scalars("step")
        assert series.step.tolist() == [1, 5, 10]
        assert series.value.tolist() == [1.0, 5.0, 10.0]
