"""ToposcopeLogger without the base class of Lightning, which adds nothing to it."""

import argparse
import logging
import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.frameworks.lightning.logger_methods import LoggerMethods
from toposcope.recorder.frameworks.lightning.trainer_hooks import TrainerHooks


def test_the_package_imports_no_framework() -> None:
    """Both names are known before Lightning is imported."""
    program = (
        "import sys, toposcope.recorder.frameworks.lightning as package;"
        "print(sorted(package.__all__), [name for name in ('lightning', 'torch') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "['ToposcopeCallback', 'ToposcopeLogger'] []"


def test_metrics_have_the_given_steps_or_are_counted(tmp_path: Path) -> None:
    """Without a step, each metric goes on after its own last step."""
    logger = LoggerMethods(tmp_path)
    logger.log_metrics({"loss": 1.0}, 10)
    logger.log_metrics({"accuracy": 0.5})
    logger.log_metrics({"loss": 0.5})
    logger.log_metrics({"accuracy": 0.6})
    logger.finalize("success")
    assert scalars_of(tmp_path, "loss") == {10: 1.0, 11: 0.5}
    assert scalars_of(tmp_path, "accuracy") == {0: 0.5, 1: 0.6}
    assert run_in(tmp_path).state.state == "finished"


def test_what_is_no_number_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It does not end a training: the other metrics are recorded, and one line names it."""
    logger = LoggerMethods(tmp_path)
    with caplog.at_level(logging.WARNING):
        for step in range(3):
            logger.log_metrics({"loss": 1.0, "name": "text"}, step)
    logger.finalize("success")
    assert tags_of(tmp_path, "scalar") == ["loss"]
    assert ["'name'" in record.getMessage() for record in caplog.records] == [True]


def test_hyperparameters_of_a_namespace_are_lineage(tmp_path: Path) -> None:
    """A Namespace is what its attributes are."""
    logger = LoggerMethods(tmp_path)
    logger.log_hyperparams(argparse.Namespace(lr=0.1, nested={"depth": 2}, password="hunter2"), "ignored", metrics=None)
    logger.finalize("success")
    assert run_in(tmp_path).lineage().custom == {"lr": 0.1, "nested/depth": 2}


def test_hyperparameters_that_cannot_be_read_are_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """They do not end a training."""
    logger = LoggerMethods(tmp_path)
    with caplog.at_level(logging.WARNING):
        logger.log_hyperparams(5)
    logger.finalize("success")
    assert not list(tmp_path.iterdir())
    assert "hyperparameters are not recorded" in caplog.text


@pytest.mark.parametrize("status", ["failed", "aborted"])
def test_a_status_without_an_exception_is_a_failure(tmp_path: Path, status: str) -> None:
    """The run names the status."""
    logger = LoggerMethods(tmp_path)
    logger.log_metrics({"loss": 1.0}, 0)
    logger.finalize(status)
    state = run_in(tmp_path).state
    assert state.state == "failed"
    assert status in str(state.error)


def test_nothing_is_written_before_a_value(tmp_path: Path) -> None:
    """A logger that logs nothing leaves no files, and finalize() may be called at any time."""
    logger = LoggerMethods(tmp_path)
    assert (logger.name, logger.version, logger.save_dir) == ("", "", str(tmp_path))
    logger.save()
    logger.finalize("failed")
    assert not list(tmp_path.iterdir())


def test_a_copy_has_the_settings(tmp_path: Path) -> None:
    """An open recorder stays with the original."""
    logger = LoggerMethods(tmp_path / "run", log_graph=True)
    logger.log_metrics({"loss": 1.0}, 0)
    duplicate = pickle.loads(pickle.dumps(logger))
    duplicate.finalize("failed")
    logger.finalize("success")
    assert duplicate.save_dir == logger.save_dir
    assert run_in(tmp_path / "run").state.state == "finished"


def test_values_wait_for_an_expected_run(tmp_path: Path) -> None:
    """Without the run they are recorded by the logger itself."""
    logger = LoggerMethods(tmp_path)
    logger.expect_run()
    logger.log_metrics({"loss": 1.0}, 3)
    assert not list(tmp_path.iterdir())
    logger.finalize("success")
    assert scalars_of(tmp_path, "loss") == {3: 1.0}


def test_the_newest_checkpoint_of_older_releases_is_found(tmp_path: Path) -> None:
    """Lightning before 2.1 does not say which file it has saved last."""
    paths = [tmp_path / "a.ckpt", tmp_path / "b.ckpt"]
    for number, path in enumerate(paths):
        path.write_bytes(b"")
        os.utime(path, (number, number))
    callback = SimpleNamespace(
        best_k_models={str(path): 0.5 for path in paths},
        best_model_path=str(paths[0]),
        last_model_path="",
        monitor="loss",
        current_score=0.25,
        _last_global_step_saved=7,
    )
    logger = LoggerMethods(tmp_path / "run")
    logger.after_save_checkpoint(callback)
    logger.finalize("success")
    texts = run_in(tmp_path / "run").text("checkpoint")
    assert (texts.step.tolist(), texts[0].texts) == ([7], [f"{paths[1]} (loss: 0.25)"])


def test_wrong_arguments_are_named(tmp_path: Path) -> None:
    """At once, not when a training begins."""
    with pytest.raises(TypeError, match="no_such"):
        TrainerHooks(tmp_path, no_such=1)
    with pytest.raises(ValueError, match="collect_freq"):
        TrainerHooks(tmp_path, collect_freq=0)
    with pytest.raises(ValueError, match="not a SummaryCollector"):
        TrainerHooks(callbacks=[SummaryCollector(tmp_path)])
    with pytest.raises(TypeError, match="log_graph"):
        LoggerMethods(tmp_path, log_graph="yes")  # type: ignore[arg-type]
