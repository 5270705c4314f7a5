"""model.fit() of Keras recorded by ToposcopeCallback, compared with what Keras reports itself, with each backend."""

import math
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.proto.file_name import parse_file_name
from toposcope.recorder.callbacks import EarlyStopping
from toposcope.recorder.frameworks.keras import ToposcopeCallback

pytestmark = pytest.mark.filterwarnings("ignore")
QUIET = {"collect_specified_data": {"collect_graph": False, "collect_machine": False, "histogram_regular": "$^"}}
BACKEND = keras.backend.backend()
IS_EARLY = tuple(map(int, keras.__version__.split(".")[:2])) < (3, 3)
compiles_several_steps = pytest.mark.skipif(BACKEND == "torch", reason="steps_per_execution is 1 with PyTorch")
random = np.random.default_rng(0)
X = random.normal(size=(20, 4)).astype(np.float32)
Y = X[:, :3] * 2


def recording(directory: Path, **settings: Any) -> ToposcopeCallback:
    """Return a callback that records what is cheap."""
    return ToposcopeCallback(directory, **(QUIET | settings))


def regression(optimizer: Any = None, **settings: Any) -> Any:
    """Return a small compiled model."""
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3, name="out")], name="regression")
    model.compile(optimizer or keras.optimizers.SGD(0.05), "mse", metrics=["mae"], **settings)
    return model


def fit(model: Any, *callbacks: Any, **settings: Any) -> Any:
    """Train with batches of 8, 8 and 4 samples; return Keras' history."""
    settings = {"batch_size": 8, "epochs": 2, "shuffle": False, "verbose": 0} | settings
    return model.fit(X, Y, callbacks=[*callbacks], **settings).history


def losses_after_restoring() -> dict[int, float]:
    """Return the loss of each step of a training of three epochs that was restored at the end of the first.

    Early releases restore the model and train three more epochs.
    """
    epochs = 4 if IS_EARLY else 3
    return dict(zip(range(1, 3 * epochs + 1), batch_losses(regression(), epochs), strict=True))


def batch_losses(model: Any, epochs: int = 2) -> list[float]:
    """Return the loss of each batch, by train_on_batch() of a model like the one that fit() trained."""
    losses = []
    for first in [0, 8, 16] * epochs:
        model.reset_metrics()
        losses.append(float(model.train_on_batch(X[first : first + 8], Y[first : first + 8], return_dict=True)["loss"]))
    return losses


def iterations_of(optimizer: Any) -> int:
    """Return the number of steps of an optimizer."""
    return int(keras.ops.convert_to_numpy(optimizer.iterations))


def state_of(directory: Path) -> Any:
    """Return the state of the only run of a directory."""
    return run_in(directory).state


class Raising(keras.callbacks.Callback):
    """Raises an error at the end of a batch of the second epoch."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.epoch = epoch

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if (self.epoch, batch) == (1, 1):
            raise OSError("a full disk")


def test_losses_are_those_of_batches(tmp_path: Path) -> None:
    """Not the means since the beginning of the epoch; these are recorded once, as Keras reports them."""
    history = fit(model := regression(), ToposcopeCallback(tmp_path, collect_freq=1))

    losses = scalars_of(tmp_path, "loss/auto")
    assert list(losses) == [1, 2, 3, 4, 5, 6]
    assert list(losses.values()) == pytest.approx(batch_losses(regression()), rel=1e-5)
    assert list(scalars_of(tmp_path, "train/loss").values()) == pytest.approx(history["loss"])
    assert scalars_of(tmp_path, "train/mae") == pytest.approx(dict(zip([3, 6], history["mae"], strict=True)))
    samples = [1, 1, 1] if IS_EARLY else [8, 8, 4]  # Early releases do not weigh the losses of batches.
    mean = np.average([losses[4], losses[5], losses[6]], weights=samples)
    assert mean == pytest.approx(history["loss"][1], rel=1e-5)
    assert scalars_of(tmp_path, "learning_rate") == pytest.approx(dict.fromkeys(range(1, 7), 0.05))
    histogram = run_in(tmp_path).histograms("regression/out/kernel/auto")[-1]
    assert histogram.max == keras.ops.convert_to_numpy(model.trainable_variables[0]).max()
    assert state_of(tmp_path).state == "finished"


def test_samples_are_those_of_the_batches(tmp_path: Path) -> None:
    """The last batch of an epoch is smaller. Early releases do not say how many samples a batch has."""
    fit(regression(), recording(tmp_path, collect_freq=3))

    if IS_EARLY:
        assert "throughput/samples_per_second" not in tags_of(tmp_path, "scalar")
        return
    samples = scalars_of(tmp_path, "throughput/samples_per_second")
    steps = scalars_of(tmp_path, "throughput/steps_per_second")
    assert samples[6] / steps[6] == pytest.approx(20 / 3)


@pytest.mark.skipif(BACKEND != "torch", reason="the graph is known for PyTorch only")
def test_graph_is_recorded(tmp_path: Path) -> None:
    """With the inputs of the first batch."""
    fit(regression(), ToposcopeCallback(tmp_path))

    assert "graph" in run_in(tmp_path).plugins


def test_accumulated_steps_have_the_mean_loss(tmp_path: Path) -> None:
    """The step is optimizer.iterations; a step may continue in the next epoch."""
    model = regression(keras.optimizers.SGD(0.05, gradient_accumulation_steps=2))
    fit(model, recording(tmp_path), epochs=3)

    assert iterations_of(model.optimizer) == (9 if IS_EARLY else 4)  # Early releases count batches.
    each = batch_losses(regression(keras.optimizers.SGD(0.05, gradient_accumulation_steps=2)), 3)
    expected = {step: (each[2 * step - 2] + each[2 * step - 1]) / 2 for step in (1, 2, 3, 4)}
    assert scalars_of(tmp_path, "loss/auto") == pytest.approx(expected, rel=1e-5)


@compiles_several_steps
@pytest.mark.parametrize("number", [2, 3])
def test_every_step_of_an_execution_has_its_loss(tmp_path: Path, number: int) -> None:
    """With steps_per_execution Keras calls back once for several steps."""
    fit(regression(steps_per_execution=number), recording(tmp_path))

    losses = scalars_of(tmp_path, "loss/auto")
    assert list(losses) == [1, 2, 3, 4, 5, 6]
    assert list(losses.values()) == pytest.approx(batch_losses(regression()), rel=1e-5)


def test_a_model_trained_before_is_recorded(tmp_path: Path) -> None:
    """Its step was compiled without the callback; the steps go on where the optimizer is."""
    fit(model := regression())
    fit(model, recording(tmp_path))

    expected = dict(zip(range(7, 13), batch_losses(regression(), 4)[6:], strict=True))
    assert scalars_of(tmp_path, "loss/auto") == pytest.approx(expected, rel=1e-5)


def test_validations_are_recorded_once(tmp_path: Path) -> None:
    """As eval/<metric> at the last step of the epoch; evaluate() afterwards is at the last step."""
    callback = recording(tmp_path)
    history = fit(model := regression(), callback, validation_data=(X[:8], Y[:8]))
    results = model.evaluate(X, Y, callbacks=[callback], verbose=0, return_dict=True)

    points = run_in(tmp_path).scalars("eval/loss", attempt="all")
    assert points.step.tolist() == [3, 6, 6]
    assert points.value.tolist() == pytest.approx([*history["val_loss"], results["loss"]])
    assert not [tag for tag in tags_of(tmp_path, "scalar") if "val_" in tag]
    assert run_in(tmp_path).lineage().metrics["mae"] == pytest.approx(results["mae"])


def test_evaluation_without_a_training_is_lineage(tmp_path: Path) -> None:
    """Its metrics belong to no step; predict() records nothing."""
    model = regression()
    model.predict(X, callbacks=[recording(tmp_path / "predicted")], verbose=0)
    assert not (tmp_path / "predicted").exists()

    results = model.evaluate(X, Y, callbacks=[recording(tmp_path)], verbose=0, return_dict=True)
    assert run_in(tmp_path).lineage().metrics["loss"] == pytest.approx(results["loss"])
    assert not tags_of(tmp_path, "scalar")


def test_learning_rate_is_the_one_of_the_step(tmp_path: Path) -> None:
    """Of a schedule, and of a callback of Keras."""
    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    fit(regression(keras.optimizers.SGD(schedule)), recording(tmp_path / "schedule"))
    rates = scalars_of(tmp_path / "schedule", "learning_rate")
    assert rates == pytest.approx({step: float(schedule(step - 1)) for step in range(1, 7)})

    by_epoch = keras.callbacks.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1))
    history = fit(regression(), recording(tmp_path / "callback"), by_epoch)
    rates = scalars_of(tmp_path / "callback", "learning_rate")
    assert [rates[3], rates[6]] == pytest.approx(history["learning_rate"])


def test_settings_are_lineage(tmp_path: Path) -> None:
    """The arguments of fit() and compile(); no metrics."""
    fit(regression(keras.optimizers.Adam(0.01, beta_1=0.8)), recording(tmp_path))

    custom = run_in(tmp_path).lineage().custom
    assert custom["fit/epochs"] == 2
    assert custom["fit/steps"] == 3
    assert custom["compile/loss"] == "mse"
    assert custom["compile/optimizer/class"] == "Adam"
    assert custom["compile/optimizer/beta_1"] == pytest.approx(0.8)
    assert custom["model/parameters"] == 15
    assert custom["keras/backend"] == BACKEND
    assert not [tag for tag in tags_of(tmp_path, "scalar") if "beta" in tag or "epochs" in tag]


def test_failed_training_is_reported(tmp_path: Path) -> None:
    """With the exception that ended fit(), of a callback or of the data."""
    with pytest.raises(OSError, match="a full disk"):
        fit(regression(), recording(tmp_path / "callback"), Raising())
    assert state_of(tmp_path / "callback").state == "failed"
    assert state_of(tmp_path / "callback").error.text == "a full disk"
    assert list(scalars_of(tmp_path / "callback", "loss/auto")) == [1, 2, 3, 4, 5]

    def interrupt(epoch: int, logs: Any) -> None:
        raise KeyboardInterrupt

    stop = keras.callbacks.LambdaCallback(on_epoch_end=interrupt)
    with pytest.raises(KeyboardInterrupt):
        fit(regression(), recording(tmp_path / "user"), stop)
    assert state_of(tmp_path / "user").state == "interrupted"


def test_backup_and_restore_continues_in_the_run(tmp_path: Path) -> None:
    """The failed epoch is trained again: its first steps are replaced, and kept as an attempt."""
    run, backup = tmp_path / "run", str(tmp_path / "backup")
    with pytest.raises(OSError, match="a full disk"):
        fit(regression(), recording(run), keras.callbacks.BackupAndRestore(backup), Raising(), epochs=3)
    fit(regression(), recording(run), keras.callbacks.BackupAndRestore(backup), epochs=3)

    expected = losses_after_restoring()
    assert scalars_of(run, "loss/auto") == pytest.approx(expected, rel=1e-5)
    steps = run_in(run).scalars("loss/auto", attempt="all").step.tolist()
    assert steps == [*range(1, 6), *range(4, len(expected) + 1)]
    assert state_of(run).state == "finished"


def test_initial_epoch_counts_steps_of_a_new_optimizer(tmp_path: Path) -> None:
    """Weights without the state of the optimizer were loaded."""
    fit(model := regression(), recording(tmp_path))
    model.save_weights(tmp_path / "model.weights.h5")
    continued = regression()
    continued.load_weights(tmp_path / "model.weights.h5")
    continued.compile(keras.optimizers.SGD(0.05), "mse")
    fit(continued, recording(tmp_path), initial_epoch=2, epochs=3)

    assert list(scalars_of(tmp_path, "loss/auto")) == [1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_a_killed_training_continues_in_the_run(tmp_path: Path) -> None:
    """By kill -9 in the middle of an epoch, and the same program again."""
    program = f"""
import sys, os, signal
sys.path[:0] = {sys.path!r}
import keras
from check_keras_callback import fit, recording, regression
from toposcope.recorder.writing.files.earlier_recordings import last_recorded_step

def kill(batch, logs):
    if batch == 1 and os.path.exists({str(tmp_path / "backup")!r}):
        while (last_recorded_step({str(tmp_path / "run")!r}, 0) or 0) < 3:
            pass  # Until a flush: what was recorded before is in the file.
        os.kill(os.getpid(), signal.SIGKILL)

backup = keras.callbacks.BackupAndRestore({str(tmp_path / "backup")!r})
killing = [keras.callbacks.LambdaCallback(on_train_batch_end=kill)] if sys.argv[1] == "kill" else []
fit(regression(), recording({str(tmp_path / "run")!r}), backup, *killing, epochs=3)
"""
    environment = os.environ | {"PYTHONPATH": f"{Path(__file__).parent}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    ends = [
        subprocess.run([sys.executable, "-c", program, mode], env=environment, check=False).returncode
        for mode in ("kill", "finish")
    ]
    assert ends == [-signal.SIGKILL, 0]
    assert scalars_of(tmp_path / "run", "loss/auto") == pytest.approx(losses_after_restoring(), rel=1e-5)


@pytest.mark.parametrize("is_first", [True, False], ids=["before the callback", "after it"])
def test_checkpoints_are_recorded_at_their_steps(tmp_path: Path, is_first: bool) -> None:
    """Those of ModelCheckpoint, whatever the order of the callbacks is; a checkpoint can be loaded and trained."""
    checkpoint = keras.callbacks.ModelCheckpoint(str(tmp_path / "model-{epoch}-{batch}.keras"), save_freq=2)
    callbacks = [recording(tmp_path / "run"), checkpoint]
    fit(regression(), *(reversed(callbacks) if is_first else callbacks))

    texts = run_in(tmp_path / "run").text("checkpoint")
    files = sorted(tmp_path.glob("*.keras"), key=lambda path: path.stat().st_mtime_ns)
    assert texts.step.tolist() == [2, 4, 6]
    assert [text.texts[0] for text in texts] == [path.name for path in files]
    for path, step in zip(files, (2, 4, 6), strict=True):
        assert iterations_of(keras.models.load_model(path).optimizer) == step
    loaded = keras.models.load_model(files[0])
    fit(loaded, recording(tmp_path / "loaded"))
    assert list(scalars_of(tmp_path / "loaded", "loss/auto")) == [3, 4, 5, 6, 7, 8]


def test_nan_is_recorded(tmp_path: Path) -> None:
    """A loss that is not finite does not hide those of later batches; the mean of Keras is NaN."""
    x = X.copy()
    x[0, 0] = math.nan
    model = regression(keras.optimizers.SGD(0.0))
    model.fit(x, Y, batch_size=8, shuffle=False, verbose=0, callbacks=[recording(tmp_path)])

    assert math.isnan(scalars_of(tmp_path, "loss/auto")[1])
    assert math.isnan(scalars_of(tmp_path, "train/loss")[3])


def test_skipped_steps_of_a_scaled_loss_are_not_steps(tmp_path: Path) -> None:
    """The step is that of the inner optimizer."""
    optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.01), initial_scale=2.0**127)
    fit(model := regression(optimizer), recording(tmp_path))

    steps = iterations_of(model.optimizer.inner_optimizer)
    assert 0 < steps < 6
    assert list(scalars_of(tmp_path, "loss/auto")) == list(range(1, steps + 1))


def test_callbacks_of_ours_stop_the_training(tmp_path: Path) -> None:
    """EarlyStopping monitors the validation."""
    stop = EarlyStopping(monitor="loss", patience=1, min_delta=1e9)
    history = fit(regression(), recording(tmp_path, callbacks=[stop]), validation_data=(X, Y), epochs=9)

    assert 1 <= len(history["loss"]) < 9
    assert state_of(tmp_path).state == "finished"


def test_a_train_step_of_the_user_is_recorded(tmp_path: Path) -> None:
    """By its own Mean of the loss; without one by the value that it returns."""

    class Model(keras.Model):
        has_mean = True

        def __init__(self) -> None:
            super().__init__()
            self.out = keras.layers.Dense(3)
            self.mean = keras.metrics.Mean(name="loss")

        def call(self, x: Any) -> Any:
            return self.out(x)

        def compute_loss(self, x: Any = None, y: Any = None, y_pred: Any = None, *args: Any, **kwargs: Any) -> Any:
            loss = keras.ops.mean(keras.ops.square(y_pred - y))
            self.mean.update_state(loss)
            return loss

        @property
        def metrics(self) -> Any:
            return [self.mean]

    keras.utils.set_random_seed(0)
    model = Model()
    model.compile(keras.optimizers.SGD(0.05))
    history = fit(model, recording(tmp_path))

    losses = scalars_of(tmp_path, "loss/auto")
    assert list(losses) == [1, 2, 3, 4, 5, 6]
    assert (losses[4] + losses[5] + losses[6]) / 3 == pytest.approx(history["loss"][1], rel=1e-4)


def test_callbacks_can_be_pickled(tmp_path: Path) -> None:
    """Before, during and after a training; a copy records trainings of its own."""
    copies: list[bytes] = []
    callback = recording(tmp_path)
    pickling = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: copies.append(pickle.dumps(callback)))
    fit(regression(), callback, pickling)
    fit(regression(), pickle.loads(copies[0]))

    assert len(scalars_of(tmp_path, "loss/auto")) == 6


def test_models_can_be_copied_and_saved(tmp_path: Path) -> None:
    """What keeps losses is not part of a saved model."""
    fit(model := regression(), recording(tmp_path / "run"))
    model.save(tmp_path / "recorded.keras")
    fit(plain := regression())
    plain.save(tmp_path / "plain.keras")

    assert keras.models.load_model(tmp_path / "recorded.keras").count_params() == plain.count_params()
    assert len(model.metrics_names) == len(plain.metrics_names)
    if not IS_EARLY:  # Whose models cannot be pickled.
        assert pickle.loads(pickle.dumps(model)).count_params() == plain.count_params()


def test_processes_record_their_losses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings, checkpoints and evaluations are recorded by the first one."""
    monkeypatch.setenv("WORLD_SIZE", "2")
    for rank in (0, 1):
        monkeypatch.setenv("RANK", str(rank))
        saving = keras.callbacks.ModelCheckpoint(str(tmp_path / "model.keras"))
        fit(regression(), recording(tmp_path / "run"), saving, validation_data=(X, Y))

    run = run_in(tmp_path / "run")
    assert run.ranks == [0, 1]
    for rank in (0, 1):
        assert len(run.scalars("loss/auto", rank=rank).step) == 6
    assert run.scalars("eval/loss", rank=0).step.tolist() == [3, 6]
    assert not len(run.scalars("eval/loss", rank=1).step)
    assert not len(run.text("checkpoint", rank=1))
    names = [parse_file_name(path.name) for path in (tmp_path / "run").iterdir()]
    assert {name.rank for name in names if name is not None and name.is_lineage} == {0}


@pytest.mark.skipif(BACKEND != "tensorflow", reason="a strategy of TensorFlow")
def test_losses_of_replicas_are_those_of_whole_batches(tmp_path: Path) -> None:
    """In a process of its own, as TensorFlow creates its devices once."""
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
import tensorflow as tf
(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
from check_keras_callback import fit, recording, regression
with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
    model = regression()
fit(model, recording({str(tmp_path)!r}))
"""
    environment = os.environ | {"PYTHONPATH": f"{Path(__file__).parent}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)

    expected = dict(zip(range(1, 7), batch_losses(regression()), strict=True))
    assert scalars_of(tmp_path, "loss/auto") == pytest.approx(expected, rel=1e-5)


def test_arguments_are_checked(tmp_path: Path) -> None:
    """When the callback is created."""
    with pytest.raises(TypeError):
        ToposcopeCallback(tmp_path, unknown=1)
    invalid: Any = [3]
    with pytest.raises(TypeError):
        ToposcopeCallback(tmp_path, callbacks=invalid)
