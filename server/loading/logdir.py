"""A logdir and its runs: one thread loads them, everybody reads the last snapshot."""

import gc
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from toposcope.server.loading.discovery import FoundFile, discover, find
from toposcope.server.loading.file_loader import FileLoader, Progress
from toposcope.server.loading.watch import Watcher, can_watch
from toposcope.server.reading.index import Index
from toposcope.server.runs.run import RunView

LOOK_SECONDS = 0.2
"""How often files that grew lately are looked at where changes are not told, and what is loaded is published."""
LIVE_SECONDS = 60.0
"""How long after its last growth a run counts as live."""
_WATCHED_WALK_SECONDS = 60.0
_PUBLISH_SHARE = 20
_MANY_FILES = 200
_WALK_SHARE = 50  # A walk that takes t seconds is repeated after 50 t at the soonest: 2 % of a core.

log = logging.getLogger(__name__)


class Update(NamedTuple):
    """What changed between two snapshots: names of runs."""

    revision: int
    added: list[str]
    changed: list[str]
    removed: list[str]


class Snapshot(NamedTuple):
    """What is known of a logdir at one moment; never changes."""

    revision: int
    removal: int
    """The last revision in which a run was removed."""
    exists: bool
    loading: bool
    runs: Mapping[str, RunView]
    """In the order of their names."""
    progress: Progress
    ignored_files: int
    problems: Mapping[str, str]
    """Files and directories that could not be read, with the reason."""


class Logdir:
    """Loads the runs of a logdir in a thread of its own and publishes snapshots by swapping one reference.

    Args:
        path: the logdir; may be missing for now.
        reload_seconds: how often new runs are looked for where changes are not told; 0: load once.
        index: what earlier servers loaded, so that only what was appended is read.
    """

    def __init__(self, path: str, reload_seconds: float, index: Index | None = None) -> None:
        self.path = path
        self._root, self._identity = os.path.realpath(path), _identify(path)
        nothing = Progress(0, 0, 0, 0)
        empty = MappingProxyType[str, RunView]({})
        self.snapshot = Snapshot(0, 0, os.path.isdir(path), True, empty, nothing, 0, MappingProxyType({}))
        self._reload_seconds = reload_seconds
        self._loading = FileLoader(index)
        self._paths: dict[str, set[str]] = {}
        self._live: dict[str, float] = {}
        """Until when a run counts as live unless it grows, in seconds since 1970."""
        self._ignored_files = 0
        self._problems: dict[str, str] = {}
        self._subscribers: list[Callable[[Update], None]] = []
        self._next_walk = 0.0
        self._publish_seconds = 0.0
        self._watcher: Watcher | None = None
        self._changes: queue.SimpleQueue[set[str]] = queue.SimpleQueue()
        self._woken = threading.Event()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="toposcope-loader", daemon=True)

    def start(self) -> None:
        """Begin to load."""
        self._thread.start()

    def stop(self) -> None:
        """Stop loading and bring the index up to date; returns when the thread has ended."""
        self._is_stopping = True
        self._woken.set()
        self._thread.join()

    def prioritise(self, runs: Iterable[str]) -> None:
        """Load these runs before others."""
        if self.snapshot.loading and runs:
            self._loading.prioritise(runs)

    def subscribe(self, subscriber: Callable[[Update], None]) -> Callable[[], None]:
        """Call subscriber, in the loading thread, after each publication that changed runs; return how to end that."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def _run(self) -> None:
        while not self._is_stopping:
            try:
                self._step()
            except Exception as error:  # The top of the thread: told by /api/health, and what is loaded stays served.
                log.exception("loading stopped short")
                self._problems[self.path] = repr(error)
                self._next_walk = time.monotonic() + max(self._reload_seconds, 1.0)
                self._woken.wait(LOOK_SECONDS)
        self._unwatch()
        self._loading.save(is_last=True)
        self._loading.stop()

    def _step(self) -> None:
        """Find what is new, load it, and do some of what can wait."""
        if self._identity != _identify(self.path):  # Another directory took its place: the old one is watched.
            self._next_walk = 0.0
            self._unwatch()
        if time.monotonic() >= self._next_walk:
            touched = self._walk()
        else:
            touched = self._take_changes()
            if not self._is_told:
                self._loading.look()
        self._load(touched)
        self._idle()

    def _idle(self) -> None:
        """Do some of what can wait, and rest until it is time to look again."""
        ends = time.monotonic() + LOOK_SECONDS if self._reload_seconds else float("inf")
        while self._loading.has_leisure_work and not self._woken.is_set() and time.monotonic() < ends:
            touched = self._loading.verify()
            if touched:
                self._publish(touched)
            self._loading.save(is_last=not self._reload_seconds)
            if self._loading.is_waiting:
                return
        if not self._is_stopping:
            self._woken.wait(max(0.0, ends - time.monotonic()) if self._reload_seconds else None)
        self._woken.clear()

    @property
    def _is_told(self) -> bool:
        """Say whether changes are told by the system."""
        return self._watcher is not None and self._watcher.is_telling

    def _walk(self) -> set[str]:
        """Find new and vanished files; return the runs that lost some."""
        began = time.monotonic()
        self._identity, self._root = _identify(self.path), os.path.realpath(self.path)
        discovery = discover(self._root)
        if self._reload_seconds:
            self._watch(discovery.has_links)
        usual = max(self._reload_seconds, _WATCHED_WALK_SECONDS if self._is_told else 0.0)
        pause = max(usual, _WALK_SHARE * (time.monotonic() - began))
        self._next_walk = began + pause if self._reload_seconds else float("inf")
        self._ignored_files, self._problems = discovery.ignored_files, discovery.problems
        touched = {self._forget(path) for path in self._loading.replace(discovery.files)}
        self._note(discovery.files)
        return touched

    def _watch(self, has_links: bool) -> None:
        """Begin to watch, or stop, as the logdir allows."""
        is_possible = can_watch(self._root) and not has_links
        if is_possible and self._watcher is None:
            self._watcher = Watcher(self._root, self._tell)
        elif not is_possible:
            self._unwatch()

    def _unwatch(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher = None

    def _tell(self, paths: set[str]) -> None:
        """Take, in the watching thread, paths that changed."""
        self._changes.put(paths)
        self._woken.set()

    def _take_changes(self) -> set[str]:
        """Take in the changes that were told; return the runs that lost files."""
        vanished: set[str] = set()
        while not self._changes.empty():
            for path in self._changes.get():
                if os.path.lexists(path):
                    self._take_change(path)
                else:
                    vanished.add(path)
        gone = [path for path in self._loading.paths if self._is_below(path, vanished)] if vanished else []
        return {self._forget(path) for path in gone}

    def _take_change(self, path: str) -> None:
        """Take in what is at a path, or below it when a directory appeared."""
        file = find(self._root, path)
        discovery = discover(self._root, path) if file is None and os.path.isdir(path) else None
        if os.path.islink(path) or (discovery and discovery.has_links):
            self._next_walk = 0.0  # Which says what links lead to, and whether to watch on.
            return
        found = [file] if file else discovery.files if discovery else []
        self._loading.add(found)
        self._note(found)

    def _is_below(self, path: str, directories: set[str]) -> bool:
        """Say whether a path is one of these or below one."""
        while len(path) > len(self._root):
            if path in directories:
                return True
            path = os.path.dirname(path)
        return False

    def _note(self, found: Iterable[FoundFile]) -> None:
        for each in found:
            self._paths.setdefault(each.run, set()).add(each.path)

    def _forget(self, path: str) -> str:
        """Drop a file that is gone; return the name of its run."""
        run = self._loading.forget(path)
        self._paths[run].discard(path)
        if not self._paths[run]:
            del self._paths[run]
        return run

    def _load(self, touched: set[str]) -> None:
        """Read what has news, publishing as it goes."""
        is_large = self._loading.waiting > _MANY_FILES and gc.isenabled()
        if is_large:  # The collector would go over all that is loaded again and again, and find nothing.
            gc.disable()
        try:
            self._read_and_publish(touched)
        finally:
            if is_large:
                gc.freeze()
                gc.enable()

    def _read_and_publish(self, touched: set[str]) -> None:
        while self._loading.is_waiting and not self._is_stopping:
            # To publish takes longer the more runs there are.
            touched |= self._loading.read(max(LOOK_SECONDS, _PUBLISH_SHARE * self._publish_seconds))
            self._publish(touched)
            touched = set()
        if touched or not self.snapshot.revision or self._status_changed():
            self._publish(touched)

    def _status_changed(self) -> bool:
        """Say whether something other than the runs' points differs from the snapshot."""
        old = self.snapshot
        return (
            old.loading
            or old.exists != os.path.isdir(self.path)
            or old.ignored_files != self._ignored_files
            or old.problems != self._all_problems()
            or time.time() > self._next_stale
        )

    def _all_problems(self) -> dict[str, str]:
        return {**self._problems, **self._loading.problems}

    @property
    def _next_stale(self) -> float:
        return min(self._live.values(), default=float("inf"))

    def _publish(self, touched: set[str]) -> None:
        """Swap in a snapshot in which the touched runs are up to date, and tell the subscribers."""
        began = time.monotonic()
        old = self.snapshot
        revision = old.revision + 1
        stale = {run for run, until in self._live.items() if until < time.time()}
        runs = dict(old.runs)
        for name in touched | stale:
            files = self._loading.views(self._paths.get(name, ()))
            self._live.pop(name, None)
            if not files:
                runs.pop(name, None)
                continue
            until = self._loading.modified(self._paths[name]) + LIVE_SECONDS
            runs[name] = RunView(name, files, revision, live=until > time.time())
            if runs[name].live:
                self._live[name] = until
        if runs.keys() != old.runs.keys():
            runs = dict(sorted(runs.items()))
        is_removal = bool(old.runs.keys() - runs.keys())
        self.snapshot = Snapshot(
            revision,
            revision if is_removal else old.removal,
            os.path.isdir(self.path),
            self._loading.is_waiting,
            MappingProxyType(runs),
            self._loading.progress(),
            self._ignored_files,
            MappingProxyType(self._all_problems()),
        )
        self._send(old, touched | stale)
        self._publish_seconds = time.monotonic() - began

    def _send(self, old: Snapshot, touched: set[str]) -> None:
        before, now = old.runs.keys(), self.snapshot.runs.keys()
        added, removed = sorted(now - before), sorted(before - now)
        update = Update(self.snapshot.revision, added, sorted(touched & now & before), removed)
        for subscriber in list(self._subscribers):
            subscriber(update)


def _identify(path: str) -> tuple[int, int] | None:
    """Return what tells one directory from another that takes its place; None when there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
