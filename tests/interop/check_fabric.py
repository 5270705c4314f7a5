"""Loops of Fabric, installed without the Trainer: what its logger and watch() record, in one process and in two."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from lightning_fabric import Fabric
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.proto.file_name import parse_file_name
from toposcope.recorder.frameworks.lightning_fabric import ToposcopeLogger

pytestmark = pytest.mark.filterwarnings("ignore")
SECONDS = 180
SCRIPT = """
import json, sys
from pathlib import Path
import torch
from lightning_fabric import Fabric
from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.frameworks.lightning_fabric import ToposcopeLogger

directory, settings = Path(sys.argv[1]), json.loads(sys.argv[2])
logger = ToposcopeLogger(directory / "logged")
fabric = Fabric(accelerator="cpu", devices=2, strategy="ddp", loggers=logger)
fabric.launch()
fabric.seed_everything(0)
model = torch.nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
wrapped, stepping = fabric.setup(model, optimizer)
state = {"model": wrapped, "optimizer": stepping, "batch": 0}
saved = directory / "saved.ckpt"
if settings["resumes"]:
    fabric.load(saved, state)
data = torch.randn(24, 8, 4, generator=torch.Generator().manual_seed(fabric.global_rank))
logger.log_hyperparams({"lr": 0.1})
losses = []
collector = SummaryCollector(directory / "run", collect_specified_data={"collect_graph": False})
with collector.watch(model, optimizer, initial_step=state["batch"] // 2) as run:
    for number in range(state["batch"], 24):
        if number == settings["fails_at"]:
            raise OSError("the disk is full")
        stepped = number % 2 == 1
        with fabric.no_backward_sync(wrapped, enabled=not stepped):
            loss = wrapped(data[number]).square().mean()
            fabric.backward(loss / 2)
        losses.append(loss.item())
        if stepped:
            stepping.step()
        run.step(loss)
        if stepped:
            stepping.zero_grad()
            state["batch"] = number + 1
            fabric.log("mean", fabric.all_reduce(loss.detach()), step=number // 2 + 1)
            if number == 11:
                fabric.save(saved, state)
logger.finalize("success")
Path(directory, f"{fabric.global_rank}.json").write_text(json.dumps(losses))
"""


def run_script(directory: Path, *, fails_at: int = -1, resumes: bool = False) -> list[list[float]]:
    """Train in two processes; return the losses of the micro-batches of each."""
    path = directory / "training.py"
    path.write_text(SCRIPT)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [sys.executable, str(path), str(directory), json.dumps({"fails_at": fails_at, "resumes": resumes})]
    environment = kept | {"OMP_NUM_THREADS": "1"}
    process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS)
    assert (process.returncode == 0) == (fails_at < 0), process.stderr
    return [json.loads((directory / f"{rank}.json").read_text()) for rank in range(2)] if fails_at < 0 else []


def steps_of(losses: list[float]) -> list[float]:
    """Return the mean loss of each step, of two micro-batches."""
    return [(first + second) / 2 for first, second in zip(losses[::2], losses[1::2], strict=True)]


def test_logger_records_metrics_and_hyperparameters(tmp_path: Path) -> None:
    """With the class of lightning_fabric, where there is no Trainer."""
    assert "lightning" not in sys.modules
    fabric = Fabric(accelerator="cpu", devices=1, loggers=ToposcopeLogger(tmp_path))
    fabric.logger.log_hyperparams({"lr": 0.1, "token": "secret"})
    for step in range(3):
        fabric.log("loss", torch.tensor(float(step)), step=10 * step)
        fabric.log_dict({"counted": step, "text": "none"})
    fabric.logger.finalize("success")

    assert scalars_of(tmp_path, "loss") == {0: 0.0, 10: 1.0, 20: 2.0}
    assert scalars_of(tmp_path, "counted") == {0: 0.0, 1: 1.0, 2: 2.0}
    assert tags_of(tmp_path, "scalar") == ["counted", "loss"]
    assert run_in(tmp_path).lineage().custom == {"lr": 0.1}


def test_two_processes_with_accumulation_resume(tmp_path: Path) -> None:
    """Each process records the losses of its steps, the first what is logged; a failed training is continued."""
    run_script(tmp_path, fails_at=17)
    failed = run_in(tmp_path / "run")
    assert failed.state.state == "failed"
    assert failed.scalars("loss/auto", rank=0).step.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    losses = run_script(tmp_path, resumes=True)

    run, logged = run_in(tmp_path / "run"), run_in(tmp_path / "logged")
    assert run.ranks == [0, 1]
    expected: list[Any] = []
    for rank in (0, 1):
        points = run.scalars("loss/auto", rank=rank)
        expected.append(steps_of(losses[rank]))
        assert points.step.tolist() == list(range(1, 13))
        assert points.value.tolist()[6:] == pytest.approx(expected[-1])
        assert run.scalars("loss/auto", rank=rank, attempt=2).step.tolist() == list(range(7, 13))
    assert expected[0] != expected[1]
    assert run.state.state == "finished"
    last = (losses[0][1::2][-1] + losses[1][1::2][-1]) / 2
    assert logged.scalars("mean").value[-1] == pytest.approx(last)
    assert logged.ranks == [0]
    assert logged.scalars("mean").step.tolist() == list(range(1, 13))
    names = [parse_file_name(path.name) for path in (tmp_path / "run").iterdir()]
    assert {name.rank for name in names if name is not None and name.is_lineage} == {0}
