"""Moves what was read of many small files to packs of the index; it need not be kept in memory then."""

import itertools
import logging
import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping
from concurrent.futures import Executor, Future

from toposcope.server.loading.files.loaded_file import LoadedFile, quiet_view
from toposcope.server.places.place import Place, reason_of
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.index.index import Index, QuietFile

_LARGE_BYTES = 1 << 20

log = logging.getLogger(__name__)


class Packing:
    """Writes one pack at a time, in a thread. Not thread-safe.

    Args:
        index: has the packs.
        place: reads the files.
        files: all files, by path.
        waiting: those with unread bytes.
        view: returns the view of a file that is in a pack; None if it is not.
        pool: writes the packs.
    """

    def __init__(
        self,
        index: Index,
        place: Place,
        files: Mapping[str, LoadedFile],
        waiting: Collection[str],
        view: Callable[[str], FileView | None],
        pool: Executor,
    ) -> None:
        self._index = index
        self._place = place
        self._files = files
        self._waiting = waiting
        self._view = view
        self._pool = pool
        self._writing: Future[None] | None = None
        self._gathered: dict[str, tuple[int, QuietFile]] = {}
        """Files to be written to a pack, or in the one that is being written, with the edition that was read."""
        self._unpackable: set[str] = set()
        """Those that a pack did not accept."""
        self._replaced: set[str] = set()
        """The runs of files whose view is now that of a pack."""
        self._is_stopping = False

    @property
    def is_written(self) -> bool:
        """Whether a pack was written, so that views can be replaced."""
        return self._writing is not None and self._writing.done()

    def advance(self, unsaved: MutableMapping[str, float], ends: float, least: int, *, is_last: bool = False) -> bool:
        """Do a part of writing many files to a pack; return whether there is more of that to do at once.

        Args:
            unsaved: the files that the index lacks, by path; those that are packed are removed.
            ends: until when to do so, in seconds of time.monotonic().
            least: how many files are worth a pack.
            is_last: whether to write everything now.
        """
        if self._writing is not None:
            return self._writing.done() and not self._replace_views(unsaved, ends)
        if not self._index.is_writable or (not self._gathered and len(unsaved) < least):
            return False
        if not self._gather(unsaved, math.inf if is_last else ends):
            return True
        files = [file for _, file in self._gathered.values()]
        if is_last:
            self._write(files)
            self._gathered = {}
        elif files:
            self._writing = self._pool.submit(self._write, files)
        return False

    def _gather(self, unsaved: MutableMapping[str, float], ends: float) -> bool:
        """Gather quiet files for a pack until some time; return whether these are all there are."""
        for path in list(unsaved):
            if path in self._unpackable or path in self._gathered:
                continue
            loaded = self._files[path]
            if loaded.file is None or quiet_view(loaded) is None or loaded.status.size >= _LARGE_BYTES:
                continue
            read = loaded.file.read_completely()
            if read is not None:
                status, segment = read
                self._gathered[path] = loaded.edition, QuietFile(path, status, loaded.file.phase, segment)
                del unsaved[path]
            if time.monotonic() > ends:
                return False
        return True

    def _replace_views(self, unsaved: MutableMapping[str, float], ends: float) -> bool:
        """Replace the views of files that were packed until some time; return whether that was done for all."""
        while self._gathered:
            path, (edition, _) = self._gathered.popitem()
            loaded = self._files.get(path)
            if loaded is None or path in self._waiting or loaded.file is None or loaded.edition != edition:
                continue
            view = self._view(path)
            if view is None:
                self._unpackable.add(path)
                unsaved.setdefault(path, 0.0)
                continue
            loaded.file, loaded.view = None, view
            loaded.edition = loaded.training_edition = 0
            self._replaced.add(loaded.run)
            if time.monotonic() > ends:
                return False
        self._writing = None
        return True

    def take_replaced(self) -> set[str]:
        """Return the runs of files whose views contain the same as before, but in a pack of the index."""
        replaced, self._replaced = self._replaced, set()
        return replaced

    def move(self, files: Iterable[LoadedFile]) -> bool:
        """Move the segments of files from the index to a pack; return False if another one is being written."""
        if self._writing is not None:
            return False
        quiet = [QuietFile(view.path, file.status, view.phase) for file in files if (view := quiet_view(file))]
        self._writing = self._pool.submit(self._write, quiet)
        return True

    def _write(self, files: Iterable[QuietFile]) -> None:
        try:
            self._index.pack(itertools.takewhile(lambda _: not self._is_stopping, files), self._place)
        except (OSError, MemoryError) as error:
            log.warning("the index cannot be packed: %s", reason_of(error))

    def forget(self, path: str) -> None:
        """Forget a file that no longer exists."""
        self._unpackable.discard(path)
        self._gathered.pop(path, None)

    def stop(self) -> None:
        """Leave out the files that are not in the pack yet."""
        self._is_stopping = True
