"""Event files in an object store: S3 and what speaks its protocol, Google Cloud Storage, or Azure Blob Storage.

A directory is a prefix of keys up to a "/". Credentials, region and endpoint come from the variables of the environment
that each store's own tools read, for example AWS_ACCESS_KEY_ID and AWS_ENDPOINT_URL.
"""

import errno
import functools
import operator
import threading
from collections import deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from toposcope.server.places.place import Buffer, Entry, Listing, Status
from toposcope.server.places.stores.expected_reads import Expected, ExpectedReads
from toposcope.server.places.stores.pieces import NOTHING, Merged, Part, merge, ranges
from toposcope.server.places.stores.store_listing import StoreListing, list_objects

if TYPE_CHECKING:
    from obstore.store import ObjectStore as Client

_FIRST_BYTES, _MAX_BYTES, _GROWTH = 64 << 10, 32 << 20, 4
"""How much the first request for a file reads, and the largest one; each that follows the one before reads GROWTH times
as much, so that a large file takes few round trips and one value of it takes one small request."""
_PART_BYTES = 4 << 20
"""Larger reads are requested in parts, at once."""
_MAX_BLOCKS = 4
"""Blocks of a file that stay in memory while it is open: its threads read within two of them."""
_CONNECTIONS, _EXPECTED_AT_ONCE = 16, 16
_RETRIES = 5
_RETRY_TIME = timedelta(seconds=15)


_Directories = dict[str, list[Entry]]
"""The entries of each prefix, by path."""


class _Object(TypedDict):
    path: str
    size: int
    last_modified: datetime


class _Located(NamedTuple):
    status: Status
    parts: Sequence[Part] | None
    """None: the file is one object."""


class ObjectStore:
    """The objects below an address.

    Args:
        address: a bucket, or a prefix in it, as in "s3://bucket/prefix".

    Raises:
        ModuleNotFoundError: obstore is not installed.
        ValueError: the address is not valid, or the variables of the environment are not.
    """

    def __init__(self, address: str) -> None:
        self._client = connect(address)
        self._root = address.rstrip("/")
        self._pool = ThreadPoolExecutor(_CONNECTIONS, "toposcope-store")
        self._directories: _Directories = {}
        """The entries of each prefix, as of the last listing."""
        self._merged = NOTHING
        """The files of the last listing: opening one takes no request."""
        self._failure: OSError | None = None
        """Why the last listing failed."""
        pool = ThreadPoolExecutor(_EXPECTED_AT_ONCE, "toposcope-expected")  # Its reads wait for parts in the other one.
        self._expected = ExpectedReads(pool, self._size, self.read)

    def __reduce__(self) -> tuple[Any, ...]:
        """Make a worker of the server connect to the store itself, once."""
        return _shared, (self._root,)

    def resolve(self, path: str) -> str:
        """Return the path: there are no links."""
        return path

    def is_directory(self, path: str) -> bool:
        """Return True: a prefix exists as soon as it is named."""
        return True

    def identify(self, directory: str) -> Hashable:
        """Return the prefix, which nothing can replace."""
        return directory

    def list(self, directory: str) -> Listing:
        """Return the objects and prefixes below a prefix.

        All objects are listed with that of the address itself, a thousand with each request; for the prefixes in it the
        entries found then are returned.
        """
        if directory == self._root:
            self._list_again()
        try:
            return Listing(None, self._directories[directory])
        except KeyError:
            raise FileNotFoundError(errno.ENOENT, "no such prefix", directory) from None

    def _list_again(self) -> None:
        try:
            files, skipped = self._list_all()
            self._merged = merge(files, self._merged)
            self._directories = _directories(self._root, self._merged.files)
            self._directories[self._root] += [Entry(key, key, "other", problem=why) for key, why in skipped.items()]
        except OSError as error:
            self._failure = error
            raise
        self._failure = None

    def _list_all(self, below: str = "") -> tuple[dict[str, Status], dict[str, str]]:
        """Return (the status of every object below a prefix, by path; why others are skipped, by path)."""
        prefix = getattr(self._client, "prefix", None) or ""
        listing: StoreListing = self._ask(lambda: list_objects(self._client, below or None, prefix), self._root)
        return (
            {f"{self._root}/{found['path']}": _status(found) for found in listing.objects},
            {f"{self._root}/{key}": why for key, why in listing.skipped.items()},
        )

    def stat(self, path: str) -> Status:
        """Return the status of an object, from the last listing if it is there: each request takes long.

        Raises:
            OSError: the last listing failed, so that the status is not known at present.
        """
        if self._failure is not None:
            raise self._failure
        return self._locate(path).status

    def _locate(self, path: str) -> _Located:
        """Return where the bytes of a file are, from the last listing if it is there."""
        import obstore

        if (status := self._merged.files.get(path)) is not None:
            return _Located(status, self._merged.parts.get(path))
        try:
            found: Any = self._ask(lambda: obstore.head(self._client, self._key(path)), path)
            return _Located(_status(found), None)
        except FileNotFoundError:
            merged = merge(self._list_all(self._key(path).rpartition("/")[0])[0])
            if path not in merged.parts:
                raise
            return _Located(merged.files[path], merged.parts[path])

    def listed(self, paths: Iterable[str]) -> Merged:
        """Return what the last listing has found of some files, for assume() in another process."""
        files, parts = self._merged
        found = [path for path in paths if path in files]
        return Merged({path: files[path] for path in found}, {path: parts[path] for path in found if path in parts})

    def assume(self, listed: Merged) -> None:
        """Open files as listed() of another process has returned them, without a request for each."""
        self._merged = listed

    def expect(self, reads: Iterable[tuple[str, int]]) -> None:
        """Request the ranges of objects that will be read next."""
        self._expected.replace(reads)

    def _size(self, path: str) -> int:
        status = self._merged.files.get(path)
        return status.size if status else 0

    def open(self, path: str) -> "OpenObject":
        """Return an object as it was listed last."""
        return OpenObject(self, path, self._locate(path), self._expected.take(path))

    def read(self, path: str, offset: int, end: int) -> bytes:
        """Return the bytes of a file between two offsets, of which it has at least one."""
        return self.read_located(path, self._merged.parts.get(path), offset, end)

    def read_located(self, path: str, parts: Sequence[Part] | None, offset: int, end: int) -> bytes:
        """Return the bytes of a file, which may be in parts, between two offsets."""
        if parts is None:
            return self._read_ranges([(path, offset, end)])
        try:
            return self._read_ranges(ranges(parts, offset, end))
        except FileNotFoundError:  # The whole file has replaced its pieces.
            return self._read_ranges([(path, offset, end)])

    def _read_ranges(self, wanted: Iterable[tuple[str, int, int]]) -> bytes:
        """Return the bytes of ranges of objects, joined; they are read at once."""
        requests = [
            (path, start, min(start + _PART_BYTES, end))
            for path, first, end in wanted
            for start in range(first, end, _PART_BYTES)
        ]
        if len(requests) == 1:
            return self._read_part(*requests[0])
        return b"".join(self._pool.map(lambda request: self._read_part(*request), requests))

    def _read_part(self, path: str, start: int, end: int) -> bytes:
        import obstore

        return bytes(self._ask(lambda: obstore.get_range(self._client, self._key(path), start=start, end=end), path))

    def _key(self, path: str) -> str:
        return path[len(self._root) + 1 :]

    def _ask(self, request: Any, path: str) -> Any:
        """Return the reply to a request, which was repeated if the store failed for a moment.

        Raises:
            OSError: the store cannot be reached, or refuses; FileNotFoundError: there is no such object.
        """
        from obstore.exceptions import BaseError

        try:
            return request()
        except FileNotFoundError:
            raise FileNotFoundError(errno.ENOENT, "no such object", path) from None
        except BaseError as error:
            raise OSError(errno.EIO, first_sentence(error), path) from None


class OpenObject:
    """An object of which byte ranges are read, more at once the further it is read."""

    def __init__(self, store: ObjectStore, path: str, located: _Located, expected: Expected | None) -> None:
        self.status = located.status
        self._parts = located.parts
        self._store = store
        self._path = path
        self._blocks = deque[tuple[int, bytes]](maxlen=_MAX_BLOCKS)
        """Offsets and contents."""
        self._next_bytes = _FIRST_BYTES
        self._expected = expected
        self._lock = threading.Lock()

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes at an offset; fewer only if the object ends before."""
        end = min(offset + length, self.status.size)
        if offset >= end:
            return b""
        with self._lock:
            start, content = self._block(offset, end)
        return content[offset - start : end - start]

    def _block(self, offset: int, end: int) -> tuple[int, bytes]:
        """Return a block that contains a range, from memory or with what follows it."""
        self._take_expected()
        for start, content in self._blocks:
            if start <= offset and end <= start + len(content):
                return start, content
        follows = any(start <= offset <= start + len(content) for start, content in self._blocks)
        self._next_bytes = min(_GROWTH * self._next_bytes, _MAX_BYTES) if follows else _FIRST_BYTES
        ends = min(max(end, offset + self._next_bytes), self.status.size)
        block = offset, self._store.read_located(self._path, self._parts, offset, ends)
        self._blocks.append(block)
        return block

    def _take_expected(self) -> None:
        """Use the block that was requested before the object was opened, unless that failed."""
        expected, self._expected = self._expected, None
        if expected is not None and expected.content.exception() is None:
            self._blocks.append((expected.offset, expected.content.result()))
            self._next_bytes = max(_FIRST_BYTES, expected.length)

    def read_into(self, buffer: Buffer, offset: int) -> int:
        """Fill a buffer with the bytes at an offset; return how many there were."""
        content = self.read(offset, len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def next_data(self, offset: int) -> int:
        """Return the offset: objects have no holes."""
        return offset

    def close(self) -> None:
        """Forget what was read ahead."""
        self._blocks.clear()
        self._expected = None


@functools.cache
def _shared(address: str) -> ObjectStore:
    return ObjectStore(address)


def connect(address: str) -> "Client":
    """Return the client of an address.

    Raises:
        ModuleNotFoundError: obstore is not installed.
        ValueError: the address is not valid, or the variables of the environment are not.
    """
    try:
        from obstore.exceptions import BaseError
        from obstore.store import from_url
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"{address!r} is in an object store, which needs obstore: pip install 'toposcope[store]'", name="obstore"
        ) from None
    try:
        return from_url(address, retry_config={"max_retries": _RETRIES, "retry_timeout": _RETRY_TIME})
    except (BaseError, ValueError) as error:
        raise ValueError(f"{address!r} is not the address of an object store: {first_sentence(error)}") from None


def _directories(root: str, files: Mapping[str, Status]) -> _Directories:
    """Return the entries of all prefixes, ordered by name."""
    directories: _Directories = {root: []}
    for path, status in files.items():
        parent, _, name = path.rpartition("/")
        _add_directory(directories, parent)
        directories[parent].append(Entry(name, path, "file", status))
    for entries in directories.values():
        entries.sort(key=operator.attrgetter("name"))
    return directories


def _add_directory(directories: _Directories, path: str) -> None:
    """Add a prefix, and those that contain it, unless they are there."""
    if path in directories:
        return
    parent, _, name = path.rpartition("/")
    _add_directory(directories, parent)
    directories[parent].append(Entry(name, path, "directory"))
    directories[path] = []


def _status(found: _Object) -> Status:
    return Status(found["size"], found["last_modified"].timestamp(), 0)


def first_sentence(error: Exception) -> str:
    """Return an error without the request's details, which follow its first line."""
    return str(error).partition("\n")[0].strip()
