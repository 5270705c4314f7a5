"""The views of the runs of a logdir: which files a run has, and whether it is live."""

import time
from collections.abc import Iterable, Mapping

from toposcope.server.loading.discovery import FoundFile
from toposcope.server.loading.file_loader import FileLoader
from toposcope.server.runs.run import RunView

LIVE_SECONDS = 60.0
"""How long after its last growth a run counts as live."""


class RunViews:
    """Makes new views of runs when their files change and when they stop being live. Not thread-safe."""

    def __init__(self, loader: FileLoader) -> None:
        self._loader = loader
        self._paths: dict[str, set[str]] = {}
        self._live_until: dict[str, float] = {}
        """Until when a live run counts as live if it does not grow, in seconds since 1970."""

    def add(self, files: Iterable[FoundFile]) -> None:
        """Add files to their runs."""
        for file in files:
            self._paths.setdefault(file.run, set()).add(file.path)

    def remove(self, run: str, path: str) -> None:
        """Remove a file from its run."""
        self._paths[run].discard(path)
        if not self._paths[run]:
            del self._paths[run]

    def expired(self) -> set[str]:
        """Return the runs that were live at the last update and no longer are."""
        now = time.time()
        return {run for run, until in self._live_until.items() if until < now}

    def update(self, runs: Mapping[str, RunView], changed: Iterable[str], revision: int) -> dict[str, RunView]:
        """Return runs, sorted by name, with new views of those that changed.

        Args:
            runs: the views so far, by name, sorted.
            changed: names of runs that are new, changed or gone.
            revision: of the new views.
        """
        updated = dict(runs)
        for name in changed:
            files = self._loader.views(self._paths.get(name, ()))
            self._live_until.pop(name, None)
            if not files:
                updated.pop(name, None)
                continue
            until = self._loader.modified(self._paths[name]) + LIVE_SECONDS
            updated[name] = RunView(name, files, revision, live=until > time.time())
            if updated[name].live:
                self._live_until[name] = until
        return updated if updated.keys() == runs.keys() else dict(sorted(updated.items()))
