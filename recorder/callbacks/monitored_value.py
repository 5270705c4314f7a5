"""MonitoredValue: the value of an epoch that a callback monitors, and Goal, which decides what is better."""

import math
from contextlib import suppress
from typing import Any, NamedTuple

from toposcope.metric_direction import Direction, metric_direction
from toposcope.recorder import log
from toposcope.recorder.arguments import checked_number, checked_text
from toposcope.recorder.callbacks.rank_mean import mean_over_ranks
from toposcope.recorder.training.data.loss import loss_in, scalar_loss
from toposcope.recorder.training.events.run_context import CallbackParams
from toposcope.recorder.values.arrays.foreign_values import short_repr
from toposcope.recorder.values.scalar import scalar_from

_MODES = ("auto", "min", "max")
_TRAINING_LOSSES = ("loss", "last_loss")


class Goal(NamedTuple):
    """Whether smaller or larger values are better, and the minimum improvement."""

    is_smaller: bool
    min_delta: float

    @property
    def worst(self) -> float:
        """The value that every finite value improves on."""
        return math.inf if self.is_smaller else -math.inf

    def is_better(self, value: float, other: float) -> bool:
        """Return whether value is better than other by more than min_delta; always False for NaN."""
        return value < other - self.min_delta if self.is_smaller else value > other + self.min_delta


def checked_goal(monitor: str, mode: object, min_delta: object) -> Goal:
    """Return the goal of a monitored value; TypeError or ValueError if mode or min_delta is invalid."""
    if checked_text("mode", mode) not in _MODES:
        raise ValueError(f"mode must be 'auto', 'min' or 'max', not {mode!r}.")
    direction = likely_direction(monitor, "mode='min' or mode='max'") if mode == "auto" else mode
    return Goal(direction == "min", abs(checked_number("min_delta", min_delta)))


def likely_direction(monitor: str, choices: str) -> Direction:
    """Return the direction of a metric by its name; an unknown one is "max", with a warning that names the choices."""
    direction = metric_direction(monitor)
    if direction is None:
        log.warn("Larger values of %r are taken as better, as its name does not say: pass %s.", monitor, choices)
    return direction or "max"


class _EpochLoss:
    """The mean of the losses of an epoch's steps, which stay on their device until it is read."""

    def __init__(self) -> None:
        self._total: Any = 0.0
        self._steps = 0

    def add(self, net_outputs: Any) -> None:
        """Add the loss of a step, if it has one."""
        with suppress(Exception):  # Whatever is not a number; the network's outputs are the user's.
            loss = scalar_loss(net_outputs)
            self._total = self._total + (loss.detach() if hasattr(loss, "detach") else loss)
            self._steps += 1

    def take(self) -> float | None:
        """Return the mean and start again; None if there is none."""
        total, steps = self._total, self._steps
        self._total, self._steps = 0.0, 0
        mean = loss_in(total) if steps else None
        return None if mean is None else mean / steps


class MonitoredValue:
    """Reads the monitored value of each epoch, and warns once if it is missing."""

    def __init__(self, monitor: object, callback_name: str) -> None:
        """Set the value's name and, for messages, the callback's name; TypeError if monitor is not a str."""
        self.name = checked_text("monitor", monitor)
        self._callback_name = callback_name
        self._loss = _EpochLoss()
        self._has_warned = False

    def begin(self) -> None:
        """Forget the steps of an earlier training."""
        self._loss = _EpochLoss()

    def add_step(self, params: CallbackParams) -> None:
        """Add a step that has ended: its loss, if that is monitored."""
        if self.name == "loss":
            self._loss.add(params.get("net_outputs"))

    def value(self, params: CallbackParams) -> float | None:
        """Return the value at the end of an epoch; None if it is missing, with a warning the first time.

        "loss" is the mean training loss of the epoch's steps, "last_loss" that of the last step; other names
        ("eval_loss" or a metric) are results of the evaluation. In a data-parallel training the value is the mean over
        the ranks.

        Raises:
            ValueError: the value does not have exactly one element, such as the recall of each class.
            TypeError: the value is not a number.
        """
        return mean_over_ranks(self._local_value(params), params.get("parallel_mode", "stand_alone"))

    def _local_value(self, params: CallbackParams) -> float | None:
        results = {**params.get("metrics", {}), **params.get("eval_results", {})}
        value = self._training_loss(params) if self.name in _TRAINING_LOSSES else results.get(self.name)
        if value is None:
            self._warn(results)
            return None
        try:
            return scalar_from(value).value
        except (TypeError, ValueError) as error:
            found = f"{self.name!r} is {short_repr(value)}"
            message = f"The value that {self._callback_name} monitors must be one number; {found}."
            raise type(error)(message) from None

    def _training_loss(self, params: CallbackParams) -> float | None:
        return self._loss.take() if self.name == "loss" else loss_in(params.get("net_outputs"))

    def _warn(self, results: dict[str, object]) -> None:
        if not self._has_warned:
            self._has_warned = True
            available = ", ".join(sorted({*_TRAINING_LOSSES, *results}))
            reason = "" if results else " (no evaluation)"
            log.warn("%s: epoch without %r%s; available: %s.", self._callback_name, self.name, reason, available)
