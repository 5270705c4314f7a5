"""TimeMonitor: prints how long each epoch took, and each step of it."""

from time import perf_counter

from toposcope.recorder.arguments import checked_bool, checked_integer
from toposcope.recorder.training.callback import Callback
from toposcope.recorder.training.run_context import CallbackParams, RunContext


class EpochClock:
    """Remembers when an epoch began, when its last step ended, and how long its steps waited for data."""

    def __init__(self) -> None:
        self._began = self._waits_since = perf_counter()
        self._ended: float | None = None
        self.waited = 0.0
        """Seconds that steps waited for their data."""

    def begin_step(self) -> None:
        """Note that the data of a step is there."""
        self.waited += perf_counter() - self._waits_since

    def end_step(self) -> None:
        """Note that a step is over."""
        self._ended = self._waits_since = perf_counter()

    def leave_out(self, seconds: float) -> None:
        """Forget the last seconds, which did not belong to the epoch."""
        self._began += seconds
        self._waits_since += seconds
        if self._ended is not None:
            self._ended += seconds

    def seconds(self) -> float:
        """Return the seconds from the beginning to the end of the last step: what comes later is not the epoch's."""
        return (perf_counter() if self._ended is None else self._ended) - self._began


class TimeMonitor(Callback):
    """Prints the time of each epoch and the mean time of its steps, in training and evaluation.

        Train epoch time: 2153.281 ms, per step time: 71.776 ms

    Differences from MindSpore's class: the line of a training leaves evaluations out, and the evaluation's
    line has its own clock; a missing number of steps is an error before the first epoch, not after it.
    """

    runs_in_fit_evaluation: bool = True

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        """Take the number of steps of an epoch.

        Args:
            data_size: steps of an epoch, used where the training does not know batch_num itself.
            data_time: whether to print as well how long a step waited for its data, on average; not with
                dataset_sink_mode, where the data of many steps is fetched at once.

        Raises:
            ValueError: data_size is no positive integer.
            TypeError: data_time is no bool.
        """
        try:
            self._data_size = None if data_size is None else checked_integer("data_size", data_size, lowest=1)
        except TypeError as error:  # The API text wants a ValueError for every wrong value.
            raise ValueError(str(error)) from None
        self._shows_data_time = checked_bool("data_time", data_time)
        self._clocks = {"train": EpochClock(), "eval": EpochClock()}
        self._evaluation_began = 0.0

    def on_train_begin(self, run_context: RunContext) -> None:
        """Check that the steps of an epoch are known.

        Raises:
            ValueError: there is neither a batch_num nor a data_size.
        """
        if self._steps(run_context.original_args()) is None:
            raise ValueError("The steps of an epoch are not known from the dataset: give TimeMonitor(data_size=...).")

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Stop the clock of the training."""
        self._evaluation_began = perf_counter()

    def on_eval_end(self, run_context: RunContext) -> None:
        """Let the clock of the training go on."""
        self._clocks["train"].leave_out(perf_counter() - self._evaluation_began)

    def epoch_begin(self, run_context: RunContext) -> None:
        """Start the clock of the epoch."""
        self._clocks[_phase(run_context)] = EpochClock()

    def step_begin(self, run_context: RunContext) -> None:
        """Note how long the step waited for its data."""
        self._clocks[_phase(run_context)].begin_step()

    def step_end(self, run_context: RunContext) -> None:
        """Note from when on the next step waits for its data."""
        self._clocks[_phase(run_context)].end_step()

    def epoch_end(self, run_context: RunContext) -> None:
        """Print the time of the epoch in milliseconds."""
        phase, params = _phase(run_context), run_context.original_args()
        clock = self._clocks[phase]
        # An evaluation counts its steps from zero. One without steps was only told of, by a loop of the user's own.
        counted = params.get("cur_step_num", 0) if phase == "eval" else None
        if counted == 0:
            return
        steps, seconds = self._steps(params) or counted or 1, clock.seconds()
        line = f"{phase.title()} epoch time: {seconds * 1e3:5.3f} ms, per step time: {seconds / steps * 1e3:5.3f} ms"
        if self._shows_data_time and not params.get("dataset_sink_mode"):
            line += f" (data time: {clock.waited / steps * 1e3:5.3f} ms)"
        print(line, flush=True)

    def _steps(self, params: CallbackParams) -> int | None:
        known = params.get("batch_num")
        return known if isinstance(known, int) and known > 0 else self._data_size


def _phase(run_context: RunContext) -> str:
    return "eval" if run_context.original_args().get("mode") == "eval" else "train"
