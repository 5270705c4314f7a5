"""Trainings that are killed at random moments and continued have complete and exact recordings."""

import os
import subprocess
import sys
from pathlib import Path

from support.pytorch import needs_torch

FOLDER = Path(__file__).parent
KILLS = 1
"""By each signal, of Model; `make faults` kills all three 50 times."""


@needs_torch
def test_killed_trainings_have_every_step_once() -> None:
    """Their losses are those of trainings that are not interrupted."""
    path = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(FOLDER.parent)])
    command = [sys.executable, str(FOLDER / "kill_trainings.py"), str(KILLS)]

    tried = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)

    assert tried.returncode == 0, tried.stdout + tried.stderr
