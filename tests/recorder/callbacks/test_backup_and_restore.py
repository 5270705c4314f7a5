"""BackupAndRestore: an interrupted training continues as if it had not been interrupted."""

import signal
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from support.recorded_run import scalars_of
from support.torch_programs import TorchPrograms
from torch import nn

from toposcope.recorder.callbacks import BackupAndRestore, Callback, RunContext, SummaryCollector
from toposcope.recorder.train_thor import thor
from toposcope.recorder.training import DynamicLossScaleManager, Model
from toposcope.recorder.training.watch import watch

SCHEDULERS = torch.optim.lr_scheduler


class Parts(NamedTuple):
    """What each process creates."""

    network: nn.Module
    optimizer: Any
    scheduler: Any


def batches() -> list[tuple[torch.Tensor, torch.Tensor]]:
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(8, 4, generator=generator), torch.randint(3, (8,), generator=generator)) for _ in range(4)]


def sgd(network: nn.Module) -> Any:
    return torch.optim.SGD(network.parameters(), 0.1, momentum=0.9)


def parts(optimizer: Callable[[nn.Module], Any] = sgd, seed: int = 0) -> Parts:
    torch.manual_seed(seed)
    network = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    created = optimizer(network)
    warmup, later = SCHEDULERS.LinearLR(created, 0.5, total_iters=2), SCHEDULERS.MultiStepLR(created, [3, 5])
    return Parts(network, created, SCHEDULERS.SequentialLR(created, [warmup, later], [2]))


def train(created: Parts, *callbacks: Any, epochs: int = 6, **arguments: Any) -> None:
    network, optimizer, scheduler = created
    model = Model(network, nn.CrossEntropyLoss(), optimizer, schedulers=scheduler, **arguments)
    model.train(epochs, batches(), callbacks=list(callbacks))


class Fail(Callback):
    """Raises at a step."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Raise at the step."""
        if run_context.original_args().cur_step_num == self.step:
            raise KeyError("killed")


class Epochs(Callback):
    """Notes the epochs and steps that begin."""

    def __init__(self) -> None:
        self.epochs: list[int] = []
        self.steps: list[int] = []

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Note the epoch."""
        self.epochs.append(run_context.original_args().cur_epoch_num)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Note the step."""
        self.steps.append(run_context.original_args().cur_step_num)


OPTIMIZERS = {
    "SGD": sgd,
    "Adam": lambda network: torch.optim.Adam(network.parameters(), 0.01),
    "THOR": lambda network: thor(network, 0.05, 0.3, 0.9, frequency=3),
    "THOR with a schedule": lambda network: thor(network, [0.1, 0.05, 0.02, 0.01], 0.3, 0.9, frequency=3),
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_a_restarted_training_has_the_weights_of_one_that_was_not_interrupted(tmp_path: Path, optimizer: Any) -> None:
    """To the same bits, with schedulers and a dynamic loss scale; the steps are counted on."""

    def scale() -> DynamicLossScaleManager:
        return DynamicLossScaleManager(2.0**4, scale_window=5)

    whole, killed, restarted = parts(optimizer), parts(optimizer), parts(optimizer, seed=1)
    train(whole, loss_scale_manager=scale())
    with pytest.raises(KeyError, match="killed"):
        train(killed, BackupAndRestore(tmp_path / "backup"), Fail(11), loss_scale_manager=scale())
    epochs, manager = Epochs(), scale()
    backup = BackupAndRestore(tmp_path / "backup")
    train(restarted, backup, epochs, SummaryCollector(tmp_path / "run"), loss_scale_manager=manager)

    assert epochs.epochs == [3, 4, 5, 6]
    assert epochs.steps == list(range(9, 25))
    assert list(scalars_of(tmp_path / "run", "loss/auto")) == list(range(9, 25))
    for expected, actual in zip(whole.network.parameters(), restarted.network.parameters(), strict=True):
        assert torch.equal(expected, actual)
    assert manager.get_loss_scale() == 2.0**8
    assert not Path(backup.backup_file).exists()


def test_a_finished_training_is_not_trained_again_if_its_file_is_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A warning says so; further epochs are trained."""
    epochs = Epochs()
    for last in (2, 2, 3):
        train(parts(), BackupAndRestore(tmp_path, delete_checkpoint=False), epochs, epochs=last)

    assert epochs.epochs == [1, 2, 3]
    assert caplog.text.count("has finished its 2 epochs: nothing is trained") == 1


def test_every_second_epoch_is_saved(tmp_path: Path) -> None:
    """With save_freq=2; without a file the training begins at its first epoch."""
    epochs = Epochs()
    for step, expected in ((5, [1, 2]), (15, [1, 2, 3, 4]), (None, [3, 4, 5, 6])):
        epochs.epochs.clear()
        callbacks = [BackupAndRestore(tmp_path, save_freq=2), epochs]
        if step is None:
            train(parts(), *callbacks)
        else:
            with pytest.raises(KeyError, match="killed"):
                train(parts(), *callbacks, Fail(step))
        assert epochs.epochs == expected


def test_a_loop_of_the_user_is_restored(tmp_path: Path) -> None:
    """The run knows the epoch at which it begins."""
    for first in (0, 2):
        network, optimizer, _ = parts()
        with watch(BackupAndRestore(tmp_path, delete_checkpoint=False), network, optimizer, batches()) as run:
            assert int(run.state.timestamp.epoch) == first
            assert int(run.state.timestamp.batch) == 4 * first
            for _ in range(2):
                for inputs, labels in batches():
                    optimizer.zero_grad()
                    loss = nn.functional.cross_entropy(network(inputs), labels)
                    loss.backward()
                    optimizer.step()
                    run.step(loss)


def test_a_file_of_another_network_is_an_error(tmp_path: Path) -> None:
    """It names the file, which is kept; nothing was trained."""
    backup = BackupAndRestore(tmp_path, delete_checkpoint=False)
    train(parts(), backup, epochs=1)
    network = nn.Linear(4, 3)
    with pytest.raises(ValueError, match=r"cannot be restored from '.*backup\.ckpt'"):
        Model(network, nn.CrossEntropyLoss(), sgd(network)).train(1, batches(), callbacks=BackupAndRestore(tmp_path))
    assert Path(backup.backup_file).exists()


def test_a_full_disk_does_not_end_the_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The failure is logged, and the next epoch is saved when it is due."""

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("toposcope.recorder.callbacks.backup_and_restore.save_training", fail)
    epochs = Epochs()
    train(parts(), BackupAndRestore(tmp_path), epochs, epochs=2)

    assert epochs.epochs == [1, 2]
    assert caplog.text.count("No space left on device") == 2


def test_schedulers_with_objects_of_the_user_are_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With a warning; everything else is saved."""

    class Decay:
        def __init__(self) -> None:
            self.history = {1, 2}

        def __call__(self, epoch: int) -> float:
            return 0.5**epoch

    network, optimizer, _ = parts()
    scheduler = SCHEDULERS.LambdaLR(optimizer, Decay())
    train(Parts(network, optimizer, scheduler), BackupAndRestore(tmp_path, delete_checkpoint=False), epochs=1)
    assert "schedulers are not saved" in caplog.text
    assert (tmp_path / "backup.ckpt").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        {"backup_dir": 5},
        {"backup_dir": ""},
        {"save_freq": "step"},
        {"save_freq": 0},
        {"save_freq": 1.5},
        {"save_freq": True},
        {"save_freq": None},
        {"delete_checkpoint": 1},
    ],
)
def test_wrong_arguments(tmp_path: Path, arguments: dict[str, Any]) -> None:
    """A ValueError, as MindSpore documents, that names the argument."""
    with pytest.raises(ValueError, match=next(iter(arguments))):
        BackupAndRestore(**{"backup_dir": tmp_path, **arguments})


def test_everything_before_a_backup_is_on_the_disk(programs: TorchPrograms, tmp_path: Path) -> None:
    """A training that is killed after it, and continues from it, leaves no hole."""
    program = """
        import os, signal, sys
        import torch
        from toposcope.recorder.callbacks import BackupAndRestore, LambdaCallback, SummaryCollector
        from toposcope.recorder.training import Model

        network = torch.nn.Linear(2, 1)
        model = Model(network, torch.nn.MSELoss(), torch.optim.SGD(network.parameters(), lr=0.01))
        collector = SummaryCollector(sys.argv[1] + "/run")
        kill = LambdaCallback(on_train_epoch_end=lambda _: os.kill(os.getpid(), signal.SIGKILL))
        batches = [(torch.ones(4, 2), torch.ones(4, 1))] * 20
        model.train(2, batches, callbacks=[collector, BackupAndRestore(sys.argv[1]), kill])
    """
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(program))
    assert programs.start(script, tmp_path, output=tmp_path / "program.txt").wait() == -signal.SIGKILL
    assert sorted(scalars_of(tmp_path / "run", "loss/auto")) == list(range(1, 21))
