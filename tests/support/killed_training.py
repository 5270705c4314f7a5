"""Trainings that are killed at a step and resumed by the same program, and checks of the run that both record."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from support.recorded_run import run_in
from toposcope.recorder.writing.files.earlier_recordings import last_recorded_step

_BEGINNING = """
import json, sys; sys.path[:0] = ["tests", "tests/interop"]
from pathlib import Path
from support.killed_training import kill_when_recorded
directory, is_first = Path(sys.argv[1]), sys.argv[2] == "first"
run = directory / "run"
def expect(values):
    (directory / "expected.json").write_text(json.dumps(values))
"""


def kill_when_recorded(run: Path, step: int) -> None:
    """Kill this process as soon as the files of a run contain a step."""
    while (last_recorded_step(str(run), 0) or 0) < step:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)


def kill_and_resume(directory: Path, program: str) -> str:
    """Run a program that kills itself, and again to its end; return what the second process printed on stderr.

    The program has the names directory, run (the directory of the run), is_first, and expect, a function that writes
    the values of a training that was not killed for expected_values().
    """
    outputs = []
    for part, expected in (("first", -signal.SIGKILL), ("second", 0)):
        command = [sys.executable, "-c", _BEGINNING + program, str(directory), part]
        process = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert process.returncode == expected, process.stderr
        outputs.append(process.stderr)
    return outputs[-1]


def expected_values(directory: Path) -> Any:
    """Return what the program passed to expect()."""
    return json.loads((directory / "expected.json").read_text(encoding="utf-8"))


def check_attempts(run: Path, tag: str, steps: list[int], first_step: int) -> Any:
    """Check that a scalar has one point at each step, of two attempts, the second from a step on; return the points."""
    read = run_in(run)
    points, second = read.scalars(tag), read.scalars(tag, attempt=2)
    assert points.step.tolist() == steps
    assert read.attempts == 2
    assert second.step.tolist() == [step for step in steps if step >= first_step]
    assert read.scalars(tag, attempt=1).step.tolist()[-1] >= first_step
    assert read.state.state == "finished"
    return points
