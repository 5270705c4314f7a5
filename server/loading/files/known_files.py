"""The event files of a logdir by path: opening those that are read, and what was read of them."""

from collections.abc import Iterable, Iterator

from toposcope.server.loading.files.loaded_file import LoadedFile
from toposcope.server.places.place import Place
from toposcope.server.reading.declared_plugins import DeclaredPlugins
from toposcope.server.reading.event_file import EventFile, first_offset
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.index.index import CHECKED_BYTES, Index
from toposcope.server.reading.packed_view import packed_view
from toposcope.server.runs.recordings.file_activity import FileActivity


class KnownFiles:
    """The files that were found.

    Args:
        index: what was read of them earlier; None: nothing.
        place: reads them.
    """

    def __init__(self, index: Index | None, place: Place) -> None:
        self.index = index
        self.place = place
        self.by_path: dict[str, LoadedFile] = {}
        self._declared: dict[str, DeclaredPlugins] = {}
        """The declared plugins, by run."""

    def open(self, path: str) -> EventFile:
        """Return a file that is to be read."""
        loaded = self.by_path[path]
        if loaded.file is None:
            loaded.file = EventFile(path, loaded.name, self.index, self._declared_in(loaded.run), self.place)
        return loaded.file

    def packed_view(self, path: str) -> FileView | None:
        """Return the view of a file that is in a pack of the index as it is now; None if it is not."""
        if self.index is None:
            return None
        loaded = self.by_path[path]
        return packed_view(self.index, path, loaded.name, loaded.status, self.place, self._declared_in(loaded.run))

    def _declared_in(self, run: str) -> DeclaredPlugins:
        return self._declared.setdefault(run, DeclaredPlugins())

    def start_over(self, runs: Iterable[str]) -> set[str]:
        """Start over with the files whose tags have plugins that another file declares; return their paths.

        None of them may be read now.
        """
        paths = {path for run in runs for path in self._declared_in(run).take_contradicted() & self.by_path.keys()}
        for path in paths:
            self.open(path).start_over()
        return paths

    def expect(self, paths: Iterable[str]) -> None:
        """Notify the place of the files that will be opened next."""
        self.place.expect(self._first_reads(paths))

    def _first_reads(self, paths: Iterable[str]) -> Iterator[tuple[str, int]]:
        """Yield the files that will be opened, and where each is read first: what was read last is compared."""
        for path in paths:
            loaded = self.by_path[path]
            if loaded.file is not None:
                yield path, max(loaded.file.read_bytes - CHECKED_BYTES, 0)
            elif self.index is None:
                yield path, 0
            elif self.index.packed(path, loaded.status) is None:
                yield path, first_offset(self.index.read_bytes(path), loaded.status.size)

    def modified(self, paths: Iterable[str]) -> float:
        """Return when any of some files was last written, in seconds since 1970; 0 if there are none."""
        return max((self.by_path[path].status.modified for path in paths), default=0.0)

    def views(self, paths: Iterable[str]) -> list[FileView]:
        """Return the views of those files that contain something."""
        return [view for path in paths if (view := self.by_path[path].view) is not None]

    def activities(self, paths: Iterable[str]) -> dict[str, FileActivity]:
        """Return the activity of those files that contain something."""
        files = ((path, self.by_path[path]) for path in paths)
        return {
            path: FileActivity(
                file.grown, file.recorded, file.status.modified, file.view.phase, file.view.counters.heartbeat
            )
            for path, file in files
            if file.view is not None
        }
