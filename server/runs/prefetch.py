"""Reads the hyperparameters of runs before anybody asks: of ten thousand runs that takes seconds."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping

from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView

_PAUSE_SECONDS = 1.0

log = logging.getLogger(__name__)


class Prefetcher:
    """A thread that has an overview read what is new.

    Args:
        overview: remembers it.
        runs: returns the runs there are.
    """

    def __init__(self, overview: Overview, runs: Callable[[], Mapping[str, RunView]]) -> None:
        self._overview = overview
        self._runs = runs
        self._names: set[str] = set()
        self._lock = threading.Lock()
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="toposcope-read-ahead", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """Stop reading; returns when the thread has ended."""
        self._stopping.set()
        self._woken.set()
        self._thread.join()

    def add(self, names: Iterable[str]) -> None:
        """Have these runs read, which are new or changed."""
        with self._lock:
            self._names.update(names)
        self._woken.set()

    def _follow(self) -> None:
        while not self._stopping.is_set():
            self._woken.wait()
            self._woken.clear()
            with self._lock:
                names, self._names = self._names, set()
            try:
                self._read(names)
            except Exception:  # The top of the thread: whoever asks is told.
                log.exception("hyperparameters cannot be read ahead")
            self._stopping.wait(_PAUSE_SECONDS)

    def _read(self, names: set[str]) -> None:
        runs = self._runs()
        sessions = self._overview.sessions(runs)
        for name in names & runs.keys():
            if self._stopping.is_set():
                return
            self._overview.settings(runs[name], sessions.get(name, ()))
