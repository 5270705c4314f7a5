"""MachineThread: records machine metrics at an interval, at the step that the training has reached."""

import threading
from collections.abc import Callable

from toposcope.recorder import log
from toposcope.recorder.record.summary_record import SummaryRecord

_FIRST_SECONDS = 1.0
_END_SECONDS = 5.0  # A driver that hangs must not keep the training from ending.


class MachineThread:
    """A thread that measures after a second, then at an interval, and once more at the end."""

    def __init__(self, recorder: SummaryRecord, directory: str, seconds: float, step: Callable[[], int]) -> None:
        """Start the thread.

        Args:
            recorder: what it records with.
            directory: of the run.
            seconds: the interval.
            step: returns the step that the training has reached.
        """
        self._recorder, self._directory, self._seconds, self._step = recorder, directory, seconds, step
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, name="toposcope-machine", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Record the last measurement and end the thread."""
        self._ends.set()
        self._thread.join(_END_SECONDS)

    def _run(self) -> None:
        # Imported here: the training thread does not wait for it.
        from toposcope.recorder.collecting.machine.machine_metrics import MachineMetrics

        try:
            metrics = MachineMetrics(self._directory)
            seconds, ends = min(_FIRST_SECONDS, self._seconds), False
            while not ends:
                ends = self._ends.wait(min(seconds, threading.TIMEOUT_MAX))
                seconds = self._seconds
                if measured := metrics.measure():
                    self._recorder.record_apart(self._step(), measured)
        except Exception as error:
            log.warn("Machine metrics are no longer recorded: %s: %s", type(error).__name__, error)
