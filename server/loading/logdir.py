"""A logdir and its runs: one thread loads them and publishes snapshots, which all others read."""

import gc
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from toposcope.server.loading.changes import Changes
from toposcope.server.loading.discovery import Discovery, FoundFile, discover, find
from toposcope.server.loading.file_loader import FileLoader, Progress
from toposcope.server.loading.run_views import RunViews
from toposcope.server.reading.index import Index
from toposcope.server.runs.run import RunView

_POLL_SECONDS = 0.2
"""How often growing files are polled if changes are not reported, and how often new views are published."""
_WATCHED_WALK_SECONDS = 60.0
_PUBLISH_SHARE = 20
_MANY_FILES = 200
_WALK_SHARE = 50  # A walk that takes t seconds is repeated after at least 50 t: 2 % of a core.

log = logging.getLogger(__name__)


class Update(NamedTuple):
    """Names of the runs that differ between two snapshots."""

    revision: int
    added: list[str]
    changed: list[str]
    removed: list[str]
    states: list[str]
    """Runs that differ in their state or in being live only."""


class Snapshot(NamedTuple):
    """The runs of a logdir as loaded up to some moment; never changes."""

    revision: int
    removal: int
    """The last revision in which a run was removed."""
    exists: bool
    loading: bool
    runs: Mapping[str, RunView]
    """By name, sorted."""
    progress: Progress
    ignored_files: int
    problems: Mapping[str, str]
    """The reasons why files and directories could not be read, by path."""


class Logdir:
    """Loads the runs of a logdir in a separate thread and publishes snapshots by replacing one reference.

    Args:
        path: the logdir; it may be created later.
        reload_seconds: how often to look for new runs if changes are not reported; 0: load only once.
        index: what earlier servers loaded, so that only what was appended is read.
    """

    def __init__(self, path: str, reload_seconds: float, index: Index | None = None) -> None:
        self.path = path
        self._root, self._identity = os.path.realpath(path), _identify(path)
        no_runs = MappingProxyType[str, RunView]({})
        self.snapshot = Snapshot(
            0, 0, os.path.isdir(path), True, no_runs, Progress(0, 0, 0, 0), 0, MappingProxyType({})
        )
        self._reload_seconds = reload_seconds
        self._loader = FileLoader(index)
        self._runs = RunViews(self._loader)
        self._discovery = Discovery([], 0, {}, False)
        self._subscribers: list[Callable[[Update], None]] = []
        self.phase_observers: list[Callable[[Iterable[str]], None]] = []
        """Called in the loading thread with the runs of which a snapshot without a new revision has new phases."""
        self._next_walk = 0.0
        self._publish_seconds = 0.0
        self._wake = threading.Event()
        self._changes = Changes(self._wake)
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="toposcope-loader", daemon=True)

    def start(self) -> None:
        """Start loading."""
        self._thread.start()

    def stop(self) -> None:
        """Stop loading and bring the index up to date; returns when the thread has ended."""
        self._is_stopping = True
        self._wake.set()
        self._thread.join()

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
            try:
                self._step()
            except Exception as error:  # The top of the thread: /api/health reports it; what is loaded is still served.
                log.exception("loading failed")
                self._discovery.problems[self.path] = repr(error)
                self._next_walk = time.monotonic() + max(self._reload_seconds, 1.0)
                self._wake.wait(_POLL_SECONDS)
        self._changes.stop()
        self._loader.save(is_last=True)
        self._loader.stop()

    def _step(self) -> None:
        """Find what is new, load it, and do some of the work that can wait."""
        if self._identity != _identify(self.path):  # It was replaced by another directory, which is not watched.
            self._next_walk = 0.0
            self._changes.stop()
        if time.monotonic() >= self._next_walk:
            changed = self._walk()
        else:
            changed = self._apply_changes()
            if not self._changes.are_reported:
                self._loader.poll()
        self._load(changed)
        self._idle()

    def _idle(self) -> None:
        """Do some of the work that can wait, and sleep until the next step."""
        ends = time.monotonic() + _POLL_SECONDS if self._reload_seconds else float("inf")
        while self._loader.has_idle_work and not self._wake.is_set() and time.monotonic() < ends:
            changed = self._loader.verify()
            if changed:
                self._publish(changed)
            self._loader.save(is_last=not self._reload_seconds)
            if self._loader.is_waiting:
                return
        if not self._is_stopping:
            self._wake.wait(max(0.0, ends - time.monotonic()) if self._reload_seconds else None)
        self._wake.clear()

    def _walk(self) -> set[str]:
        """Find new and removed files; return the runs that lost some."""
        start = time.monotonic()
        self._identity, self._root = _identify(self.path), os.path.realpath(self.path)
        discovery = discover(self._root)
        if self._reload_seconds:
            self._changes.watch(self._root, discovery.has_links)
        usual = max(self._reload_seconds, _WATCHED_WALK_SECONDS if self._changes.are_reported else 0.0)
        pause = max(usual, _WALK_SHARE * (time.monotonic() - start))
        self._next_walk = start + pause if self._reload_seconds else float("inf")
        self._discovery = discovery
        changed = {self._forget(path) for path in self._loader.replace(discovery.files)}
        self._runs.add(discovery.files)
        return changed

    def _apply_changes(self) -> set[str]:
        """Apply the changes that the system reported; return the runs that lost files."""
        removed: set[str] = set()
        for path in self._changes.take():
            if os.path.lexists(path):
                self._apply_change(path)
            else:
                removed.add(path)
        gone = [path for path in self._loader.paths if self._is_below(path, removed)] if removed else []
        return {self._forget(path) for path in gone}

    def _apply_change(self, path: str) -> None:
        """Add the file at a path, or the files below it if a directory appeared."""
        file = find(self._root, path)
        discovery = discover(self._root, path) if file is None and os.path.isdir(path) else None
        if os.path.islink(path) or (discovery and discovery.has_links):
            self._next_walk = 0.0  # It finds what links lead to, and whether watching is still possible.
            return
        files: list[FoundFile] = [file] if file else discovery.files if discovery else []
        self._loader.add(files)
        self._runs.add(files)

    def _is_below(self, path: str, directories: set[str]) -> bool:
        """Return whether a path is one of some directories or below one."""
        while len(path) > len(self._root):
            if path in directories:
                return True
            path = os.path.dirname(path)
        return False

    def _forget(self, path: str) -> str:
        """Remove a file that no longer exists; return the name of its run."""
        run = self._loader.forget(path)
        self._runs.remove(run, path)
        return run

    def _load(self, changed: set[str]) -> None:
        """Read what was appended, publishing at intervals."""
        is_large = self._loader.waiting > _MANY_FILES and gc.isenabled()
        if is_large:  # Garbage collections would traverse all that is loaded, many times, and free nothing.
            gc.disable()
        try:
            self._read_and_publish(changed)
        finally:
            if is_large:
                gc.freeze()
                gc.enable()

    def _read_and_publish(self, changed: set[str]) -> None:
        due = self._runs.take_due()
        while self._loader.is_waiting and not self._is_stopping:
            # Publishing takes longer the more runs there are.
            read = self._loader.read(max(_POLL_SECONDS, _PUBLISH_SHARE * self._publish_seconds))
            changed |= read.changed
            due |= read.alive
            if changed or self._loader.is_waiting:
                self._publish(changed)
            due -= changed
            changed = set()
        reviewed = self._runs.review(self.snapshot.runs, due - changed)
        if changed or reviewed.changed or not self.snapshot.revision or self._has_status_changed():
            self._publish(changed, reviewed.changed)
        if reviewed.same:  # Neither a new revision nor a notification: what a training does is shown by the next reply.
            self.snapshot = self.snapshot._replace(runs=MappingProxyType({**self.snapshot.runs, **reviewed.same}))
            for observer in self.phase_observers:
                observer(reviewed.same.keys())

    def _has_status_changed(self) -> bool:
        """Return whether something other than the points of runs differs from the snapshot."""
        old = self.snapshot
        return (
            old.loading
            or old.exists != os.path.isdir(self.path)
            or old.ignored_files != self._discovery.ignored_files
            or old.problems != self._problems()
        )

    def _problems(self) -> dict[str, str]:
        return {**self._discovery.problems, **self._loader.problems}

    def _publish(self, changed: set[str], restated: Mapping[str, RunView] = MappingProxyType({})) -> None:
        """Publish a snapshot in which the changed runs are up to date, and notify the subscribers.

        Args:
            changed: directories that are new, changed or gone.
            restated: new views of runs that differ in their state only, by name.
        """
        start = time.monotonic()
        changed = self._runs.changed(changed)
        old = self.snapshot
        revision = old.revision + 1
        for run in restated.values():
            run.state_revision = revision
        runs = self._runs.update({**old.runs, **restated}, changed, revision)
        is_removal = bool(old.runs.keys() - runs.keys())
        self.snapshot = Snapshot(
            revision,
            revision if is_removal else old.removal,
            os.path.isdir(self.path),
            self._loader.is_waiting,
            MappingProxyType(runs),
            self._loader.progress(),
            self._discovery.ignored_files,
            MappingProxyType(self._problems()),
        )
        self._notify(old, changed, restated.keys())
        self._publish_seconds = time.monotonic() - start

    def _notify(self, old: Snapshot, changed: set[str], restated: Iterable[str]) -> None:
        before, now = old.runs.keys(), self.snapshot.runs.keys()
        added, removed = sorted(now - before), sorted(before - now)
        update = Update(self.snapshot.revision, added, sorted(changed & now & before), removed, sorted(restated))
        for subscriber in list(self._subscribers):
            subscriber(update)


def _identify(path: str) -> tuple[int, int] | None:
    """Return the device and inode of a directory; None if it does not exist."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
