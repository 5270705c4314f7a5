"""The protocol of a folder of JSON files, one an entry, changed by several servers: on a disk or in an object store."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar

import orjson

SUFFIX = ".json"
Content = dict[str, Any]
Change = Callable[[Content | None], Mapping[str, Any] | None]
"""Returns the content of a file in place of the present one; None: there is no file. May be called several times."""
Item = TypeVar("Item")
Result = TypeVar("Result")


class DamagedFileError(ValueError):
    """A file does not contain what it should."""


class Stamp(NamedTuple):
    """Changes when a file is replaced."""

    version: int | str
    modified: int
    """In nanoseconds since 1970."""
    size: int


class JsonFiles(Protocol):
    """Reads and replaces files. Thread-safe; several servers may use the same folder."""

    @property
    def address(self) -> str:
        """The folder, for messages."""
        ...

    @property
    def is_slow(self) -> bool:
        """Whether requests for what is there take too long to make them for each reply of the server."""
        ...

    def problem(self) -> str | None:
        """Return why nothing can be changed, as far as is known without trying; None: it can."""
        ...

    def modified(self) -> int:
        """Return a number that changes when files may have been changed, in nanoseconds since 1970 on a disk."""
        ...

    def stamps(self) -> dict[str, Stamp]:
        """Return the stamps of all files, by name; none if there is no folder.

        Raises:
            OSError: the folder cannot be listed.
        """
        ...

    def read(self, name: str) -> Content:
        """Return the object in a file.

        Raises:
            OSError: the file cannot be read.
            DamagedFileError: it contains no JSON object, or too many bytes.
        """
        ...

    def update(self, name: str, change: Change, *, is_indented: bool = True) -> None:
        """Replace the content of a file by what a change makes of it, atomically: no other change is lost.

        A damaged file is no content, and is kept under another name; so is one for which the change raises
        DamagedFileError.

        Args:
            name: of the file.
            change: makes the new content; what it raises ends the update, without a change.
            is_indented: indented, a file takes many times as many bytes at worst.

        Raises:
            OSError: the folder cannot be written; the file is as before. TimeoutError: others change it all the time.
        """
        ...

    def update_many(self, changes: Iterable[tuple[str, Change]]) -> dict[str, Exception]:
        """Update many files; return why some are as before, by name: an OSError or a ValueError."""
        ...

    def touch(self, name: str) -> None:
        """Make a file the one that was modified last."""
        ...

    def delete(self, name: str) -> None:
        """Delete a file, if there is one, whatever it contains."""
        ...

    def map(self, read: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Return the results of reading items, several at once where each takes long."""
        ...


def parse(encoded: bytes, largest: int) -> Content:
    """Return the object in the bytes of a file.

    Raises:
        DamagedFileError: they are no JSON object, or too many.
    """
    if len(encoded) > largest:
        raise DamagedFileError(f"it has more than {largest} bytes")
    try:
        content = orjson.loads(encoded)
    except orjson.JSONDecodeError as error:
        raise DamagedFileError(f"it is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise DamagedFileError("it contains no JSON object")
    return content


class Update(NamedTuple):
    """What a change makes of a file."""

    old: Content | None
    new: Mapping[str, Any] | None
    is_damaged: bool
    """Whether the file is, so that it is no old content."""


def apply(change: Change, encoded: bytes | None, largest: int) -> Update:
    """Return what a change makes of the bytes of a file; None: there is no file."""
    if encoded is None:
        return Update(None, change(None), False)
    try:
        old = parse(encoded, largest)
        return Update(old, change(dict(old)), False)
    except DamagedFileError:
        return Update(None, change(None), True)


def encode(content: Mapping[str, Any], *, is_indented: bool) -> bytes:
    """Return the bytes of a file."""
    return orjson.dumps(content, option=orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if is_indented else 0))
