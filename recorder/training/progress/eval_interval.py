"""EvalInterval: when an evaluator is due during a training, by the rules of Composer's `eval_interval`."""

import math
from collections.abc import Callable
from typing import Any

from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.progress.time import Time, TimeInput, TimeUnit, checked_time
from toposcope.recorder.values.arrays.foreign_values import short_repr

IsDue = Callable[[Any, Event], bool]
"""A function of the State and an event (BATCH_END, EPOCH_END or FIT_END): whether to evaluate after the event."""
Interval = TimeInput | IsDue

_EVENTS = {TimeUnit.EPOCH: Event.EPOCH_END, TimeUnit.ITERATION: Event.ITERATION_END}
"""The event after which an interval of a unit may be over; BATCH_END for other units."""


class EvalInterval:
    """An IsDue: evaluates whenever an interval is over, and at the end of the training unless its last batch did.

    An interval is over when a multiple of it is reached or passed. A fraction ("0.5dur") is rounded up to batches, or
    to samples or tokens if the length of the training is in these units. Nothing is evaluated between the epochs of an
    interval in iterations.
    """

    def __init__(self, interval: Time) -> None:
        """Take a positive interval."""
        self._interval = interval
        self._event = _EVENTS.get(interval.unit, Event.BATCH_END)
        self._last_batch = -1

    def __call__(self, state: Any, event: Event) -> bool:
        """Return whether an evaluation is due after event; RuntimeError for a fraction of epochs of unknown length."""
        if event is self._event:
            if self._is_over(state):
                self._last_batch = state.counter.step
                return True
            return False
        return event is Event.FIT_END and self._is_due_at_end(state)

    def _is_due_at_end(self, state: Any) -> bool:
        elapsed, batch = state.get_elapsed_duration(), state.counter.step
        return bool(batch) and batch != self._last_batch and elapsed is not None and elapsed.value >= 1

    def _is_over(self, state: Any) -> bool:
        unit, length = self._interval.unit, self._interval.value
        if unit is TimeUnit.DURATION:
            unit, length = _part_of(state, self._interval.value)
        before, now = state.previous_timestamp.get(unit).value, state.timestamp.get(unit).value
        return bool(before // length != now // length)


def interval_from(interval: Any) -> IsDue:
    """Return when evaluations are due.

    Args:
        interval: a Time, a string ("1ep", "10ba", "0.5dur"), or a number of epochs; 0 in any unit: never. Or a function
            of a State and an Event, one of BATCH_END, EPOCH_END and FIT_END, that returns whether to evaluate after it.

    Raises:
        TypeError: interval is something else.
        ValueError: the string is malformed, the number is negative, or the fraction is more than the training.
    """
    if callable(interval):
        is_due: IsDue = interval
        return is_due
    time = checked_time("eval_interval", interval, TimeUnit.EPOCH)
    if time.value < 0 or (time.unit is TimeUnit.DURATION and time.value > 1):
        raise ValueError(f"eval_interval must not be negative or more than '1dur', not {short_repr(interval)}.")
    return EvalInterval(time) if time.value else _never


def _never(state: Any, event: Event) -> bool:
    return False


def _part_of(state: Any, fraction: float) -> tuple[TimeUnit, int]:
    """Return a fraction of the training in batches, samples or tokens, rounded up."""
    total = state.max_duration
    if total is not None and total.unit is TimeUnit.EPOCH:
        if state.dataloader_len is None:
            raise RuntimeError("eval_interval cannot be a fraction: the length of the train_dataloader is unknown.")
        return TimeUnit.BATCH, math.ceil(total.value * fraction * state.dataloader_len.value)
    if total is not None and total.unit in (TimeUnit.BATCH, TimeUnit.SAMPLE, TimeUnit.TOKEN):
        return total.unit, max(1, math.ceil(total.value * fraction))  # A stop in the first batch makes it 0.
    raise RuntimeError(f"eval_interval cannot be a fraction of a training whose max_duration is {total}.")
