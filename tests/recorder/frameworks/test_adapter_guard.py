"""Adapters of other libraries: an error of the recording does not end a training that would have run without it."""

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.recorded_run import scalars_of

from toposcope.recorder.callbacks import Callback
from toposcope.recorder.frameworks.lightning.logger_methods import LoggerMethods
from toposcope.recorder.frameworks.lightning.trainer_hooks import TrainerHooks


class FailingCallback(Callback):
    """A callback of the user that raises an error."""

    def on_train_begin(self, run_context: Any) -> None:
        raise ValueError("the user's error")


def trainer(**attributes: Any) -> Any:
    """Return what the hooks read of a Trainer of Lightning."""
    return SimpleNamespace(
        **{
            **{"fast_dev_run": False, "global_step": 0, "current_epoch": 0, "loggers": []},
            **{"num_training_batches": 4, "accumulate_grad_batches": 1, "lr_scheduler_configs": [], "optimizers": []},
            **{"train_dataloader": None, "max_epochs": 1, "max_steps": -1, "strategy": None},
            **{"state": SimpleNamespace(fn="fit")},
            **attributes,
        }
    )


def test_a_trainer_that_cannot_be_read_is_reported_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What the trainer lacks is named in one line, however many hooks fail."""
    hooks = TrainerHooks(tmp_path)
    unreadable = trainer()
    del unreadable.optimizers
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            hooks.on_train_start(unreadable, None)
    assert ["'optimizers'" in record.getMessage() for record in caplog.records] == [True]


def test_a_directory_that_cannot_be_created_ends_no_training(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The collector of the adapter cannot open its files."""
    hooks, logger = TrainerHooks(tmp_path / "run"), LoggerMethods(tmp_path / "run")
    (tmp_path / "run").write_text("a file")
    hooks.on_train_start(trainer(), None)
    hooks.on_train_batch_start(trainer(), None, None, 0)
    logger.log_metrics({"loss": 1.0}, 1)
    assert "the training continues" in caplog.text


def test_an_error_of_a_callback_of_the_user_ends_the_training(tmp_path: Path) -> None:
    """A callback may raise to end a training."""
    hooks = TrainerHooks(tmp_path, callbacks=FailingCallback())
    with pytest.raises(ValueError, match="the user's error"):
        hooks.on_train_start(trainer(), None)


def test_values_are_recorded_as_without_errors(tmp_path: Path) -> None:
    """A guarded method returns what it returned."""
    logger = LoggerMethods(tmp_path)
    logger.log_metrics({"loss": 1.0}, 1)
    logger.finalize("success")
    assert scalars_of(tmp_path, "loss") == {1: 1.0}
