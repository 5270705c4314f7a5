"""Packs as objects of an object store."""

import errno
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from toposcope.server.places.place import Buffer, Entry, Status

if TYPE_CHECKING:
    from toposcope.server.places.stores.object_store import ObjectStore

_TAIL_BYTES = 128 << 10
"""Read with the first request: most directories are not larger."""


class StoredPack:
    """Implements OpenFile: each read is a request, but its end is requested once.

    Args:
        path: address of the pack.
        status: of the pack, if it is known.

    Raises:
        OSError: its status is not known at present, or there is no such object.
    """

    def __init__(self, path: str, status: Status | None = None) -> None:
        self._store = _store(path.rpartition("/")[0])
        self._path = path
        self.status = self._store.stat(path) if status is None else status
        self._tail_start = max(self.status.size - _TAIL_BYTES, 0)

    @functools.cached_property
    def _tail(self) -> bytes:
        return self._store.read(self._path, self._tail_start, self.status.size)

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes at an offset; fewer only if the pack ends before."""
        end = min(offset + length, self.status.size)
        if offset >= end:
            return b""
        if offset >= self._tail_start:
            return self._tail[offset - self._tail_start : end - self._tail_start]
        return self._store.read(self._path, offset, end)

    def read_into(self, buffer: Buffer, offset: int) -> int:
        """Fill a buffer with the bytes at an offset; return how many there were."""
        content = self.read(offset, len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def next_data(self, offset: int) -> int:
        """Return the offset: objects have no holes."""
        return offset

    def close(self) -> None:
        """Do nothing: no connection is kept."""


def list_objects(address: str) -> Sequence[Entry]:
    """Return the objects at an address.

    Raises:
        OSError: they cannot be listed.
    """
    try:
        return _store(address).list(address).entries
    except FileNotFoundError:
        return []


def get_object(path: str) -> bytes:
    """Return the bytes of an object.

    Raises:
        OSError: it cannot be read.
    """
    store = _store(path.rpartition("/")[0])
    return store.read(path, 0, store.stat(path).size)


def put_object(path: str, content: bytes) -> None:
    """Store an object, or replace it.

    Raises:
        OSError: it cannot be written.
    """
    import obstore
    from obstore.exceptions import BaseError

    from toposcope.server.places.stores.object_store import connect, first_sentence

    address, _, name = path.rpartition("/")
    try:
        obstore.put(connect(address), name, content)
    except BaseError as error:
        raise OSError(errno.EIO, first_sentence(error), path) from None


def delete_object(path: str) -> None:
    """Delete an object.

    Raises:
        OSError: it cannot be deleted.
    """
    import obstore
    from obstore.exceptions import BaseError

    from toposcope.server.places.stores.object_store import connect, first_sentence

    address, _, name = path.rpartition("/")
    try:
        obstore.delete(connect(address), name)
    except BaseError as error:
        raise OSError(errno.EIO, first_sentence(error), path) from None


@functools.cache
def _store(address: str) -> "ObjectStore":
    from toposcope.server.places.stores.object_store import ObjectStore

    return ObjectStore(address)
