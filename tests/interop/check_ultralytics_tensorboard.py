"""Ultralytics, unmodified on our SummaryWriter: what it reports is what is recorded."""

import sys
from pathlib import Path

import pytest
from support.framework_runs import ABSENT, INSTALL, RUN, check, output_of, python_without_tensorboard
from support.framework_scripts import ULTRALYTICS


@pytest.mark.parametrize("is_first", [True, False])
def test_ultralytics(tmp_path: Path, is_first: bool) -> None:
    """The script is not changed, or calls install() after it has imported Ultralytics."""
    between = INSTALL if is_first else ""
    (tmp_path / "script.py").write_text(ULTRALYTICS.imports + between + ULTRALYTICS.training)
    command = [sys.executable, *([] if is_first else RUN), "script.py"]
    check(tmp_path, ULTRALYTICS, output_of(tmp_path, command))


def test_where_tensorboard_is_not_installed(tmp_path: Path) -> None:
    """Ultralytics finds torch.utils.tensorboard nevertheless."""
    (tmp_path / "script.py").write_text(ABSENT + ULTRALYTICS.imports + ULTRALYTICS.training)
    python = python_without_tensorboard(tmp_path / "environment")
    check(tmp_path, ULTRALYTICS, output_of(tmp_path, [python, *RUN, "script.py"]))
