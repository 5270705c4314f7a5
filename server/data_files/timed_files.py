"""A folder of JSON files on a disk that may not answer: nobody waits for it for long."""

from collections.abc import Callable, Iterable, Iterator

from toposcope.server.data_files.disk_thread import DiskThread
from toposcope.server.data_files.json_files import Change, Content, Item, JsonFiles, Result, Stamp
from toposcope.server.places.place import reason_of

_READ_SECONDS = 2.0
_LIST_SECONDS, _WRITE_SECONDS = 10.0, 10.0
"""A folder may have many files, and a lock may be waited for."""
_WRITE_MANY_SECONDS = 60.0
_disk_thread = DiskThread("toposcope-data")
"""The thread of the process: what hangs is the disk, not a folder."""


class TimedFiles:
    """Implements JsonFiles with those of another folder, in a thread for what may hang; TimeoutError is an OSError."""

    def __init__(self, files: JsonFiles) -> None:
        self._files = files

    @property
    def address(self) -> str:
        """The folder, for messages."""
        return self._files.address

    @property
    def is_slow(self) -> bool:
        """Whether requests take too long to make them for each reply of the server."""
        return self._files.is_slow

    def problem(self) -> str | None:
        """Return why nothing can be changed."""
        try:
            return _disk_thread.do(self._files.problem, _READ_SECONDS)
        except OSError as error:
            return reason_of(error)

    def modified(self) -> int:
        """Return a number that changes when files may have been changed; 0 if that is not known."""
        try:
            return _disk_thread.do(self._files.modified, _READ_SECONDS)
        except OSError:
            return 0

    def stamps(self) -> dict[str, Stamp]:
        """Return the stamps of all files."""
        return _disk_thread.do(self._files.stamps, _LIST_SECONDS)

    def read(self, name: str) -> Content:
        """Return the object in a file."""
        return _disk_thread.do(lambda: self._files.read(name), _READ_SECONDS)

    def update(self, name: str, change: Change, *, is_indented: bool = True) -> None:
        """Replace the content of a file."""
        _disk_thread.do(lambda: self._files.update(name, change, is_indented=is_indented), _WRITE_SECONDS)

    def update_many(self, changes: Iterable[tuple[str, Change]]) -> dict[str, Exception]:
        """Update many files; return why some are as before. Those of a folder that does not answer may change later."""
        everything = list(changes)
        try:
            return _disk_thread.do(lambda: self._files.update_many(everything), _WRITE_MANY_SECONDS)
        except OSError as error:
            return {name: error for name, _ in everything}

    def touch(self, name: str) -> None:
        """Make a file the one that was modified last."""
        _disk_thread.do(lambda: self._files.touch(name), _WRITE_SECONDS)

    def delete(self, name: str) -> None:
        """Delete a file."""
        _disk_thread.do(lambda: self._files.delete(name), _WRITE_SECONDS)

    def map(self, read: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Return the results of reading items."""
        return self._files.map(read, items)
