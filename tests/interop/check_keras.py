"""Keras trained in a plain loop, with the backend that KERAS_BACKEND names, recorded and read back."""

import logging
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.recorder.callbacks import SummaryCollector

# Keras' own conversions to NumPy.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
STEPS = 30
NAMES = [
    "classifier/hidden/kernel",
    "classifier/hidden/bias",
    "classifier/norm/gamma",
    "classifier/norm/beta",
    "classifier/out/kernel",
    "classifier/out/bias",
]
QUIET = {"collect_machine": False, "collect_graph": False}


def classifier() -> Any:
    """Return a small model."""
    keras.utils.set_random_seed(0)
    layers = [
        keras.layers.Input((4,)),
        keras.layers.Dense(8, activation="relu", name="hidden"),
        keras.layers.BatchNormalization(name="norm"),
        keras.layers.Dense(3, name="out"),
    ]
    return keras.Sequential(layers, name="classifier")


def batches() -> list[tuple[Any, Any]]:
    """Return the batches of an epoch."""
    random = np.random.default_rng(0)
    x = random.normal(size=(STEPS, 16, 4)).astype(np.float32)
    return list(zip(x, x[:, :, :3] * 2, strict=True))


def test_names_and_learning_rate_are_those_of_keras(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Histograms have the names and sizes of Keras' variables, the learning rate is that of each step."""
    model = classifier()
    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)
    optimizer = keras.optimizers.Adam(schedule)
    model.compile(optimizer, "mse")
    everything = {**QUIET, "histogram_regular": ""}
    with SummaryCollector(tmp_path, 1, everything).watch(model, optimizer, batches()) as run:
        for x, y in batches():
            run.step(model.train_on_batch(x, y), batch=x)
    assert [variable.path for variable in model.trainable_variables] == NAMES
    assert tags_of(tmp_path, "histogram") == sorted(f"{name}/auto" for name in NAMES)
    for variable in model.trainable_variables:
        histograms = run_in(tmp_path).histograms(f"{variable.path}/auto")
        assert len(histograms) == STEPS
        values = keras.ops.convert_to_numpy(variable.value)
        assert (histograms[-1].total_count, histograms[-1].max) == (values.size, values.max())
    rates = scalars_of(tmp_path, "learning_rate")
    expected = {step: float(schedule(step - 1)) for step in range(1, STEPS + 1)}
    assert rates == pytest.approx(expected)
    losses = scalars_of(tmp_path, "loss/auto")
    assert losses[STEPS] < losses[1]
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
