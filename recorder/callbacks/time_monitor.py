"""TimeMonitor: prints the time of each epoch and the mean time of its steps."""

from time import perf_counter

from toposcope.recorder.arguments import checked_bool, checked_integer
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import CallbackParams, RunContext


class EpochClock:
    """Measures the time of an epoch until the end of its last step, and the time its steps waited for data."""

    def __init__(self, first_step: int = 0) -> None:
        self._began = self._waits_since = perf_counter()
        self._ended: float | None = None
        self.first_step = first_step
        """Finished steps at its beginning."""
        self.waited = 0.0
        """Seconds that steps waited for data."""

    def begin_step(self) -> None:
        """Count the time until now as waiting for data."""
        self.waited += perf_counter() - self._waits_since

    def end_step(self) -> None:
        """Store the end of a step."""
        self._ended = self._waits_since = perf_counter()

    def exclude(self, seconds: float) -> None:
        """Exclude the last seconds, which do not belong to the epoch."""
        self._began += seconds
        self._waits_since += seconds
        if self._ended is not None:
            self._ended += seconds

    def seconds(self) -> float:
        """Return the seconds from the beginning of the epoch to the end of its last step."""
        return (perf_counter() if self._ended is None else self._ended) - self._began


class TimeMonitor(Callback):
    """Prints the time of each epoch and the mean time of its steps, in training and evaluation.

        Train epoch time: 2153.281 ms, per step time: 71.776 ms

    Differences from MindSpore's class: the time of a training excludes evaluations, whose time is measured separately;
    an unknown number of steps is an error before the first epoch, not after it.
    """

    runs_in_fit_evaluation: bool = True

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        """Set the number of steps per epoch.

        Args:
            data_size: steps per epoch, used if batch_num is unknown.
            data_time: whether to also print the mean time that steps waited for data; not with dataset_sink_mode, where
                the data of many steps is fetched in one call.

        Raises:
            ValueError: data_size is not a positive integer.
            TypeError: data_time is not a bool.
        """
        try:
            self._data_size = None if data_size is None else checked_integer("data_size", data_size, lowest=1)
        except TypeError as error:  # MindSpore documents ValueError for all invalid values.
            raise ValueError(str(error)) from None
        self._shows_data_time = checked_bool("data_time", data_time)
        self._clocks = {"train": EpochClock(), "eval": EpochClock()}
        self._evaluation_began = 0.0

    def on_train_begin(self, run_context: RunContext) -> None:
        """Check that the number of steps per epoch is known.

        Raises:
            ValueError: there is neither a batch_num nor a data_size.
        """
        if self._steps(run_context.original_args()) is None:
            raise ValueError("The dataset has no length: pass the steps per epoch to TimeMonitor(data_size=...).")

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Stop the clock of the training."""
        self._evaluation_began = perf_counter()

    def on_eval_end(self, run_context: RunContext) -> None:
        """Restart the clock of the training."""
        self._clocks["train"].exclude(perf_counter() - self._evaluation_began)

    def epoch_begin(self, run_context: RunContext) -> None:
        """Start the clock of the epoch."""
        self._clocks[_phase(run_context)] = EpochClock(int(run_context.original_args().get("cur_step_num", 0)))

    def step_begin(self, run_context: RunContext) -> None:
        """Measure how long the step waited for data."""
        self._clocks[_phase(run_context)].begin_step()

    def step_end(self, run_context: RunContext) -> None:
        """Store the end of the step, when the next one starts waiting for data."""
        self._clocks[_phase(run_context)].end_step()

    def epoch_end(self, run_context: RunContext) -> None:
        """Print the time of the epoch in milliseconds."""
        phase, params = _phase(run_context), run_context.original_args()
        clock = self._clocks[phase]
        # Without steps, a user-written loop has only reported the results of an evaluation.
        counted = params.get("cur_step_num", 0) - clock.first_step
        if phase == "eval" and not counted:
            return
        planned = self._steps(params)
        is_counted = counted and planned != self._data_size
        steps, seconds = counted if is_counted else planned or counted or 1, clock.seconds()
        line = f"{phase.title()} epoch time: {seconds * 1e3:5.3f} ms, per step time: {seconds / steps * 1e3:5.3f} ms"
        if self._shows_data_time and not params.get("dataset_sink_mode"):
            line += f" (data time: {clock.waited / steps * 1e3:5.3f} ms)"
        print(line, flush=True)

    def _steps(self, params: CallbackParams) -> int | None:
        steps = params.get("batch_num")
        return steps if isinstance(steps, int) and steps > 0 else self._data_size


def _phase(run_context: RunContext) -> str:
    return "eval" if run_context.original_args().get("mode") == "eval" else "train"
