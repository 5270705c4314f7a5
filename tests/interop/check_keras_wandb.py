"""The callbacks of wandb.integration.keras record what Keras itself reports."""

from pathlib import Path

import keras
import numpy as np
import pytest
from support.recorded_run import run_in, scalars_of

from toposcope.recorder import wandb
from toposcope.recorder.wandb.integration.keras import WandbMetricsLogger, WandbModelCheckpoint  # type: ignore[import-not-found]


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # Of the checkpoint of Keras.
def test_epochs_batches_and_checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The history of Keras by epoch, points of every second batch, learning rates, the best epoch, and a file."""
    monkeypatch.chdir(tmp_path)
    samples = np.random.default_rng(0).normal(size=(40, 3)).astype("float32")
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.25), "mse")
    with wandb.init():
        callbacks = [WandbMetricsLogger(), WandbMetricsLogger(2), WandbModelCheckpoint("best.keras")]
        callbacks.append(wandb.keras.WandbCallback(monitor="loss"))
        history = model.fit(samples, samples[:, :1], batch_size=10, epochs=3, verbose=0, callbacks=callbacks).history
    assert list(scalars_of(tmp_path, "epoch/loss").values())[::2] == history["loss"]  # Both loggers log epochs.
    assert list(scalars_of(tmp_path, "loss").values()) == history["loss"]
    assert sorted(set(scalars_of(tmp_path, "epoch/epoch").values())) == [0, 1, 2]
    assert len(scalars_of(tmp_path, "batch/loss")) == 6
    assert list(scalars_of(tmp_path, "batch/batch_step").values()) == [0, 2, 4, 6, 8, 10]
    assert set(scalars_of(tmp_path, "epoch/learning_rate").values()) == {0.25}
    assert run_in(tmp_path).lineage().metrics["best_epoch"] == int(np.argmin(history["loss"]))
    assert Path("best.keras").is_file()
