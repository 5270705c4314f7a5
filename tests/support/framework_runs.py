"""Runs the scripts of frameworks in processes of their own, and checks what they have recorded."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.framework_scripts import FrameworkScript
from toposcope import server

RUN = ["-m", "toposcope.recorder", "run"]
INSTALL = "from toposcope.recorder import install\ninstall()\n"
ABSENT = """
import importlib.util
assert importlib.util.find_spec("tensorboard") is None and "stand_in" in str(importlib.util.find_spec("tensorboardX"))
"""
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(Path(__file__).parents[2] / "build" / "typed"),
    "OMP_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
}


def python_without_tensorboard(directory: Path) -> str:
    """Create an environment with the packages of this one, except TensorBoard and tensorboardX; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(directory)], check=True)
    (packages,) = directory.glob("lib/*/site-packages")
    for package in Path(pytest.__file__).parent.parent.iterdir():
        if not package.name.lower().startswith("tensorboard"):
            (packages / package.name).symlink_to(package)
    return str(directory / "bin" / "python")


def output_of(directory: Path, command: list[str]) -> str:
    """Run a command in a directory and return the last line that it printed."""
    result = subprocess.run(
        command, cwd=directory, env=ENVIRONMENT, capture_output=True, text=True, timeout=600, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()[-1]


def check(directory: Path, script: FrameworkScript, printed: str) -> Any:
    """Assert that the run has the values that the framework reports; return the run."""
    reported = json.loads(printed)
    assert reported
    (log_dir,) = directory.glob(script.directory)
    run = server.open(log_dir).runs["."]
    for tag, values in reported.items():
        points = run.scalars(tag)
        found = dict(zip(points.step.tolist(), points.value.tolist(), strict=True))
        assert found == {int(step): value for step, value in values.items()}, tag
    return run
