"""A logdir and its runs: one thread loads them and publishes snapshots, which all others read."""

import contextlib
import logging
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext

from toposcope.server.formats.formats import Formats, choose
from toposcope.server.loading.finder import Finder
from toposcope.server.loading.loading_thread import STEP_SECONDS, LoadingThread
from toposcope.server.loading.log_files import LogFiles
from toposcope.server.loading.publishing.problems import Problems
from toposcope.server.loading.publishing.publication import Publication
from toposcope.server.loading.publishing.snapshot import Snapshot, Update
from toposcope.server.places.local_disk import LocalDisk
from toposcope.server.places.place import Place
from toposcope.server.process.freed_memory import FreedMemory
from toposcope.server.process.garbage_collection import no_collections
from toposcope.server.reading.index.index import Index
from toposcope.server.reports.process_report import ProcessReport, Reports, own_report

_MANY_FILES = 200

log = logging.getLogger(__name__)


class Logdir:
    """Loads the runs of a logdir in a separate thread and publishes snapshots by replacing one reference.

    Args:
        path: the logdir; it may be created later.
        reload_seconds: how often to look for new runs if changes are not reported; 0: load only once.
        index: what earlier servers loaded, so that only what was appended is read.
        place: reads the files; None: the local disk, which follows no links of other users out of the logdir.
        formats: other formats than event files that are read; None: all.
    """

    def __init__(
        self,
        path: str,
        reload_seconds: float,
        index: Index | None = None,
        place: Place | None = None,
        formats: Formats | None = None,
    ) -> None:
        self.path = path
        self.own_report: Callable[[], ProcessReport] = own_report
        place = place or LocalDisk(path)
        self._reload_seconds = reload_seconds
        self._thread = LoadingThread(self._run)
        self._files = LogFiles(index, place, choose() if formats is None else formats)
        self._finder = Finder(path, place, self._files, reload_seconds, self._thread.wake)
        self._problems = Problems(self._files, self._finder, index)
        self._publication = Publication(self._files, self._finder, self._problems)
        self._freed_memory = FreedMemory()
        self._read_all = time.monotonic()
        """When everything that was known had been read."""

    @property
    def snapshot(self) -> Snapshot:
        """The last published snapshot."""
        return self._publication.snapshot

    def start(self) -> None:
        """Start loading, unless that was done before."""
        self._thread.start()

    def stop(self) -> None:
        """Stop loading and bring the index up to date; returns when the thread has ended."""
        self._thread.stop()

    def reports(self) -> Reports:
        """Return the report of this process, which is all of the server or the part that loads."""
        lag = time.monotonic() - self._read_all
        return {"main": self.own_report()._replace(lag=lag if self._reload_seconds else None)}

    def prioritise(self, runs: Iterable[str]) -> None:
        """Load these runs before others."""
        if self.snapshot.loading and runs:
            self._files.loader.prioritise(runs)

    def subscribe(self, subscriber: Callable[[Update], None]) -> Callable[[], None]:
        """Call subscriber, in the loading thread, after each published change; return a function that ends this."""
        return self._publication.subscribe(subscriber)

    def observe(self, observer: Callable[[Iterable[str]], None]) -> None:
        """Call observer, in the loading thread, with the runs that differ in a snapshot that has no new revision."""
        self._publication.observers.append(observer)

    def _run(self) -> None:
        while not self._thread.is_stopping:
            self.step()
            is_pending = self._reload_seconds or self._finder.schedule.is_pending or self._files.loader.has_idle_work
            self._thread.sleep(bool(is_pending))
        self.stop_loading()

    def stop_loading(self) -> None:
        """Bring the index up to date and end all other threads; called in the loading thread."""
        self._finder.stop()
        self._files.close()

    def walk_soon(self) -> None:
        """Look for new and removed files with the next step; called in the loading thread."""
        self._finder.schedule.walk_soon()

    def step(self) -> None:
        """Find what is new, load it, and do some of the work that can wait; called in the loading thread only."""
        self._thread.schedule_step()
        try:
            self._step()
        except Exception as error:  # The top of the thread: /api/health reports it; what is loaded is still served.
            self._note_failure(error)

    def _note_failure(self, error: Exception) -> None:
        self._finder.schedule.walk_later()
        with contextlib.suppress(MemoryError):  # It may be what failed.
            log.error("loading failed", exc_info=error)
            self._problems.failure = {self.path: repr(error)}
            self._publication.replace_problems()

    def _step(self) -> None:
        self._find()
        self._load()
        self._problems.failure = {}
        if not self._files.loader.is_waiting:
            self._read_all = time.monotonic()
        self._thread.schedule_step()
        self._do_idle_work()
        self._finder.schedule_retry()

    def _find(self) -> None:
        """Find new, grown and removed files."""
        self._finder.check_identity()
        is_walk = self._finder.schedule.is_due
        if is_walk:
            with no_collections() if self.snapshot.loading else nullcontext():
                self._publication.unpublished |= self._finder.walk()
        else:
            self._publication.unpublished |= self._finder.apply_changes()
            self._finder.look_again()
        # Otherwise after it was written.
        if is_walk or self._problems.index_problem is not None:
            self._problems.look_at_index()

    def _load(self) -> None:
        """Read what was appended, publishing at intervals."""
        has_news = self._files.is_waiting
        # Later, each pause would keep what was garbage at its end.
        is_first = self.snapshot.loading and self._files.loader.waiting > _MANY_FILES
        with no_collections() if is_first else nullcontext():
            self._read_and_publish()
        if has_news:
            self._freed_memory.expect()
        self._freed_memory.return_due()

    def _read_and_publish(self) -> None:
        publication = self._publication
        due = self._files.runs.take_due()
        while self._files.is_waiting and not self._thread.is_stopping:
            read = self._files.read(max(STEP_SECONDS, publication.pause))
            publication.unpublished |= read.changed
            due |= read.alive
            due -= publication.unpublished
            if publication.unpublished or self._files.is_waiting:
                publication.publish()
            self._files.loader.saving.save_many()
            self._replace_views()
        reviewed = self._files.runs.review(self.snapshot.runs, due - publication.unpublished)
        if reviewed.changed or publication.has_news:
            publication.publish(reviewed.changed)
        if reviewed.same:  # What a training does is shown by the next reply.
            publication.replace(reviewed.same)

    def _do_idle_work(self) -> None:
        """Do some of the work that can wait, until the next step."""
        loader = self._files.loader
        while loader.has_idle_work and self._thread.is_idle:
            changed = loader.verify()
            if changed:
                self._publication.unpublished |= changed
                self._publication.publish()
            loader.saving.save(is_last=not self._reload_seconds)
            self._problems.look_at_index()
            self._replace_views()
            if loader.is_waiting:
                self._thread.wake.set()

    def _replace_views(self) -> None:
        """Replace the views of runs by those of the same values in packs of the index; nothing is notified."""
        directories = self._files.loader.saving.take_replaced()
        if directories:
            unpublished = self._publication.unpublished
            self._publication.replace(self._files.reread(directories, self.snapshot.runs, unpublished))
            self._freed_memory.expect()
