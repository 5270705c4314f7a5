"""Trainings of the real JAX, Flax, Equinox and Optax in plain loops, recorded and read back."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx
from flax.training.train_state import TrainState
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.recorder.callbacks import SummaryCollector

STEPS = 30
SCHEDULE = optax.cosine_decay_schedule(0.1, STEPS)
QUIET = {"collect_machine": False, "collect_graph": False, "histogram_regular": ""}


class Linen(nn.Module):
    """A classifier of Flax linen."""

    @nn.compact
    def __call__(self, x: Any, train: bool = True) -> Any:
        x = nn.relu(nn.Dense(8)(x))
        x = nn.BatchNorm(use_running_average=not train)(x)
        return nn.Dense(3)(x)


class Nnx(nnx.Module):
    """A classifier of Flax nnx."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.layers = nnx.List([nnx.Linear(4, 8, rngs=rngs), nnx.Linear(8, 3, rngs=rngs)])
        self.norm = nnx.BatchNorm(8, rngs=rngs)
        self.dropout = nnx.Dropout(0.1, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        return self.layers[1](self.dropout(self.norm(jax.nn.relu(self.layers[0](x)))))


class Equinox(eqx.Module):
    """A classifier of Equinox."""

    first: eqx.nn.Linear
    second: eqx.nn.Linear
    activation: Any = jax.nn.relu

    def __call__(self, x: Any) -> Any:
        return self.second(self.activation(self.first(x)))


def batches() -> list[tuple[Any, Any]]:
    """Return the batches of an epoch."""
    random = np.random.default_rng(0)
    x = random.normal(size=(STEPS, 16, 4)).astype(np.float32)
    return list(zip(x, x[:, :, :3] * 2, strict=True))


def squared_error(outputs: Any, y: Any) -> Any:
    """Return the mean squared error."""
    return jnp.mean((outputs - y) ** 2)


def check(directory: Path, parameters: dict[str, Any], rates: bool = True) -> None:
    """Check the histograms of a training against its final parameters, the learning rates against the schedule."""
    assert tags_of(directory, "histogram") == sorted(f"{name}/auto" for name in parameters)
    for name, array in parameters.items():
        histograms = run_in(directory).histograms(f"{name}/auto")
        assert len(histograms) == STEPS
        assert histograms[-1].total_count == array.size
        assert histograms[-1].max == pytest.approx(float(array.max()))
    if rates:
        expected = {step: float(SCHEDULE(step - 1)) for step in range(1, STEPS + 1)}
        assert scalars_of(directory, "learning_rate") == pytest.approx(expected, rel=1e-4)
    losses = scalars_of(directory, "loss/auto")
    assert losses[STEPS] < losses[1]


@pytest.fixture
def nothing_is_missing(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Check that no warning is logged."""
    yield
    assert not [record.getMessage() for record in caplog.get_records("call") if record.levelno >= logging.WARNING]


@pytest.mark.usefixtures("nothing_is_missing")
def test_a_loop_over_a_pytree(tmp_path: Path) -> None:
    """A loop that replaces a dict of arrays, whose buffers are donated, supplies functions."""

    @jax.jit
    def loss_of(parameters: Any, x: Any, y: Any) -> Any:
        hidden = jnp.tanh(x @ parameters["layers"][0]["w"] + parameters["layers"][0]["b"])
        return squared_error(hidden @ parameters["layers"][1]["w"], y)

    def step(parameters: Any, state: Any, x: Any, y: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_of)(parameters, x, y)
        updates, state = optimizer.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), state, loss, gradients

    jitted = jax.jit(step, donate_argnums=(0, 1))
    keys = jax.random.split(jax.random.key(0))
    first = {"w": jax.random.normal(keys[0], (4, 8)), "b": jnp.zeros(8)}
    parameters: Any = {"layers": [first, {"w": jax.random.normal(keys[1], (8, 3))}]}
    optimizer = optax.adam(SCHEDULE)
    state, gradients = optimizer.init(parameters), None
    everything = {**QUIET, "gradient_histogram_regular": "", "collect_gradient_norm": True}
    run = SummaryCollector(tmp_path, 1, everything).watch(
        optimizer=optimizer,
        loader=batches(),
        parameters=lambda: parameters,
        gradients=lambda: gradients,
        learning_rate=SCHEDULE,
    )
    with run:
        for x, y in batches():
            parameters, state, loss, gradients = jitted(parameters, state, x, y)
            run.step(loss, batch=x)
    layers = parameters["layers"]
    names = {"layers/0/w": layers[0]["w"], "layers/0/b": layers[0]["b"], "layers/1/w": layers[1]["w"]}
    tags = sorted([f"{name}/auto" for name in names] + [f"gradient/{name}" for name in names])
    assert tags_of(tmp_path, "histogram") == tags
    norms = scalars_of(tmp_path, "gradient_norm/global")
    assert norms[STEPS] == pytest.approx(float(optax.tree.norm(gradients)), rel=1e-5)
    assert run_in(tmp_path).histograms("layers/1/w/auto")[-1].max == pytest.approx(float(names["layers/1/w"].max()))
    assert scalars_of(tmp_path, "learning_rate")[STEPS] == pytest.approx(float(SCHEDULE(STEPS - 1)))


@pytest.mark.usefixtures("nothing_is_missing")
def test_a_train_state_of_linen(tmp_path: Path) -> None:
    """Names are the paths in the state, and its optimizer state has the learning rate that was injected."""
    x, _ = batches()[0]
    model = Linen()
    variables = model.init(jax.random.key(0), x)
    optimizer = optax.chain(optax.clip(1.0), optax.inject_hyperparams(optax.adam)(learning_rate=SCHEDULE))
    state = TrainState.create(apply_fn=model.apply, params=variables["params"], tx=optimizer)
    statistics = variables["batch_stats"]

    @jax.jit
    def step(state: TrainState, statistics: Any, x: Any, y: Any) -> Any:
        def loss_of(params: Any) -> Any:
            outputs, changed = state.apply_fn({"params": params, "batch_stats": statistics}, x, mutable=["batch_stats"])
            return squared_error(outputs, y), changed["batch_stats"]

        (loss, statistics), gradients = jax.value_and_grad(loss_of, has_aux=True)(state.params)
        return state.apply_gradients(grads=gradients), statistics, loss

    with SummaryCollector(tmp_path, 1, QUIET).watch(model, loader=batches(), parameters=lambda: state) as run:
        for x, y in batches():
            state, statistics, loss = step(state, statistics, x, y)
            run.step(loss, batch=x)
    layers = {"Dense_0": ("kernel", "bias"), "BatchNorm_0": ("scale", "bias"), "Dense_1": ("kernel", "bias")}
    check(
        tmp_path,
        {f"params/{layer}/{name}": state.params[layer][name] for layer, names in layers.items() for name in names},
    )


@pytest.mark.usefixtures("nothing_is_missing")
def test_variables_of_linen(tmp_path: Path) -> None:
    """Of variables only the parameters are collected, not the statistics."""
    x, _ = batches()[0]
    model = Linen()
    variables = model.init(jax.random.key(0), x)

    @jax.jit
    def step(variables: Any, rate: Any, x: Any, y: Any) -> Any:
        def loss_of(params: Any) -> Any:
            outputs, changed = model.apply({**variables, "params": params}, x, mutable=["batch_stats"])
            return squared_error(outputs, y), changed

        (loss, changed), gradients = jax.value_and_grad(loss_of, has_aux=True)(variables["params"])
        params = jax.tree.map(lambda weight, gradient: weight - rate * gradient, variables["params"], gradients)
        return {"params": params, **changed}, loss

    collector = SummaryCollector(tmp_path, 1, QUIET)
    with collector.watch(loader=batches(), parameters=lambda: variables, learning_rate=0.1) as run:
        for x, y in batches():
            variables, loss = step(variables, 0.1, x, y)
            run.step(loss, batch=x)
    assert "params/Dense_0/kernel/auto" in tags_of(tmp_path, "histogram")
    assert len(tags_of(tmp_path, "histogram")) == 6
    assert set(scalars_of(tmp_path, "learning_rate").values()) == {0.1}


@pytest.mark.usefixtures("nothing_is_missing")
@pytest.mark.parametrize("is_injected", [True, False], ids=["injected learning rate", "schedule"])
def test_a_module_of_nnx(tmp_path: Path, is_injected: bool) -> None:
    """A module and its optimizer, which change in place, suffice; without an injected rate the schedule is passed."""
    model = Nnx(nnx.Rngs(0))
    transformation = optax.inject_hyperparams(optax.adam)(SCHEDULE) if is_injected else optax.adam(SCHEDULE)
    optimizer = nnx.Optimizer(model, transformation, wrt=nnx.Param)

    @nnx.jit
    def step(model: Nnx, optimizer: Any, x: Any, y: Any) -> Any:
        loss, gradients = nnx.value_and_grad(lambda model: squared_error(model(x), y))(model)
        optimizer.update(model, gradients)
        return loss

    rate = None if is_injected else SCHEDULE
    with SummaryCollector(tmp_path, 1, QUIET).watch(model, optimizer, batches(), learning_rate=rate) as run:
        for x, y in batches():
            run.step(step(model, optimizer, x, y), batch=x)
    paths = [
        *("layers/0/kernel", "layers/0/bias", "layers/1/kernel", "layers/1/bias"),
        *("norm/scale", "norm/bias"),
    ]
    flat = {"/".join(map(str, path)): each.get_value() for path, each in nnx.to_flat_state(nnx.state(model, nnx.Param))}
    assert sorted(flat) == sorted(paths)
    check(tmp_path, flat)


@pytest.mark.usefixtures("nothing_is_missing")
def test_a_state_of_nnx(tmp_path: Path) -> None:
    """A loop over a split module supplies its state."""
    graph, state, rest = nnx.split(Nnx(nnx.Rngs(0)), nnx.Param, ...)
    optimizer = optax.sgd(SCHEDULE)
    memory = optimizer.init(state)

    @jax.jit
    def step(state: Any, rest: Any, memory: Any, x: Any, y: Any) -> Any:
        def loss_of(state: Any) -> Any:
            model = nnx.merge(graph, state, rest, copy=True)
            return squared_error(model(x), y), nnx.split(model, nnx.Param, ...)[2]

        (loss, rest), gradients = jax.value_and_grad(loss_of, has_aux=True)(state)
        updates, memory = optimizer.update(gradients, memory, state)
        return optax.apply_updates(state, updates), rest, memory, loss

    collector = SummaryCollector(tmp_path, 1, QUIET)
    with collector.watch(loader=batches(), parameters=lambda: state, learning_rate=SCHEDULE) as run:
        for x, y in batches():
            state, rest, memory, loss = step(state, rest, memory, x, y)
            run.step(loss, batch=x)
    check(tmp_path, {"/".join(map(str, path)): each.get_value() for path, each in nnx.to_flat_state(state)})


@pytest.mark.usefixtures("nothing_is_missing")
def test_a_module_of_equinox(tmp_path: Path) -> None:
    """Only arrays of the module are collected, not its functions."""
    keys = jax.random.split(jax.random.key(0))
    model = Equinox(eqx.nn.Linear(4, 8, key=keys[0]), eqx.nn.Linear(8, 3, key=keys[1]))
    optimizer = optax.inject_hyperparams(optax.adam)(learning_rate=SCHEDULE)
    state = optimizer.init(eqx.filter(model, eqx.is_inexact_array))

    # The buffers of the last state, with its learning rate, are given to the next step.
    @eqx.filter_jit(donate="all-except-first")
    def step(model: Equinox, state: Any, x: Any, y: Any) -> Any:
        loss, gradients = eqx.filter_value_and_grad(lambda model: squared_error(jax.vmap(model)(x), y))(model)
        updates, state = optimizer.update(gradients, state)
        return eqx.apply_updates(model, updates), state, loss

    run = SummaryCollector(tmp_path, 1, QUIET).watch(
        loader=batches(), parameters=lambda: model, learning_rate=lambda: state.hyperparams["learning_rate"]
    )
    with run:
        for x, y in batches():
            model, state, loss = step(model, state, x, y)
            run.step(loss, batch=x)
    linear = {"first": model.first, "second": model.second}
    check(
        tmp_path,
        {f"{name}/{part}": getattr(layer, part) for name, layer in linear.items() for part in ("weight", "bias")},
    )


def test_parameters_that_the_loop_replaces_are_not_recorded_as_current(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A pytree passed as model keeps its first arrays: one warning asks for a function, and none is recorded."""
    parameters = {"w": jnp.ones(3)}
    with SummaryCollector(tmp_path, 1).watch(parameters, optax.sgd(0.1), batches()) as run:
        for _ in range(3):
            parameters = jax.tree.map(lambda weight: weight * 0.9, parameters)
            run.step(parameters["w"].sum())
    (message,) = [record.getMessage() for record in caplog.records]
    assert "parameters=lambda: params" in message
    assert "learning_rate=" in message
    assert "the graph" in message
    assert not tags_of(tmp_path, "histogram")
    assert len(scalars_of(tmp_path, "loss/auto")) == 3


@pytest.mark.usefixtures("nothing_is_missing")
def test_a_step_does_not_wait_for_its_computation(tmp_path: Path) -> None:
    """Loss, parameters, gradients and learning rate are read by the writer, although their buffers are donated."""

    @jax.jit
    def compute(parameters: Any, delay: Any) -> Any:
        # A second of work, which the loss, the parameters and the gradients depend on.
        busy = jax.lax.fori_loop(0, delay, lambda _, matrix: jnp.tanh(matrix @ matrix), jnp.eye(512))
        return {"w": parameters["w"] + 1 + 0 * busy[0, 1]}, busy[0, 1], {"w": 0 * parameters["w"] + busy[0, 1]}

    step = jax.jit(compute, donate_argnums=0)
    parameters, gradients = {"w": jnp.zeros(3)}, {"w": jnp.zeros(3)}
    everything = {**QUIET, "gradient_histogram_regular": ""}
    run = SummaryCollector(tmp_path, 1, everything).watch(
        parameters=lambda: parameters, gradients=lambda: gradients, learning_rate=SCHEDULE
    )
    with run:
        for delay in (1, 1, 1000):  # The first steps compile.
            parameters, loss, gradients = step(parameters, delay)
            run.step(loss)
        assert not loss.is_ready()
        # The buffers of the last parameters and gradients are given away before anything is read.
        step(parameters, 1)
        step(gradients, 1)
    assert [each.max for each in run_in(tmp_path).histograms("w/auto")] == [1.0, 2.0, 3.0]
    assert len(run_in(tmp_path).histograms("gradient/w")) == 3
    assert scalars_of(tmp_path, "learning_rate") == pytest.approx({1 + i: float(SCHEDULE(i)) for i in range(3)})
    assert len(scalars_of(tmp_path, "loss/auto")) == 3


@pytest.mark.usefixtures("nothing_is_missing")
def test_a_resumed_training_goes_on_with_its_schedule(tmp_path: Path) -> None:
    """An optimizer of nnx counts its steps: a further loop begins where the last one ended."""
    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(SCHEDULE), wrt=nnx.Param)
    for _ in range(2):
        with SummaryCollector(tmp_path, 1, QUIET).watch(model, optimizer, learning_rate=SCHEDULE) as run:
            for _ in range(5):
                loss, gradients = nnx.value_and_grad(lambda model: jnp.sum(model(jnp.ones(2)) ** 2))(model)
                optimizer.update(model, gradients)
                run.step(loss)
    expected = {step: float(SCHEDULE(step - 1)) for step in range(1, 11)}
    assert scalars_of(tmp_path, "learning_rate") == pytest.approx(expected, rel=1e-4)
