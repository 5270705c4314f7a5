"""The index: a cache of what was read from event files, so that the next start reads only what was appended.

An event file has segments, one for each byte range. A segment is a file that is written under a temporary name, renamed
and never modified. Its name consists of the hash of the event file's path and the byte range. Every segment may be
deleted at any time, by anyone: what is missing or damaged is read from the event files again.
"""

import contextlib
import hashlib
import logging
import mmap
import os
import re
import secrets
import threading
import time
from collections import defaultdict
from pathlib import Path

import google_crc32c
from platformdirs import user_cache_path

from toposcope.server.places.place import OpenFile
from toposcope.server.reading.segment import DamagedSegmentError, Identity, Segment, decode, encode

LIMIT_BYTES = 8 << 30
_CHECKED_BYTES = 4096
_MAPPED_BYTES = 1 << 20
_MOST_MAPPED = 256  # Each mapping uses a descriptor.
_FRESH_SECONDS = 3600.0
_FILLED = 0.75  # Fraction of the limit in use after segments were evicted.
_SEGMENT = re.compile(r"[0-9a-f]{32}-[0-9]{1,19}-[0-9]{1,19}")
_PART_FILE = re.compile(r"[0-9a-f]{16}\.part")

log = logging.getLogger(__name__)


def default_folder() -> Path:
    """Return the folder for the index in the user's cache."""
    return user_cache_path("toposcope", appauthor=False) / "index"


class Index:
    """The segments in a folder. Thread-safe; several servers may use the same folder.

    Args:
        folder: is created when the first segment is stored.
        limit_bytes: total size of all segments; the least recently used ones are evicted.
    """

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self._folder = folder
        self._limit_bytes = limit_bytes
        self._lock = threading.Lock()
        self._ranges: dict[str, set[tuple[int, int]]] = defaultdict(set)
        self._bytes = 0
        self._mapped = 0
        self._has_failed = False
        for path, size, _ in self._list():
            key, start, end = path.name.split("-")
            self._ranges[key].add((int(start), int(end)))
            self._bytes += size

    def _list(self) -> list[tuple[Path, int, float]]:
        """Return (path, size, time of the last use) of all segments; delete files that were never completed."""
        listed: list[tuple[Path, int, float]] = []
        for folder in self._folder.glob("[0-9a-f][0-9a-f]"):
            with contextlib.suppress(OSError), os.scandir(folder) as entries:
                for entry in entries:
                    with contextlib.suppress(OSError):  # Another server may have deleted it.
                        self._list_entry(entry, listed)
        return listed

    def _list_entry(self, entry: os.DirEntry[str], listed: list[tuple[Path, int, float]]) -> None:
        status = entry.stat()
        if _SEGMENT.fullmatch(entry.name):
            listed.append((Path(entry.path), status.st_size, status.st_mtime))
        elif _PART_FILE.fullmatch(entry.name) and time.time() - status.st_mtime > _FRESH_SECONDS:
            os.unlink(entry.path)

    def load(self, path: str, file: OpenFile) -> list[Segment]:
        """Return the consecutive segments of an event file from its start on.

        Args:
            path: of the event file, the same at every start.
            file: the event file.

        Raises:
            OSError: the event file cannot be read.
        """
        key = _key(path)
        if key not in self._ranges:
            return []
        segments: list[Segment] = []
        at = 0
        for start, end in sorted(self._ranges[key], key=lambda limits: (limits[0], -limits[1])):
            # A segment of no bytes records that large records before it were verified.
            if start != at or end > file.status.size or (end == start and not segments):
                continue
            segment = self._load(key, start, end)
            if segment is None or segment.identity != identify(file, end):
                self._delete(key, start, end)
                continue
            segments.append(segment)
            at = end
        return segments

    def _load(self, key: str, start: int, end: int) -> Segment | None:
        path = self._path(key, start, end)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                status = os.fstat(descriptor)
                content = self._content(descriptor, status.st_size)
            finally:
                os.close(descriptor)
            if time.time() - status.st_mtime > _FRESH_SECONDS:
                os.utime(path)
            return decode(content)
        except (OSError, DamagedSegmentError, ValueError, LookupError, TypeError):
            return None

    def _content(self, descriptor: int, size: int) -> memoryview:
        """Return the bytes of a segment, memory-mapped if there are many."""
        if size >= _MAPPED_BYTES and self._mapped < _MOST_MAPPED:
            self._mapped += 1
            return memoryview(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ))
        return memoryview(os.pread(descriptor, size, 0))

    def store(self, path: str, segment: Segment) -> bool:
        """Store a segment; one from the start of the file replaces all others. Return whether it was stored."""
        if self._has_failed:
            return False
        key = _key(path)
        parts = encode(segment)
        size = sum(map(len, parts))
        if size > self._limit_bytes * _FILLED:
            return False
        with self._lock:
            if self._bytes + size > self._limit_bytes:
                self._evict(size)
            self._bytes += size
        target = Path(self._path(key, segment.start, segment.end))
        try:
            _write(target, parts)
        except OSError as error:
            self._has_failed = True
            log.warning("the index in %s cannot be written: %s", self._folder, error.strerror or error)
            return False
        if segment.start == 0:
            for start, end in self._ranges[key] - {(segment.start, segment.end)}:
                self._delete(key, start, end)
        self._ranges[key].add((segment.start, segment.end))
        return True

    def _evict(self, needed: int) -> None:
        """Delete the least recently used segments until there is room for `needed` more bytes."""
        listed = sorted(self._list(), key=lambda item: item[2])
        self._bytes = sum(size for _, size, _ in listed)
        for path, size, _ in listed:
            if self._bytes + needed <= self._limit_bytes * _FILLED:
                return
            with contextlib.suppress(OSError):
                path.unlink()
            self._bytes -= size

    def _delete(self, key: str, start: int, end: int) -> None:
        self._ranges[key].discard((start, end))
        with contextlib.suppress(OSError):
            os.unlink(self._path(key, start, end))

    def _path(self, key: str, start: int, end: int) -> str:
        return f"{self._folder}/{key[:2]}/{key}-{start}-{end}"


def identify(file: OpenFile, end: int) -> Identity:
    """Return the identity of an event file that was read up to `end`.

    Raises:
        OSError: it cannot be read.
    """
    head = file.read(0, min(_CHECKED_BYTES, end))
    tail = file.read(max(0, end - _CHECKED_BYTES), min(_CHECKED_BYTES, end))
    return Identity(file.status.inode, google_crc32c.value(head), google_crc32c.value(tail))


def _key(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _write(target: Path, parts: list[bytes | memoryview]) -> None:
    """Write a file under a temporary name, then rename it, so that it is never visible half written."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part_file = target.parent / f"{secrets.token_hex(8)}.part"
    try:
        with part_file.open("wb") as file:
            file.writelines(parts)
        part_file.replace(target)
    except OSError:
        part_file.unlink(missing_ok=True)
        raise
