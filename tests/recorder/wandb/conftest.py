"""Fixtures of the tests of the wandb-shaped front: each test has its own runs, reports and variables."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from toposcope.recorder.wandb import active_run, reports


@pytest.fixture(autouse=True)
def own_process_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Start without runs, reports and variables of W&B, in an empty directory; end all runs."""
    for name in [name for name in os.environ if name.startswith("WANDB_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("WANDB_SILENT", "true")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reports.REPORTS, "is_strict", False)
    monkeypatch.setattr(reports.REPORTS, "_logged", set())
    yield
    for run in list(active_run._PROCESS.runs):
        run.finish()
