"""Checks of the callbacks and loggers that a user passes to a training."""

from collections.abc import Sequence
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.training.events.callback import Callback, legacy_hooks_of
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.events.logger_destination import LoggerDestination
from toposcope.recorder.values.arrays.foreign_values import short_repr

CallbackList = Callback | EventCallback | Sequence[Callback | EventCallback] | None
"""A callback or a sequence of callbacks, of both styles."""


def checked_callbacks(callbacks: Any) -> list[Callback | EventCallback]:
    """Return the callbacks as a list, in order; TypeError if one is neither a Callback nor an EventCallback."""
    items = _as_list(callbacks)
    for callback in items:
        if not isinstance(callback, Callback | EventCallback):
            raise TypeError(f"callbacks must be Callback or EventCallback objects, not {short_repr(callback)}.")
        if isinstance(callback, Callback) and isinstance(callback, EventCallback):
            raise TypeError(
                f"A callback must be a Callback or an EventCallback; {type(callback).__name__} inherits from both."
            )
    return items


def checked_loggers(loggers: Any) -> list[LoggerDestination]:
    """Return the logger destinations as a list, in order; TypeError if one is not a LoggerDestination."""
    items = _as_list(loggers)
    for logger in items:
        if not isinstance(logger, LoggerDestination):
            raise TypeError(f"loggers must be LoggerDestination objects, not {short_repr(logger)}.")
    return items


def destinations_first(
    callbacks: Sequence[Callback | EventCallback], loggers: Sequence[LoggerDestination]
) -> tuple[list[LoggerDestination], list[Callback | EventCallback]]:
    """Return all logger destinations, including those among the callbacks, and the other callbacks."""
    destinations = [*loggers, *(each for each in callbacks if isinstance(each, LoggerDestination))]
    return destinations, [each for each in callbacks if not isinstance(each, LoggerDestination)]


def reject_legacy_hooks(callbacks: Sequence[Callback | EventCallback]) -> None:
    """Raise ValueError if a user's class defines a legacy hook."""
    for callback in callbacks:
        if isinstance(callback, Callback) and (hooks := legacy_hooks_of(callback)):
            raise ValueError(
                f"{type(callback).__name__} overrides {', '.join(hooks)}, which fit() does not support: override "
                "on_train_... and on_eval_... instead, which distinguish training from evaluation."
            )


def warn_of_legacy_hooks(callbacks: Sequence[Callback | EventCallback]) -> None:
    """Log a warning for each of the user's classes that defines legacy hooks."""
    for callback in callbacks:
        if isinstance(callback, Callback) and (hooks := legacy_hooks_of(callback)):
            log.warn(
                "%s overrides %s, which training and evaluation both call and fit() does not support: "
                "override on_train_... or on_eval_... instead.",
                type(callback).__name__,
                ", ".join(hooks),
            )


def _as_list(items: Any) -> list[Any]:
    return [] if items is None else list(items) if isinstance(items, list | tuple) else [items]
