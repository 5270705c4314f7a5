"""The examples of the documentation for Lightning."""

import time
from pathlib import Path

import pytest
import torch
from support.documentation import examples, run_examples
from support.lightning_training import PACKAGE, Classifier, data, validation_data
from support.recorded_run import scalars_of, tags_of

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.skipif(PACKAGE != "lightning", reason="the examples import lightning")
def test_examples_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a model and data of the reader."""
    names = {"model": Classifier(), "train_loader": data(), "valid_loader": validation_data(), "torch": torch}
    run_examples(examples("lightning.md"), "lightning.md", tmp_path, monkeypatch, **names)

    assert list(scalars_of(tmp_path / "runs/first", "loss/auto")) == list(range(1, 21))
    while tags_of(tmp_path / "runs/first", "image") != ["noise"]:  # The training has ended: the image is in a new file.
        time.sleep(0.02)
    assert list(scalars_of(tmp_path / "runs/fabric", "loss")) == list(range(100))
