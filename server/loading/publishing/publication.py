"""Publishes snapshots of what was loaded, and reports how each differs from the one before."""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from toposcope.server.loading.files.file_loader import Progress
from toposcope.server.loading.finder import Finder
from toposcope.server.loading.log_files import LogFiles
from toposcope.server.loading.publishing.problems import Problems
from toposcope.server.loading.publishing.snapshot import Snapshot, Update
from toposcope.server.runs.run import RunView

_REVISION_BYTES = 6
"""The size of the first revision. All that follow are integers that a double holds exactly, as JavaScript needs."""
_PUBLISH_SHARE = 20
"""Publishing for t seconds is repeated after at least 20 t."""


class Publication:
    """The newest snapshot, and whom it concerns; all methods but subscribe() are called in the loading thread.

    Args:
        files: what was loaded.
        finder: what was found.
        problems: why some of it could not be loaded.
    """

    def __init__(self, files: LogFiles, finder: Finder, problems: Problems) -> None:
        # Random, so that no revision of another server is taken for one of this.
        self._first_revision = first = int.from_bytes(os.urandom(_REVISION_BYTES), "big")
        no_runs = MappingProxyType[str, RunView]({})
        self.snapshot = Snapshot(
            first,
            first,
            finder.identity is not None,
            True,
            no_runs,
            Progress(0, 0, 0, 0),
            0,
            MappingProxyType[str, str]({}),
        )
        self.unpublished: set[str] = set()
        """Directories whose changes are not in the snapshot yet."""
        self.observers: list[Callable[[Iterable[str]], None]] = []
        """Called with the runs that differ in a snapshot that has no new revision."""
        self._subscribers: list[Callable[[Update], None]] = []
        self._files = files
        self._finder = finder
        self._problems = problems
        self._seconds = 0.0
        """How long it took to publish the last snapshot: longer the more runs there are."""

    def subscribe(self, subscriber: Callable[[Update], None]) -> Callable[[], None]:
        """Call subscriber, in the loading thread, after each published change; return a function that ends this."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    @property
    def pause(self) -> float:
        """How many seconds to wait, at least, before another snapshot is published."""
        return _PUBLISH_SHARE * self._seconds

    @property
    def has_news(self) -> bool:
        """Whether anything differs from the snapshot, apart from the states of runs and from progress."""
        old = self.snapshot
        return bool(
            self.unpublished
            or old.revision == self._first_revision
            or old.loading
            or old.exists != self._finder.exists(old.exists)
            or old.ignored_files != self._finder.discovery.ignored_files
            or old.problems != self._problems.by_path()
            or old.stale != self._files.stale(old.runs.keys())
            or old.index_problem != self._problems.index_problem
        )

    def replace(self, runs: Mapping[str, RunView]) -> None:
        """Replace the views of some runs by those of the same values: there is no new revision, nor a notification."""
        self.snapshot = self.snapshot._replace(runs=MappingProxyType({**self.snapshot.runs, **runs}))
        self._observe(runs)

    def replace_problems(self) -> None:
        """Publish the problems as they are now, and nothing else."""
        problems = MappingProxyType(self._problems.by_path())
        self.snapshot = self.snapshot._replace(problems=problems, problem_counts=self._problems.counts())
        self._observe(())

    def _observe(self, names: Iterable[str]) -> None:
        for observer in self.observers:
            observer(names)

    def publish(self, restated: Mapping[str, RunView] = MappingProxyType({})) -> None:
        """Publish a snapshot in which the changed runs are up to date, and notify the subscribers.

        Args:
            restated: new views of runs that differ in their state only, by name.
        """
        start = time.monotonic()
        changed = self._files.runs.changed(self.unpublished)
        old = self.snapshot
        revision = old.revision + 1
        for run in restated.values():
            run.state_revision = revision
        runs = self._files.runs.update({**old.runs, **restated}, changed, revision)
        stale = self._files.stale(runs.keys())
        restaled = {name for name in stale.keys() | old.stale.keys() if stale.get(name) != old.stale.get(name)}
        restaled = restaled & runs.keys() - changed
        for name in restaled:
            runs[name] = self._files.runs.seen_again(runs[name])
            runs[name].state_revision = revision
        is_removal = bool(old.runs.keys() - runs.keys())
        self.snapshot = Snapshot(
            revision,
            revision if is_removal else old.removal,
            self._finder.exists(old.exists),
            self._files.is_waiting,
            MappingProxyType(runs),
            self._files.loader.progress(),
            self._finder.discovery.ignored_files,
            MappingProxyType(self._problems.by_path()),
            MappingProxyType(stale),
            old.totals.updated(old.runs, runs, changed),
            self._problems.counts(),
            self._problems.index_problem,
        )
        self.unpublished = set()
        self._notify(old, changed, restated.keys() | restaled)
        self._seconds = time.monotonic() - start

    def _notify(self, old: Snapshot, changed: set[str], restated: Iterable[str]) -> None:
        before, now = old.runs.keys(), self.snapshot.runs.keys()
        added, removed = sorted(now - before), sorted(before - now)
        update = Update(self.snapshot.revision, added, sorted(changed & now & before), removed, sorted(restated))
        for subscriber in list(self._subscribers):
            subscriber(update)
