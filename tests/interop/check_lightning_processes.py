"""Trainings of Lightning in several processes, and in processes that are killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support import lightning_training
from support.lightning_training import step_losses
from support.recorded_run import run_in, tags_of

pytestmark = pytest.mark.filterwarnings("ignore")
PROGRAM = Path(lightning_training.__file__)


def start(directory: Path, *arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start the program."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
        "PYTHONPATH": os.environ["PYTHONPATH"],
        "PYTHONWARNINGS": "ignore",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, str(PROGRAM), str(directory), *map(str, arguments)]
    return subprocess.Popen(command, text=True, env=environment, **options)


def finish(directory: Path, *arguments: object) -> None:
    """Run the program to its end."""
    with start(directory, *arguments, stderr=subprocess.PIPE) as process:
        _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors


@pytest.mark.parametrize("strategy", ["ddp", "ddp_spawn"])
def test_two_processes_are_two_ranks_of_a_run(tmp_path: Path, strategy: str) -> None:
    """Each process records its own losses; the values that are logged, and the lineage, are those of rank 0."""
    directory = tmp_path / "run"
    finish(directory, "--strategy", strategy, "--devices", 2, "--accumulate", 2)
    run = run_in(directory)
    assert run.ranks == [0, 1]
    for rank in run.ranks:
        losses = run.scalars("loss/auto", rank)
        assert losses.step.tolist() == list(range(1, 7))  # Of five batches of a process in each of two epochs.
        if strategy == "ddp":
            own = [float(text) for text in Path(f"{directory}.{rank}.losses").read_text().split()]
            assert losses.value.tolist() == pytest.approx(list(step_losses(own, 2, per_epoch=5).values()))
    assert len(run.scalars("val_loss", 0).step) == 2
    assert "eval/val_loss" not in run.tags("scalar")
    assert not [tag for tag in ("val_loss", "train_loss_step") if len(run.scalars(tag, 1).step)]
    assert run.lineage().custom["trainer/world_size"] == 2
    assert len(list(directory.glob("*.0.*_lineage"))) == 1
    assert not list(directory.glob("*.1.*_lineage"))


def has_step_14(directory: Path, processes: int) -> bool:
    """Return whether the loss of this step is in the files of all processes."""
    losses = [run_in(directory).scalars("loss/auto", rank).step.tolist() for rank in range(processes)]
    return all(14 in steps for steps in losses)


def kill_at_step_14(directory: Path, *arguments: object, processes: int = 1) -> None:
    """Run the program until a step after a checkpoint is written, and kill its processes."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "start_new_session": True}
    with start(directory, "--pause-at", 14, *arguments, **pipes) as process:
        for line in process.stdout or ():
            if "paused" in line:
                break
        while "checkpoint" not in tags_of(directory, "text") or not has_step_14(directory, processes):
            assert process.poll() is None
            time.sleep(0.02)  # Until it is written.
        os.killpg(process.pid, signal.SIGKILL)


def test_a_killed_training_continues_in_its_run(tmp_path: Path) -> None:
    """After kill -9 the training resumes from the last checkpoint: one curve, whose first attempt is kept."""
    directory = tmp_path / "run"
    kill_at_step_14(directory)
    finish(directory)
    run = run_in(directory)
    assert run.attempts == 2
    losses = run.scalars("loss/auto")
    own = [float(text) for text in Path(f"{directory}.0.losses").read_text().split()]
    # The last checkpoint was saved at step 12. Lightning 2.0 then repeats a batch.
    last = 12 + len(own)
    assert losses.step.tolist() == list(range(1, last + 1))
    assert losses.value.tolist()[12:] == pytest.approx(own)
    assert run.scalars("loss/auto", attempt=2).step.tolist() == list(range(13, last + 1))
    assert run.scalars("loss/auto", attempt=1).step.tolist() == list(range(1, 15))
    assert {12, last - 2} < set(run.scalars("train_loss_step").step.tolist()) <= set(range(last))
    assert run.state.state == "finished"


def test_two_killed_processes_continue_in_their_run(tmp_path: Path) -> None:
    """Each rank goes on counting at the step of the checkpoint."""
    directory, processes = tmp_path / "run", ("--strategy", "ddp", "--devices", 2, "--epochs", 4)
    kill_at_step_14(directory, *processes, processes=2)
    finish(directory, *processes)
    run = run_in(directory)
    assert run.ranks == [0, 1]
    for rank in run.ranks:
        own = [float(text) for text in Path(f"{directory}.{rank}.losses").read_text().split()]
        losses = run.scalars("loss/auto", rank, attempt=2)
        assert losses.step.tolist() == list(range(13, 13 + len(own)))
        assert losses.value.tolist() == pytest.approx(own)
        stitched = run.scalars("loss/auto", rank).step.tolist()
        assert stitched == sorted(set(stitched))
