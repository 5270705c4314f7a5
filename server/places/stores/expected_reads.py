"""Reads that are requested before they are made, several at once, as each request to an object store takes long."""

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from typing import NamedTuple

_MAX_READS = 512
"""The number of reads expected before that are expected again."""
_MAX_BYTES = 64 << 20
"""Requested or received, but not taken yet."""
_MAX_BYTES_EACH = 8 << 20


class Expected(NamedTuple):
    """A read that was requested."""

    offset: int
    length: int
    content: Future[bytes]


class ExpectedReads:
    """Requests those reads that are made soonest. Thread-safe.

    Args:
        pool: runs the requests.
        size: returns the size of an object by its path; 0 if it is not known.
        read: reads the bytes of an object between two offsets.
    """

    def __init__(self, pool: Executor, size: Callable[[str], int], read: Callable[[str, int, int], bytes]) -> None:
        self._pool = pool
        self._size = size
        self._read = read
        self._upcoming: Iterator[tuple[str, int]] = iter(())
        self._requested: dict[str, Expected] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def replace(self, reads: Iterable[tuple[str, int]]) -> None:
        """Expect these reads, paths and offsets in their order, and no others any more."""
        later = iter(reads)
        expected = dict(itertools.islice(later, _MAX_READS))
        with self._lock:
            for path in self._requested.keys() - expected.keys():
                self._remove(path).content.cancel()
            first = [(path, at) for path, at in expected.items() if path not in self._requested]
            self._upcoming = itertools.chain(first, later)
            self._request()

    def take(self, path: str) -> Expected | None:
        """Return the read of an object that was requested, and request others; None if there is none."""
        with self._lock:
            expected = self._remove(path) if path in self._requested else None
            self._request()
        return expected

    def _remove(self, path: str) -> Expected:
        expected = self._requested.pop(path)
        self._bytes -= expected.length
        return expected

    def _request(self) -> None:
        while self._bytes < _MAX_BYTES and (read := next(self._upcoming, None)) is not None:
            path, offset = read
            length = min(self._size(path) - offset, _MAX_BYTES_EACH)
            if length > 0:
                content = self._pool.submit(self._read, path, offset, offset + length)
                self._requested[path] = Expected(offset, length, content)
                self._bytes += length
