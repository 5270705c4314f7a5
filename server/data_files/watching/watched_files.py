"""What the files of a folder contain, kept up to date when this or another server changes them."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from toposcope.server.data_files.json_files import DamagedFileError, JsonFiles, Stamp
from toposcope.server.places.place import reason_of

_POLL_SECONDS = 1.0
"""How often to check whether another server changed files."""
_LONGEST_LOOK = 1.0
"""Seconds that a request waits for the folder; then it gets what was read before."""
_FRESH_NANOSECONDS = 3_000_000_000
"""A change that is more recent may be followed by another one with the same time stamp, as clocks have coarse ticks."""

log = logging.getLogger(__name__)
Entry = TypeVar("Entry")


class _File(NamedTuple, Generic[Entry]):
    stamp: Stamp | None
    """None: it could not be read, and is read again."""
    entry: Entry | None
    problem: str | None


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
        self._read_file = read
        self._publish_entries = publish
        self._files: dict[str, _File[Entry]] = {}
        self._seen: int | None = None
        """What the folder's modified() was; None: its files must be checked."""
        self._failure: str | None = None
        self._is_read = False
        self._is_awaited = False
        """Whether a request was answered before the files had been read."""
        self._lock = threading.Lock()
        self._subscriber: Callable[[list[str]], None] = lambda _: None
        self._is_stopping = False
        self._turn = threading.Condition()
        """The turns of the requests that look at the folder, and of the thread that does it for them."""
        self._asked, self._answered = 0, 0
        """How many requests have looked, and how many of them the thread has looked for."""
        self._looking_since: float | None = None
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
        with self._turn:
            self._is_stopping = True
            self._turn.notify_all()
        self._thread.join(_LONGEST_LOOK)

    def look(self) -> None:
        """Wait until the files that were replaced are read, unless that may take long."""
        if self._is_read and self._folder.is_slow:
            return
        if not self._thread.is_alive():
            self.refresh()
            return
        with self._turn:
            self._asked += 1
            number = self._asked
            self._turn.notify_all()
            if not self._is_overdue():
                self._turn.wait_for(lambda: self._answered >= number, _LONGEST_LOOK)
            self._is_awaited |= not self._is_read

    def _is_overdue(self) -> bool:
        return self._looking_since is not None and time.monotonic() - self._looking_since > _LONGEST_LOOK

    def refresh(self, is_changed: bool = False) -> None:
        """Read the files that were replaced since the last time; is_changed: some certainly were."""
        with self._lock:
            modified = self._folder.modified()
            if not is_changed and self._seen is not None and modified == self._seen:
                return
            changed = self._read_replaced()
            is_first, self._is_read = not self._is_read, True
            is_old = modified < time.time_ns() - _FRESH_NANOSECONDS
            has_failed = self._failure is not None or any(file.stamp is None for file in self._files.values())
            self._seen = modified if is_old and not has_failed else None
        if changed and (self._is_awaited or not is_first):
            self._subscriber(changed)

    def _watch(self) -> None:
        while not self._is_stopping:
            with self._turn:
                asked, self._looking_since = self._asked, time.monotonic()
            try:
                self.refresh()
            except Exception:  # The top of the thread: what was read is still served.
                log.exception("cannot watch the %s in %s", self._kind, self.path)
            with self._turn:
                self._answered, self._looking_since = asked, None
                self._turn.notify_all()
                self._turn.wait_for(self._has_work, _POLL_SECONDS)

    def _has_work(self) -> bool:
        return self._is_stopping or self._asked > self._answered

    def _read_replaced(self) -> list[str]:
        """Read the files that were replaced and publish; return the names of what changed.

        What was read stays if the folder or a file cannot be read.
        """
        try:
            stamps = self._folder.stamps()
        except OSError as error:
            failure = f"the {self._kind} in {self.path!r} cannot be read: {reason_of(error)}"
            if failure == self._failure:
                return []
            self._failure = failure
            return self._publish()
        replaced = [
            name for name, stamp in stamps.items() if name not in self._files or self._files[name].stamp != stamp
        ]
        gone = self._files.keys() - stamps.keys()
        if not replaced and not gone and self._failure is None:
            return []
        self._failure = None
        self._files = {name: file for name, file in self._files.items() if name not in gone}
        read = self._folder.map(lambda name: self._read(name, stamps[name]), replaced)
        self._files |= dict(zip(replaced, read, strict=True))
        return self._publish()

    def _read(self, name: str, stamp: Stamp) -> _File[Entry]:
        try:
            return _File(stamp, self._read_file(name), None)
        except DamagedFileError as error:
            return _File(stamp, None, self._problem(name, error))
        except OSError as error:
            old = self._files.get(name)
            return _File(None, old.entry if old else None, self._problem(name, error))

    def _problem(self, name: str, error: Exception) -> str:
        return f"{name} in {self.path!r} cannot be read: {reason_of(error)}"

    def _publish(self) -> list[str]:
        entries = [file.entry for file in self._files.values() if file.entry is not None]
        problems = [self._failure] if self._failure else []
        problems += [file.problem for file in self._files.values() if file.problem]
        return self._publish_entries(entries, problems)
