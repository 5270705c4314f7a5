"""MonitoredValue: the value of an epoch by which a training is judged, and whether it is better than the best."""

import math
from typing import NamedTuple

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_number, checked_text
from toposcope.recorder.callbacks.rank_mean import mean_over_ranks
from toposcope.recorder.training.loss import loss_in
from toposcope.recorder.training.run_context import CallbackParams
from toposcope.recorder.values.foreign import shown
from toposcope.recorder.values.scalar import scalar_from

_MODES = ("auto", "min", "max")
# As in MindSpore: the metrics that "auto" wants to be small.
_SMALLER_IS_BETTER = frozenset(
    (
        "loss",
        "eval_loss",
        "mae",
        "mse",
        "perplexity",
        "hausdorff_distance",
        "mean_surface_distance",
        "root_mean_square_distance",
    )
)


class Goal(NamedTuple):
    """What is better."""

    is_smaller: bool
    min_delta: float

    @property
    def worst(self) -> float:
        """The value that every finite one is better than."""
        return math.inf if self.is_smaller else -math.inf

    def is_better(self, value: float, other: float) -> bool:
        """Say whether value is better than other by more than min_delta; NaN never is."""
        return value < other - self.min_delta if self.is_smaller else value > other + self.min_delta


def checked_goal(monitor: str, mode: object, min_delta: object) -> Goal:
    """Return the goal of a monitored value; TypeError or ValueError when mode or min_delta is wrong."""
    if checked_text("mode", mode) not in _MODES:
        raise ValueError(f"mode is 'auto', 'min' or 'max', not {mode!r}.")
    is_smaller = mode == "min" or (mode == "auto" and monitor in _SMALLER_IS_BETTER)
    return Goal(is_smaller, abs(checked_number("min_delta", min_delta)))


class MonitoredValue:
    """Finds the monitored value of an epoch; remembers whether it has told that there is none."""

    def __init__(self, monitor: object, wanted_by: str) -> None:
        """Take the value's name and, for messages, that of the callback; TypeError when the name is no str."""
        self.name = checked_text("monitor", monitor)
        self._wanted_by = wanted_by
        self._has_warned = False

    def value(self, params: CallbackParams) -> float | None:
        """Return the value at the end of an epoch; None when there is none, with a warning the first time.

        "loss" is the training's, any other name one of the evaluation's: "eval_loss" or a metric. In a data-parallel
        training it is the mean over the ranks.

        Raises:
            ValueError: it has not exactly one element, as a recall of each class.
            TypeError: it is no number.
        """
        return mean_over_ranks(self._value_here(params), params)

    def _value_here(self, params: CallbackParams) -> float | None:
        results = {**params.get("metrics", {}), **params.get("eval_results", {})}
        value = loss_in(params.get("net_outputs")) if self.name == "loss" else results.get(self.name)
        if value is None:
            self._warn(results)
            return None
        try:
            return scalar_from(value).value
        except (TypeError, ValueError) as error:
            message = f"{self._wanted_by} monitors one number; {self.name!r} is {shown(value)}."
            raise type(error)(message) from None

    def _warn(self, results: dict[str, object]) -> None:
        if not self._has_warned:
            self._has_warned = True
            there_is = ", ".join(sorted({"loss", *results}))
            why = "" if results else ", for it was not evaluated"
            log.warn("%s: epoch without %r%s; there is: %s.", self._wanted_by, self.name, why, there_is)
