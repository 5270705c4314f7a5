"""Evaluations that a watched run reports after its training has ended."""

from pathlib import Path
from typing import Any

import pytest
from support.line_network import Line, line_batches
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.recorder.callbacks import EarlyStopping, SummaryCollector
from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext

QUIET = {"collect_machine": False, "collect_environment": False, "collect_throughput": False}


def train(directory: Path, **arguments: Any) -> Any:
    """Return the run of a training of three steps that has ended."""
    network, batches = Line(), line_batches(3)
    with SummaryCollector(directory, 1, QUIET).watch(network, loader=batches, learning_rate=0.1, **arguments) as run:
        for x, y in batches:
            run.step(network.train_step(x, y))
        run.eval({"accuracy": 0.5})
    return run


def test_an_evaluation_after_the_end_is_recorded_at_the_last_step(tmp_path: Path) -> None:
    """It has a file of its own, in the same attempt of the run."""
    train(tmp_path).eval({"accuracy": 0.75}, label="test")
    assert scalars_of(tmp_path, "eval/accuracy") == {3: 0.5}
    assert scalars_of(tmp_path, "eval/test/accuracy") == {3: 0.75}
    assert len(scalars_of(tmp_path, "loss/auto")) == 3
    assert run_in(tmp_path).attempts == 1


def test_an_evaluation_that_repeats_a_metric_is_not_an_attempt(tmp_path: Path) -> None:
    """The same metric at the same step is a further point; nothing is hidden."""
    train(tmp_path).eval({"accuracy": 0.75})
    points = run_in(tmp_path).scalars("eval/accuracy")
    assert (points.step.tolist(), points.value.tolist()) == ([3, 3], [0.5, 0.75])
    assert len(scalars_of(tmp_path, "loss/auto")) == 3
    assert run_in(tmp_path).attempts == 1


def test_several_evaluations_may_follow_a_training(tmp_path: Path) -> None:
    """Each of them is recorded, with its lineage."""
    run = train(tmp_path)
    for label in ("first", "second"):
        run.eval({"loss": 1.0}, label=label)
    assert {"eval/first/loss", "eval/second/loss"} < set(tags_of(tmp_path, "scalar"))


def test_an_evaluation_follows_a_training_that_failed(tmp_path: Path) -> None:
    """The parameters of the last step may still be evaluated."""
    run = SummaryCollector(tmp_path, 1, QUIET).watch(Line(), learning_rate=0.1)
    with pytest.raises(KeyError), run:  # noqa: PT012
        run.step(1.0)
        raise KeyError
    run.eval({"accuracy": 0.25})
    assert scalars_of(tmp_path, "eval/accuracy") == {1: 0.25}


def test_only_callbacks_that_follow_evaluations_are_called(tmp_path: Path) -> None:
    """Callbacks of trainings and closed loggers do not receive it."""

    class Evaluations(Callback):
        """Remembers the metrics of evaluations."""

        def __init__(self) -> None:
            self.metrics: list[Any] = []

        def on_eval_end(self, run_context: RunContext) -> None:
            """Remember the metrics."""
            self.metrics.append(dict(run_context.original_args().metrics))

    evaluations, logger = Evaluations(), InMemoryLogger()
    run = train(tmp_path, callbacks=[evaluations, EarlyStopping("accuracy")], loggers=logger)
    run.eval({"accuracy": 1.0})
    assert evaluations.metrics == [{"accuracy": 0.5}, {"accuracy": 1.0}]
    assert len(logger.data["metrics/eval/accuracy"]) == 1


def test_an_evaluation_after_a_requested_stop_belongs_to_the_run(tmp_path: Path) -> None:
    """Inside of the with statement it is recorded with the others."""
    with SummaryCollector(tmp_path, 1, QUIET).watch(Line(), learning_rate=0.1) as run:
        run.step(1.0)
        run.state.stop_training()
        assert run.stop_requested
        run.eval({"accuracy": 0.5})
    assert scalars_of(tmp_path, "eval/accuracy") == {1: 0.5}


def test_an_evaluation_before_the_training_is_refused(tmp_path: Path) -> None:
    """A run that was not entered has no step to record it at."""
    run = SummaryCollector(tmp_path, 1, QUIET).watch(Line(), learning_rate=0.1)
    with pytest.raises(RuntimeError, match="with"):
        run.eval({"accuracy": 0.5})
    assert not list(tmp_path.iterdir())
