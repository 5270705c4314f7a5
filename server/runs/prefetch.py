"""Reads the hyperparameters of runs in advance, which takes seconds for ten thousand runs."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping

from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView

_PAUSE_SECONDS = 1.0

log = logging.getLogger(__name__)


class Prefetcher:
    """A thread that fills the cache of an overview.

    Args:
        overview: caches the hyperparameters.
        runs: returns all runs.
        prepare: prepares what the first requests need of all runs.
    """

    def __init__(
        self, overview: Overview, runs: Callable[[], Mapping[str, RunView]], prepare: Callable[[], None]
    ) -> None:
        self._overview = overview
        self._runs = runs
        self._prepare = prepare
        self._names: set[str] = set()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="toposcope-prefetch", daemon=True)

    def start(self) -> None:
        """Start reading."""
        self._thread.start()

    def stop(self) -> None:
        """Stop reading; returns when the thread has ended."""
        self._stopping.set()
        self._wake.set()
        self._thread.join()

    def add(self, names: Iterable[str]) -> None:
        """Read these runs, which are new or changed."""
        with self._lock:
            self._names.update(names)
        self._wake.set()

    def _loop(self) -> None:
        while not self._stopping.is_set():
            self._wake.wait()
            self._wake.clear()
            with self._lock:
                names, self._names = self._names, set()
            try:
                self._read(names)
            except Exception:  # The top of the thread: the request that needs them reports the error.
                log.exception("cannot prefetch hyperparameters")
            self._stopping.wait(_PAUSE_SECONDS)

    def _read(self, names: set[str]) -> None:
        runs = self._runs()
        sessions = self._overview.sessions(runs)
        self._prepare()
        for name in names & runs.keys():
            if self._stopping.is_set():
                return
            self._overview.settings(runs[name], sessions.get(name, ()))
