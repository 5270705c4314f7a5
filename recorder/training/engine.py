"""Engine: calls every callback, of either style, at the events of a training."""

import weakref
from collections.abc import Callable

from toposcope.recorder import log
from toposcope.recorder.training.callback import Callback
from toposcope.recorder.training.event import Event
from toposcope.recorder.training.event_callback import EventCallback
from toposcope.recorder.training.hooks import Hooks
from toposcope.recorder.training.logger import Logger, LoggerDestination
from toposcope.recorder.training.state import State
from toposcope.recorder.values.foreign import shown

_owners: dict[int, Hooks] = {}
"""By the id of each callback that is in use: the hooks of the engine that uses it."""


class Engine:
    """Runs events; the callbacks are state.callbacks, in their order.

    At INIT logger destinations come first, at every other event last, so that they see what callbacks log. An exception
    of a callback is not caught: the callbacks behind it miss the event, and the training ends with it. The rules are
    those of Composer's engine; MindSpore-style callbacks are called by way of their hooks (see Hooks).
    """

    def __init__(self, state: State, logger: Logger, hooks: Hooks | None = None) -> None:
        """Run the events of state; hooks: others than those that the events themselves call."""
        self.state, self.logger = state, logger
        self.hooks = Hooks(state) if hooks is None else hooks
        self._is_closed = False
        # When it is dropped, and at exit: files are closed even so.
        self._finalizer = weakref.finalize(self, _close_all, state, logger, self.hooks, None)

    def run_event(self, event: Event | str) -> None:
        """Call every callback for event.

        Raises:
            ValueError: there is no such event.
            RuntimeError: the engine is closed, or a callback is still in use in another one.
            Exception: what a callback raised.
        """
        event = Event(event)
        if self._is_closed:
            raise RuntimeError(f"The engine is closed: {event.name} comes too late. Make a new trainer.")
        if event is Event.INIT:
            self._claim_callbacks()
        rounds = self.hooks.rounds(event)
        hook = next(rounds, None)
        for callback in self._in_order(event):
            if not isinstance(callback, Callback):
                callback.run_event(event, self.state, self.logger)
            elif hook is not None:
                self.hooks.call(callback, hook)
        # The second hook of an event: all have had the first.
        for later in rounds:
            for callback in self.state.callbacks:
                if isinstance(callback, Callback):
                    self.hooks.call(callback, later)

    def close(self, error: BaseException | None = None) -> bool:
        """Close every callback; those that are entered are told error.

        What a close() raises is logged, and the others are closed all the same. Closing again does nothing.

        Returns:
            True when a callback's __exit__ wants error to be forgotten.
        """
        if self._is_closed:
            return False
        self._is_closed = True
        self._finalizer.detach()
        return _close_all(self.state, self.logger, self.hooks, error)

    def _in_order(self, event: Event) -> list[Callback | EventCallback]:
        destinations = [callback for callback in self.state.callbacks if isinstance(callback, LoggerDestination)]
        others = [callback for callback in self.state.callbacks if not isinstance(callback, LoggerDestination)]
        return destinations + others if event is Event.INIT else others + destinations

    def _claim_callbacks(self) -> None:
        for callback in self.state.callbacks:
            if id(callback) in _owners:
                raise RuntimeError(f"{shown(callback)} is still in use: close the trainer that has it first.")
        _owners.update((id(callback), self.hooks) for callback in self.state.callbacks)


def _close_all(state: State, logger: Logger, hooks: Hooks, error: BaseException | None) -> bool:
    is_forgotten, closed = False, []
    try:
        is_forgotten = hooks.end_all(error)
    finally:
        # What this engine was refused is still in use in another one.
        for callback in [each for each in state.callbacks if _owners.get(id(each), hooks) is hooks]:
            _owners.pop(id(callback), None)
            if isinstance(callback, EventCallback) and _succeeds(callback.close, state, logger):
                closed.append(callback)
        for callback in closed:
            _succeeds(callback.post_close)
    return is_forgotten


def _succeeds(close: Callable[..., None], *arguments: object) -> bool:
    try:
        close(*arguments)
    except Exception as error:
        log.error("%s failed: %s: %s", shown(close), type(error).__name__, error)
        return False
    return True
