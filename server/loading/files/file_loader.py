"""The event files of a logdir: which of them have unread bytes, and reading those on all cores by priority."""

import logging
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import NamedTuple

from toposcope.server.loading.files.known_files import KnownFiles
from toposcope.server.loading.files.loaded_file import LoadedFile
from toposcope.server.loading.files.saving import Saving
from toposcope.server.loading.finding.discovery import FoundFile, find_above
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.places.place import Place, Status, is_gone, reason_of
from toposcope.server.reading.index.index import Index
from toposcope.server.reading.windows.parallel_read import WORKERS
from toposcope.server.runs.recordings.file_activity import seen_first

_GROWING_SECONDS = 600.0
"""How long after its last growth a file counts as growing."""
_BUDGET_BYTES = 64 << 20
_LARGE_BYTES = 1 << 20
_VERIFY_BYTES = 32 << 20
_MAX_EXPECTED = 512
"""Files of which the place is notified that they will be read next."""

log = logging.getLogger(__name__)


class Progress(NamedTuple):
    """How much was loaded."""

    files: int
    waiting_files: int
    """Files with unread bytes."""
    bytes: int
    read_bytes: int


class ReadRuns(NamedTuple):
    """The runs of the files that were read."""

    changed: set[str]
    alive: set[str]
    """Those whose files grew by heartbeats only."""


class FileLoader:
    """Reads event files on all cores. Only prioritise() may be called from several threads."""

    def __init__(self, index: Index | None, place: Place = UNCHECKED) -> None:
        self.problems: dict[str, str] = {}
        """The reasons why files could not be read, by path."""
        self.unlisted: dict[str, str] = {}
        """The reasons why it is not known whether files still exist, by path."""
        self.files = KnownFiles(index, place)
        self._waiting: set[str] = set()
        self._growing: set[str] = set()
        self._unsettled: set[str] = set()
        """Files that may have been written again in place."""
        self._unverified: set[str] = set()
        self._unverifiable: set[str] = set()
        """Those whose large records could not be read."""
        self._prioritised: frozenset[str] = frozenset()
        self._pool = ThreadPoolExecutor(WORKERS, "toposcope-read")
        self.saving = Saving(self.files, self._waiting, self._pool)
        """Brings the index up to date, when it is asked to."""

    def prioritise(self, runs: Iterable[str]) -> None:
        """Read these runs before others."""
        self._prioritised = frozenset(runs)

    @property
    def is_waiting(self) -> bool:
        """Whether any file has unread bytes."""
        return bool(self._waiting)

    @property
    def waiting(self) -> int:
        """Number of files with unread bytes."""
        return len(self._waiting)

    @property
    def has_idle_work(self) -> bool:
        """Whether there are large records to verify, or files to write to the index."""
        return bool(self._unverified) or self.saving.is_due

    @property
    def paths(self) -> list[str]:
        """The paths of all files."""
        return list(self.files.by_path)

    @property
    def unread(self) -> dict[str, str]:
        """The reasons why files may contain more than what was read, by path: they cannot be read at present."""
        return {**self.problems, **self.unlisted}

    def run_of(self, path: str) -> str:
        """Return the directory of a file, relative to the logdir."""
        return self.files.by_path[path].run

    def progress(self) -> Progress:
        """Return how much was loaded."""
        total = read = 0
        for file in self.files.by_path.values():
            known = 0 if file.view is None else file.view.read_bytes
            total += max(file.status.size, known)  # It may have grown since it was listed.
            read += known
        return Progress(len(self.files.by_path), len(self._waiting), total, read)

    def replace(self, files: Iterable[FoundFile], unlisted: Mapping[str, str], logdir: str) -> set[str]:
        """Add files that are all there are now; return the paths of those that no longer exist.

        Args:
            files: those that were found.
            unlisted: directories and files of which nothing is known at present, with the reason: what was known of
                them, and of everything below them, stays.
            logdir: contains all files.
        """
        is_first = not self.files.by_path
        present = {file.path: file for file in files}
        missing = self.files.by_path.keys() - present.keys()
        above = {path: find_above(path, unlisted, logdir) for path in missing} if unlisted else {}
        self.unlisted = {path: unlisted[directory] for path, directory in above.items() if directory is not None}
        self.add(present.values())
        if not is_first:
            self._look_for_packs()
        self._try_again()
        return missing - self.unlisted.keys()

    def _look_for_packs(self) -> None:
        """Look for packs that another program wrote meanwhile, if there are files to read that they may contain."""
        index, files = self.files.index, self.files.by_path
        if index is not None and any(files[path].file is None for path in self._waiting):
            index.add_shared_packs()

    def _try_again(self) -> None:
        """Schedule what failed before."""
        self._unverified |= self._unverifiable
        self._waiting |= self.problems.keys() & self.files.by_path.keys() - self._unverifiable

    def add(self, files: Iterable[FoundFile]) -> None:
        """Add new files and update the status of known ones."""
        now = time.time()
        for run, path, name, status in files:
            if now - status.modified < _GROWING_SECONDS:
                self._growing.add(path)
            known = self.files.by_path.get(path)
            if known is None:
                grown = seen_first(status.modified)
                self.files.by_path[path] = LoadedFile(run, name, status, grown, grown)
                self._waiting.add(path)
            elif known.status != status or known.file is not None or known.view is None:
                self._update_status(path, status)

    def forget(self, path: str) -> str:
        """Remove a file that no longer exists; return the name of its run."""
        self.problems.pop(path, None)
        self.unlisted.pop(path, None)
        for paths in (self._waiting, self._growing, self._unsettled, self._unverified, self._unverifiable):
            paths.discard(path)
        self.saving.forget(path)
        return self.files.by_path.pop(path).run

    def poll(self) -> None:
        """Update the status of the files that grew recently."""
        now = time.time()
        for path in self._growing - self.problems.keys():  # Those are tried again after the next walk.
            try:
                status = self.files.place.stat(path)
            except OSError:
                continue  # The next walk finds that it is gone.
            if not self._update_status(path, status) and now - status.modified > _GROWING_SECONDS:
                self._growing.discard(path)

    def look_again(self) -> None:
        """Update the status of the files that may have been written again in place."""
        self.check(list(self._unsettled))

    def check(self, paths: Iterable[str]) -> bool:
        """Update the status of some files now; return False if that of a file is not available at present."""
        for path in paths:
            try:
                self._update_status(path, self.files.place.stat(path))
            except OSError as error:
                if not is_gone(error):  # Otherwise the next walk finds that.
                    return False
        return True

    def _update_status(self, path: str, status: Status) -> bool:
        loaded = self.files.by_path[path]
        if status.size != loaded.status.size:
            loaded.grown = time.monotonic()
        has_changed, loaded.status = status != loaded.status, status
        has_news = loaded.file.has_news(status) if loaded.file else has_changed or loaded.view is None
        if has_news:
            self._waiting.add(path)
        if loaded.file and loaded.file.is_unsettled and not has_news:
            self._unsettled.add(path)
        else:
            self._unsettled.discard(path)
        return has_news

    def read(self, seconds: float) -> ReadRuns:
        """Read files with unread bytes for about so many seconds."""
        ends = time.monotonic() + seconds
        order = self._order()
        self.files.expect(order[: -_MAX_EXPECTED - 1 : -1])
        runs = ReadRuns(set(), set())
        running: set[Future[str]] = set()
        while running or (order and time.monotonic() < ends):
            if len(running) < WORKERS and order and time.monotonic() < ends:
                path = order.pop()
                if self.files.by_path[path].status.size >= _LARGE_BYTES:
                    running.add(self._pool.submit(self._read, path))
                else:  # Switching to another thread would take as long as reading it.
                    self._finish_read(self._read(path), runs)
            else:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    self._finish_read(future.result(), runs)
        self._waiting |= self.files.start_over(runs.changed)
        return runs

    def _order(self) -> list[str]:
        """Return the files with unread bytes, the most urgent last: requested runs first, then the newest files."""
        files, prioritised = self.files.by_path, self._prioritised
        newest_last = sorted(self._waiting, key=lambda path: files[path].status.modified)
        return sorted(newest_last, key=lambda path: files[path].run in prioritised) if prioritised else newest_last

    def _read(self, path: str) -> str:
        loaded = self.files.by_path[path]
        if loaded.view is None and loaded.file is None:
            loaded.view = self.files.packed_view(path)
            if loaded.view is not None:
                loaded.has_news = True
                return path
        loaded.has_news = False
        try:
            file = self.files.open(path)
            loaded.has_more = file.read(_BUDGET_BYTES)
            loaded.view = file.view() or loaded.view
            # Compared with those of the last successful read: one that failed may have read something too.
            loaded.has_news = file.edition != loaded.edition
            if file.training_edition != loaded.training_edition:
                loaded.recorded = loaded.grown
            loaded.edition, loaded.training_edition = file.edition, file.training_edition
        except Exception as error:  # Whatever a file contains, the others are read.
            loaded.has_more = False
            self._report(path, error)
        else:
            if path not in self._unverifiable:
                self.problems.pop(path, None)
        return path

    def _report(self, path: str, error: Exception) -> None:
        reason = reason_of(error)
        if self.problems.get(path) != reason:
            log.warning("cannot read %s: %s", path, reason)
        self.problems[path] = reason

    def _finish_read(self, path: str, runs: ReadRuns) -> None:
        """Schedule what is left to do for a file that was read, and add the run that it belongs to."""
        loaded = self.files.by_path[path]
        if not loaded.has_more:
            self._waiting.discard(path)
        if loaded.view and loaded.view.verified_large_records < loaded.view.large_records:
            self._unverified.add(path)
        if not loaded.has_news:
            runs.alive.add(loaded.run)
            return
        runs.changed.add(loaded.run)
        if loaded.file is None:  # It is in a pack of the index.
            return
        loaded.file.declare()
        self.saving.note_read(path)

    def verify(self) -> set[str]:
        """Verify some of the large records; return the runs whose view changed."""
        path = next(iter(self._unverified), None)
        if path is None:
            return set()
        loaded = self.files.by_path[path]
        file = self.files.open(path)
        try:
            if not file.verify(_VERIFY_BYTES):
                self._unverified.discard(path)
                self.saving.note_verified(path)
        except (OSError, MemoryError) as error:
            self._unverified.discard(path)
            self._unverifiable.add(path)
            self._report(path, error)
            return set()
        if path in self._unverifiable:
            self._unverifiable.discard(path)
            self.problems.pop(path, None)
        view = file.view()
        if view is None:  # A damaged record was found: the file must be read again, without it.
            self._waiting.add(path)
            return set()
        loaded.view = view
        return {loaded.run}

    def stop(self) -> None:
        """End the threads."""
        self.saving.stop()
        self._pool.shutdown()
