"""Recorders, loops and trainings cannot be copied or pickled, and the error says what to do instead."""

import copy
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.pytorch import needs_torch

from toposcope.recorder import SummaryRecord
from toposcope.recorder.callbacks import BackupAndRestore, SummaryCollector
from toposcope.recorder.loggers import FileLogger
from toposcope.recorder.tensorboard.file_writer import FileWriter
from toposcope.recorder.training.watch import watch

COPIES: list[Callable[[Any], object]] = [copy.copy, copy.deepcopy, pickle.dumps]


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
