"""The event files of a logdir: which of them have news, and reading those on all cores, the most wanted first."""

import logging
import os
import time
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import NamedTuple

from toposcope.server.loading.discovery import FoundFile
from toposcope.server.reading.event_file import WORKERS, EventFile
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.index import Index

HOT_SECONDS = 600.0
"""How long after its last growth a file counts as growing."""
_BUDGET_BYTES = 64 << 20
_LARGE_BYTES = 1 << 20
_VERIFY_BYTES = 32 << 20
_SAVE_SECONDS = 0.1
_QUIET_SECONDS = 5.0

log = logging.getLogger(__name__)


@dataclass
class _Loaded:
    """An event file and what is remembered of it besides what it remembers itself."""

    run: str
    file: EventFile
    size: int
    modified: float
    view: FileView | None = None
    has_more: bool = False


class Progress(NamedTuple):
    """How far loading has come."""

    files: int
    waiting_files: int
    """Files with bytes that were not read yet."""
    bytes: int
    read_bytes: int


class FileLoader:
    """Reads event files on all cores. Used by one thread, but for want()."""

    def __init__(self, index: Index | None) -> None:
        self.problems: dict[str, str] = {}
        """Files that could not be read, with the reason."""
        self._index = index
        self._files: dict[str, _Loaded] = {}
        self._waiting: set[str] = set()
        self._hot: set[str] = set()
        self._unverified: set[str] = set()
        self._unsaved: dict[str, float] = {}
        """When to try, by path."""
        self._wanted: frozenset[str] = frozenset()
        self._pool = ThreadPoolExecutor(WORKERS, "toposcope-read")

    def prioritise(self, runs: Iterable[str]) -> None:
        """Have these runs read before others; may be called in any thread."""
        self._wanted = frozenset(runs)

    @property
    def is_waiting(self) -> bool:
        """Say whether a file has bytes that were not read yet."""
        return bool(self._waiting)

    @property
    def waiting(self) -> int:
        """Number of files with bytes that were not read yet."""
        return len(self._waiting)

    @property
    def has_leisure_work(self) -> bool:
        """Say whether heavy records are to be verified, or files to be indexed that are not expected to grow."""
        now = time.monotonic()
        return bool(self._unverified) or any(due <= now for due in self._unsaved.values())

    @property
    def paths(self) -> list[str]:
        """The paths of all files."""
        return list(self._files)

    def modified(self, paths: Iterable[str]) -> float:
        """Return when the last of some files was written, in seconds since 1970; 0 for none."""
        return max((self._files[path].modified for path in paths), default=0.0)

    def views(self, run_files: Iterable[str]) -> list[FileView]:
        """Return what is known of files that hold something."""
        loaded = (self._files[path] for path in run_files)
        return [each.view for each in loaded if each.view is not None]

    def progress(self) -> Progress:
        """Return how far loading has come."""
        read = sum(each.view.read_bytes for each in self._files.values() if each.view)
        return Progress(len(self._files), len(self._waiting), sum(each.size for each in self._files.values()), read)

    def replace(self, found: Iterable[FoundFile]) -> set[str]:
        """Take these for all the files there are; return the paths of those that are gone."""
        present = {each.path: each for each in found}
        gone = self._files.keys() - present.keys()
        self.add(present.values())
        return gone

    def add(self, found: Iterable[FoundFile]) -> None:
        """Take in files that were found, known or new."""
        now = time.time()
        for each in found:
            if each.path not in self._files:
                file = EventFile(each.path, each.name, self._index)
                self._files[each.path] = _Loaded(each.run, file, each.status.st_size, each.status.st_mtime)
            if now - each.status.st_mtime < HOT_SECONDS:
                self._hot.add(each.path)
            self._look_at(each.path, each.status)

    def forget(self, path: str) -> str:
        """Drop a file that is gone; return the name of its run."""
        self.problems.pop(path, None)
        self._unsaved.pop(path, None)
        for paths in (self._waiting, self._hot, self._unverified):
            paths.discard(path)
        return self._files.pop(path).run

    def look(self) -> None:
        """Look at the files that grew lately."""
        now = time.time()
        for path in self._hot - self.problems.keys():  # Those are tried again by the next walk.
            try:
                status = os.stat(path)
            except OSError:
                continue  # The next walk finds out.
            if not self._look_at(path, status) and now - status.st_mtime > HOT_SECONDS:
                self._hot.discard(path)

    def _look_at(self, path: str, status: os.stat_result) -> bool:
        loaded = self._files[path]
        loaded.size, loaded.modified = status.st_size, status.st_mtime
        if not loaded.file.has_news(status):
            return False
        self._waiting.add(path)
        return True

    def read(self, seconds: float) -> set[str]:
        """Read waiting files for about so many seconds; return the runs that they belong to."""
        ends = time.monotonic() + seconds
        order = self._order()
        read: set[str] = set()
        running: set[Future[str]] = set()
        while running or (order and time.monotonic() < ends):
            if len(running) < WORKERS and order and time.monotonic() < ends:
                path = order.pop()
                if self._files[path].size >= _LARGE_BYTES:
                    running.add(self._pool.submit(self._read, path))
                else:  # Handing it to another thread would take as long as reading it.
                    read.add(self._settle(self._read(path)))
            else:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                read.update(self._settle(future.result()) for future in done)
        return read

    def _order(self) -> list[str]:
        """Return the waiting files, the most urgent last: what a page asks for first, then the newest first."""
        return sorted(
            self._waiting, key=lambda path: (self._files[path].run in self._wanted, self._files[path].modified)
        )

    def _read(self, path: str) -> str:
        loaded = self._files[path]
        try:
            loaded.has_more = loaded.file.read(_BUDGET_BYTES)
            loaded.view = loaded.file.view() or loaded.view
        except Exception as error:  # Whatever a file holds, the others are read.
            loaded.has_more = False
            self._report(path, error)
        else:
            self.problems.pop(path, None)
        return path

    def _report(self, path: str, error: Exception) -> None:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        if self.problems.get(path) != reason:
            log.warning("cannot read %s: %s", path, reason)
        self.problems[path] = reason

    def _settle(self, path: str) -> str:
        """Note what is left to do for a file that was read; return the run that it belongs to."""
        loaded = self._files[path]
        if not loaded.has_more:
            self._waiting.discard(path)
        if self._index is not None:
            self._unsaved.setdefault(path, 0.0)
        if loaded.view and loaded.view.verified_large_records < loaded.view.large_records:
            self._unverified.add(path)
        return loaded.run

    def verify(self) -> set[str]:
        """Verify some of the heavy records; return the runs whose view changed."""
        path = next(iter(self._unverified), None)
        if path is None:
            return set()
        loaded = self._files[path]
        try:
            if not loaded.file.verify(_VERIFY_BYTES):
                self._unverified.discard(path)
                if self._index is not None:
                    self._unsaved[path] = 0.0
        except OSError as error:
            self._unverified.discard(path)
            self._report(path, error)
            return set()
        view = loaded.file.view()
        if view is None:  # A damaged record was found: the file is to be read again, without it.
            self._waiting.add(path)
            return set()
        loaded.view = view
        return {loaded.run}

    def save(self, is_last: bool) -> None:
        """Write to the index what it lacks: for a moment, or all of it."""
        now = time.monotonic()
        for path, due in list(self._unsaved.items()):
            if due > now and not is_last:
                continue
            is_quiet = is_last or time.time() - self._files[path].modified > _QUIET_SECONDS
            if self._files[path].file.save(is_quiet):
                del self._unsaved[path]
            else:
                self._unsaved[path] = now + _QUIET_SECONDS
            if not is_last and time.monotonic() - now > _SAVE_SECONDS:
                return

    def stop(self) -> None:
        """End the threads."""
        self._pool.shutdown()
