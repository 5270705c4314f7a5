"""A logdir and its runs: one thread loads them and publishes snapshots, which all others read."""

import contextlib
import logging
import math
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from types import MappingProxyType
from typing import NamedTuple

from toposcope.server.formats.formats import Formats, choose
from toposcope.server.loading.files.file_loader import FileLoader, Progress
from toposcope.server.loading.finding.changes import Changes
from toposcope.server.loading.finding.discovery import (
    Discovery,
    FoundFile,
    discover,
    find,
    find_above,
    find_sources,
)
from toposcope.server.loading.run_views import RunViews
from toposcope.server.loading.totals import Totals
from toposcope.server.loading.translations import Translations
from toposcope.server.places.local_disk import LocalDisk
from toposcope.server.places.place import Place, is_gone, reason_of
from toposcope.server.process.freed_memory import FreedMemory
from toposcope.server.process.garbage_collection import no_collections
from toposcope.server.reading.index.index import Index
from toposcope.server.reports.process_report import ProcessReport, Reports, own_report
from toposcope.server.runs.run import RunView

_POLL_SECONDS = 0.2
"""How often growing files are polled if changes are not reported, and how often new views are published."""
_WATCHED_WALK_SECONDS = 60.0
_PUBLISH_SHARE = 20
_MANY_FILES = 200
_RETRY_SECONDS, _LONGEST_RETRY_SECONDS = 0.5, 30.0
"""How soon a walk that could not read something is repeated, at first and at last; each time after twice as long."""
_MAX_UNWATCHED_WALKS = 2
_MAX_RETRIES = 10
"""The number of retries of a logdir that is loaded only once."""
_REVISION_BYTES = 6
"""The size of the first revision. All that follow are integers that a double holds exactly, as JavaScript needs."""
_WALK_SHARE = 50
"""A walk that takes t seconds is repeated after at least 50 t: 2 % of a core. Waiting for a store takes none."""

log = logging.getLogger(__name__)


class Update(NamedTuple):
    """Names of the runs that differ between two snapshots."""

    revision: int
    added: list[str]
    changed: list[str]
    removed: list[str]
    states: list[str]
    """Runs that differ in their state, or in being live or stale, only."""


class ProblemCounts(NamedTuple):
    """How many problems of each kind there are."""

    unfollowed_links: int = 0
    unlisted_directories: int = 0
    unread_files: int = 0
    loading_failures: int = 0


class Snapshot(NamedTuple):
    """The runs of a logdir as loaded up to some moment; never changes."""

    revision: int
    """Grows by one with each snapshot."""
    removal: int
    """The last revision in which a run was removed; the first one if none was."""
    exists: bool
    loading: bool
    runs: Mapping[str, RunView]
    """The runs, by name, sorted."""
    progress: Progress
    ignored_files: int
    problems: Mapping[str, str]
    """The reasons why files and directories could not be read, or links are not followed, by path."""
    stale: Mapping[str, str] = MappingProxyType({})
    """The reasons why runs may have changed since they were read, by name: their files cannot be read at present."""
    totals: Totals = Totals()
    problem_counts: ProblemCounts = ProblemCounts()
    index_problem: str | None = None
    """Why the index cannot be written, one sentence; None: it can."""


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
        self._place = place or LocalDisk(path)
        self._is_local = isinstance(self._place, LocalDisk)
        """Whether it costs nothing to look at files again and again."""
        self._root, self._identity = path, self._place.identify(path)
        no_runs = MappingProxyType[str, RunView]({})
        # Random, so that no revision of another server is taken for one of this.
        self._first_revision = int.from_bytes(os.urandom(_REVISION_BYTES), "big")
        self.snapshot = Snapshot(
            self._first_revision,
            self._first_revision,
            self._identity is not None,
            True,
            no_runs,
            Progress(0, 0, 0, 0),
            0,
            MappingProxyType({}),
        )
        self._reload_seconds = reload_seconds
        self._index = index
        self._index_problem: str | None = None
        self._loader = FileLoader(index, self._place)
        formats = choose() if formats is None else formats
        self._translations = Translations(formats, self._place, None if index is None else index.translations)
        self._runs = RunViews(self._loader)
        self._freed_memory = FreedMemory()
        self._discovery = Discovery([], 0, {}, {}, 0, False)
        self._directories = 0
        """How many there are, at most, as far as is known."""
        self._unwatched_walks = 0
        """How many walks in succession found more directories than are watched."""
        self._failure: dict[str, str] = {}
        """Why the last step failed, with the logdir as the key; empty if it did not."""
        self._retries = 0
        """How many walks in succession found something that could not be read."""
        self._next_retry, self._walked = math.inf, 0.0
        self._unpublished: set[str] = set()
        """Directories whose changes are not in the snapshot yet."""
        self._subscribers: list[Callable[[Update], None]] = []
        self.observers: list[Callable[[Iterable[str]], None]] = []
        """Called in the loading thread with the runs that differ in a snapshot that has no new revision."""
        self.own_report: Callable[[], ProcessReport] = own_report
        self._read_all = time.monotonic()
        """When everything that was known had been read."""
        self._next_walk = self._next_step = 0.0
        self._publish_seconds = 0.0
        self._wake = threading.Event()
        self._changes = Changes(self._wake)
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="toposcope-loader", daemon=True)

    def start(self) -> None:
        """Start loading, unless that was done before."""
        if not self._thread.ident:
            self._thread.start()

    def stop(self) -> None:
        """Stop loading and bring the index up to date; returns when the thread has ended."""
        self._is_stopping = True
        self._wake.set()
        self._thread.join()

    def reports(self) -> Reports:
        """Return the report of this process, which is all of the server or the part that loads."""
        lag = time.monotonic() - self._read_all
        return {"main": self.own_report()._replace(lag=lag if self._reload_seconds else None)}

    def prioritise(self, runs: Iterable[str]) -> None:
        """Load these runs before others."""
        if self.snapshot.loading and runs:
            self._loader.prioritise(runs)

    def subscribe(self, subscriber: Callable[[Update], None]) -> Callable[[], None]:
        """Call subscriber, in the loading thread, after each published change; return a function that ends this."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def _run(self) -> None:
        while not self._is_stopping:
            self.step()
            self._sleep()
        self.stop_loading()

    def stop_loading(self) -> None:
        """Bring the index up to date and end all other threads; called in the loading thread."""
        self._changes.stop()
        self._loader.save(is_last=True)
        self._loader.stop()
        self._translations.close()

    def _note_failure(self, error: Exception) -> None:
        self._next_walk = time.monotonic() + max(self._reload_seconds, 1.0)
        with contextlib.suppress(MemoryError):  # It may be what failed.
            log.error("loading failed", exc_info=error)
            self._failure = {self.path: repr(error)}
            self.snapshot = self.snapshot._replace(
                problems=MappingProxyType(self._problems()), problem_counts=self._problem_counts()
            )
            self._observe(())

    def walk_soon(self) -> None:
        """Look for new and removed files with the next step; called in the loading thread."""
        self._next_walk = 0.0

    def step(self) -> None:
        """Find what is new, load it, and do some of the work that can wait; called in the loading thread only."""
        self._next_step = time.monotonic() + _POLL_SECONDS
        try:
            self._step()
        except Exception as error:  # The top of the thread: /api/health reports it; what is loaded is still served.
            self._note_failure(error)

    def _step(self) -> None:
        if self._identity != self._place.identify(
            self.path
        ):  # It was replaced by another directory, which is not watched.
            self.walk_soon()
            self._changes.stop()
        if time.monotonic() >= self._next_walk:
            with no_collections() if self.snapshot.loading else nullcontext():
                self._walk()
        else:
            self._apply_changes()
            self._translations.poll()
            self._loader.look_again()
            if self._is_local and not self._changes.are_reported:
                self._loader.poll()
        if self._index_problem is not None:
            self._look_at_index()  # Otherwise only with each walk, and after it was written.
        self._load()
        self._failure = {}
        if not self._loader.is_waiting:
            self._read_all = time.monotonic()
        self._next_step = time.monotonic() + _POLL_SECONDS
        self._do_idle_work()
        self._schedule()

    def _schedule(self) -> None:
        """Repeat the walk soon if something could not be read."""
        if not (self._discovery.unlisted or self._loader.problems or self._translations.problems):
            self._retries, self._next_retry = 0, math.inf
        elif self._next_retry <= self._walked or self._next_retry == math.inf:
            pause = min(_RETRY_SECONDS * 2.0 ** min(self._retries, 30), _LONGEST_RETRY_SECONDS)
            is_last = not self._reload_seconds and self._retries >= _MAX_RETRIES
            self._next_retry = math.inf if is_last else time.monotonic() + pause
            self._retries += 1
        self._next_walk = min(self._next_walk, self._next_retry)

    def _do_idle_work(self) -> None:
        """Do some of the work that can wait, until the next step."""
        while self._loader.has_idle_work and not self._wake.is_set() and time.monotonic() < self._next_step:
            changed = self._loader.verify()
            if changed:
                self._unpublished |= changed
                self._publish()
            self._loader.save(is_last=not self._reload_seconds)
            self._look_at_index()
            self._replace_views(self._loader.take_replaced())
            if self._loader.is_waiting:
                self._wake.set()

    def _look_at_index(self) -> None:
        self._index_problem = self._index.problem() if self._index is not None else None

    def _replace_views(self, directories: Iterable[str]) -> None:
        """Replace the views of runs by those of the same values in packs of the index; nothing is notified."""
        names = {self._runs.run_of(directory) for directory in directories}
        if not names:
            return
        old = self.snapshot.runs
        new = {name: self._runs.reread(old[name]) for name in names - self._unpublished & old.keys()}
        self.snapshot = self.snapshot._replace(runs=MappingProxyType({**old, **new}))
        self._observe(new)
        self._freed_memory.expect()

    def _sleep(self) -> None:
        """Sleep until the next step."""
        is_pending = self._reload_seconds or self._next_walk < math.inf or self._loader.has_idle_work
        if not self._is_stopping:
            self._wake.wait(max(0.0, self._next_step - time.monotonic()) if is_pending else None)
        self._wake.clear()

    def _walk(self) -> None:
        """Find new and removed files. What could not be listed stays, and is tried again soon."""
        clock = time.monotonic if self._is_local else time.thread_time
        start = clock()
        discovery = self._discover()
        if self._reload_seconds and self._is_local:
            self._changes.watch(self._root, discovery.has_links)
            self._check_watches(discovery.directories)
        self._look_at_index()
        self._report(discovery)
        self._discovery = discovery._replace(files=[])
        self._translations.replace(discovery.sources, discovery.unlisted, self._root)
        files = [*discovery.files, *self._translations.files]
        gone = self._loader.replace(files, discovery.unlisted, self._root)
        self._unpublished |= {self._forget(path) for path in gone}
        self._runs.add(files)
        usual = max(self._reload_seconds, _WATCHED_WALK_SECONDS if self._changes.are_reported else 0.0)
        self._walked = time.monotonic()
        if self._unwatched_walks and self._changes.are_reported:
            usual = _RETRY_SECONDS
        pause = max(usual, _WALK_SHARE * (clock() - start))
        self._next_walk = self._walked + pause if self._reload_seconds else math.inf

    def _check_watches(self, directories: int) -> None:
        """Poll instead of watching if the system does not watch all directories; some may have appeared just now."""
        self._directories = directories
        self._unwatched_walks = self._unwatched_walks + 1 if self._changes.lack(directories) else 0
        if self._unwatched_walks >= _MAX_UNWATCHED_WALKS:
            self._changes.give_up("the system has no watches left (on Linux, see fs.inotify.max_user_watches)")

    def _discover(self) -> Discovery:
        self._identity = self._place.identify(self.path)
        try:
            self._root = self._place.resolve(self.path)
        except OSError as error:
            return self._discovery._replace(files=[], unlisted={self._root: reason_of(error)})
        return discover(self._root, place=self._place, formats=self._translations.formats)

    def _report(self, discovery: Discovery) -> None:
        """Log what could not be listed, and what is not followed, unless it was logged already."""
        for path in discovery.unlisted.keys() - self._discovery.unlisted.keys():
            log.warning("cannot list %s: %s; what was read of it stays", path, discovery.unlisted[path])
        for path in discovery.unfollowed.keys() - self._discovery.unfollowed.keys():
            log.warning("not following %s: %s", path, discovery.unfollowed[path])

    def _apply_changes(self) -> None:
        """Apply the changes that the system reported."""
        removed: set[str] = set()
        directories = self._directories
        if self._changes.take_dropped():
            self.walk_soon()
        for path in self._changes.take():
            try:
                self._apply_change(path, os.lstat(path))
            except OSError as error:
                if is_gone(error):
                    removed.add(path)
                    if self._translations.concerns(path, self._root):
                        self.walk_soon()
                else:
                    self.walk_soon()
        if self._directories > directories and self._changes.lack(self._directories):
            self.walk_soon()  # It counts the directories.
        gone = [path for path in self._loader.paths if find_above(path, removed, self._root)] if removed else []
        self._unpublished |= {self._forget(path) for path in gone}

    def _apply_change(self, path: str, status: os.stat_result) -> None:
        """Add the file at a path, or the files below it if a directory appeared.

        Raises:
            OSError: what is at the path cannot be determined at present.
        """
        if path == self._root:
            self.walk_soon()
            return
        file = find(self._root, path, self._place)
        is_directory = stat.S_ISDIR(status.st_mode)
        formats = self._translations.formats
        discovery = discover(self._root, path, self._place, formats) if is_directory else None
        if not self._translations.concerns(path, self._root):
            one = [] if discovery or file else find_sources(self._root, path, self._place, formats)
            if one or (discovery and discovery.sources):
                self.walk_soon()
        if stat.S_ISLNK(status.st_mode) or (discovery and (discovery.has_links or discovery.unlisted)):
            self.walk_soon()  # It finds what links lead to, and whether watching is still possible.
            return
        if discovery is not None:
            self._directories += discovery.directories
        files: list[FoundFile] = [file] if file else discovery.files if discovery else []
        self._loader.add(files)
        self._runs.add(files)

    def _forget(self, path: str) -> str:
        """Remove a file that no longer exists; return the name of its run."""
        run = self._loader.forget(path)
        self._runs.remove(run, path)
        return run

    def _load(self) -> None:
        """Read what was appended, publishing at intervals."""
        has_news = self._is_waiting
        # Later, each pause would keep what was garbage at its end.
        is_first = self.snapshot.loading and self._loader.waiting > _MANY_FILES
        with no_collections() if is_first else nullcontext():
            self._read_and_publish()
        if has_news:
            self._freed_memory.expect()
        self._freed_memory.return_due()

    def _read_and_publish(self) -> None:
        due = self._runs.take_due()
        while self._is_waiting and not self._is_stopping:
            # Publishing takes longer the more runs there are.
            seconds = max(_POLL_SECONDS, _PUBLISH_SHARE * self._publish_seconds)
            self._translate(seconds)
            read = self._loader.read(seconds)
            self._unpublished |= read.changed
            due |= read.alive
            due -= self._unpublished
            if self._unpublished or self._is_waiting:
                self._publish()
            self._loader.save_many()
            self._replace_views(self._loader.take_replaced())
        reviewed = self._runs.review(self.snapshot.runs, due - self._unpublished)
        is_first = self.snapshot.revision == self._first_revision
        if self._unpublished or reviewed.changed or is_first or self._has_status_changed():
            self._publish(reviewed.changed)
        if reviewed.same:  # Neither a new revision nor a notification: what a training does is shown by the next reply.
            self.snapshot = self.snapshot._replace(runs=MappingProxyType({**self.snapshot.runs, **reviewed.same}))
            self._observe(reviewed.same)

    def _translate(self, seconds: float) -> None:
        """Translate other formats for about so many seconds."""
        files = list(self._translations.advance(seconds))
        self._loader.add(files)
        self._runs.add(files)

    @property
    def _is_waiting(self) -> bool:
        """Whether anything that is known was not read yet."""
        return self._loader.is_waiting or self._translations.is_waiting

    def _observe(self, names: Iterable[str]) -> None:
        for observer in self.observers:
            observer(names)

    def _has_status_changed(self) -> bool:
        """Return whether something other than the points of runs differs from the snapshot."""
        old = self.snapshot
        return (
            old.loading
            or old.exists != self._exists()
            or old.ignored_files != self._discovery.ignored_files
            or old.problems != self._problems()
            or old.stale != self._stale(old.runs)
            or old.index_problem != self._index_problem
        )

    def _exists(self) -> bool:
        """Return whether the logdir exists; as before if that is not known."""
        try:
            return self._place.is_directory(self.path)
        except OSError as error:
            return self.snapshot.exists and not is_gone(error)

    def _problems(self) -> dict[str, str]:
        return {**self._discovery.unfollowed, **self._discovery.unlisted, **self._unread, **self._failure}

    @property
    def _unread(self) -> dict[str, str]:
        """What could not be read of files, by path."""
        return {**self._loader.problems, **self._translations.damage, **self._translations.problems}

    def _problem_counts(self) -> ProblemCounts:
        discovery = self._discovery
        return ProblemCounts(*map(len, (discovery.unfollowed, discovery.unlisted, self._unread, self._failure)))

    def _stale(self, runs: Mapping[str, RunView]) -> dict[str, str]:
        """Return the reasons why runs may have changed since they were read, by name."""
        reasons = {self._runs.run_of(self._loader.run_of(path)): why for path, why in self._loader.unread.items()}
        return {run: reason for run, reason in reasons.items() if run in runs}

    def _publish(self, restated: Mapping[str, RunView] = MappingProxyType({})) -> None:
        """Publish a snapshot in which the changed runs are up to date, and notify the subscribers.

        Args:
            restated: new views of runs that differ in their state only, by name.
        """
        start = time.monotonic()
        changed = self._runs.changed(self._unpublished)
        old = self.snapshot
        revision = old.revision + 1
        for run in restated.values():
            run.state_revision = revision
        runs = self._runs.update({**old.runs, **restated}, changed, revision)
        stale = self._stale(runs)
        restaled = {name for name in stale.keys() | old.stale.keys() if stale.get(name) != old.stale.get(name)}
        restaled = restaled & runs.keys() - changed
        for name in restaled:
            runs[name] = self._runs.seen_again(runs[name])
            runs[name].state_revision = revision
        is_removal = bool(old.runs.keys() - runs.keys())
        self.snapshot = Snapshot(
            revision,
            revision if is_removal else old.removal,
            self._exists(),
            self._is_waiting,
            MappingProxyType(runs),
            self._loader.progress(),
            self._discovery.ignored_files,
            MappingProxyType(self._problems()),
            MappingProxyType(stale),
            old.totals.updated(old.runs, runs, changed),
            self._problem_counts(),
            self._index_problem,
        )
        self._unpublished = set()
        self._notify(old, changed, restated.keys() | restaled)
        self._publish_seconds = time.monotonic() - start

    def _notify(self, old: Snapshot, changed: set[str], restated: Iterable[str]) -> None:
        before, now = old.runs.keys(), self.snapshot.runs.keys()
        added, removed = sorted(now - before), sorted(before - now)
        update = Update(self.snapshot.revision, added, sorted(changed & now & before), removed, sorted(restated))
        for subscriber in list(self._subscribers):
            subscriber(update)
