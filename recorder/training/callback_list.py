"""The callbacks that a user passes to a training: what is allowed among them."""

from collections.abc import Sequence
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.training.callback import Callback, legacy_hooks_of
from toposcope.recorder.training.event_callback import EventCallback
from toposcope.recorder.training.logger_destination import LoggerDestination
from toposcope.recorder.values.foreign import shown

CallbackList = Callback | EventCallback | Sequence[Callback | EventCallback] | None
"""One callback or several, of either style."""


def checked_callbacks(callbacks: Any) -> list[Callback | EventCallback]:
    """Return the callbacks in their order; TypeError when one is of no style."""
    given = [] if callbacks is None else list(callbacks) if isinstance(callbacks, list | tuple) else [callbacks]
    for callback in given:
        if not isinstance(callback, Callback | EventCallback):
            raise TypeError(
                f"callbacks are objects of Callback or EventCallback, one or several; not {shown(callback)}."
            )
        if isinstance(callback, Callback) and isinstance(callback, EventCallback):
            raise TypeError(f"A callback has hooks or events, of one style; {type(callback).__name__} has both.")
    return given


def checked_loggers(loggers: Any) -> list[LoggerDestination]:
    """Return the logger destinations in their order; TypeError when one is none."""
    given = [] if loggers is None else list(loggers) if isinstance(loggers, list | tuple) else [loggers]
    for logger in given:
        if not isinstance(logger, LoggerDestination):
            raise TypeError(f"loggers are objects of LoggerDestination, one or several; not {shown(logger)}.")
    return given


def refuse_legacy_hooks(callbacks: Sequence[Callback | EventCallback]) -> None:
    """Raise ValueError when a class of the user's own defines a legacy hook."""
    for callback in callbacks:
        if isinstance(callback, Callback) and (hooks := legacy_hooks_of(callback)):
            raise ValueError(
                f"{type(callback).__name__} overrides {', '.join(hooks)}; in fit(), override on_train_... and "
                "on_eval_... instead, which tell training and evaluation apart."
            )


def warn_of_legacy_hooks(callbacks: Sequence[Callback | EventCallback]) -> None:
    """Log which classes of the user's own define legacy hooks."""
    for callback in callbacks:
        if isinstance(callback, Callback) and (hooks := legacy_hooks_of(callback)):
            log.warn(
                "%s overrides %s, which training and evaluation call alike, and fit() refuses: "
                "override on_train_... or on_eval_... instead.",
                type(callback).__name__,
                ", ".join(hooks),
            )
