"""The examples of the documentation for Transformers."""

from pathlib import Path

import pytest
from support.documentation import examples, run_examples
from support.recorded_run import scalars_of
from support.transformers_training import random_texts, tiny_model

pytestmark = pytest.mark.filterwarnings("ignore")


def test_examples_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a model and texts of the reader."""
    names = {"model": tiny_model(), "texts": random_texts(16)}
    run_examples(examples("transformers.md"), "transformers.md", tmp_path, monkeypatch, **names)

    assert list(scalars_of(tmp_path / "runs/first", "loss/auto")) == [1, 2, 3, 4]
