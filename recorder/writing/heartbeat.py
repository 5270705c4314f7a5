"""Heartbeat: when the next heartbeat of a recording is due, and the phase of the training that it contains."""

import threading
import time
from collections.abc import Callable

from toposcope.proto.summary_pb2 import PHASE_UNKNOWN, Phase
from toposcope.recorder.writing.marks import heartbeat_record


class Heartbeat:
    """A timer that starts again with each write."""

    def __init__(self, seconds: float) -> None:
        """Make a heartbeat due when the training has not recorded anything for this number of seconds."""
        self._seconds = min(seconds, threading.TIMEOUT_MAX)
        self.phase: Callable[[], Phase] = _unknown
        """Returns what the training does at present; called in the thread that writes."""
        self.restart()

    @property
    def seconds_left(self) -> float:
        """Seconds until the next heartbeat; zero or negative if it is due."""
        return self._due - time.monotonic()

    def restart(self) -> None:
        """Note that a heartbeat or something of the training is written."""
        self._due = time.monotonic() + self._seconds

    def record(self) -> bytes:
        """Return the record of a heartbeat, with the phase at present."""
        try:
            return heartbeat_record(self.phase())
        except Exception:  # The phase depends on objects of the user.
            return heartbeat_record(PHASE_UNKNOWN)


def _unknown() -> Phase:
    return PHASE_UNKNOWN
