"""Our logger with Fabric, and both classes in the command line of Lightning."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from support import lightning_training
from support.lightning_training import (
    PACKAGE,
    QUIET,
    Classifier,
    adapter,
    data,
    step_losses,
)
from support.recorded_run import points_of, run_in, scalars_of, tags_of

from toposcope.recorder.callbacks import SummaryCollector

pytestmark = pytest.mark.filterwarnings("ignore")
FABRIC = "lightning.fabric" if PACKAGE == "lightning" else "lightning_fabric"


def test_fabric_records_metrics_and_hyperparameters(tmp_path: Path) -> None:
    """Fabric.log() with steps and without; a value that is no number is left out, with one log line."""
    fabric = importlib.import_module(FABRIC).Fabric(
        accelerator="cpu", devices=1, loggers=adapter.ToposcopeLogger(tmp_path)
    )
    fabric.logger.log_hyperparams({"lr": 0.1, "token": "secret"})
    for step in range(3):
        fabric.log("loss", torch.tensor(float(step)), step=10 * step)
        fabric.log("counted", step)
        fabric.log_dict({"a": 1, "b": 2.5, "text": "none"})
    fabric.logger.finalize("success")
    assert points_of(tmp_path, "loss") == [(0, 0.0), (10, 1.0), (20, 2.0)]
    assert points_of(tmp_path, "counted") == [(0, 0.0), (1, 1.0), (2, 2.0)]
    assert points_of(tmp_path, "b") == [(0, 2.5), (1, 2.5), (2, 2.5)]
    assert tags_of(tmp_path, "scalar") == ["a", "b", "counted", "loss"]
    assert run_in(tmp_path).lineage().custom == {"lr": 0.1}


def test_fabric_can_be_watched(tmp_path: Path) -> None:
    """A loop of the user with Fabric reports its steps to watch(), with what it passed to setup()."""
    fabric = importlib.import_module(FABRIC).Fabric(accelerator="cpu", devices=1)
    model = Classifier().net
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    wrapped, stepping = fabric.setup(model, optimizer)
    losses = []
    with SummaryCollector(tmp_path, **QUIET).watch(model, optimizer, data()) as run:
        for number, (inputs, labels) in enumerate(data()):
            loss = torch.nn.functional.cross_entropy(wrapped(inputs), labels)
            fabric.backward(loss)
            losses.append(loss.item())
            if number % 2:
                stepping.step()
            run.step(loss)
            if number % 2:
                stepping.zero_grad()
    assert scalars_of(tmp_path, "loss/auto") == pytest.approx(step_losses(losses, 2))
    assert "0.weight/auto" in tags_of(tmp_path, "histogram")


CLI_PROGRAM = """
from lightning.pytorch import LightningDataModule
from lightning.pytorch.cli import LightningCLI
from support.lightning_training import Classifier, data

class Data(LightningDataModule):
    def train_dataloader(self):
        return data()

class Model(Classifier):
    def __init__(self, hidden: int = 8, lr: float = 0.1):
        super().__init__(hidden, lr)

LightningCLI(Model, Data)
"""


@pytest.mark.skipif(PACKAGE != "lightning", reason="the program imports lightning")
def test_the_command_line_of_lightning_names_both_classes(tmp_path: Path) -> None:
    """A program with LightningCLI is recorded without a change."""
    package = "toposcope.recorder.frameworks.lightning"
    options = {
        "max_epochs": 1,
        "accelerator": "cpu",
        "logger": f"{package}.ToposcopeLogger",
        "logger.summary_dir": tmp_path / "run",
        "callbacks+": f"{package}.ToposcopeCallback",
        "callbacks.collect_freq": 5,
    }
    arguments = ["fit", "--model.hidden=12", *(f"--trainer.{name}={value}" for name, value in options.items())]
    paths = [*os.environ["PYTHONPATH"].split(os.pathsep), str(Path(lightning_training.__file__).parents[1])]
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "PYTHONPATH": os.pathsep.join(map(os.path.abspath, paths))}
    (tmp_path / "train.py").write_text(CLI_PROGRAM)
    command = [sys.executable, "train.py", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert scalars_of(tmp_path / "run", "loss/auto").keys() == set(range(1, 11))
    assert run_in(tmp_path / "run").histograms("net.0.weight/auto").step.tolist() == [1, 5, 10]
    assert run_in(tmp_path / "run").lineage().custom["hidden"] == 12
