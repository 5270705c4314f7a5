"""RuntimeEstimator: the remaining time of a training."""

from datetime import timedelta
from typing import Any

import pytest
from support.line_network import line_batches
from support.tiny_training import logged_by, series, tiny_trainer

from toposcope.recorder.event_callbacks import RuntimeEstimator, runtime_estimator
from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.training.progress.timestamp import Timestamp
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State
from toposcope.recorder.training.watch import watch

NAME = "time/remaining_estimate"


class Clock:
    """A clock that tests advance."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 100.0
        monkeypatch.setattr(runtime_estimator, "perf_counter", lambda: self.seconds)


class Run:
    """A training whose events the test runs, each batch taking some seconds."""

    def __init__(self, callback: RuntimeEstimator, clock: Clock, max_duration: str, length: int | None = 5) -> None:
        self.state, self.memory, self.clock, self.callback = State(), InMemoryLogger(), clock, callback
        self.state.max_duration = State(max_duration=max_duration).max_duration
        self.state.set_dataloader(None if length is None else range(length), "train")
        self.logger = Logger(self.state, self.memory)
        self.memory.init(self.state, self.logger)
        callback.init(self.state, self.logger)
        callback.fit_start(self.state, self.logger)

    def epoch(self, seconds: list[float]) -> None:
        """Run batches of one epoch."""
        self.callback.epoch_start(self.state, self.logger)
        for each in seconds:
            self.callback.batch_start(self.state, self.logger)
            self.clock.seconds += each
            self.state.count_step(4, each)
            self.callback.batch_end(self.state, self.logger)
        self.state.timestamp = self.state.timestamp.to_next_epoch()
        self.callback.epoch_end(self.state, self.logger)

    def evaluate(self, seconds: float, label: str = "eval") -> None:
        """Run an evaluation."""
        loader, before = self.state.dataloader, self.state.dataloader_label
        self.state.set_dataloader(range(77), label)
        self.clock.seconds += seconds
        self.state.eval_timestamp = Timestamp(total_wct=timedelta(seconds=seconds))
        self.callback.eval_end(self.state, self.logger)
        self.state.set_dataloader(loader, before)

    @property
    def estimates(self) -> list[float]:
        """What was logged."""
        return [value for _, value in series(self.memory, NAME)]


def test_estimate_extrapolates_the_batches_after_the_skipped_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first batch takes an hour, each other one two seconds."""
    run = Run(RuntimeEstimator(time_unit="seconds"), Clock(monkeypatch), "2ep")
    run.epoch([3600, 2, 2, 2, 2])
    run.epoch([2, 2, 2, 2, 2])

    assert run.estimates == pytest.approx([16, 14, 12, 10, 8, 6, 4, 2, 0])
    assert run.memory.hyperparameters == {"time/remaining_estimate_unit": "seconds"}


@pytest.mark.parametrize(("unit", "seconds"), [("minutes", 60), ("hours", 3600), ("days", 86400)])
def test_estimate_is_in_the_unit(unit: str, seconds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of an hour."""
    run = Run(RuntimeEstimator(0, time_unit=unit), Clock(monkeypatch), "5ba")
    run.epoch([3600] * 5)

    assert run.estimates == pytest.approx([left * 3600 / seconds for left in (4, 3, 2, 1, 0)])


def test_remaining_evaluations_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of 50 s, then of 10 s each, after every epoch of four; two evaluators."""
    run = Run(RuntimeEstimator(0, time_unit="seconds"), Clock(monkeypatch), "4ep", length=2)
    run.epoch([1, 1])
    run.evaluate(50)
    run.epoch([1, 1])
    run.evaluate(10)
    run.evaluate(7, "other")
    run.epoch([1, 1])
    run.evaluate(10)
    run.evaluate(7, "other")
    run.epoch([1, 1])

    evaluations = [0, 0, 3 * 50, 3 * 50, 2 * 10 + 7, 2 * 10 + 7]  # One of "other" in two epochs.
    assert run.estimates[:6] == pytest.approx(
        [left + more for left, more in zip((7, 6, 5, 4, 3, 2), evaluations, strict=True)]
    )


def test_length_of_an_epoch_is_measured_if_the_loader_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the first epoch nothing is known; of the second, half is."""
    run = Run(RuntimeEstimator(0, time_unit="seconds"), Clock(monkeypatch), "2ep", length=None)
    run.epoch([1, 1, 1, 1])
    run.epoch([1, 1, 1, 1])

    assert run.estimates == pytest.approx([3, 2, 1, 0])


def test_every_batch_after_the_skipped_ones_of_a_real_training_has_an_estimate() -> None:
    """Also with evaluations; a second fit() is measured separately."""
    memory = InMemoryLogger()
    callback = RuntimeEstimator(2, "seconds")
    with tiny_trainer([callback], [memory], eval_dataloader=line_batches(2), max_duration="2ep") as trainer:
        trainer.fit()
        assert [step for step, _ in series(memory, NAME)] == list(range(3, 11))
        trainer.fit(duration="1ep")

    assert [step for step, _ in series(memory, NAME)] == [*range(3, 11), 13, 14, 15]
    assert all(value >= 0 for _, value in series(memory, NAME))


def test_watched_loop_of_known_length_has_estimates(caplog: pytest.LogCaptureFixture) -> None:
    """One of unknown length is reported."""
    memory = InMemoryLogger()
    with watch(RuntimeEstimator(), loader=range(3), epochs=1, loggers=memory) as run:
        for _ in range(3):
            run.step(1.0)
    assert [step for step, _ in series(memory, NAME)] == [2, 3]
    assert memory.most_recent_values[NAME] == 0
    assert not caplog.records

    with watch(RuntimeEstimator(), loggers=(unknown := InMemoryLogger())) as run:
        run.step(1.0)
        run.step(1.0)
    assert NAME not in unknown.data
    assert caplog.text.count("unknown") == 1


def test_evaluation_outside_of_a_training_is_ignored() -> None:
    """Before the training and after it."""
    callback = RuntimeEstimator(0)
    with tiny_trainer([callback], eval_dataloader=line_batches(1)) as trainer:
        trainer.eval()
        trainer.fit()
        trainer.eval()


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"skip_batches": -1}, ValueError, "skip_batches"),
        ({"time_unit": "weeks"}, ValueError, "weeks"),
    ],
)
def test_errors_name_the_invalid_argument(arguments: dict[str, Any], error: type[Exception], named: str) -> None:
    """They are raised at construction."""
    with pytest.raises(error, match=named):
        RuntimeEstimator(**arguments)


def test_hyperparameter_is_logged_by_any_training() -> None:
    """Before the first step."""
    assert logged_by(RuntimeEstimator()).hyperparameters == {"time/remaining_estimate_unit": "hours"}
