"""The index: a cache of what was read from event files, so that the next start reads only what was appended.

An event file has segments, one for each byte range. A segment is a file that is written under a temporary name, renamed
and never modified. Its name consists of the hash of the event file's path and the byte range. Every segment may be
deleted at any time, by anyone: what is missing or damaged is read from the event files again.

Of many small files that no longer grow, the segments are moved to packs; see pack.py.
"""

import contextlib
import hashlib
import itertools
import logging
import os
import re
import secrets
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import google_crc32c
from platformdirs import user_cache_path

from toposcope.server.places.addresses import is_remote
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.places.place import OpenFile, Place, Status, reason_of
from toposcope.server.places.private_folders import make_private
from toposcope.server.places.writable import why_unwritable
from toposcope.server.process.garbage_collection import no_collections
from toposcope.server.reading.index.packs.pack import NewFile, Pack, PackedFile, write_pack
from toposcope.server.reading.index.packs.shared_packs import SharedPacks, shared_address
from toposcope.server.reading.index.segment import DamagedSegmentError, Identity, Segment, decode, encode, read_segment

LIMIT_BYTES = 8 << 30
CHECKED_BYTES = 4096
"""At the beginning of a file, and at the end of what was read of it."""
_RETRY_SECONDS = 60.0
"""How long after a failure nothing is written."""
_FRESH_SECONDS = 3600.0
_PACKS, _PACK = "packs", ".pack"
_MAX_PACKS = 8
"""Packs; more are merged into one."""
_LARGEST_PACKED = 1 << 20
"""Bytes of a segment in a pack."""
_FILLED = 0.75  # Fraction of the limit in use after segments were evicted.
_SEGMENT = re.compile(r"[0-9a-f]{32}-[0-9]{1,19}-[0-9]{1,19}")
_FOLDER = re.compile(r"[0-9a-f]{2}")
_PART_FILE = re.compile(r"[0-9a-f]{16}\.part")

log = logging.getLogger(__name__)


def default_folder() -> Path:
    """Return the folder for the index in the user's cache."""
    return user_cache_path("toposcope", appauthor=False) / "index"


def local_folder(index: str | None) -> Path:
    """Return the folder of an index on this machine.

    Args:
        index: its folder; None, or the address of an object store: the user's own.
    """
    return default_folder() if index is None or is_remote(index) else Path(index)


def open_index(index: str | None) -> "Index":
    """Open the index in a folder, with the shared packs in it, or those at an address with the user's own index.

    Args:
        index: None: the user's own.

    Raises:
        ModuleNotFoundError: an object store needs obstore, which is not installed.
        ValueError: the address of an object store is not valid.
    """
    folder = local_folder(index)
    make_private(folder)
    return Index(folder, shared=SharedPacks(shared_address(str(folder) if index is None else index)))


class QuietFile(NamedTuple):
    """An event file that was read completely and no longer grows."""

    path: str
    status: Status
    """When it was read."""
    phase: int
    segment: Segment | None = None
    """What was read; None: the index contains it."""


class _Packed(NamedTuple):
    pack: Pack
    file: PackedFile


class Index:
    """The segments in a folder. Thread-safe; several servers may use the same folder.

    Args:
        folder: is created when the first segment is stored.
        limit_bytes: total size of all segments; the least recently used ones are evicted.
        shared: packs that others write, and that are only read.
    """

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES, shared: SharedPacks | None = None) -> None:
        self._folder = folder
        self.translations = folder / "translations"
        """The folder of what other formats are translated into; not part of the index itself."""
        self._limit_bytes = limit_bytes
        self._lock = threading.Lock()
        self._ranges: dict[str, set[tuple[int, int]]] = defaultdict(set)
        self._bytes = 0
        self._packs: list[Pack] = []
        self._packed: dict[str, _Packed] = {}
        """The packed files, by key."""
        self._next_write = 0.0
        """Not before then another segment is written, in seconds of time.monotonic()."""
        self._failure: str | None = None
        """Why the last attempt to write failed; None: it did not."""
        self._shared = shared
        with no_collections():
            self.add_shared_packs()
        for path, size, _ in sorted(self._list(), key=lambda item: item[2]):
            self._bytes += size
            if path.suffix == _PACK:
                self._open_pack(path)
            else:
                key, start, end = path.name.split("-")
                self._ranges[key].add((int(start), int(end)))

    def _list(self) -> list[tuple[Path, int, float]]:
        """Return (path, size, time of the last use) of all segments; delete files that were never completed."""
        listed: list[tuple[Path, int, float]] = []
        with contextlib.suppress(OSError), os.scandir(self._folder) as folders:
            for folder in folders:
                if _FOLDER.fullmatch(folder.name) or folder.name == _PACKS:
                    self._list_folder(folder.path, listed)
        return listed

    def _list_folder(self, folder: str, listed: list[tuple[Path, int, float]]) -> None:
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):  # Another server may have deleted it.
                    self._list_entry(entry, listed)

    def _list_entry(self, entry: os.DirEntry[str], listed: list[tuple[Path, int, float]]) -> None:
        status = entry.stat()
        if _SEGMENT.fullmatch(entry.name) or entry.name.endswith(_PACK):
            listed.append((Path(entry.path), status.st_size, status.st_mtime))
        elif _PART_FILE.fullmatch(entry.name) and time.time() - status.st_mtime > _FRESH_SECONDS:
            os.unlink(entry.path)

    def add_shared_packs(self) -> None:
        """Look for shared packs that were written meanwhile."""
        for pack in self._shared.open_new() if self._shared is not None else ():
            self._add_pack(pack)

    def _open_pack(self, path: Path) -> None:
        """Add the files of a pack, which is newer than the others."""
        try:
            with no_collections():
                pack = Pack(path)
                self._add_pack(pack)
        except (OSError, MemoryError) as error:
            log.warning("%s cannot be read: %s", path, reason_of(error))
            return
        except (DamagedSegmentError, ValueError, LookupError, TypeError) as error:
            log.warning("%s is deleted: %s", path, reason_of(error))
            with contextlib.suppress(OSError):
                path.unlink()
            return
        with contextlib.suppress(OSError):  # It is in use.
            os.utime(path)
        self._packs.append(pack)

    def _add_pack(self, pack: Pack) -> None:
        """Use a pack for the files of which no newer state is known."""
        for key, file in pack.files.items():
            known = self._packed.get(key)
            if known is None or known.file.status.modified <= file.status.modified:
                self._packed[key] = _Packed(pack, file)

    def packed(self, path: str, status: Status) -> tuple[Pack, PackedFile] | None:
        """Return the pack that contains an event file, if the file has not changed since, according to its status."""
        packed = self._packed.get(key_of(path)) if self._packed else None
        return packed if packed is not None and packed.file.status == status else None

    def read_bytes(self, path: str) -> int:
        """Return how far an event file was read, at most."""
        key = key_of(path)
        packed = self._packed.get(key)
        ends = [end for _, end in self._ranges.get(key, ())]
        return max(ends, default=packed.file.end if packed is not None else 0)

    def load(self, path: str, file: OpenFile) -> list[Segment]:
        """Return the consecutive segments of an event file from its start on.

        Args:
            path: of the event file, the same at every start.
            file: the event file.

        Raises:
            OSError: the event file cannot be read.
        """
        key = key_of(path)
        packed = self._packed.get(key)
        ranges = self._ranges.get(key, set())
        if packed is not None:
            ranges = ranges | {(0, packed.file.end)}
        segments: list[Segment] = []
        at, last = 0, max((end for _, end in ranges if end <= file.status.size), default=0)
        for start, end in sorted(ranges, key=lambda limits: (limits[0], -limits[1])):
            # A segment of no bytes records that large records before it were verified.
            if start != at or end > file.status.size or (end == start and not segments):
                continue
            try:
                segment = self._load(key, start, end)
            except (OSError, MemoryError):
                if at == start:  # The others do not follow what is read before them.
                    break
                continue
            # Where a request for each would take long, the last one is compared for all.
            is_compared = file.status.inode or end == last
            if segment is None or (is_compared and segment.identity != identify(file, end, segment.identity)):
                self._delete(key, start, end)
                if not file.status.inode:
                    return []
                continue
            segments.append(segment)
            at = end
        return segments

    def _load(self, key: str, start: int, end: int) -> Segment | None:
        """Return a segment; None if it is damaged or was deleted.

        Raises:
            OSError: it cannot be read at present.
        """
        path, packed = self._path(key, start, end), self._packed.get(key)
        try:
            if packed is not None and (start, end) == (0, packed.file.end):
                return packed.pack.segment(packed.file)
            with contextlib.closing(UNCHECKED.open(path)) as file:
                segment = read_segment(file)
            if time.time() - file.status.modified > _FRESH_SECONDS:
                with contextlib.suppress(OSError):
                    os.utime(path)
            return segment
        except (FileNotFoundError, DamagedSegmentError, ValueError, LookupError, TypeError):
            return None

    @property
    def is_writable(self) -> bool:
        """Whether it is worth trying to store a segment: the last attempt did not fail just now."""
        return time.monotonic() >= self._next_write

    def problem(self) -> str | None:
        """Return a sentence that says why nothing can be stored; None: it can, as far as is known."""
        reason = self._failure or why_unwritable(str(self._folder))
        return None if reason is None else f"the index in {str(self._folder)!r} cannot be written: {reason}"

    def store(self, path: str, segment: Segment) -> bool:
        """Store a segment; one from the start of the file replaces all others. Return whether it was stored."""
        if not self.is_writable:
            return False
        key = key_of(path)
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
        except (OSError, MemoryError) as error:
            self._next_write = time.monotonic() + _RETRY_SECONDS
            with self._lock:
                self._bytes -= size
            self._failure = reason_of(error)
            log.warning("the index in %s cannot be written: %s", self._folder, self._failure)
            return False
        self._failure = None
        if segment.start == 0:
            self._packed.pop(key, None)
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
        packed = self._packed.get(key)
        if packed is not None and (start, end) == (0, packed.file.end):
            del self._packed[key]
        with contextlib.suppress(OSError):
            os.unlink(self._path(key, start, end))

    def pack(self, files: Iterable[QuietFile], place: Place) -> int:
        """Write what was read of event files to a pack, or move their segments there; return how many.

        Files that have changed, or that have several segments or a large one, are left out.

        Args:
            files: event files that were read completely and no longer grow.
            place: reads them.

        Raises:
            OSError: the pack cannot be written.
        """
        is_merged = len(self._packs) >= _MAX_PACKS
        own = [packed for packed in self._packed.values() if packed.pack in self._packs] if is_merged else []
        keys: list[str] = []
        content = itertools.chain(map(_packed_again, own), self._to_be_packed(files, place, keys))
        try:
            path = write_pack(self._folder / _PACKS, content)
        except (OSError, MemoryError) as error:
            self._failure = reason_of(error)
            raise
        self._failure = None
        if path is None:
            return 0
        replaced, self._packs = (self._packs, []) if is_merged else ([], self._packs)
        self._open_pack(path)
        with self._lock:
            self._bytes += path.stat().st_size
        for key in keys:
            for start, end in self._ranges.pop(key, ()):
                with contextlib.suppress(OSError):
                    os.unlink(self._path(key, start, end))
        for pack in replaced:
            Path(pack.path).unlink(missing_ok=True)
        return len(keys)

    def _to_be_packed(self, files: Iterable[QuietFile], place: Place, keys: list[str]) -> Iterator[NewFile]:
        """Yield the files that can be packed, and append their keys."""
        for file in files:
            new = self._new_file(file, place)
            if new is not None:
                keys.append(new.key)
                yield new

    def _new_file(self, file: QuietFile, place: Place) -> NewFile | None:
        key = key_of(file.path)
        if file.segment is not None:
            content = b"".join(encode(file.segment))
            is_small = len(content) <= _LARGEST_PACKED
            return NewFile(key, file.status, file.segment, content, file.phase) if is_small else None
        if self._ranges.get(key) != {(0, file.status.size)}:
            return None
        try:
            content = Path(self._path(key, 0, file.status.size)).read_bytes()
            if len(content) > _LARGEST_PACKED:
                return None
            segment = decode(memoryview(content))
            with contextlib.closing(place.open(file.path)) as opened:
                is_same = opened.status == file.status and _is_same(opened, segment)
        except (OSError, MemoryError, DamagedSegmentError, ValueError, LookupError, TypeError):
            return None
        return NewFile(key, file.status, segment, content, file.phase) if is_same else None

    def _path(self, key: str, start: int, end: int) -> str:
        return f"{self._folder}/{key[:2]}/{key}-{start}-{end}"


def _is_same(file: OpenFile, segment: Segment) -> bool:
    """Return whether a file of the same status as before contains what a segment of all of it was made from.

    In a place without inodes that is certain, as files are replaced as a whole there; a request for each takes long.
    """
    return not file.status.inode or identify(file, segment.end, segment.identity) == segment.identity


def identify(file: OpenFile, end: int, known: Identity | None = None) -> Identity:
    """Return the identity of an event file that was read up to `end`.

    Args:
        file: the event file.
        end: how far it was read.
        known: its identity when it was read up to CHECKED_BYTES or further. A place without inodes, where each request
            takes long, is not asked for its beginning again: the records at the end have times, so that no other
            recording has the same.

    Raises:
        OSError: it cannot be read.
    """
    if known is not None and not file.status.inode and end > CHECKED_BYTES:
        return known._replace(tail=google_crc32c.value(file.read(end - CHECKED_BYTES, CHECKED_BYTES)))
    head = tail = file.read(0, min(CHECKED_BYTES, end))
    if end > CHECKED_BYTES:
        tail = file.read(end - CHECKED_BYTES, CHECKED_BYTES)
    return Identity(file.status.inode, google_crc32c.value(head), google_crc32c.value(tail))


def _packed_again(packed: _Packed) -> NewFile:
    """Return a file of a pack that is to be merged with others."""
    pack, file = packed
    content = pack.content(file)
    return NewFile(file.key, file.status, decode(memoryview(content)), content, file.phase)


def key_of(path: str) -> str:
    """Return the key of an event file in the index."""
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
