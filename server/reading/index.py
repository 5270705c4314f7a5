"""The index: what event files came to, kept in a cache folder so that the next start reads only what was appended.

An event file has segments, each of a stretch of its bytes; a segment is a file that is written under another name,
renamed and never changed. Its name says which event file, by the hash of its path, and which stretch. Everything here
may be deleted at any time, by anyone: what is missing or damaged is read from the event files again.
"""

import contextlib
import hashlib
import logging
import mmap
import os
import re
import secrets
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

import google_crc32c

from toposcope.server.reading.segment import DamagedSegmentError, Identity, Segment, decode, encode

LIMIT_BYTES = 8 << 30
_CHECKED_BYTES = 4096
_MAPPED_BYTES = 1 << 20
_MOST_MAPPED = 256  # Each costs a descriptor.
_FRESH_SECONDS = 3600.0
_FILLED = 0.75  # What of the limit is in use after segments were deleted to make room.
_SEGMENT = re.compile(r"[0-9a-f]{32}-[0-9]{1,19}-[0-9]{1,19}")
_DRAFT = re.compile(r"[0-9a-f]{16}\.part")

log = logging.getLogger(__name__)


def default_folder() -> Path:
    """Return the folder for the index in the user's cache."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "toposcope" / "index"


class Index:
    """The segments in a folder; safe for threads, and for other servers that use the folder too.

    Args:
        folder: is made when it is missing.
        limit_bytes: how large all segments together may be; those unused for longest go first.
    """

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self._folder = folder
        self._limit_bytes = limit_bytes
        self._lock = threading.Lock()
        self._stretches: dict[str, set[tuple[int, int]]] = defaultdict(set)
        self._bytes = 0
        self._mapped = 0
        self._is_broken = False
        for path, size, _ in self._list():
            key, start, end = path.name.split("-")
            self._stretches[key].add((int(start), int(end)))
            self._bytes += size

    def _list(self) -> list[tuple[Path, int, float]]:
        """List (path, bytes, time of the last use) of all segments; what a server left half written goes."""
        listed: list[tuple[Path, int, float]] = []
        for folder in self._folder.glob("[0-9a-f][0-9a-f]"):
            with contextlib.suppress(OSError), os.scandir(folder) as entries:
                for entry in entries:
                    with contextlib.suppress(OSError):  # Another server may have deleted it.
                        self._look_at(entry, listed)
        return listed

    def _look_at(self, entry: os.DirEntry[str], listed: list[tuple[Path, int, float]]) -> None:
        status = entry.stat()
        if _SEGMENT.fullmatch(entry.name):
            listed.append((Path(entry.path), status.st_size, status.st_mtime))
        elif _DRAFT.fullmatch(entry.name) and time.time() - status.st_mtime > _FRESH_SECONDS:
            os.unlink(entry.path)

    def load(self, path: str, descriptor: int, inode: int, size: int) -> list[Segment]:
        """Return the segments of an event file that follow one another from its start on.

        Args:
            path: of the event file, the same at every start.
            descriptor: the event file, open for reading.
            inode: its inode.
            size: its bytes.
        """
        key = _key(path)
        if key not in self._stretches:
            return []
        segments: list[Segment] = []
        at = 0
        for start, end in sorted(self._stretches[key], key=lambda stretch: (stretch[0], -stretch[1])):
            # A stretch of no bytes has news of what comes before it: that its heavy records were verified.
            if start != at or end > size or (end == start and not segments):
                continue
            segment = self._load(key, start, end)
            if segment is None or segment.identity != identify(descriptor, inode, end):
                self._drop(key, start, end)
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
        """Return the bytes of a segment: mapped when they are many, so that only what is looked at is read."""
        if size >= _MAPPED_BYTES and self._mapped < _MOST_MAPPED:
            self._mapped += 1
            return memoryview(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ))
        return memoryview(os.pread(descriptor, size, 0))

    def store(self, path: str, segment: Segment) -> bool:
        """Keep a segment; one from the start of the file replaces all others. Return whether that worked."""
        if self._is_broken:
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
            self._is_broken = True
            log.warning("the index in %s cannot be written: %s", self._folder, error.strerror or error)
            return False
        if segment.start == 0:
            for start, end in self._stretches[key] - {(segment.start, segment.end)}:
                self._drop(key, start, end)
        self._stretches[key].add((segment.start, segment.end))
        return True

    def _evict(self, wanted: int) -> None:
        """Delete the segments unused for longest until there is room for more."""
        listed = sorted(self._list(), key=lambda item: item[2])
        self._bytes = sum(size for _, size, _ in listed)
        for path, size, _ in listed:
            if self._bytes + wanted <= self._limit_bytes * _FILLED:
                return
            with contextlib.suppress(OSError):
                path.unlink()
            self._bytes -= size

    def _drop(self, key: str, start: int, end: int) -> None:
        self._stretches[key].discard((start, end))
        with contextlib.suppress(OSError):
            os.unlink(self._path(key, start, end))

    def _path(self, key: str, start: int, end: int) -> str:
        return f"{self._folder}/{key[:2]}/{key}-{start}-{end}"


def identify(descriptor: int, inode: int, end: int) -> Identity:
    """Return what tells an event file whose bytes up to `end` were read from another one."""
    head = os.pread(descriptor, min(_CHECKED_BYTES, end), 0)
    tail = os.pread(descriptor, min(_CHECKED_BYTES, end), max(0, end - _CHECKED_BYTES))
    return Identity(inode, google_crc32c.value(head), google_crc32c.value(tail))


def _key(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _write(target: Path, parts: list[bytes | memoryview]) -> None:
    """Write a file under another name, then rename it, so that nobody ever sees half of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.parent / f"{secrets.token_hex(8)}.part"
    try:
        with draft.open("wb") as opened:
            opened.writelines(parts)
        draft.replace(target)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
