"""Kill trainings at random moments, and continue them until their end: their recordings are complete and exact.

    kill_trainings.py KILLS

so many times by SIGKILL and by SIGTERM, in loops, Model and Trainer. Prints what was run and recorded; status 1 if a
step is missing, is recorded twice, or has another loss than in a training that is not interrupted.
"""

import itertools
import os
import random
import signal
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from support.torch_programs import TorchProgram, TorchPrograms, torch_programs

from toposcope import server

EPOCHS, BATCHES, LONGEST_SECONDS = 16, 25, 2.0
PROGRAM = f"""
import os, sys, time
import torch
from torch.utils.data import DataLoader, TensorDataset
from toposcope.recorder.callbacks import BackupAndRestore, Callback, OnRequestExit, SummaryCollector
from toposcope.recorder.training.model import Model
from toposcope.recorder.training.trainer import Trainer
from toposcope.recorder.training.watch import watch

EPOCHS, folder = {EPOCHS}, sys.argv[1]
run_steps = os.open(folder + "/steps", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

class RunSteps(Callback):
    def on_train_step_end(self, run_context):
        time.sleep(0.002)  # The work of a larger network.
        os.write(run_steps, b"%d\\n" % run_context.original_args().cur_step_num)

torch.manual_seed(0)
network = torch.nn.Sequential(torch.nn.Dropout(), torch.nn.Linear(4, 1))
loss_fn = torch.nn.MSELoss()
optimizer = torch.optim.SGD(network.parameters(), 0.01, momentum=0.9)
loader = DataLoader(TensorDataset(torch.rand({BATCHES}, 4), torch.rand({BATCHES}, 1)), shuffle=True)
callbacks = [
    BackupAndRestore(folder + "/backup", delete_checkpoint=False),
    RunSteps(),
    SummaryCollector(folder + "/run", 1, {{"collect_metric": True}}, keep_default_action=False),
    OnRequestExit(directory=folder + "/exits", save_mindir=False),
]
"""
TRAININGS = {
    "Model": "Model(network, loss_fn, optimizer).train(EPOCHS, loader, callbacks=callbacks)",
    "Trainer": """
with Trainer(model=network, loss_fn=loss_fn, optimizers=optimizer, train_dataloader=loader, max_duration=f"{EPOCHS}ep",
             callbacks=callbacks) as trainer:
    trainer.fit()
""",
    "loop": """
with watch(callbacks, network, optimizer, loader, epochs=EPOCHS) as run:
    for _ in range(int(run.state.timestamp.epoch), EPOCHS):
        for inputs, labels in run.batches():
            optimizer.zero_grad()
            loss = loss_fn(network(inputs), labels)
            loss.backward()
            optimizer.step()
            run.step(loss, batch=(inputs, labels))
            if run.stop_requested:
                sys.exit()
""",
}
Losses = list[tuple[int, float]]


class Trained(NamedTuple):
    """A training that was started until it had reached its end."""

    kills: int
    run: Counter[int]
    """How often each step was run."""
    recorded: Losses
    expected: Losses

    def line(self) -> str:
        """Return what is printed of it."""
        times = Counter(step for step, _ in self.recorded)
        holes = {step for step, _ in self.expected} - times.keys()
        different = len({*self.recorded} ^ {*self.expected})
        return (
            f"{self.kills:3} kills, {self.run.total():5} steps run, {len(self.run):4} distinct, "
            f"{len(self.recorded):4} recorded, {len(holes)} holes, {times.total() - len(times)} repeats, "
            f"{different} other losses"
        )


def started(programs: TorchPrograms, kind: str, folder: Path) -> TorchProgram:
    """Start a training, or continue it."""
    script = folder / "training.py"
    script.write_text(PROGRAM + TRAININGS[kind])
    return programs.start(script, folder, output=folder / "output")


def recorded_losses(folder: Path) -> Losses:
    """Return the steps and values of the recorded loss, as the page shows them."""
    runs: Any = server.open(folder / "run").runs
    (run,) = runs.values()
    losses = run.scalars("loss/auto")
    return list(zip(losses.step.tolist(), losses.value.tolist(), strict=True))


def killed(programs: TorchPrograms, kind: str, number: signal.Signals, kills: int, folder: Path) -> Trained:
    """Kill a training so often, if it does not end before, and continue it until its end."""
    whole, folder = folder / "whole", folder / "killed"
    whole.mkdir(parents=True)
    folder.mkdir()
    status = started(programs, kind, whole).wait()
    assert status == 0, (whole / "output").read_text()
    for kill in itertools.count():
        training = started(programs, kind, folder)
        timer = threading.Timer(random.uniform(0, LONGEST_SECONDS), os.kill, (training.number, number))
        if kill < kills:
            timer.start()
        status = training.wait()
        timer.cancel()
        assert status in (0, -number), (folder / "output").read_text()
        steps = Counter(map(int, (folder / "steps").read_text().split())) if (folder / "steps").exists() else Counter()
        if status == 0 and EPOCHS * BATCHES in steps:
            return Trained(kill, steps, recorded_losses(folder), recorded_losses(whole))
    raise AssertionError("unreachable")


def main(kills: int) -> bool:
    """Kill trainings of each kind in turn; return whether all recordings are right."""
    right = True
    with tempfile.TemporaryDirectory() as name, torch_programs() as programs:
        for number in (signal.SIGKILL, signal.SIGTERM):
            left = kills
            for attempt, kind in enumerate(itertools.cycle(TRAININGS)):
                if left <= 0:
                    break
                folder = Path(name) / f"{number.name}{attempt}"
                trained = killed(
                    programs, kind, number, -(-left // (len(TRAININGS) - attempt % len(TRAININGS))), folder
                )
                left -= trained.kills
                right &= trained.recorded == trained.expected
                print(f"{number.name} {kind:7} {trained.line()}", flush=True)
    return right


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1])))
