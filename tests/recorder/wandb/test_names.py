"""The names of W&B's package that have no effect here: no import and no use of one ends a script."""

import importlib
from pathlib import Path

import pytest

from toposcope.recorder import wandb
from toposcope.recorder.wandb.util import generate_id  # type: ignore[import-not-found, unused-ignore]


def test_submodules_import_and_what_they_lack_is_inert(caplog: pytest.LogCaptureFixture) -> None:
    """A class may be subclassed, a function called; each use of a name is reported once, with our adapter if any."""
    for _ in range(2):
        logger = importlib.import_module("toposcope.recorder.wandb.integration.lightning.fabric").WandbLogger
    openai = importlib.import_module("toposcope.recorder.wandb.integration.openai")

    class Own(logger):  # type: ignore[misc, valid-type]
        """A subclass."""

    assert not Own("argument", key=1).experiment.config
    assert not openai.autolog({"project": "p"}).disable()
    assert [record.getMessage() for record in caplog.records[:2]] == [
        "wandb: wandb.integration.lightning.fabric.WandbLogger is not included: an inert object takes its place; "
        "see toposcope.recorder.frameworks.lightning.ToposcopeLogger.",
        "wandb: wandb.integration.lightning.fabric.WandbLogger: it has no effect here, and an inert object takes its "
        "place.",
    ]
    assert wandb.sdk.wandb_run.Run is wandb.Run
    assert wandb.data_types.Image is wandb.Image
    assert wandb.sklearn.plot_classifier(1, 2) is not None
    assert len(generate_id()) == 8
    assert generate_id(5) != generate_id(5)


def test_only_names_of_the_package_exist() -> None:
    """A misspelled name is an error, as it is there."""
    with pytest.raises(AttributeError, match="'logg'"):
        _ = wandb.logg
    with pytest.raises(ImportError):
        importlib.import_module("toposcope.recorder.wandb.nothing")


def test_an_integration_whose_framework_is_missing_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    """The import succeeds; the framework itself would be missing anyway."""
    assert not wandb.integration.xgboost.WandbCallback()
    assert "No module named 'xgboost'" in caplog.text


def test_the_path_of_an_inert_object_says_what_it_is() -> None:
    """The files of an artifact do not exist: opening one names the reason."""
    run = wandb.init()
    directory = run.use_artifact("model:latest").download()
    with pytest.raises(FileNotFoundError, match=r"inert-wandb.run.use_artifact.download"):
        Path(directory, "model.pt").read_bytes()
