"""Finds the files of a logdir: by walks, and by the changes that the system reports between them."""

import logging
import os
import stat
import threading
import time

from toposcope.server.loading.finding.changes import Changes
from toposcope.server.loading.finding.discovery import Discovery, discover, find, find_sources
from toposcope.server.loading.finding.walk_schedule import RETRY_SECONDS, WalkSchedule
from toposcope.server.loading.log_files import LogFiles
from toposcope.server.places.local_disk import LocalDisk
from toposcope.server.places.place import Place, is_gone, reason_of

_WATCHED_WALK_SECONDS = 60.0

log = logging.getLogger(__name__)


class Finder:
    """Adds files to those of a logdir, and removes those that are gone. Not thread-safe.

    Args:
        path: the logdir; it may be created later.
        place: where it lies.
        files: what was found so far.
        reload_seconds: how often to look for new runs if changes are not reported; 0: only once.
        wake: is set when the system reports changes.
    """

    def __init__(self, path: str, place: Place, files: LogFiles, reload_seconds: float, wake: threading.Event) -> None:
        self.discovery = Discovery([], 0, {}, {}, 0, False)
        """What the last walk found, without the files."""
        self.identity = place.identify(path)
        """The identity of the directory that was walked; None if there was none."""
        self.schedule = WalkSchedule(reload_seconds)
        self._path = path
        self._place = place
        self._files = files
        self._reload_seconds = reload_seconds
        self._root = path
        self._changes = Changes(wake)

    @property
    def _is_local(self) -> bool:
        """Whether it costs nothing to look at files again and again."""
        return isinstance(self._place, LocalDisk)

    def exists(self, before: bool) -> bool:
        """Return whether the logdir exists; as before if that is not known."""
        try:
            return self._place.is_directory(self._path)
        except OSError as error:
            return before and not is_gone(error)

    def check_identity(self) -> None:
        """Walk soon, and watch again, if another directory, which is not watched, took the place of the logdir."""
        if self.identity != self._place.identify(self._path):
            self.schedule.walk_soon()
            self._changes.stop()

    def walk(self) -> set[str]:
        """Find new and removed files; return the directories of the removed ones.

        What could not be listed stays, and is tried again soon.
        """
        clock = time.monotonic if self._is_local else time.thread_time
        start = clock()
        discovery = self._discover()
        if self._reload_seconds and self._is_local:
            self._changes.watch(self._root, discovery.has_links)
            self._changes.count(discovery.directories)
        self._report(discovery)
        self.discovery = discovery._replace(files=[])
        gone = self._files.replace(discovery, self._root)
        self.schedule.note_walk(self._interval, clock() - start)
        return gone

    @property
    def _interval(self) -> float:
        """How many seconds to wait between two walks."""
        if self._changes.were_lacking:
            return RETRY_SECONDS
        return max(self._reload_seconds, _WATCHED_WALK_SECONDS if self._changes.are_reported else 0.0)

    def _discover(self) -> Discovery:
        self.identity = self._place.identify(self._path)
        try:
            self._root = self._place.resolve(self._path)
        except OSError as error:
            return self.discovery._replace(unlisted={self._root: reason_of(error)})
        return discover(self._root, place=self._place, formats=self._files.translations.formats)

    def _report(self, discovery: Discovery) -> None:
        """Log what could not be listed, and what is not followed, unless it was logged already."""
        for path in discovery.unlisted.keys() - self.discovery.unlisted.keys():
            log.warning("cannot list %s: %s; what was read of it stays", path, discovery.unlisted[path])
        for path in discovery.unfollowed.keys() - self.discovery.unfollowed.keys():
            log.warning("not following %s: %s", path, discovery.unfollowed[path])

    def look_again(self) -> None:
        """Look at the files that may have grown, if that is not reported."""
        self._files.translations.poll()
        self._files.loader.look_again()
        if self._is_local and not self._changes.are_reported:
            self._files.loader.poll()

    def apply_changes(self) -> set[str]:
        """Apply the changes that the system reported; return the directories of files that are gone."""
        removed: set[str] = set()
        directories = self._changes.directories
        if self._changes.take_dropped():
            self.schedule.walk_soon()
        for path in self._changes.take():
            try:
                self._apply_change(path, os.lstat(path))
            except OSError as error:
                if is_gone(error):
                    removed.add(path)
                    if self._files.translations.concerns(path, self._root):
                        self.schedule.walk_soon()
                else:
                    self.schedule.walk_soon()
        if self._changes.directories > directories and self._changes.are_lacking:
            self.schedule.walk_soon()  # It counts the directories.
        return self._files.remove(removed, self._root)

    def _apply_change(self, path: str, status: os.stat_result) -> None:
        """Add the file at a path, or the files below it if a directory appeared.

        Raises:
            OSError: what is at the path cannot be determined at present.
        """
        if path == self._root:
            self.schedule.walk_soon()
            return
        translations = self._files.translations
        file = find(self._root, path, self._place)
        is_directory = stat.S_ISDIR(status.st_mode)
        discovery = discover(self._root, path, self._place, translations.formats) if is_directory else None
        if not translations.concerns(path, self._root):
            one = [] if discovery or file else find_sources(self._root, path, self._place, translations.formats)
            if one or (discovery and discovery.sources):
                self.schedule.walk_soon()
        if stat.S_ISLNK(status.st_mode) or (discovery and (discovery.has_links or discovery.unlisted)):
            self.schedule.walk_soon()  # It finds what links lead to, and whether watching is still possible.
            return
        if discovery is not None:
            self._changes.directories += discovery.directories
        self._files.add([file] if file else discovery.files if discovery else [])

    def schedule_retry(self) -> None:
        """Repeat the walk soon if something could not be read."""
        self.schedule.schedule_retry(bool(self.discovery.unlisted) or self._files.can_retry)

    def stop(self) -> None:
        """Stop watching."""
        self._changes.stop()
