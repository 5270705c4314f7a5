"""TimeMonitor: prints how long each epoch took, and each step of it."""

from time import perf_counter
from typing import ClassVar

from toposcope.recorder.arguments import checked_bool, checked_integer
from toposcope.recorder.training.callback import Callback
from toposcope.recorder.training.run_context import CallbackParams, RunContext


class EpochClock:
    """Remembers where the seconds of one epoch went."""

    def __init__(self) -> None:
        self.began = self.wants_data_since = perf_counter()
        self.fetching = 0.0
        """Seconds that steps waited for their data."""
        self.elsewhere = 0.0
        """Seconds that are not the epoch's own: those of the evaluation inside it."""

    def seconds(self) -> float:
        """Return the seconds of the epoch until now."""
        return perf_counter() - self.began - self.elsewhere


class TimeMonitor(Callback):
    """Prints the time of each epoch and the mean time of its steps, in training and evaluation.

        Train epoch time: 2153.281 ms, per step time: 71.776 ms

    Differences from MindSpore's class: in fit() the training's line leaves out the evaluation, and the evaluation's
    line has its own clock; a missing number of steps is an error before the first epoch, not after it.
    """

    runs_in_fit_evaluation: ClassVar[bool] = True

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
        self._clocks["train"].elsewhere += perf_counter() - self._evaluation_began

    def epoch_begin(self, run_context: RunContext) -> None:
        """Start the clock of the epoch."""
        self._clocks[_phase(run_context)] = EpochClock()

    def step_begin(self, run_context: RunContext) -> None:
        """Note how long the step waited for its data."""
        clock = self._clocks[_phase(run_context)]
        clock.fetching += perf_counter() - clock.wants_data_since

    def step_end(self, run_context: RunContext) -> None:
        """Note from when on the next step waits for its data."""
        self._clocks[_phase(run_context)].wants_data_since = perf_counter()

    def epoch_end(self, run_context: RunContext) -> None:
        """Print the time of the epoch in milliseconds."""
        phase, params = _phase(run_context), run_context.original_args()
        clock = self._clocks[phase]
        seconds = clock.seconds()
        # An evaluation counts its steps from zero: it has no need to know them before.
        steps = self._steps(params) or max(1, params.get("cur_step_num", 1))
        line = f"{phase.title()} epoch time: {seconds * 1e3:5.3f} ms, per step time: {seconds / steps * 1e3:5.3f} ms"
        if self._shows_data_time and not params.get("dataset_sink_mode"):
            line += f" (data time: {clock.fetching / steps * 1e3:5.3f} ms)"
        print(line, flush=True)

    def _steps(self, params: CallbackParams) -> int | None:
        known = params.get("batch_num")
        return known if isinstance(known, int) and known > 0 else self._data_size


def _phase(run_context: RunContext) -> str:
    return "eval" if run_context.original_args().get("mode") == "eval" else "train"
