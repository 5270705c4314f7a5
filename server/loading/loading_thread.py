"""The thread that loads a logdir, step by step: when the next step is due, and whether something else woke it."""

import threading
import time
from collections.abc import Callable

STEP_SECONDS = 0.2
"""How often growing files are polled if changes are not reported, and how often new views are published."""


class LoadingThread:
    """A thread that sleeps between its steps.

    Args:
        run: what it does, until is_stopping.
    """

    def __init__(self, run: Callable[[], None]) -> None:
        self.wake = threading.Event()
        """Set: the next step is due now."""
        self.is_stopping = False
        self._next_step = 0.0
        self._thread = threading.Thread(target=run, name="toposcope-loader", daemon=True)

    def start(self) -> None:
        """Start the thread, unless that was done before."""
        if not self._thread.ident:
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread; returns when it has ended."""
        self.is_stopping = True
        self.wake.set()
        self._thread.join()

    def schedule_step(self) -> None:
        """Let the next step be due a moment from now."""
        self._next_step = time.monotonic() + STEP_SECONDS

    @property
    def is_idle(self) -> bool:
        """Whether nothing is due yet."""
        return not self.wake.is_set() and time.monotonic() < self._next_step

    def sleep(self, is_pending: bool) -> None:
        """Sleep until the next step; if none is pending, until something happens."""
        if not self.is_stopping:
            self.wake.wait(max(0.0, self._next_step - time.monotonic()) if is_pending else None)
        self.wake.clear()
