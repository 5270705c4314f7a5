"""Trainings of Keras in plain loops that are resumed: the step is the optimizer's iterations."""

from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from support.recorded_run import scalars_of

from toposcope.recorder.callbacks import SummaryCollector

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
QUIET = {"collect_machine": False, "collect_graph": False}
X, Y = np.ones((8, 4), np.float32), np.ones((8, 3), np.float32)


def watched(directory: Path, model: Any, *optimizer: Any) -> list[int]:
    """Return the steps of a watched run of two steps."""
    with SummaryCollector(directory, 1, QUIET).watch(model, *optimizer) as run:
        for _ in range(2):
            run.step(model.train_on_batch(X, Y))
    return list(scalars_of(directory, "loss/auto"))


def test_saved_model_goes_on(tmp_path: Path) -> None:
    """A saved model contains the iterations of its optimizer, also SGD's; it may be passed without the optimizer."""
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3)])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    assert watched(tmp_path / "run", model, model.optimizer) == [1, 2]
    model.save(tmp_path / "saved.keras")

    restored = keras.models.load_model(tmp_path / "saved.keras")

    assert watched(tmp_path / "run", restored, restored.optimizer) == [1, 2, 3, 4]
    assert watched(tmp_path / "other", restored) == [5, 6]
