"""BufferedDestination: writes out what is logged at the end of each epoch, evaluation and training."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from toposcope.recorder.training.events.logger_destination import LoggerDestination

if TYPE_CHECKING:
    from toposcope.recorder.training.state.logger import Logger
    from toposcope.recorder.training.state.state import State


class BufferedDestination(LoggerDestination, ABC):
    """A subclass buffers what is logged and writes it in _flush()."""

    @abstractmethod
    def _flush(self) -> None:
        """Write the buffered lines or values."""

    def _close(self) -> None:
        """Write the buffered lines or values and close what is open."""
        self._flush()

    def epoch_end(self, state: State, logger: Logger) -> None:
        """Write what was logged."""
        self._flush()

    def eval_end(self, state: State, logger: Logger) -> None:
        """Write what was logged."""
        self._flush()

    def fit_end(self, state: State, logger: Logger) -> None:
        """Write what was logged."""
        self._flush()

    def close(self, state: State, logger: Logger) -> None:
        """Write what was logged, and close."""
        self._close()

    def post_close(self) -> None:
        """Write what callbacks that were closed later have logged, and close."""
        self._close()
