"""The protocol of a place where event files lie: listing directories, the status of a file, and reading byte ranges.

It is as small as it is so that a local disk and an object store can both implement it: a directory may be a prefix of
keys, and an open file may be the one version of an object that its first request found. Nothing is ever written.

Every method may raise OSError, and a failure may be temporary. FileNotFoundError and NotADirectoryError alone say that
something is gone; after any other error it has to be assumed to be there still (see `is_gone`).
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Literal, NamedTuple, Protocol

Kind = Literal["file", "directory", "other", "unknown"]
Buffer = memoryview


class Status(NamedTuple):
    """What is known of a file without reading it."""

    size: int
    """Bytes."""
    modified: float
    """When it was last written, in seconds since 1970."""
    inode: int
    """Changes when the file is replaced, but not when it grows; 0 if the place does not know."""
    changed: float = 0.0
    """When it or its attributes were last changed, which no program can set; 0 if the place does not know."""


class Entry(NamedTuple):
    """A file or directory in a listing."""

    name: str
    path: str
    kind: Kind
    """file: a regular file, or a link to one; other: no event file, whatever its name is; unknown: what it is could
    not be determined, so that what was known of it and of everything below it is still assumed."""
    status: Status | None = None
    """The status of a file."""
    is_link: bool = False
    """Whether it is, or leads through, a link, so that its changes are not reported."""
    problem: str = ""
    """Why it is unknown, or why a link is not followed."""


class Listing(NamedTuple):
    """The contents of a directory."""

    identity: Hashable
    """Equal if a directory is listed under two names; None if it cannot have two."""
    entries: Sequence[Entry]
    """Ordered by name."""


class OpenFile(Protocol):
    """An open file; may be read by several threads."""

    status: Status
    """When it was opened."""

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes at an offset; fewer only if the file ends before.

        Raises:
            OSError: they cannot be read, at present or ever.
        """
        ...

    def read_into(self, buffer: Buffer, offset: int) -> int:
        """Fill a buffer with the bytes at an offset; return how many there were: fewer only if the file ends before.

        Raises:
            OSError: they cannot be read, at present or ever.
        """
        ...

    def next_data(self, offset: int) -> int:
        """Return where a hole ends that contains an offset: its bytes are zeros. The offset itself if none is known."""
        ...

    def close(self) -> None:
        """Release what the open file holds; it cannot be read afterwards."""
        ...


class Place(Protocol):
    """Lists directories and reads files. Thread-safe."""

    def resolve(self, path: str) -> str:
        """Return a path without links; it need not exist.

        Raises:
            OSError: what the links lead to is not known at present.
        """
        ...

    def is_directory(self, path: str) -> bool:
        """Return whether there is a directory.

        Raises:
            OSError: that is not known at present; FileNotFoundError: there is nothing.
        """
        ...

    def identify(self, directory: str) -> Hashable:
        """Return what changes when another directory takes the place of this one; None if there is none at present."""
        ...

    def list(self, directory: str) -> Listing:
        """Return the contents of a directory.

        Raises:
            OSError: it cannot be listed, at present or ever.
        """
        ...

    def stat(self, path: str) -> Status:
        """Return the status of a regular file.

        Raises:
            IsADirectoryError: it is a directory.
            OSError: it is no regular file, or its status is not available, at present or ever.
        """
        ...

    def expect(self, reads: Iterable[tuple[str, int]]) -> None:
        """Prepare for what will be read next: files and the first offset of each, in their order, and no others."""
        ...

    def open(self, path: str) -> OpenFile:
        """Open a regular file for reading.

        Raises:
            OSError: it cannot be opened, at present or ever; PermissionError: it is a link that is not followed.
        """
        ...


def is_gone(error: BaseException) -> bool:
    """Return whether an error says that a file or directory does not exist, rather than that asking failed."""
    return isinstance(error, FileNotFoundError | NotADirectoryError)


def reason_of(error: BaseException) -> str:
    """Return why something failed, in a few words."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
