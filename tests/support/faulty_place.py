"""A place whose operations fail on demand: the injector of faults at the protocol of places."""

import errno
import os
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

from toposcope.server.places.place import Buffer, Entry, Listing, OpenFile, Place, Status, reason_of

ERRORS = (errno.EIO, errno.ESTALE, errno.EACCES, errno.EMFILE, errno.ENOSPC, errno.ENOMEM)
"""Those that disks and network file systems return for a while."""
OPERATIONS = ("list", "entry", "stat", "open", "read", "read_into")


class Operation(NamedTuple):
    """One operation that was asked for."""

    name: str
    """One of OPERATIONS; "entry" is the type of one entry in a listing."""
    path: str


class FaultyPlace:
    """Forwards to another place; every operation may be made to fail.

    Args:
        place: the other one.
        fails: returns the exception to raise for an operation, or None.
    """

    def __init__(self, place: Place, fails: Callable[[Operation], BaseException | None]) -> None:
        self.operations: list[Operation] = []
        self._place = place
        self._fails = fails

    def _begin(self, name: str, path: str) -> None:
        operation = Operation(name, path)
        self.operations.append(operation)
        if (error := self._fails(operation)) is not None:
            raise error

    def resolve(self, path: str) -> str:
        """Return a path without links."""
        return self._place.resolve(path)

    def is_directory(self, path: str) -> bool:
        """Return whether there is a directory."""
        return self._place.is_directory(path)

    def identify(self, directory: str) -> Hashable:
        """Return what changes when another directory takes its place."""
        return self._place.identify(directory)

    def list(self, directory: str) -> Listing:
        """Return the contents of a directory, in which the types of entries may be unknown."""
        self._begin("list", directory)
        listing = self._place.list(directory)
        return listing._replace(entries=[self._entry(entry) for entry in listing.entries])

    def _entry(self, entry: Entry) -> Entry:
        try:
            self._begin("entry", entry.path)
        except (OSError, MemoryError) as error:
            return entry._replace(kind="unknown", status=None, problem=reason_of(error))
        return entry

    def stat(self, path: str) -> Status:
        """Return the status of a file."""
        self._begin("stat", path)
        return self._place.stat(path)

    def expect(self, reads: Iterable[tuple[str, int]]) -> None:
        """Prepare for what will be read next."""
        self._place.expect(reads)

    def open(self, path: str) -> OpenFile:
        """Open a file whose reads may fail."""
        self._begin("open", path)
        return _FaultyFile(self._place.open(path), lambda name: self._begin(name, path))


class _FaultyFile:
    def __init__(self, file: OpenFile, begin: Callable[[str], None]) -> None:
        self.status = file.status
        self._file = file
        self._begin = begin

    def read(self, offset: int, length: int) -> bytes:
        self._begin("read")
        return self._file.read(offset, length)

    def read_into(self, buffer: Buffer, offset: int) -> int:
        self._begin("read_into")
        return self._file.read_into(buffer, offset)

    def next_data(self, offset: int) -> int:
        return self._file.next_data(offset)

    def close(self) -> None:
        self._file.close()


def error_of(number: int) -> BaseException:
    """Return the exception for an error number: allocations that fail raise MemoryError in Python."""
    return MemoryError() if number == errno.ENOMEM else OSError(number, os.strerror(number))


class FailOnce:
    """Fails the n-th operation, counted from 0, and no other; counts all of them."""

    def __init__(self, number: int, error: int) -> None:
        self.count = 0
        self._number = number
        self._error = error
        self._is_stopped = False

    def stop(self) -> None:
        """Neither fail nor count operations from now on."""
        self._is_stopped = True

    def __call__(self, _: Operation) -> BaseException | None:
        """Return the error for the operation that fails."""
        if self._is_stopped:
            return None
        self.count += 1
        return error_of(self._error) if self.count - 1 == self._number else None
