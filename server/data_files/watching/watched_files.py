"""What the files of a folder contain, kept up to date when this or another server changes them."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Generic

from toposcope.server.data_files.json_files import JsonFiles
from toposcope.server.data_files.watching.read_files import Entry, ReadFiles
from toposcope.server.data_files.watching.turns import Turns

_FRESH_NANOSECONDS = 3_000_000_000
"""A change that is more recent may be followed by another one with the same time stamp, as clocks have coarse ticks."""

log = logging.getLogger(__name__)


class WatchedFiles(Generic[Entry]):
    """Watches a folder in a separate thread.

    Args:
        kind: what the files contain, in the plural, for messages.
        folder: contains the files.
        read: returns the content of a file by its name; raises OSError or DamagedFileError.
        publish: is called with all entries and problems after a change, in any thread but one at a time; it returns the
            names of what changed.
    """

    def __init__(
        self,
        kind: str,
        folder: JsonFiles,
        read: Callable[[str], Entry],
        publish: Callable[[list[Entry], list[str]], list[str]],
    ) -> None:
        self._kind = kind
        self._folder = folder
        self._files = ReadFiles(kind, folder, read)
        self._publish = publish
        self._seen: int | None = None
        """What the folder's modified() was; None: its files must be checked."""
        self._is_read = False
        self._is_awaited = False
        """Whether a request was answered before the files had been read."""
        self._lock = threading.Lock()
        self._subscriber: Callable[[list[str]], None] = lambda _: None
        self._turns = Turns()
        self._thread = threading.Thread(target=self._watch, name=f"toposcope-{kind}", daemon=True)

    @property
    def path(self) -> str:
        """The folder."""
        return self._folder.address

    def start(self, subscriber: Callable[[list[str]], None]) -> None:
        """Start watching; subscriber is called, in any thread, with the names of what changed."""
        self._subscriber = subscriber
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; returns when the thread has ended, unless the folder does not answer."""
        self._turns.stop(self._thread)

    def look(self) -> None:
        """Wait until the files that were replaced are read, unless that may take long."""
        if self._is_read and self._folder.is_slow:
            return
        if not self._thread.is_alive():
            self.refresh()
            return
        self._turns.ask()
        if not self._is_read:
            self._is_awaited = True

    def refresh(self, is_changed: bool = False) -> None:
        """Read the files that were replaced since the last time; is_changed: some certainly were."""
        with self._lock:
            modified = self._folder.modified()
            if not is_changed and self._seen is not None and modified == self._seen:
                return
            changed = self._publish(self._files.entries, self._files.problems) if self._files.update() else []
            is_first, self._is_read = not self._is_read, True
            is_old = modified < time.time_ns() - _FRESH_NANOSECONDS
            self._seen = modified if is_old and not self._files.has_failed else None
        if changed and (self._is_awaited or not is_first):
            self._subscriber(changed)

    def _watch(self) -> None:
        while not self._turns.is_stopping:
            asked = self._turns.begin()
            try:
                self.refresh()
            except Exception:  # The top of the thread: what was read is still served.
                log.exception("cannot watch the %s in %s", self._kind, self.path)
            self._turns.end(asked)
