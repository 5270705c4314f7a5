"""Frameworks that log to TensorBoard, unmodified on our SummaryWriter: what they report is what is recorded."""

import sys
from pathlib import Path

import pytest
from support.framework_runs import ABSENT, INSTALL, RUN, check, output_of, python_without_tensorboard
from support.framework_scripts import (
    ACCELERATE,
    IGNITE,
    LIGHTNING,
    RAY_TUNE,
    STABLE_BASELINES3,
    TRANSFORMERS,
    FrameworkScript,
)

SCRIPTS = [LIGHTNING, TRANSFORMERS, ACCELERATE, STABLE_BASELINES3, IGNITE, RAY_TUNE]
each_framework = pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)


@pytest.fixture(scope="module")
def python_without(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the Python of an environment with this one's packages, except TensorBoard and tensorboardX."""
    return python_without_tensorboard(tmp_path_factory.mktemp("environment"))


@each_framework
def test_with_the_command_run(tmp_path: Path, script: FrameworkScript) -> None:
    """The script is not changed at all."""
    (tmp_path / "script.py").write_text(script.imports + script.training)
    check(tmp_path, script, output_of(tmp_path, [sys.executable, *RUN, "script.py"]))


@each_framework
def test_with_a_framework_that_is_imported_before_install(tmp_path: Path, script: FrameworkScript) -> None:
    """The framework's modules that have imported SummaryWriter have ours afterwards."""
    (tmp_path / "script.py").write_text(script.imports + INSTALL + script.training)
    check(tmp_path, script, output_of(tmp_path, [sys.executable, "script.py"]))


@each_framework
def test_where_tensorboard_is_not_installed(tmp_path: Path, script: FrameworkScript, python_without: str) -> None:
    """Neither TensorBoard nor tensorboardX is there, which the framework does not notice."""
    (tmp_path / "script.py").write_text(ABSENT + script.imports + script.training)
    check(tmp_path, script, output_of(tmp_path, [python_without, *RUN, "script.py"]))
