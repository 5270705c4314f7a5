"""RunValues: the values that the user of a watched run logs, until their step is known."""

import threading
from typing import Protocol, runtime_checkable

from toposcope.recorder import log
from toposcope.recorder.record.logged_values import LoggedValues, nothing_logged
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State


@runtime_checkable
class ValueReceiver(Protocol):
    """A callback that records logged values, such as SummaryCollector."""

    def record_logged(self, values: LoggedValues, step: int) -> None:
        """Record the values at a step."""


class RunValues:
    """Keeps logged values, of each tag the newest, and passes them on to the callbacks and loggers of a run."""

    def __init__(self, state: State, logger: Logger) -> None:
        self._state, self._logger = state, logger
        self._pending = nothing_logged()
        self._lock = threading.Lock()  # Any thread may log.
        self._is_warned = False

    def keep(self, values: LoggedValues) -> None:
        """Keep values for the next call of record_at()."""
        with self._lock:
            self._pending.update(values)

    def record_at(self, step: int) -> None:
        """Record the values that are kept."""
        if any(self._pending):
            with self._lock:
                values, self._pending = self._pending, nothing_logged()
            self.record(values, step)

    def record(self, values: LoggedValues, step: int, *, has_destinations: bool = True) -> None:
        """Record values at a step, also in the loggers if it has_destinations; warn once if nothing records them."""
        receivers = [callback for callback in self._state.callbacks if isinstance(callback, ValueReceiver)]
        for receiver in receivers:
            receiver.record_logged(values, step)
        if has_destinations:
            self._logger.log_values(values, step)
        if not (receivers or self._logger.destinations or self._is_warned):
            self._is_warned = True
            log.warn("log(): the values are not recorded: the run has neither a SummaryCollector nor a logger.")
