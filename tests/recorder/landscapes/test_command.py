"""The console script summary-landscape."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.bowl_network import copy_trained_bowl, train_bowl
from support.landscape_events import journals, newest

from toposcope.recorder.landscapes.command import main

MODEL = "bowl_callbacks:callback_fn"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change to a folder with a module, as users do."""
    (tmp_path / "bowl_callbacks.py").write_text(
        "from support.bowl_network import bowl_callback\ncallback_fn, number = bowl_callback(), 3\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "bowl_callbacks", raising=False)


def test_it_computes_the_landscapes_and_shows_its_progress(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line for each level if the output is not a terminal."""
    train_bowl(tmp_path / "run")
    assert main(["run", "--model", MODEL, "--size", "5", "--samples", "8", "--axes", "pca"]) == 0

    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("landscape_[1, 12]  5 x 5 of 5 x 5  1/75 losses, ")
    assert lines[1].startswith("landscape_[12]  5 x 5 of 5 x 5  50/75 losses, ")
    assert all(line.endswith(" s left") for line in lines)
    surface = newest(tmp_path / "run")["landscape_[1, 12]"]
    assert surface.details is not None
    assert (surface.details.diagnostics.axes, surface.details.diagnostics.samples) == ("pca", 8)


def test_options_choose_what_is_computed(tmp_path: Path) -> None:
    """Intervals, kind, levels and output."""
    train_bowl(tmp_path / "run")
    command = ["run", "--model", MODEL, "--only", "train", "--intervals", "[[1, 2, 3], [2, 5, 9]]", "--levels", "2"]
    assert main([*command, "--output", "out", "--devices", "0", "--seed", "7"]) == 0
    assert set(newest(tmp_path / "out")) == {"landscape_[1, 3]", "landscape_[2, 9]"}


def test_processes_compute_the_same(tmp_path: Path) -> None:
    """Workers that --on names measure the same bits as this process."""
    for name in ("here", "there"):
        copy_trained_bowl(tmp_path / name)
    command = ["--model", MODEL, "--only", "result", "--levels", "2"]
    assert main(["here", *command]) == 0
    assert main(["there", *command, "--on", "processes:2"]) == 0
    assert journals(tmp_path / "there") == journals(tmp_path / "here")


def test_unknown_workers_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """With an error that names what is expected."""
    train_bowl("run")
    assert main(["run", "--model", MODEL, "--on", "threads"]) == 1
    assert "'threads' does not name workers: expected processes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", MODEL, "--on", "processes", "--devices", "0"], "--on and --devices both select the workers"),
        (["--model", "nowhere:f"], "No module named 'nowhere'"),
        (["--model", "bowl_callbacks"], "--model is MODULE:FUNCTION, not 'bowl_callbacks'"),
        (["--model", "bowl_callbacks:missing"], "has no attribute 'missing'"),
        (["--model", "bowl_callbacks:number"], "is a int"),
        (["--model", MODEL, "--intervals", "["], "--intervals is a list of lists"),
        (["--model", MODEL, "--axes", "best"], "invalid choice: 'best'"),
        ([], "--model"),
    ],
)
def test_wrong_options_are_refused(capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
    """With exit status 2, as everywhere."""
    with pytest.raises(SystemExit) as ended:
        main(["run", *arguments])
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_errors_are_reported_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With exit status 1."""
    assert main(["run", "--model", MODEL]) == 1
    assert "summary-landscape: " in capsys.readouterr().err
    train_bowl(tmp_path / "run")
    assert main(["run", "--model", MODEL, "--size", "300"]) == 1
    assert "landscape_size must be an integer from 3 to 256, not 300" in capsys.readouterr().err


def test_it_runs_as_a_module(tmp_path: Path) -> None:
    """With its help."""
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-W", "error", "-m", "toposcope.recorder.landscapes.command", "--help"]
    ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    assert ran.returncode == 0
    assert ran.stdout.startswith("usage: summary-landscape")
