"""The changed paths of a logdir, as reported by the system while it can be watched."""

import logging
import queue
import threading

from toposcope.server.loading.finding.watch import Watcher, can_watch, count_watches

_MAX_REPORTS = 10_000
_MAX_UNWATCHED_WALKS = 2

log = logging.getLogger(__name__)


class Changes:
    """Collects the paths that a watcher reports until they are taken.

    Args:
        wake: is set when there are new ones.
    """

    def __init__(self, wake: threading.Event) -> None:
        self.directories = 0
        """How many there are to watch, at most, as far as is known."""
        self._wake = wake
        self._watcher: Watcher | None = None
        self._unwatched_walks = 0
        """How many walks in succession found more directories than are watched."""
        self._has_given_up = False
        self._has_dropped = False
        self._reported: queue.SimpleQueue[set[str]] = queue.SimpleQueue()

    def watch(self, folder: str, has_links: bool) -> None:
        """Start to watch a folder, or stop if its file system or symbolic links in it do not allow that."""
        is_possible = can_watch(folder) and not has_links and not self._has_given_up
        if is_possible and self._watcher is None:
            self._watcher = Watcher(folder, self._report)
        elif not is_possible:
            self.stop()

    def count(self, directories: int) -> None:
        """Take the number of directories that a walk found; stop for good if again and again too few are watched.

        Some may have appeared just now.
        """
        self.directories = directories
        self._unwatched_walks = self._unwatched_walks + 1 if self.are_lacking else 0
        if self._unwatched_walks >= _MAX_UNWATCHED_WALKS:
            reason = "the system has no watches left (on Linux, see fs.inotify.max_user_watches)"
            log.warning("cannot watch all of the logdir, polling it instead: %s", reason)
            self._has_given_up = True
            self.stop()

    @property
    def are_lacking(self) -> bool:
        """Whether fewer directories are watched than there are."""
        watches = count_watches() if self.are_reported else None
        return watches is not None and watches < self.directories

    @property
    def were_lacking(self) -> bool:
        """Whether changes are reported, but too few directories were watched at the last walk."""
        return self._unwatched_walks > 0 and self.are_reported

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
        if self._reported.qsize() < _MAX_REPORTS:
            self._reported.put(paths)
        else:
            self._has_dropped = True
        self._wake.set()

    def take_dropped(self) -> bool:
        """Return whether reports were dropped since the last call, because too many waited to be taken."""
        has_dropped, self._has_dropped = self._has_dropped, False
        return has_dropped

    def take(self) -> set[str]:
        """Return the paths reported since the last call."""
        paths: set[str] = set()
        while not self._reported.empty():
            paths |= self._reported.get()
        return paths
