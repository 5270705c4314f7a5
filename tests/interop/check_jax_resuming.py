"""Trainings of Flax in plain loops that are resumed: the step is that of the optimizer or the TrainState."""

from pathlib import Path
from typing import Any

import jax.numpy as jnp
import optax
from flax import nnx
from flax.training.train_state import TrainState
from support.recorded_run import scalars_of

from toposcope.recorder.callbacks import SummaryCollector

QUIET = {"collect_machine": False, "collect_graph": False}


def watched(directory: Path, *arguments: Any, **options: Any) -> list[int]:
    """Return the steps of a watched run of two steps."""
    with SummaryCollector(directory, 1, QUIET).watch(*arguments, **options) as run:
        run.step(1.0)
        run.step(1.0)
    return list(scalars_of(directory, "loss/auto"))


def test_optimizer_of_nnx_goes_on(tmp_path: Path) -> None:
    """Its step is restored with its state."""
    model = nnx.Linear(4, 3, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)
    assert watched(tmp_path / "first", model, optimizer) == [1, 2]
    nnx.update(optimizer, {"step": jnp.asarray(40)})

    restored = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)
    nnx.update(restored, nnx.state(optimizer))

    assert watched(tmp_path / "second", model, restored) == [41, 42]


def test_train_state_goes_on(tmp_path: Path) -> None:
    """It contains the step, too."""
    state = TrainState.create(apply_fn=lambda: None, params={"w": jnp.ones(3)}, tx=optax.sgd(0.1))
    assert watched(tmp_path / "first", state) == [1, 2]

    assert watched(tmp_path / "second", state.replace(step=jnp.asarray(40))) == [41, 42]
    assert watched(tmp_path / "third", None, state.replace(step=40)) == [41, 42]


def test_optimizer_without_a_state_begins_at_1(tmp_path: Path) -> None:
    """An optimizer of Optax is a pair of functions: pass initial_step."""
    assert watched(tmp_path / "first", None, optax.adam(0.1), learning_rate=lambda: 0.1) == [1, 2]
    assert watched(tmp_path / "second", None, optax.adam(0.1), learning_rate=lambda: 0.1, initial_step=40) == [41, 42]
