"""Trainings of Stable-Baselines3 and Ignite that end with the program, without a with statement."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.recorded_run import run_in, scalars_of

_BEGINNING = """
import sys; sys.path[:0] = ["tests", "tests/interop"]
from pathlib import Path
directory = Path(sys.argv[1])
"""
_STABLE_BASELINES = """
from check_loggers_stable_baselines3 import *
class Ending(BaseCallback):
    def _on_step(self):
        if self.num_timesteps == 130:
            {statement}
        return True
agent(directory / "csv").learn(256, callback=[recording(directory / "run"), Ending()])
"""
_IGNITE = """
from check_loggers_ignite import *
training = Training()
logger = ToposcopeLogger(directory / "run", **QUIET)
attach(logger, training)
@training.trainer.on(EVERY(once=4))
def end(engine):
    {statement}
training.trainer.run(training.batches, max_epochs=3)
"""


@pytest.mark.parametrize(
    ("program", "tag", "steps"),
    [(_STABLE_BASELINES, "time/fps", [64, 128]), (_IGNITE, "train/loss", [1, 2, 3, 4])],
    ids=["stable_baselines3", "ignite"],
)
@pytest.mark.parametrize(
    ("statement", "state", "error"),
    [
        ("raise ValueError('a full disk')", "failed", "ValueError"),
        ("raise KeyboardInterrupt", "interrupted", "KeyboardInterrupt"),
    ],
)
def test_what_ends_the_program_is_recorded(
    tmp_path: Path, program: str, tag: str, steps: list[int], statement: str, state: str, error: str
) -> None:
    """With all steps before it."""
    script = _BEGINNING + program.format(statement=statement)
    subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, check=False, timeout=300)
    recorded = run_in(tmp_path / "run").state
    assert (recorded.state, recorded.error.type) == (state, error)
    assert list(scalars_of(tmp_path / "run", tag)) == steps
