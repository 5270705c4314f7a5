"""Trainings of another library's trainer, which reports its steps, evaluations and end."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.training import Event, EventCallback
from toposcope.recorder.training.own_loops.driven_run import DrivenRun

QUIET = {"collect_machine": False, "collect_graph": False, "histogram_regular": "$^", "collect_environment": False}
BATCH = np.ones((2, 3))


class Trace(EventCallback):
    """Keeps the names of the events and the epoch and the step at which they happened."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.samples: list[int] = []

    def run_event(self, event: Event, state: Any, logger: Any) -> None:
        """Keep an event."""
        self.events.append(f"{event.name.lower()} {state.timestamp.epoch.value}.{state.timestamp.batch.value}")
        if event is Event.BATCH_END:
            self.samples.append(int(state.timestamp.sample))


def collector(directory: Path) -> SummaryCollector:
    """Return a collector of losses and evaluations."""
    return SummaryCollector(directory, collect_specified_data=QUIET)


@pytest.mark.parametrize("steps_per_epoch", [2, None])
def test_events_of_a_training(steps_per_epoch: int | None) -> None:
    """A step has the samples of its micro-batches; an epoch ends when the trainer says so."""
    trace = Trace()
    run = DrivenRun([trace], steps=3, steps_per_epoch=steps_per_epoch)
    run.begin()
    for number_of_batches in (1, 2):
        for _ in range(number_of_batches):
            run.add_batch(BATCH)
        run.end_step(0.5)
    run.evaluate({"loss": 0.25})
    run.end_epoch()
    run.evaluate({"loss": 0.25})
    run.close_epoch()
    run.close_epoch()
    run.end_step(0.5)
    run.end()

    evaluation = ["eval_before_all", "eval_start", "eval_end", "eval_after_all"]
    assert trace.events[5:] == [
        "epoch_start 0.0",
        "batch_start 0.0",
        "batch_end 0.1",
        "batch_checkpoint 0.1",
        "batch_start 0.1",
        "batch_end 0.2",
        "batch_checkpoint 0.2",
        *(f"{name} 0.2" for name in evaluation),
        "epoch_end 1.2",
        *(f"{name} 1.2" for name in evaluation),
        "epoch_checkpoint 1.2",
        "epoch_start 1.2",
        "batch_start 1.2",
        "batch_end 1.3",
        "batch_checkpoint 1.3",
        "fit_end 1.3",
    ]
    assert trace.samples == [2, 6, 6]


def test_samples_are_known_after_a_batch() -> None:
    """Where the trainer does not pass the batch: they count as those of the step."""
    trace = Trace()
    run = DrivenRun([trace])
    run.begin()
    for sizes in ([8], [8, 4]):
        for size in sizes:
            run.add_batch(None)
            run.end_batch(size)
        run.end_batch(100)  # It has ended.
        run.end_step(0.5)
    run.end()

    assert trace.samples == [8, 20]


def test_training_is_recorded(tmp_path: Path) -> None:
    """With the losses of the trainer, from the step on at which it begins."""
    run = DrivenRun(collector(tmp_path), initial_step=10, initial_epoch=2, learning_rate=lambda: 0.1)
    run.begin()
    for loss in (3.0, 2.0, 1.0):
        run.end_step(loss)
        run.log({"norm": loss / 2})
    run.end()
    run.evaluate({"loss": 0.5})

    assert scalars_of(tmp_path, "loss/auto") == {11: 3.0, 12: 2.0, 13: 1.0}
    assert scalars_of(tmp_path, "norm") == {11: 1.5, 12: 1.0, 13: 0.5}
    assert scalars_of(tmp_path, "learning_rate") == {11: 0.1, 12: 0.1, 13: 0.1}
    assert scalars_of(tmp_path, "eval/loss") == {13: 0.5}
    assert run_in(tmp_path).state.state == "finished"


def test_values_that_cannot_be_recorded_are_named_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The others of the same call are recorded; str is text."""
    run = DrivenRun(collector(tmp_path))
    run.begin()
    for step in (1, 2):
        run.log({"good": 0.5, "nested": {"note": "first"}, "bad": object()}, step)
    run.end()

    assert scalars_of(tmp_path, "good") == {1: 0.5, 2: 0.5}
    assert run_in(tmp_path).text("nested/note")[1].texts == ["first"]
    assert len([record for record in caplog.records if "'bad'" in record.getMessage()]) == 1


def test_failure_is_recorded_once(tmp_path: Path) -> None:
    """What happens after the end changes nothing."""
    run = DrivenRun(collector(tmp_path))
    run.fail(OSError("before the beginning"))
    run.begin()
    run.end_step(3.0)
    run.fail(ValueError("diverged"))
    run.fail(OSError("after the end"))

    state = run_in(tmp_path).state
    assert state.state == "failed"
    assert state.error is not None
    assert state.error.text == "diverged"
    with pytest.raises(RuntimeError, match="has ended"):
        run.end_step(1.0)
    with pytest.raises(RuntimeError, match="only once"):
        run.begin()


@pytest.mark.parametrize("is_handled", [True, False])
def test_a_dropped_training_ends_with_the_exception_that_is_handled(tmp_path: Path, is_handled: bool) -> None:
    """A trainer that is gone does not say how its training ended."""
    run = DrivenRun([collector(tmp_path)])
    run.begin()
    run.end_step(1.0)
    if is_handled:
        try:
            raise OSError("the disk is full")
        except OSError:
            run.drop()
    run.drop()
    assert not run.is_running
    assert run_in(tmp_path).state.state == ("failed" if is_handled else "finished")


def test_values_may_be_withheld_from_destinations(tmp_path: Path) -> None:
    """Those that a destination has received as losses or results."""
    memory = InMemoryLogger()
    run = DrivenRun([collector(tmp_path), memory])
    run.begin()
    run.log({"one": 1.0}, 0, has_destinations=False)
    run.log({"two": 2.0}, 0)
    run.end()
    assert list(memory.data) == ["two"]
    assert tags_of(tmp_path, "scalar") == ["one", "two"]


def test_evaluation_without_a_training_is_lineage(tmp_path: Path) -> None:
    """It belongs to no step."""
    DrivenRun(collector(tmp_path)).evaluate({"loss": 0.5})

    assert run_in(tmp_path).lineage().metrics == {"loss": 0.5}
    assert not tags_of(tmp_path, "scalar")


def test_callbacks_stop_the_training() -> None:
    """The trainer asks for it."""

    class Stop(EventCallback):
        def batch_end(self, state: Any, logger: Any) -> None:
            state.stop_training()

    run = DrivenRun([Stop()], steps=10)
    run.begin()
    assert not run.is_stop_requested
    run.end_step(None)
    assert run.is_stop_requested
    run.end()
    assert not run.is_running
