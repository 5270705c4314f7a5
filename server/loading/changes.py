"""The changed paths of a logdir, as reported by the system while it can be watched."""

import queue
import threading

from toposcope.server.loading.watch import Watcher, can_watch


class Changes:
    """Collects the paths that a watcher reports until they are taken.

    Args:
        wake: is set when there are new ones.
    """

    def __init__(self, wake: threading.Event) -> None:
        self._wake = wake
        self._watcher: Watcher | None = None
        self._reported: queue.SimpleQueue[set[str]] = queue.SimpleQueue()

    def watch(self, folder: str, has_links: bool) -> None:
        """Start to watch a folder, or stop if its file system or symbolic links in it do not allow that."""
        is_possible = can_watch(folder) and not has_links
        if is_possible and self._watcher is None:
            self._watcher = Watcher(folder, self._report)
        elif not is_possible:
            self.stop()

    def stop(self) -> None:
        """Stop watching."""
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher = None

    @property
    def are_reported(self) -> bool:
        """Whether the system reports all changes at present."""
        return self._watcher is not None and self._watcher.is_active

    def _report(self, paths: set[str]) -> None:
        """Add changed paths; called in the watching thread."""
        self._reported.put(paths)
        self._wake.set()

    def take(self) -> set[str]:
        """Return the paths reported since the last call."""
        paths: set[str] = set()
        while not self._reported.empty():
            paths |= self._reported.get()
        return paths
