"""The notes on the runs of a logdir, kept up to date when this or another server changes them."""

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from toposcope.server.notes.notes_folder import Change, DamagedNotesError, NotesFolder, Stamp
from toposcope.server.notes.run_notes import RunNotes
from toposcope.server.places.place import reason_of

_POLL_SECONDS = 1.0
"""How often to check whether another server changed notes."""
_FRESH_NANOSECONDS = 3_000_000_000
"""A change that is more recent may be followed by another one with the same time stamp, as clocks have coarse ticks."""
_NEVER = 2**63

log = logging.getLogger(__name__)
Subscriber = Callable[[list[str]], None]


class NotesSnapshot(NamedTuple):
    """All notes at some moment; never changes."""

    revision: int
    """Increases with each change that this server noticed."""
    changed_at: int
    """Revision of the logdir at the last change."""
    runs: Mapping[str, RunNotes]
    """By run, sorted; including runs that no longer exist."""
    problems: list[str]
    """The reasons why notes could not be read, one sentence each."""


class _File(NamedTuple):
    stamp: Stamp | None
    """None: it could not be read, and is read again."""
    run: str | None
    notes: RunNotes | None
    problem: str | None


class Notes:
    """Watches a folder in a separate thread and publishes by replacing one reference.

    Args:
        folder: contains the notes.
        revision: returns the revision of the logdir.
    """

    def __init__(self, folder: NotesFolder, revision: Callable[[], int]) -> None:
        self._folder = folder
        self._revision = revision
        self._files: dict[str, _File] = {}
        self._snapshot = NotesSnapshot(0, -1, MappingProxyType({}), [])
        self._seen: int | None = None
        """When the folder was last modified, in nanoseconds since 1970; None: its files must be checked."""
        self._failure: str | None = None
        self._is_read = False
        self._lock = threading.Lock()
        self._subscriber: Subscriber = lambda _: None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="toposcope-notes", daemon=True)

    @property
    def path(self) -> str:
        """The folder."""
        return str(self._folder.folder)

    def start(self, subscriber: Subscriber) -> None:
        """Start watching; subscriber is called, in any thread, with the runs whose notes changed."""
        self._subscriber = subscriber
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; returns when the thread has ended."""
        self._stopping.set()
        self._thread.join()

    def current(self) -> NotesSnapshot:
        """Return all notes as they are now."""
        self._refresh()
        return self._snapshot

    def change(self, run: str, changes: Mapping[str, Any]) -> RunNotes:
        """Replace fields of the notes of a run; return all its notes.

        Raises:
            OSError: the folder cannot be written.
        """
        notes = self._folder.change(run, changes)
        self._refresh(is_changed=True)
        return notes

    def change_many(self, changes: Sequence[tuple[str, Change]]) -> dict[str, str]:
        """Change the notes of many runs; return why some could not be changed, by run. See NotesFolder."""
        problems = self._folder.change_many(changes)
        self._refresh(is_changed=True)
        return problems

    def _watch(self) -> None:
        while not self._stopping.is_set():
            try:
                self._refresh()
            except Exception:  # The top of the thread: what was read is still served.
                log.exception("cannot watch the notes in %s", self.path)
            self._stopping.wait(_POLL_SECONDS)

    def _refresh(self, is_changed: bool = False) -> None:
        """Read the files that were replaced since the last time; is_changed: some certainly were."""
        with self._lock:
            modified = self._modified()
            if not is_changed and self._seen is not None and modified == self._seen:
                return
            is_first, self._is_read = not self._is_read, True
            changed = self._read_replaced()
            is_old = modified < time.time_ns() - _FRESH_NANOSECONDS
            has_failed = self._failure is not None or any(file.stamp is None for file in self._files.values())
            self._seen = modified if is_old and not has_failed else None
        if changed and not is_first:
            self._subscriber(changed)

    def _modified(self) -> int:
        try:
            return os.stat(self.path).st_mtime_ns
        except OSError:
            return 0

    def _read_replaced(self) -> list[str]:
        """Read the files that were replaced and publish; return the runs whose notes changed.

        What was read stays if the folder or a file cannot be read.
        """
        try:
            stamps = self._folder.stamps()
        except OSError as error:
            failure = f"the notes in {self.path!r} cannot be read: {reason_of(error)}"
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
        self._files |= {name: self._read(name, stamps[name]) for name in replaced}
        return self._publish()

    def _read(self, name: str, stamp: Stamp) -> _File:
        try:
            return _File(stamp, *self._folder.read(name), None)
        except (OSError, DamagedNotesError) as error:
            problem = f"{name} in {self.path!r} cannot be read: {reason_of(error)}"
            old = self._files.get(name)
            if isinstance(error, DamagedNotesError) or old is None:
                return _File(stamp if isinstance(error, DamagedNotesError) else None, None, None, problem)
            return old._replace(stamp=None, problem=problem)

    def _publish(self) -> list[str]:
        old = self._snapshot
        runs = {file.run: file.notes for file in self._files.values() if file.run is not None and file.notes}
        problems = [self._failure] if self._failure else []
        problems += [file.problem for file in self._files.values() if file.problem]
        changed = sorted(run for run in old.runs.keys() | runs.keys() if old.runs.get(run) != runs.get(run))
        if changed or problems != old.problems:
            new = NotesSnapshot(old.revision + 1, _NEVER, MappingProxyType(dict(sorted(runs.items()))), problems)
            # First without a revision of the logdir, as one published meanwhile may be served without this change.
            self._snapshot = new
            self._snapshot = new._replace(changed_at=self._revision())
        return changed
