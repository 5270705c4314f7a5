"""run.step() in a plain JAX loop: it returns while the loss is still being computed."""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from support.written_events import ReadEvents

from toposcope.recorder.callbacks import SummaryCollector

QUIET = {"collect_machine": False, "collect_environment": False}


def losses_in(directory: Path, read_events: ReadEvents) -> list[tuple[int, float]]:
    """Return step and loss of each event."""
    (path,) = directory.glob("*_MS")
    values = [(event.step, value) for event in read_events(path) for value in event.summary.value]
    return [(step, value.scalar_value) for step, value in values if value.tag == "loss/auto"]


def test_step_returns_before_the_computation_is_done(tmp_path: Path, read_events: ReadEvents) -> None:
    """A computation of seconds is still running after five calls of run.step()."""

    @jax.jit
    def train(weights: Any, times: Any) -> Any:
        return jax.lax.fori_loop(0, times, lambda _, each: jnp.tanh(each @ each / 300), weights).mean()

    weights = jnp.ones((300, 300))
    first = train(weights, 1).block_until_ready()
    with SummaryCollector(tmp_path, collect_specified_data=QUIET).watch() as run:
        run.step(first)  # Once for all: what the first step imports.
        loss = train(weights, 5000)
        for _ in range(5):
            run.step(loss)
        assert not loss.is_ready()
    losses = losses_in(tmp_path, read_events)
    assert [step for step, _ in losses] == [1, 2, 3, 4, 5, 6]
    assert {value for _, value in losses[1:]} == {float(loss)}


def test_losses_of_a_training_are_those_of_the_computation(tmp_path: Path, read_events: ReadEvents) -> None:
    """Of an asynchronously dispatched loop with donated weights."""
    train = jax.jit(lambda weights: (weights * 0.9, jnp.square(weights).mean()), donate_argnums=0)
    weights, expected = jnp.ones((200, 200)), []
    with SummaryCollector(tmp_path, collect_specified_data=QUIET).watch() as run:
        for _ in range(50):
            weights, loss = train(weights)
            run.step(loss)
            expected.append(loss)
    steps, losses = zip(*losses_in(tmp_path, read_events), strict=True)
    assert steps == tuple(range(1, 51))
    np.testing.assert_allclose(losses, np.asarray(expected), rtol=1e-6)


def test_loss_whose_buffer_was_deleted_is_skipped(
    tmp_path: Path, read_events: ReadEvents, caplog: pytest.LogCaptureFixture
) -> None:
    """The loop may donate or delete its loss; the others are recorded."""
    with SummaryCollector(tmp_path, collect_specified_data=QUIET).watch() as run:
        for step in range(1, 4):
            loss = jnp.float32(step) + 1
            run.step(loss)
            if step == 2:
                loss.delete()
    assert {1, 3} <= {step for step, _ in losses_in(tmp_path, read_events)}
    assert sum("loss/auto" in record.getMessage() for record in caplog.records) <= 1
