"""RuntimeEstimator: logs how long a training will still take."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.event_callbacks.time_unit import seconds_per
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.progress.time import TimeUnit

if TYPE_CHECKING:
    from toposcope.recorder.training.state.logger import Logger
    from toposcope.recorder.training.state.state import State


class RuntimeEstimator(EventCallback):
    """Logs the estimated remaining time of the training as "time/remaining_estimate" at the end of each batch.

    The time of training that has passed since the skipped batches, with callbacks and waiting for data but without
    evaluations, is extrapolated to max_duration. Evaluations are added: those of each evaluator take as long as they
    did on average, without the first one if there were more, and continue as often as before. The unit is logged as the
    hyperparameter "time/remaining_estimate_unit". A training of unknown length has no estimate, which is reported in
    one log line.

    Names and parameters are those of Composer's class. Unlike it, each fit() is measured separately, and the clock is
    monotonic.
    """

    def __init__(self, skip_batches: int = 1, time_unit: str = "hours") -> None:
        """Set the unit.

        Args:
            skip_batches: batches of each fit() that are not measured, as the first ones are often slower.
            time_unit: "seconds", "minutes", "hours" or "days".

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: skip_batches is negative, or time_unit is another str.
        """
        self._skip_batches = checked_integer("skip_batches", skip_batches, lowest=0)
        self._seconds_per_unit, self._time_unit = seconds_per(time_unit), time_unit
        self._is_enabled = False
        self._batches_to_skip = 0
        self._progress_at_fit_start = 0.0
        self._start: tuple[float, float] | None = None
        """perf_counter() and the progress at the end of the skipped batches; None before."""
        self._eval_seconds = 0.0
        """The time spent in evaluations since the start."""
        self._evaluations: dict[str, list[float]] = {}
        """The seconds of each evaluation of this fit() by label."""
        self.eval_frequency_per_label: dict[str, float] = {}
        """The share of the training between two evaluations by label."""
        self._last_evaluation: dict[str, float] = {}
        """The progress at the last evaluation by label."""
        self._epoch_length: int | None = None
        self._is_length_measured = False
        self._batches_at_epoch_start: int | None = None

    def init(self, state: State, logger: Logger) -> None:
        """Log the unit."""
        logger.log_hyperparameters({"time/remaining_estimate_unit": self._time_unit})

    def fit_start(self, state: State, logger: Logger) -> None:
        """Start measuring."""
        self._is_enabled, self._batches_to_skip = True, self._skip_batches
        self._start, self._eval_seconds = None, 0.0
        self._evaluations, self.eval_frequency_per_label, self._last_evaluation = {}, {}, {}
        self._is_length_measured = False
        self._take_length(state)
        self._batches_at_epoch_start = None
        progress = self._progress(state)
        if progress is None:
            self._is_enabled = False
            log.warn("RuntimeEstimator logs nothing: the length of the training is unknown.")
            return
        self._progress_at_fit_start = progress
        if not self._batches_to_skip:
            self._start = perf_counter(), progress

    def epoch_start(self, state: State, logger: Logger) -> None:
        """Note the beginning of an epoch."""
        self._batches_at_epoch_start = int(state.timestamp.batch)

    def epoch_end(self, state: State, logger: Logger) -> None:
        """Measure the length of the epoch, which the data loader need not know."""
        if self._batches_at_epoch_start is not None:
            self._epoch_length = int(state.timestamp.batch) - self._batches_at_epoch_start
            self._is_length_measured = True

    def batch_end(self, state: State, logger: Logger) -> None:
        """Log the estimate, unless the batch is skipped."""
        self._take_length(state)
        if not self._is_enabled or (progress := self._progress(state)) is None:
            return
        if self._start is None:
            self._batches_to_skip -= 1
            if not self._batches_to_skip:
                self._start = perf_counter(), progress
            return
        began, progress_then = self._start
        if progress > progress_then:
            seconds = perf_counter() - began - self._eval_seconds
            remaining = max(0.0, seconds / (progress - progress_then) * (1 - progress)) + self._remaining_evaluation()
            logger.log_metrics({"time/remaining_estimate": remaining / self._seconds_per_unit})

    def eval_end(self, state: State, logger: Logger) -> None:
        """Note the time of an evaluation of the training."""
        if not self._is_enabled or (progress := self._progress(state)) is None:
            return
        seconds, label = state.eval_timestamp.total_wct.total_seconds(), str(state.dataloader_label)
        if self._start is not None:
            self._eval_seconds += seconds
        self._evaluations.setdefault(label, []).append(seconds)
        self._last_evaluation[label] = progress
        passed = progress - self._progress_at_fit_start
        self.eval_frequency_per_label[label] = max(0.0, passed / len(self._evaluations[label]))

    def fit_end(self, state: State, logger: Logger) -> None:
        """Stop measuring."""
        self._is_enabled = False

    def _take_length(self, state: State) -> None:
        """Take over the length of an epoch until one is measured; the first step of a loop may change it."""
        if not self._is_length_measured:
            self._epoch_length = None if state.dataloader_len is None else int(state.dataloader_len)

    def _remaining_evaluation(self) -> float:
        """Return the expected seconds of all further evaluations."""
        total = 0.0
        for label, seconds in self._evaluations.items():
            usual = seconds[1:] or seconds
            interval = self.eval_frequency_per_label[label]
            if interval:
                further = max(0.0, (1 - self._last_evaluation[label]) / interval)
                total += further * sum(usual) / len(usual)
        return total

    def _progress(self, state: State) -> float | None:
        """Return the finished share of the training, 0 to 1; None if its length is unknown."""
        if state.max_duration is None:
            return None
        if state.max_duration.unit is not TimeUnit.EPOCH:
            elapsed = state.get_elapsed_duration()
            return None if elapsed is None else min(1.0, float(elapsed))
        batches = int(state.timestamp.batch_in_epoch)
        in_epoch = min(1.0, batches / self._epoch_length) if self._epoch_length else 0.0
        return min(1.0, (int(state.timestamp.epoch) + in_epoch) / max(1, state.max_duration.value))
