"""A logdir and its runs: one thread loads them, everybody reads the last snapshot."""

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from toposcope.server.discovery import Discovery, Found, discover
from toposcope.server.event_file import EventFile, FileView
from toposcope.server.run import RunView

LOOK_SECONDS = 0.2
"""How often files that grew lately are looked at."""
HOT_SECONDS = 600.0
"""How long after its last growth a file counts as growing."""
LIVE_SECONDS = 60.0
"""How long after its last growth a run counts as live."""
_BUDGET_BYTES = 32 << 20
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
    exists: bool
    loading: bool
    runs: Mapping[str, RunView]
    """In the order of their names."""
    ignored_files: int
    problems: Mapping[str, str]
    """Files and directories that could not be read, with the reason."""


class Logdir:
    """Loads the runs of a logdir in a thread of its own and publishes snapshots by swapping one reference."""

    def __init__(self, path: str, reload_seconds: float) -> None:
        self.path = path
        self.snapshot = Snapshot(0, os.path.isdir(path), True, MappingProxyType({}), 0, MappingProxyType({}))
        self._reload_seconds = reload_seconds
        self._files: dict[str, tuple[str, EventFile]] = {}
        self._grew: dict[str, float] = {}
        self._views: dict[str, dict[str, FileView]] = {}
        self._problems: dict[str, str] = {}
        self._discovery = Discovery([], 0, {})
        self._subscribers: list[Callable[[Update], None]] = []
        self._next_walk = 0.0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="toposcope-loader", daemon=True)

    def start(self) -> None:
        """Begin to load."""
        self._thread.start()

    def stop(self) -> None:
        """Stop loading; returns when the thread has ended."""
        self._stopping.set()
        self._thread.join()

    def subscribe(self, subscriber: Callable[[Update], None]) -> Callable[[], None]:
        """Call subscriber, in the loading thread, after each publication that changed runs; return how to end that."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._step()
            except Exception as error:  # The top of the thread: told by /api/health, and what is loaded stays served.
                log.exception("loading stopped short")
                self._problems[self.path] = repr(error)
                self._next_walk = time.monotonic() + max(self._reload_seconds, 1.0)
            self._stopping.wait(LOOK_SECONDS if self._reload_seconds else None)

    def _step(self) -> None:
        """Walk over the logdir if it is time for that, else look at the files that grow."""
        if time.monotonic() < self._next_walk:
            self._look()
        else:
            self._walk()

    def _walk(self) -> None:
        """Find new and vanished files and load all that grew."""
        began = time.monotonic()
        self._discovery = discover(self.path)
        pause = max(self._reload_seconds, _WALK_SHARE * (time.monotonic() - began))
        self._next_walk = began + pause if self._reload_seconds else float("inf")
        self._problems.pop(self.path, None)
        present = {found.path for found in self._discovery.files}
        gone = [path for path in self._files if path not in present]
        touched = {self._forget(path) for path in gone}
        for found in self._discovery.files:
            if found.path not in self._files:
                self._files[found.path] = (found.run, EventFile(found.path, found.name))
        newest_first = sorted(self._discovery.files, key=lambda found: found.status.st_mtime, reverse=True)
        waiting = [found.path for found in newest_first if self._files[found.path][1].has_news(found.status)]
        self._mark_growing(newest_first)
        self._load(waiting, touched)

    def _mark_growing(self, files: list[Found]) -> None:
        now = time.time()
        for found in files:
            if now - found.status.st_mtime < HOT_SECONDS:
                self._grew.setdefault(found.path, found.status.st_mtime)

    def _look(self) -> None:
        """Load what was appended to files that grew lately."""
        waiting = []
        for path, grew in list(self._grew.items()):
            try:
                status = os.stat(path)
            except OSError:
                continue  # The next walk finds out.
            if self._files[path][1].has_news(status):
                waiting.append(path)
            elif time.time() - max(grew, status.st_mtime) > HOT_SECONDS:
                del self._grew[path]
        if waiting:
            self._load(waiting, set())

    def _load(self, waiting: list[str], touched: set[str]) -> None:
        """Read files a budget each at a time, publishing after each round, until nothing more can be read at once."""
        while waiting and not self._stopping.is_set():
            again: list[str] = []
            began = time.monotonic()
            read = 0
            while read < len(waiting) and time.monotonic() - began < LOOK_SECONDS:
                path = waiting[read]
                read += 1
                if self._read(path):
                    again.append(path)
                touched.add(self._files[path][0])
            waiting = waiting[read:] + again
            self._publish(touched, bool(waiting))
            touched = set()
        if touched or not self.snapshot.revision or self._status_changed():
            self._publish(touched, False)

    def _read(self, path: str) -> bool:
        """Read on in a file; return whether more can be read at once."""
        run, file = self._files[path]
        try:
            more = file.read(_BUDGET_BYTES)
        except OSError as error:
            reason = error.strerror or str(error)
            if self._problems.get(path) != reason:
                log.warning("cannot read %s: %s", path, reason)
            self._problems[path] = reason
            return False
        self._problems.pop(path, None)
        self._grew[path] = time.time()
        view = file.view()
        if view is not None:
            self._views.setdefault(run, {})[path] = view
        return more

    def _forget(self, path: str) -> str:
        """Drop a file that is gone; return the name of its run."""
        run, _ = self._files.pop(path)
        self._grew.pop(path, None)
        self._problems.pop(path, None)
        views = self._views.get(run, {})
        views.pop(path, None)
        if not views:
            self._views.pop(run, None)
        return run

    def _status_changed(self) -> bool:
        """Say whether something other than the runs' points differs from the snapshot."""
        old = self.snapshot
        return (
            old.loading
            or old.exists != os.path.isdir(self.path)
            or old.ignored_files != self._discovery.ignored_files
            or old.problems != self._all_problems()
            or any(run.live != self._is_live(run.name) for run in old.runs.values())
        )

    def _all_problems(self) -> dict[str, str]:
        return {**self._discovery.problems, **self._problems}

    def _is_live(self, run: str) -> bool:
        return any(time.time() - view.modified < LIVE_SECONDS for view in self._views.get(run, {}).values())

    def _publish(self, touched: set[str], loading: bool) -> None:
        """Swap in a snapshot in which the touched runs are up to date, and tell the subscribers."""
        old = self.snapshot
        revision = old.revision + 1
        runs = {name: run for name, run in old.runs.items() if name in self._views}
        flipped = {name for name, run in runs.items() if run.live != self._is_live(name)}
        for name in (touched | flipped) & self._views.keys():
            files = self._views[name].values()
            runs[name] = RunView(name, files, revision, self._is_live(name))
        self.snapshot = Snapshot(
            revision,
            os.path.isdir(self.path),
            loading,
            MappingProxyType(dict(sorted(runs.items()))),
            self._discovery.ignored_files,
            MappingProxyType(self._all_problems()),
        )
        update = Update(
            revision,
            sorted(runs.keys() - old.runs.keys()),
            sorted((touched | flipped) & runs.keys() & old.runs.keys()),
            sorted(old.runs.keys() - runs.keys()),
        )
        for subscriber in list(self._subscribers):
            subscriber(update)
