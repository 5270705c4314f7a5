"""Trainings that are killed and resumed in the same directory, as real processes."""

from pathlib import Path
from typing import Any

import pytest
from support.event_files import read_slowly
from support.pytorch import needs_torch
from support.servers import SLOW_SECONDS, wait_until
from support.torch_programs import TorchProgram, TorchPrograms

from toposcope import server

pytestmark = needs_torch
PROGRAM = """
import signal, sys
from pathlib import Path
import torch
from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.callbacks.checkpoint_config import CheckpointConfig
from toposcope.recorder.callbacks.model_checkpoint import ModelCheckpoint
from toposcope.recorder.checkpoints import load_checkpoint, restore, save_checkpoint
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.model import Model

directory = Path(sys.argv[1])
torch.manual_seed(0)
network = torch.nn.Linear(2, 1)
loss_fn = torch.nn.MSELoss()
batches = [(torch.ones(4, 2), torch.ones(4, 1))] * 10
collector = SummaryCollector(directory / "run", 1, {"collect_metric": True}, keep_default_action=False)
checkpoint = directory / "checkpoint.pt"

def step(optimizer):
    loss = loss_fn(network(batches[0][0]), batches[0][1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss

def wait_for_kill():
    print("at step 55", flush=True)
    signal.pause()

def save(optimizer, step):
    torch.save({"network": network.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, checkpoint)

def load(optimizer):
    if not checkpoint.exists():
        return 0
    saved = torch.load(checkpoint)
    network.load_state_dict(saved["network"])
    optimizer.load_state_dict(saved["optimizer"])
    return saved["step"]

class AtSteps(Callback):
    steps = 0

    def __init__(self, optimizer, saves):
        self.optimizer, self.saves, self.is_first = optimizer, saves, not checkpoint.exists()

    def on_train_step_end(self, run_context):
        self.steps += 1
        if self.saves and self.steps == 40:
            save(self.optimizer, 40)
        if self.is_first and self.steps == 55:
            wait_for_kill()
"""
LOOP = """
first = load(optimizer)
with collector.watch(network, optimizer, batches, **options(first)) as run:
    for number in range(first + 1, 111):
        run.step(step(optimizer))
        if number == 40:
            save(optimizer, 40)
        if number == 55 and not first:
            wait_for_kill()
"""
PLAIN_ADAM = f"""
optimizer = torch.optim.Adam(network.parameters())
options = lambda first: {{}}
{LOOP}
"""
PLAIN_SGD = f"""
optimizer = torch.optim.SGD(network.parameters(), 0.01)
options = lambda first: {{"initial_step": first}}
{LOOP}
"""
SGD_UNKNOWN = f"""
optimizer = torch.optim.SGD(network.parameters(), 0.01)
options = lambda first: {{}}
{LOOP}
"""
SAVED_IN_LOOP = """
optimizer = torch.optim.SGD(network.parameters(), 0.01)
is_first = not checkpoint.exists()
if not is_first:
    restore(load_checkpoint(checkpoint), network, optimizer)
with collector.watch(network, optimizer, batches) as run:
    for number in range(1 if is_first else 41, 111):
        run.step(step(optimizer))
        if number == 40:
            save_checkpoint(network, checkpoint, optimizer=optimizer)
        if number == 55 and is_first:
            wait_for_kill()
"""
MODEL_ADAM = """
optimizer = torch.optim.Adam(network.parameters())
first = load(optimizer)
steps = AtSteps(optimizer, saves=True)
Model(network, loss_fn, optimizer).train(7 if first else 11, batches, callbacks=[steps, collector][::-1])
"""
MODEL_INITIAL_EPOCH = """
optimizer = torch.optim.SGD(network.parameters(), 0.01)
first = load(optimizer)
steps = AtSteps(optimizer, saves=True)
Model(network, loss_fn, optimizer).train(11, batches, callbacks=[collector, steps], initial_epoch=first // 10)
"""
MODEL_CHECKPOINT = """
optimizer = torch.optim.SGD(network.parameters(), 0.01)
saving = ModelCheckpoint(directory=directory, config=CheckpointConfig(save_checkpoint_steps=40))
saved = directory / "CKP-4_10.ckpt"
steps = AtSteps(optimizer, saves=False)
if saved.exists():
    steps.is_first = False
    restore(load_checkpoint(saved), network, optimizer)
Model(network, loss_fn, optimizer).train(7 if saved.exists() else 11, batches, callbacks=[collector, saving, steps])
"""


def started(programs: TorchPrograms, tmp_path: Path, program: str) -> TorchProgram:
    """Start a training program in a process of its own."""
    path = tmp_path / "training.py"
    path.write_text(PROGRAM + program)
    output = tmp_path / "output.txt"
    output.unlink(missing_ok=True)
    return programs.start(path, tmp_path, output=output)


def run_in(tmp_path: Path) -> Any:
    """Return the only run of a training program."""
    (run,) = server.open(tmp_path / "run").runs.values()
    return run


def loss_steps(tmp_path: Path, attempt: int | str | None = None) -> list[int]:
    """Return the steps of the loss."""
    return [int(step) for step in run_in(tmp_path).scalars("loss/auto", attempt=attempt).step]


def written_steps(tmp_path: Path) -> set[int]:
    """Return the steps in the event files, of which the last one may be incomplete."""
    contents = [path.read_bytes() for path in (tmp_path / "run").glob("*_MS")]
    return {point.step for content in contents for point in read_slowly(content, "mindspore")[0]}


def killed_at_55(programs: TorchPrograms, tmp_path: Path, program: str) -> None:
    """Run a training program, and kill it when step 55 is in the event file."""
    training = started(programs, tmp_path, program)
    wait_until(lambda: training.output.exists() and training.output.read_text().endswith("\n"), 4 * SLOW_SECONDS)
    assert training.output.read_text() == "at step 55\n"
    wait_until(lambda: 55 in written_steps(tmp_path))
    training.kill()


def resumed(programs: TorchPrograms, tmp_path: Path, program: str) -> str:
    """Run the program to its end and return its log."""
    training = started(programs, tmp_path, program)
    status, log = training.wait(), training.output.read_text()
    assert status == 0, log
    return log


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(PLAIN_ADAM, id="plain loop, Adam"),
        pytest.param(PLAIN_SGD, id="plain loop, SGD, initial_step"),
        pytest.param(SAVED_IN_LOOP, id="plain loop, SGD, save_checkpoint"),
        pytest.param(MODEL_ADAM, id="Model, Adam"),
        pytest.param(MODEL_INITIAL_EPOCH, id="Model, initial_epoch"),
        pytest.param(MODEL_CHECKPOINT, id="ModelCheckpoint"),
    ],
)
def test_training_killed_and_resumed_has_each_step_once(programs: TorchPrograms, tmp_path: Path, program: str) -> None:
    """Saved at 40, killed at 55 and resumed: steps 1 to 110, each once; attempt=all has the 15 repeated ones, too."""
    killed_at_55(programs, tmp_path, program)
    log = resumed(programs, tmp_path, program)

    assert loss_steps(tmp_path) == [*range(1, 111)]
    assert loss_steps(tmp_path, 1) == [*range(1, 56)]
    assert loss_steps(tmp_path, 2) == [*range(41, 111)]
    assert len(loss_steps(tmp_path, "all")) == 125
    assert log == ""


def test_training_that_begins_again_warns_once_and_hides_the_earlier_points(
    programs: TorchPrograms, tmp_path: Path
) -> None:
    """Where the step is unknown, one warning explains what is hidden and how to avoid it; both attempts are kept."""
    killed_at_55(programs, tmp_path, SGD_UNKNOWN)
    log = resumed(programs, tmp_path, SGD_UNKNOWN)

    (warning,) = log.splitlines()
    assert str(tmp_path / "run") in warning
    assert "step 55" in warning
    assert "initial_step=" in warning
    assert loss_steps(tmp_path) == [*range(1, 71)]
    assert [len(loss_steps(tmp_path, attempt)) for attempt in (1, 2)] == [55, 70]
