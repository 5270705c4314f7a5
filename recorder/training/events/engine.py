"""Engine: calls every callback, of both styles, at the events of a training."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.ends.fork import OWNER_OF_RECORDERS, close_at_end_of_child
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.callback_errors import name_callback, naming_callback
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.events.hooks import Hooks
from toposcope.recorder.training.events.logger_destination import LoggerDestination
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State
from toposcope.recorder.values.arrays.foreign_values import short_repr

_OPENING = (Event.INIT, Event.FIT_START, Event.EVAL_START)
"""The events at which callbacks open files."""
_owners: dict[int, tuple[object, Hooks]] = {}
"""Each callback that an engine uses, and the hooks of that engine, by the id of the callback."""


class Engine:
    """Runs events: calls state.callbacks in order.

    Logger destinations are called first at INIT and last at every other event, so that they receive what callbacks
    log. An exception raised by a callback propagates: the callbacks after it are not called, and the training ends.
    These rules are those of Composer's engine. MindSpore-style callbacks are called through their hooks (see Hooks).
    """

    def __init__(self, state: State, logger: Logger, hooks: Hooks | None = None) -> None:
        """Run the events of state; hooks replaces the default mapping from events to hooks."""
        self.state, self.logger = state, logger
        self.hooks = Hooks(state) if hooks is None else hooks
        self._is_closed = False
        self._ordered: list[Any] = []
        self._first_order: list[tuple[Any, bool]] = []
        self._order = self._first_order
        self._has_event_callbacks = False
        self._finalizer = self._new_finalizer()
        close_at_end_of_child(self, partial(_close_alive, weakref.ref(self)), OWNER_OF_RECORDERS)

    @property
    def is_closed(self) -> bool:
        """Whether the callbacks were closed; also at the exit of the program."""
        return not self._finalizer.alive

    def run_event(self, event: Event | str) -> None:
        """Call every callback for event.

        Raises:
            ValueError: there is no such event.
            RuntimeError: the engine is closed, or another engine still uses one of the callbacks.
            Exception: whatever a callback raised.
        """
        if type(event) is not Event:
            event = Event(event)
        if self._is_closed:
            raise RuntimeError(f"The engine is closed and cannot run {event.name}: create a new trainer.")
        if event is Event.INIT:
            self._claim_callbacks()
        order = self._in_order(event)
        if event is Event.BATCH_START or event is Event.BATCH_END:
            self._call(order, event, self.hooks.hook_of_step(event))
            return
        if event is Event.BATCH_CHECKPOINT:  # At every step as well; it has no hook.
            if self._has_event_callbacks:
                self._call(order, event, None)
            return
        hooks = self.hooks.hooks_at(event)
        self._call(order, event, next(hooks, None))
        if event in _OPENING:
            self._finalizer.detach()
            self._finalizer = self._new_finalizer()
        # The second hook of an event is called after all callbacks have run the first.
        self._call_hooks(hooks)

    def end_fit(self, evaluate: Callable[[], None]) -> None:
        """Run FIT_END and an evaluation, which MindSpore-style callbacks receive in the opposite order."""
        self._call(self._in_order(Event.FIT_END), Event.FIT_END, None)
        evaluate()
        self._call_hooks(self.hooks.hooks_at(Event.FIT_END))

    def close(self, error: BaseException | None = None) -> bool:
        """Close every callback; entered callbacks receive the error in __exit__().

        An exception raised by a close() is logged, and the remaining callbacks are still closed. Closing an engine
        twice has no effect.

        Returns:
            True if a callback's __exit__() suppresses the error.
        """
        if self._is_closed:
            return False
        self._is_closed = True
        self._finalizer.detach()
        return _close_all(self.state, self.logger, self.hooks, error)

    def _call(self, order: Sequence[tuple[Any, bool]], event: Event, hook: str | None) -> None:
        for callback, is_hooked in order:
            try:
                if not is_hooked:
                    callback.run_event(event, self.state, self.logger)
                elif hook is not None:
                    self.hooks.call(callback, hook)
            except Exception as error:
                name_callback(error, callback)
                raise

    def _call_hooks(self, hooks: Iterator[str]) -> None:
        for hook in hooks:
            for callback in self.state.callbacks:
                if isinstance(callback, Callback):
                    with naming_callback(callback):
                        self.hooks.call(callback, hook)

    def _new_finalizer(self) -> weakref.finalize[..., Engine]:
        """Close the callbacks also when the engine is garbage-collected, and at interpreter exit.

        The newest finalizer is called first at exit: callbacks must be closed before the recorders that they opened.
        """
        return weakref.finalize(self, _close_dropped, self.state, self.logger, self.hooks)

    def _in_order(self, event: Event) -> list[tuple[Any, bool]]:
        """Return the callbacks in the order of an event, each with whether it is called through hooks."""
        callbacks = self.state.callbacks
        if self._ordered != callbacks:  # At the first event, or when a callback has changed the list.
            self._ordered = list(callbacks)
            destinations = [(each, False) for each in callbacks if isinstance(each, LoggerDestination)]
            others = [
                (each, isinstance(each, Callback)) for each in callbacks if not isinstance(each, LoggerDestination)
            ]
            self._first_order, self._order = destinations + others, others + destinations
            self._has_event_callbacks = not all(is_hooked for _, is_hooked in self._order)
        return self._first_order if event is Event.INIT else self._order

    def _claim_callbacks(self) -> None:
        for callback in self.state.callbacks:
            if id(callback) in _owners:
                raise RuntimeError(
                    f"{short_repr(callback)} is still in use by another trainer: close that trainer first."
                )
        _owners.update((id(callback), (callback, self.hooks)) for callback in self.state.callbacks)


def _close_alive(engine: weakref.ref[Engine]) -> None:
    """Close the callbacks of an engine at the end of a child process."""
    if (alive := engine()) is not None:
        alive._finalizer()


def _close_dropped(state: State, logger: Logger, hooks: Hooks) -> None:
    """Close the callbacks of an engine that was never closed, perhaps because of an exception."""
    hooks.params.processed.is_dropped = True
    _close_all(state, logger, hooks, None)


def _close_all(state: State, logger: Logger, hooks: Hooks, error: BaseException | None) -> bool:
    is_suppressed, closed = False, []
    try:
        is_suppressed = hooks.end_all(error)
    finally:
        for key in [key for key, (_, owner) in list(_owners.items()) if owner is hooks]:
            del _owners[key]
        # Callbacks that this engine could not claim are still in use by another one.
        for callback in [each for each in state.callbacks if id(each) not in _owners]:
            if isinstance(callback, EventCallback) and _succeeds(callback.close, state, logger):
                closed.append(callback)
        for callback in closed:
            _succeeds(callback.post_close)
    return is_suppressed


def _succeeds(close: Callable[..., None], *arguments: object) -> bool:
    try:
        close(*arguments)
    except Exception as error:
        log.error("%s failed: %s: %s", short_repr(close), type(error).__name__, error)
        return False
    return True
