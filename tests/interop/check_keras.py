"""Keras trained in a plain loop, with the backend that KERAS_BACKEND names, recorded and read back."""

import logging
from collections.abc import Iterator
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


@pytest.fixture
def nothing_is_missing(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Check that no warning is logged."""
    yield
    assert not [record.getMessage() for record in caplog.get_records("call") if record.levelno >= logging.WARNING]


def only_for(backend: str) -> pytest.MarkDecorator:
    """Return the mark of a test of one backend."""
    return pytest.mark.skipif(keras.backend.backend() != backend, reason=f"a loop of {backend}")


def check_parameters(directory: Path, model: Any) -> None:
    """Check names, sizes and last values of the histograms."""
    assert [variable.path for variable in model.trainable_variables] == NAMES
    assert tags_of(directory, "histogram") == sorted(f"{name}/auto" for name in NAMES)
    for variable in model.trainable_variables:
        histograms = run_in(directory).histograms(f"{variable.path}/auto")
        assert len(histograms) == STEPS
        values = keras.ops.convert_to_numpy(variable.value)
        assert (histograms[-1].total_count, histograms[-1].max) == (values.size, values.max())
    losses = scalars_of(directory, "loss/auto")
    assert losses[STEPS] < losses[1]


@pytest.mark.usefixtures("nothing_is_missing")
@pytest.mark.parametrize("is_passed", [True, False], ids=["optimizer passed", "optimizer of the model"])
@pytest.mark.parametrize("has_schedule", [True, False], ids=["schedule", "constant"])
def test_names_and_learning_rates_are_those_of_keras(tmp_path: Path, is_passed: bool, has_schedule: bool) -> None:
    """Histograms have the names of the variables; the learning rate is the one that each step used."""
    model = classifier()
    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)
    optimizer = keras.optimizers.Adam(schedule if has_schedule else 0.1)
    model.compile(optimizer, "mse")
    everything = {**QUIET, "histogram_regular": ""}
    collector = SummaryCollector(tmp_path, 1, everything)
    with collector.watch(model, optimizer if is_passed else None, batches()) as run:
        for x, y in batches():
            if run.state.timestamp.batch == 10 and not has_schedule:
                optimizer.learning_rate = 0.05
            run.step(model.train_on_batch(x, y), batch=x)
    check_parameters(tmp_path, model)
    if has_schedule:
        expected = {step: float(schedule(step - 1)) for step in range(1, STEPS + 1)}
    else:
        expected = {step: 0.1 if step <= 10 else 0.05 for step in range(1, STEPS + 1)}
    assert scalars_of(tmp_path, "learning_rate") == pytest.approx(expected)


@pytest.mark.usefixtures("nothing_is_missing")
@only_for("torch")
def test_a_loop_of_torch_has_gradients(tmp_path: Path) -> None:
    """With PyTorch the gradients are those of the variables, by the same names."""
    import torch

    model, optimizer = classifier(), keras.optimizers.SGD(0.01)
    settings = {
        **QUIET,
        "histogram_regular": "",
        "gradient_histogram_regular": ".*kernel",
        "collect_gradient_norm": True,
    }
    with SummaryCollector(tmp_path, 1, settings).watch(model, optimizer, batches()) as run:
        for x, y in batches():
            loss = torch.nn.functional.mse_loss(model(x, training=True), torch.as_tensor(y))
            model.zero_grad()
            loss.backward()
            weights = model.trainable_weights
            with torch.no_grad():
                optimizer.apply([weight.value.grad for weight in weights], weights)
            run.step(loss, batch=x)
    kernels = [name for name in NAMES if name.endswith("kernel")]
    histograms = [f"{name}/auto" for name in NAMES] + [f"gradient/{name}" for name in kernels]
    assert tags_of(tmp_path, "histogram") == sorted(histograms)
    norm = scalars_of(tmp_path, "gradient_norm/classifier/out/kernel")[STEPS]
    assert norm == pytest.approx(float(model.trainable_weights[4].value.grad.norm()))
    assert list(scalars_of(tmp_path, "learning_rate").values()) == pytest.approx([0.01] * STEPS)


@pytest.mark.usefixtures("nothing_is_missing")
@only_for("torch")
def test_an_optimizer_of_torch_changes_a_model_of_keras(tmp_path: Path) -> None:
    """The names are still those of Keras, the learning rate is the one of the optimizer's group."""
    import torch

    model = classifier()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with SummaryCollector(tmp_path, 1, {**QUIET, "histogram_regular": ""}).watch(model, optimizer, batches()) as run:
        for x, y in batches():
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(x, training=True), torch.as_tensor(y))
            loss.backward()
            optimizer.step()
            run.step(loss, batch=x)
    check_parameters(tmp_path, model)
    assert set(scalars_of(tmp_path, "learning_rate").values()) == {0.01}


@pytest.mark.usefixtures("nothing_is_missing")
@only_for("tensorflow")
def test_a_loop_of_tensorflow_supplies_gradients(tmp_path: Path) -> None:
    """The gradients of a tape are passed by a function, by name."""
    import tensorflow as tf

    model, optimizer = classifier(), keras.optimizers.SGD(0.01)
    gradients: list[Any] = []
    settings = {**QUIET, "histogram_regular": "", "gradient_histogram_regular": ""}
    run = SummaryCollector(tmp_path, 1, settings).watch(
        *(model, optimizer, batches()), gradients=lambda: dict(zip(NAMES, gradients, strict=True))
    )
    with run:
        for x, y in batches():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply(gradients, model.trainable_variables)
            run.step(loss, batch=x)
    tags = [f"{name}/auto" for name in NAMES] + [f"gradient/{name}" for name in NAMES]
    assert tags_of(tmp_path, "histogram") == sorted(tags)
    last = run_in(tmp_path).histograms(f"gradient/{NAMES[0]}")[-1]
    assert last.max == pytest.approx(float(tf.reduce_max(gradients[0])))


@only_for("jax")
def test_a_stateless_loop_of_jax_supplies_its_variables(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The variables of the model do not change in it: without a function they are not recorded as current."""
    import jax

    model = classifier()
    schedule = keras.optimizers.schedules.ExponentialDecay(0.01, 10, 0.5)
    optimizer = keras.optimizers.SGD(schedule)
    optimizer.build(model.trainable_variables)

    def loss_of(trainable: Any, rest: Any, x: Any, y: Any) -> Any:
        outputs, rest = model.stateless_call(trainable, rest, x, training=True)
        return ((outputs - y) ** 2).mean(), rest

    @jax.jit
    def step(trainable: Any, rest: Any, state: Any, x: Any, y: Any) -> Any:
        (loss, rest), gradients = jax.value_and_grad(loss_of, has_aux=True)(trainable, rest, x, y)
        trainable, state = optimizer.stateless_apply(state, gradients, trainable)
        return trainable, rest, state, loss

    trainable: Any = None

    def train(directory: Path, **sources: Any) -> None:
        nonlocal trainable
        trainable = [variable.value for variable in model.trainable_variables]
        rest = [variable.value for variable in model.non_trainable_variables]
        state = [variable.value for variable in optimizer.variables]
        collector = SummaryCollector(directory, 1, {**QUIET, "histogram_regular": ""})
        with collector.watch(model, optimizer, batches(), **sources) as run:
            for x, y in batches():
                trainable, rest, state, loss = step(trainable, rest, state, x, y)
                run.step(loss, batch=x)

    train(
        tmp_path / "supplied",
        parameters=lambda: dict(zip(NAMES, trainable, strict=True)),
        learning_rate=schedule,
    )
    assert not caplog.records
    assert tags_of(tmp_path / "supplied", "histogram") == sorted(f"{name}/auto" for name in NAMES)
    last = run_in(tmp_path / "supplied").histograms(f"{NAMES[0]}/auto")[-1]
    assert last.max == pytest.approx(float(trainable[0].max()))
    expected = {number: float(schedule(number - 1)) for number in range(1, STEPS + 1)}
    assert scalars_of(tmp_path / "supplied", "learning_rate") == pytest.approx(expected)

    train(tmp_path / "model")
    (record,) = caplog.records
    assert "parameters: those of model are still the arrays that it had at first" in record.getMessage()
    assert "the learning rate: pass learning_rate=" in record.getMessage()
    assert not tags_of(tmp_path / "model", "histogram")


def test_settings_of_the_optimizer_are_in_the_lineage(tmp_path: Path) -> None:
    """Optimizer and network have their class names, the settings those of get_config()."""
    model = classifier()
    optimizer = keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(0.1, 50), beta_1=0.8)
    model.compile(optimizer, "mse")
    with SummaryCollector(tmp_path, 1, QUIET).watch(model, optimizer, batches()) as run:
        for x, y in batches():
            run.step(model.train_on_batch(x, y), batch=x)
    lineage = run_in(tmp_path).lineage()
    assert lineage.custom["optimizer/beta_1"] == 0.8
    assert lineage.custom["scheduler/class"] == "CosineDecay"
    assert lineage.model["network"] == "Sequential"
    assert lineage.hyper_parameters["optimizer"] == "Adam"
    assert lineage.hyper_parameters["learning_rate"] == pytest.approx(0.1)
