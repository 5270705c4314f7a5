"""Recorders, loops and trainings cannot be copied or pickled, and the error says what to do instead."""

import copy
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.pytorch import needs_torch
from support.tiny_training import tiny_network, tiny_trainer

from toposcope.recorder import SummaryRecord, callbacks, event_callbacks, loggers
from toposcope.recorder.callbacks import BackupAndRestore, SummaryCollector
from toposcope.recorder.loggers import FileLogger
from toposcope.recorder.tensorboard.files.file_writer import FileWriter
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.watch import watch

COPIES: list[Callable[[Any], object]] = [copy.copy, copy.deepcopy, pickle.dumps]
ARGUMENTS: dict[str, dict[str, Any]] = {
    "BackupAndRestore": {"backup_dir": "backup"},
    "EarlyStopper": {"monitor": "MulticlassAccuracy", "dataloader_label": "eval"},
    "FileLogger": {"filename": "log.txt", "capture_stdout": False, "capture_stderr": False},
    "FlopsUtilizationCollector": {"data_size": 100},
    "LearningRateScheduler": {"learning_rate_function": max},
    "OnRequestExit": {"save_mindir": False},
    "SummaryCollector": {"summary_dir": "run"},
    "SummaryLogger": {"log_dir": "logged"},
    "ThresholdStopper": {"monitor": "loss/train/total", "dataloader_label": "train", "threshold": 0.0},
}
"""The arguments of those that require some, or that would write more than a test needs."""
CALLBACKS = [
    (module, name)
    for module in (callbacks, event_callbacks, loggers)
    for name in module.__all__
    if name not in ("CheckpointConfig", "RunContext", "SummaryLandscape")  # No callbacks.
]


def file_logger(directory: Path) -> FileLogger:
    return FileLogger(str(directory / "log"), capture_stdout=False, capture_stderr=False)


@contextmanager
def refused(name: str, advice: str) -> Iterator[None]:
    """Expect the error for a class, with this advice."""
    with pytest.raises(TypeError, match=f"^An? {name} cannot be copied or pickled, as .*{advice}"):
        yield


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("create", [SummaryRecord, FileWriter, file_logger])
def test_writers_of_files_belong_to_one_process(
    tmp_path: Path, create: Callable[[Path], Any], copied: Callable[[Any], object]
) -> None:
    """With what to create in each process."""
    writer = create(tmp_path)

    with refused(type(writer).__name__, "create one in each process"):
        copied(writer)


@needs_torch
@pytest.mark.parametrize("copied", COPIES)
def test_models_and_trainers_are_not_copied(copied: Callable[[Any], object]) -> None:
    """With what to copy instead."""
    import torch

    from toposcope.recorder.training import Model
    from toposcope.recorder.training.trainer import Trainer

    network = torch.nn.Linear(2, 1)
    loss_fn, optimizer = torch.nn.MSELoss(), torch.optim.SGD(network.parameters())
    with refused("Model", "copy its network and optimizer"):
        copied(Model(network, loss_fn, optimizer))
    with (
        Trainer(
            model=network, loss_fn=loss_fn, optimizers=optimizer, max_duration="1ep", train_dataloader=[]
        ) as trainer,
        refused("Trainer", r"save state_dict\(\)"),
    ):
        copied(trainer)


def test_callbacks_of_a_running_loop_say_what_cannot_be_copied(tmp_path: Path) -> None:
    """The loop, the recorder of a collector, the state of a training; before the loop they are copied."""
    collector, backup = SummaryCollector(tmp_path / "run", keep_default_action=False), BackupAndRestore(tmp_path)
    copy.deepcopy([collector, backup])

    with watch([collector, backup]) as run:
        with refused("WatchedRun", r"call watch\(\) in each process"):
            copy.deepcopy(run)
        with refused("SummaryRecord", "create one in each process"):
            copy.deepcopy(collector)
        with refused("State", r"save what state_dict\(\) returns"):
            copy.deepcopy(backup)


class Copying(EventCallback):
    """Copies an object in a training."""

    def __init__(self, copied: Callable[[], None]) -> None:
        self.copied = copied

    def batch_end(self, state: Any, logger: Any) -> None:
        """Copy it while steps are observed."""
        self.copied()

    after_forward = batch_end


@needs_torch
@pytest.mark.parametrize(("module", "name"), CALLBACKS, ids=[name for _, name in CALLBACKS])
def test_callbacks_are_copied_and_pickled_or_say_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str
) -> None:
    """New ones always, as programs pass them to processes; in and after a training unless they belong to it."""
    import torch

    monkeypatch.chdir(tmp_path)
    callback = getattr(module, name)(**ARGUMENTS.get(name, {}))
    refusals = list[str]()

    def try_copies() -> None:
        for copied in (copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
            try:
                assert type(copied(callback)) is type(callback)
            except TypeError as error:
                refusals.append(str(error))

    try_copies()
    assert not refusals or name == "FileLogger"

    is_logger = module is loggers
    model = tiny_network()
    with tiny_trainer(
        [Copying(try_copies)] if is_logger else [callback, Copying(try_copies)],
        [callback] if is_logger else [],
        model=model,
        optimizers=torch.optim.Adam(model.parameters()),
    ) as trainer:
        trainer.fit()
    try_copies()

    assert all("cannot be copied or pickled, as" in each for each in refusals)
