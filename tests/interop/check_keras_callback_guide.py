"""The examples of the documentation for the callback of Keras, with the backend that KERAS_BACKEND names."""

from pathlib import Path

import keras
import numpy as np
import pytest
from support.documentation import examples, run_examples
from support.recorded_run import scalars_of

pytestmark = pytest.mark.filterwarnings("ignore")


def test_examples_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a model and data of the reader."""
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    data = {name: np.ones((64, 3), np.float32) for name in ("x", "x_held_out", "x_test")}
    data |= {name: np.ones((64, 1), np.float32) for name in ("y", "y_held_out", "y_test")}
    run_examples(examples("keras.md"), "keras.md", tmp_path, monkeypatch, model=model, **data)

    assert list(scalars_of(tmp_path / "runs/first", "loss/auto")) == [1, 2, 3, 4]
    assert list(scalars_of(tmp_path / "runs/first", "eval/loss")) == [2, 4]
