"""Trainings of transformers.Trainer in processes of their own: two that train together, and one that is killed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import transformers
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.proto.file_name import parse_file_name

TESTS = Path(__file__).parent.parent
SECONDS = 180
TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")
SCRIPT = """
import json, os, signal, sys, time
from pathlib import Path
from support.transformers_training import logged, trainer
from transformers import TrainerCallback
import toposcope.recorder.frameworks.transformers
from toposcope import server

output, settings = Path(sys.argv[1]), json.loads(sys.argv[2])
kill_at, fails = settings.pop("kill_at", None), settings.pop("fails", False)
resumes = settings.pop("resumes", False)

def is_written(step):
    ranks = range(int(os.environ.get("WORLD_SIZE", 1)))
    return any(
        "loss/auto" in run.tags("scalar") and all(step in run.scalars("loss/auto", rank=rank).step for rank in ranks)
        for run in server.open(output / "toposcope").runs.values()
    )

class Killing(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        if state.global_step == kill_at:
            if fails:
                raise OSError("the disk is full")
            while not is_written(kill_at):
                time.sleep(0.02)
            os.kill(os.getpid(), signal.SIGKILL)

t = trainer(output, [Killing()], number=64, report_to=["toposcope"], **settings)
t.train(resume_from_checkpoint=resumes)
t.evaluate()
result = {name: logged(t, name) for name in ("loss", "eval_loss", "grad_norm")}
Path(f"{output}.{os.environ.get('RANK', 0)}.json").write_text(json.dumps({**result, "losses": t.losses}))
"""


def run_script(directory: Path, *launcher: str, expected: int = 0, **settings: object) -> Path:
    """Run SCRIPT; return the directory of its run."""
    path = directory / "training.py"
    path.write_text(SCRIPT)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([os.environ["PYTHONPATH"], str(TESTS)]),
        "OMP_NUM_THREADS": "1",
        "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "1",
    }
    command = [sys.executable, *launcher, str(path), str(directory / "out"), json.dumps(settings)]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS)
    assert process.returncode == expected, process.stderr
    return directory / "out/toposcope"


def result_of(directory: Path, rank: int = 0) -> dict[str, dict[int, float]]:
    """Return what the Trainer of a process has logged by step, and "losses", those of its micro-batches by number."""
    result = json.loads((directory / f"out.{rank}.json").read_text())
    result["losses"] = dict(enumerate(result["losses"]))
    return {name: {int(step): value for step, value in values.items()} for name, values in result.items()}


def test_two_processes_record_one_run(tmp_path: Path) -> None:
    """Each process records its own losses; one of them records what they share."""
    directory = run_script(tmp_path, *TORCHRUN, gradient_accumulation_steps=2, save_strategy="steps", save_steps=2)

    run, results = run_in(directory), [result_of(tmp_path, rank) for rank in range(2)]
    assert run.ranks == [0, 1]
    assert {each.state for each in run.state.recordings} == {"finished"}
    losses = [run.scalars("loss/auto", rank=rank) for rank in range(2)]
    assert [series.step.tolist() for series in losses] == [[1, 2, 3, 4]] * 2
    mean = (losses[0].value + losses[1].value) / 2
    assert mean.tolist() == pytest.approx(list(results[0]["loss"].values()), abs=1e-3)
    for rank, series in enumerate(losses):
        parts = list(results[rank]["losses"].values())
        sums = [sum(parts[i : i + 2]) for i in range(0, 8, 2)]
        # Before 4.46 the losses of micro-batches were divided by their number afterwards.
        assert series.value.tolist() == pytest.approx(sums) or (2 * series.value).tolist() == pytest.approx(sums)
    assert losses[0].value.tolist() != losses[1].value.tolist()
    assert scalars_of(directory, "eval/loss") == pytest.approx(results[0]["eval_loss"])
    shared = ["eval/loss", "train/loss", "train/grad_norm"]
    assert {tag: run.scalars(tag, rank=1).step.tolist() for tag in shared} == {tag: [] for tag in shared}
    assert run.text("checkpoint", rank=0).step.tolist() == [2, 4]
    assert not len(run.text("checkpoint", rank=1))
    names = [parse_file_name(path.name) for path in directory.iterdir()]
    assert {name.rank for name in names if name is not None and name.is_lineage} == {0}


def test_killed_training_is_resumed(tmp_path: Path) -> None:
    """After kill -9 the training resumes from its checkpoint into the same run: one series, two attempts."""
    settings: dict[str, Any] = {"save_strategy": "steps", "save_steps": 4}
    directory = run_script(tmp_path, expected=-signal.SIGKILL, kill_at=7, **settings)
    before = scalars_of(directory, "loss/auto")
    assert list(before) == [1, 2, 3, 4, 5, 6, 7]

    assert run_script(tmp_path, resumes=True, **settings) == directory

    run, result = run_in(directory), result_of(tmp_path)
    assert run.attempts == 2
    after = scalars_of(directory, "loss/auto")
    assert list(after) == list(range(1, 17))
    assert after == pytest.approx(result["loss"], abs=1e-3)
    assert [after[step] for step in range(1, 5)] == [before[step] for step in range(1, 5)]
    # The same batches in the same order, with the restored optimizer: the steps that were lost have the same losses.
    assert [after[step] for step in (5, 6, 7)] == pytest.approx([before[step] for step in (5, 6, 7)], rel=1e-5)
    assert run.scalars("loss/auto", attempt=2).step.tolist() == list(range(5, 17))
    assert run.text("checkpoint", attempt="all").step.tolist() == [4, 8, 12, 16]
    assert run.state.state == "finished"
    assert scalars_of(directory, "learning_rate")[16] == pytest.approx(0.01 / 16)


@pytest.mark.skipif(
    tuple(map(int, transformers.__version__.split(".")[:2])) < (4, 46),
    reason="early releases load checkpoints of several processes to cpu:0, which PyTorch does not know",
)
def test_two_killed_processes_are_resumed(tmp_path: Path) -> None:
    """With gradient accumulation: each rank continues at the step of the checkpoint."""
    settings: dict[str, Any] = {"gradient_accumulation_steps": 2, "save_strategy": "steps", "save_steps": 2}
    directory = run_script(tmp_path, *TORCHRUN, expected=1, kill_at=3, **settings)
    before = [run_in(directory).scalars("loss/auto", rank=rank) for rank in (0, 1)]
    assert [series.step.tolist() for series in before] == [[1, 2, 3]] * 2

    run_script(tmp_path, *TORCHRUN, resumes=True, **settings)
    run = run_in(directory)
    assert run.ranks == [0, 1]
    losses = [run.scalars("loss/auto", rank=rank) for rank in (0, 1)]
    for rank, series in enumerate(losses):
        assert series.step.tolist() == [1, 2, 3, 4]
        assert series.value.tolist()[:3] == pytest.approx(before[rank].value.tolist(), rel=1e-5)
        assert run.scalars("loss/auto", rank=rank, attempt=2).step.tolist() == [3, 4]
    mean = (losses[0].value + losses[1].value) / 2
    assert mean.tolist() == pytest.approx(list(result_of(tmp_path)["loss"].values()), abs=1e-3)
    assert scalars_of(directory, "eval/loss") == pytest.approx(result_of(tmp_path)["eval_loss"])
    assert not len(run.scalars("eval/loss", rank=1).step)
    assert run.state.state == "finished"


def test_error_that_ends_the_program_is_reported(tmp_path: Path) -> None:
    """The run has failed, with the exception and its traceback."""
    directory = run_script(tmp_path, expected=1, kill_at=3, fails=True)

    state = run_in(directory).state
    assert state.state == "failed"
    assert state.error is not None
    assert (state.error.type, state.error.text) == ("OSError", "the disk is full")
    assert "on_step_end" in state.error.traceback
    assert list(scalars_of(directory, "loss/auto")) == [1, 2, 3]
    assert "eval/loss" not in tags_of(directory, "scalar")
