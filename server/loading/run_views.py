"""The views of the runs of a logdir: which files a run has, whether it is live, and when its state may change."""

import heapq
import math
import time
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from toposcope.server.loading.files.file_loader import FileLoader
from toposcope.server.loading.finding.discovery import FoundFile
from toposcope.server.reading.file_view import FileView
from toposcope.server.runs.folding import Folding
from toposcope.server.runs.run import RunView

LIVE_SECONDS = 60.0
"""How long after its last growth a run counts as live."""


_RETRY_SECONDS = 5.0


class Reviewed(NamedTuple):
    """Runs whose state was derived again."""

    changed: dict[str, RunView]
    """The new views of those that differ in their state or in being live."""
    same: dict[str, RunView]
    """The new views of those that differ in their phases only."""


class RunViews:
    """Makes new views of runs when their files change, and when their state changes by time. Not thread-safe.

    A run is a directory with event files, and the directories of add_scalars() that are folded into it.
    """

    def __init__(self, loader: FileLoader) -> None:
        self._loader = loader
        self._paths: dict[str, set[str]] = {}
        """The files of each directory."""
        self._folding = Folding(self._paths.__contains__)
        self._due: dict[str, float] = {}
        """When to derive the state of a run again, in seconds of time.monotonic(); later if the run grows before."""
        self._queue: list[tuple[float, str]] = []
        """The same as a heap, with entries that are no longer valid."""

    def add(self, files: Iterable[FoundFile]) -> None:
        """Add files to their directories."""
        for file in files:
            self._paths.setdefault(file.run, set()).add(file.path)

    def remove(self, run: str, path: str) -> None:
        """Remove a file from its directory."""
        self._paths[run].discard(path)
        if not self._paths[run]:
            del self._paths[run]

    def run_of(self, directory: str) -> str:
        """Return the run that the files of a directory belong to."""
        return self._folding.run_of(directory)

    def take_due(self) -> set[str]:
        """Return the runs whose state may change now, and look whether their files have grown."""
        due: set[str] = set()
        while self._queue and self._queue[0][0] <= time.monotonic():
            at, run = heapq.heappop(self._queue)
            if self._due.get(run) == at:
                del self._due[run]
                due.add(run)
        unavailable = {run for run in due if not self._loader.check(self._paths_of(run))}
        for run in unavailable:  # Whether it grew is not known.
            self._push(run, time.monotonic() + _RETRY_SECONDS)
        return due - unavailable

    def changed(self, directories: Iterable[str]) -> set[str]:
        """Return the runs that are changed, new or gone if some directories are."""
        return self._folding.update(directories, self._files_in)

    def _files_in(self, directory: str) -> list[FileView]:
        return self._loader.files.views(self._paths.get(directory, ()))

    def _paths_of(self, run: str) -> Collection[str]:
        """Return the files of a run."""
        paths, folded = self._paths.get(run, ()), self._folding.folded_into(run)
        return set(paths).union(*(self._paths.get(directory, ()) for directory in folded)) if folded else paths

    def update(self, runs: Mapping[str, RunView], changed: Iterable[str], revision: int) -> dict[str, RunView]:
        """Return runs, sorted by name, with new views of those that changed.

        Args:
            runs: the views so far, by name, sorted.
            changed: names of runs that are new, changed or gone.
            revision: of the new views.
        """
        updated = dict(runs)
        for name in changed:
            files = self._folding.files(name, self._files_in)
            if not files:
                self._due.pop(name, None)
                updated.pop(name, None)
                continue
            paths = self._paths_of(name)
            live_seconds = self._live_seconds(paths)
            old = runs.get(name)
            updated[name] = RunView(name, files, revision, live_seconds > 0, self._loader.files.activities(paths))
            # Growth of known files only defers what is due; a run that grows all the time is looked at when it was.
            if name not in self._due or old is None or len(old.files) != len(files):
                self._schedule(updated[name], live_seconds)
        return updated if updated.keys() == runs.keys() else dict(sorted(updated.items()))

    def review(self, runs: Mapping[str, RunView], names: Iterable[str]) -> Reviewed:
        """Derive the state of some runs again, without reading their values.

        Args:
            runs: the views so far, by name.
            names: of runs that are due, and of directories whose files grew by heartbeats only.
        """
        reviewed = Reviewed({}, {})
        for name in {self._folding.run_of(name) for name in names}:
            old = runs.get(name)
            if old is None or name not in self._paths:
                continue
            paths = self._paths_of(name)
            live_seconds = self._live_seconds(paths)
            new = old.seen_again(live_seconds > 0, self._loader.files.activities(paths))
            self._schedule(new, live_seconds)
            if (new.live, new.state.without_phases()) != (old.live, old.state.without_phases()):
                reviewed.changed[name] = new
            elif new.state != old.state:
                reviewed.same[name] = new
        return reviewed

    def reread(self, run: RunView) -> RunView:
        """Return a view of the files of a run as they are now known, which contain the same values."""
        files, activities = (
            self._folding.files(run.name, self._files_in),
            self._loader.files.activities(self._paths_of(run.name)),
        )
        new = RunView(run.name, files, run.revision, run.live, activities, run.seen)
        new.state_revision = run.state_revision
        return new

    def seen_again(self, run: RunView) -> RunView:
        """Return a new view of the same files."""
        return run.seen_again(run.live, self._loader.files.activities(self._paths_of(run.name)))

    def _live_seconds(self, paths: Iterable[str]) -> float:
        """Return for how many seconds a run with some files stays live if none grows; not positive if it is not."""
        return self._loader.files.modified(paths) + LIVE_SECONDS - time.time()

    def _schedule(self, run: RunView, live_seconds: float) -> None:
        """Note when to derive the state of a run again; few of a logdir's runs are live or may be running."""
        at = time.monotonic() + live_seconds if live_seconds > 0 else math.inf
        if run.may_be_alive:
            at = min(at, run.state_changes_at)
        if at < self._due.get(run.name, math.inf):
            self._push(run.name, at)

    def _push(self, run: str, at: float) -> None:
        self._due[run] = at
        heapq.heappush(self._queue, (at, run))
