"""A file of the index that contains the segments of many small event files, so that they are restored at once.

16 bytes   magic
segments   8-byte aligned; see segment.py. Among them are blocks of summaries; see summary_columns.py
directory  JSON: the tags that files have in common, where the summaries of each tag are, and what is known of each file
           without its columns
footer     u64 offset of the directory, u32 length, u32 crc32c of the directory

A file whose status has not changed since is not opened at the start, nor is its segment decoded before a point of it is
requested.
"""

import io
import secrets
import struct
import weakref
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import google_crc32c
import numpy as np
import orjson

from toposcope.server.budget.cache import Cache
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.places.place import OpenFile, Status
from toposcope.server.reading.index.packs.pack_columns import PackColumns, make_columns
from toposcope.server.reading.index.packs.summary_columns import (
    BYTES_OF_SUMMARY,
    SummaryColumn,
    SummaryWriter,
    read_column,
)
from toposcope.server.reading.index.segment import (
    DamagedSegmentError,
    Segment,
    counters_of,
    counters_values,
    decode,
    version_of,
    version_values,
)
from toposcope.server.reading.records.counters import Counters
from toposcope.server.reading.records.version_event import Version
from toposcope.server.reading.tag_table import Entry, Tag
from toposcope.server.reading.windows.scanner import Damage

MAGIC = b"toposcope-pack6\0"
_FOOTER = struct.Struct("<QII")
_ALIGNMENT = 8
_KEPT_BYTES = 64 << 20
"""Bytes of decoded segments, and of summaries, that are kept for the next request."""


class PackedFile(NamedTuple):
    """What is known of an event file that was read completely, without its columns."""

    number: int
    """In the pack, from 0."""
    key: str
    """The key of the event file in the index."""
    status: Status
    """The status of the event file when it was read."""
    end: int
    """How far it was read: less than its size if an incomplete record follows."""
    offset: int
    """Where in the pack its segment begins."""
    length: int
    """Bytes of the segment."""
    tags: int
    """Which of the lists of tags are its own."""
    entries: int
    """Which of the lists of entries is its own."""
    version: Version
    counters: Counters
    damage: tuple[Damage, ...]
    large_records: int
    phase: int
    is_finite: bool
    """Whether all values of its scalar series are finite."""


class NewFile(NamedTuple):
    """An event file to be packed."""

    key: str
    status: Status
    segment: Segment
    content: bytes
    """The encoded segment."""
    phase: int


Directory = dict[str, Any]
"""What the end of a pack contains."""


class Pack:
    """The segments and the directory of one pack. Thread-safe.

    Args:
        path: of the pack.
        file: the pack where it is not on the local disk.
        directory: of the pack, if it is known already.

    Raises:
        OSError: it cannot be read at present.
        DamagedSegmentError: it is not a pack, or is damaged.
    """

    def __init__(self, path: Path | str, file: OpenFile | None = None, directory: Directory | None = None) -> None:
        self.path = path
        self.path_while_open = str(path)
        """A path by which another process of the same user can open it; on Linux even if it was deleted."""
        if file is None:
            # It stays open, so that it can be read after another server has deleted it.
            file = local = UNCHECKED.open(str(path))
            weakref.finalize(self, local.close)
            self.path_while_open = local.path_while_open
        self._file = file
        if directory is None:
            directory = read_directory(self._file)
        self._tags = [{Tag(*tag): None for tag in tags} for tags in directory["tags"]]
        self._listed_tags = [list(tags) for tags in self._tags]
        self.plugin_counts: Sequence[Mapping[str, int]] = [Counter(tag.plugin for tag in tags) for tags in self._tags]
        """How many tags of each plugin each of the lists of tags has."""
        self._entries = [
            [Entry(Tag(plugin, tag), name.encode("latin-1"), kind) for plugin, tag, name, kind in entries]
            for entries in directory["entries"]
        ]
        self.files = {each[0]: _packed_file(number, each) for number, each in enumerate(directory["files"])}
        """The files, by key."""
        self._parts = {Tag(plugin, name): parts for plugin, name, parts in directory["summaries"]}
        self._segments = Cache(_KEPT_BYTES)
        # The summaries of one tag are kept in any case: they are requested for one file after another.
        self._columns = Cache(max(_KEPT_BYTES, len(self.files) * BYTES_OF_SUMMARY))

    @cached_property
    def columns(self) -> PackColumns:
        """What is known of all files."""
        files = list(self.files.values())
        return make_columns(
            [file.status for file in files],
            [file.version for file in files],
            [file.counters for file in files],
            [file.damage for file in files],
            [file.tags for file in files],
            [file.is_finite for file in files],
        )

    def tags(self, file: PackedFile) -> Collection[Tag]:
        """Return the tags of a file, in the order in which it has them."""
        return self._tags[file.tags]

    def listed_tags(self, file: PackedFile) -> Sequence[Tag]:
        """Return the same as a sequence; not to be modified."""
        return self._listed_tags[file.tags]

    def plugins(self, file: PackedFile) -> Mapping[str, int]:
        """Return how many tags of each plugin a file has."""
        return self.plugin_counts[file.tags]

    def entries(self, file: PackedFile) -> list[Entry]:
        """Return the tags of a file as they were read; not to be modified."""
        return self._entries[file.entries]

    def content(self, file: PackedFile) -> bytes:
        """Return the encoded segment of a file.

        Raises:
            OSError: the pack cannot be read.
        """
        return self._file.read(file.offset, file.length)

    def segment(self, file: PackedFile) -> Segment:
        """Return the segment of a file.

        Raises:
            OSError: the pack cannot be read.
            DamagedSegmentError: the segment is damaged.
        """
        return self._segments.get(file.key, lambda: self._read_segment(file), lambda _: file.length)

    def _read_segment(self, file: PackedFile) -> Segment:
        content = np.empty(file.length, np.uint8).data
        if self._file.read_into(content, file.offset) < file.length:
            raise DamagedSegmentError("the pack ends within a segment")
        return decode(content)

    def summaries(self, tag: Tag) -> SummaryColumn | None:
        """Return the summaries of a scalar tag of all files; None if no file has points of it.

        Raises:
            OSError: the pack cannot be read.
            DamagedSegmentError: the summaries are damaged.
        """
        parts = self._parts.get(tag)
        if parts is None:
            return None
        return self._columns.get(tag, lambda: read_column(self._file, parts, len(self.files)), _nbytes)


def _nbytes(column: SummaryColumn) -> int:
    return column.nbytes


def write_pack(folder: Path, files: Iterable[NewFile]) -> Path | None:
    """Write a pack under a temporary name, then rename it; return its path, None if there are no files.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = secrets.token_hex(8)
    part_file = folder / f"{name}.part"
    try:
        with part_file.open("wb") as file:
            listed = _write_segments(file, files)
        if not listed:
            part_file.unlink()
            return None
        return part_file.replace(folder / f"{name}.pack")
    except BaseException:
        part_file.unlink(missing_ok=True)
        raise


def encode_pack(files: Iterable[NewFile]) -> bytes:
    """Return the bytes of a pack."""
    out = io.BytesIO()
    _write_segments(out, files)
    return out.getvalue()


def _write_segments(out: BinaryIO, files: Iterable[NewFile]) -> int:
    """Write everything; return the number of files."""
    tags, entries = dict[tuple[Tag, ...], int](), dict[tuple[Entry, ...], int]()
    listed: list[list[Any]] = []
    summaries = SummaryWriter(out)
    offset = out.write(MAGIC)
    for file in files:
        segment = file.segment
        tags_of_file, entries_of_file = tuple(segment.series), tuple(segment.entries)
        listed.append(
            [
                file.key,
                list(file.status),
                segment.end,
                offset,
                len(file.content),
                tags.setdefault(tags_of_file, len(tags)),
                entries.setdefault(entries_of_file, len(entries)),
                version_values(segment.version),
                counters_values(segment.counters),
                [list(damage) for damage in segment.damage],
                len(segment.large),
                file.phase,
                summaries.add(len(listed), segment.series),
            ]
        )
        offset += out.write(file.content)
        offset += out.write(bytes(-offset % _ALIGNMENT))
        offset += summaries.write(offset)
    offset += summaries.write(offset, is_last=True)
    directory = orjson.dumps(
        {
            "tags": [[list(tag) for tag in each] for each in tags],
            "entries": [[[*entry.tag, entry.name.decode("latin-1"), entry.kind] for entry in each] for each in entries],
            "summaries": [[*tag, parts] for tag, parts in summaries.parts.items()],
            "files": listed,
        }
    )
    out.write(directory)
    out.write(_FOOTER.pack(offset, len(directory), google_crc32c.value(directory)))
    return len(listed)


def read_directory(file: OpenFile) -> Directory:
    """Return the directory of a pack.

    Raises:
        OSError: it cannot be read at present.
        DamagedSegmentError: it is not a pack, or is damaged.
    """
    size = file.status.size
    if size < len(MAGIC) + _FOOTER.size or file.read(0, len(MAGIC)) != MAGIC:
        raise DamagedSegmentError("it is not a pack")
    offset, length, checksum = _FOOTER.unpack(file.read(size - _FOOTER.size, _FOOTER.size))
    if offset + length + _FOOTER.size != size:
        raise DamagedSegmentError("it was not written completely")
    content = file.read(offset, length)
    if google_crc32c.value(content) != checksum:
        raise DamagedSegmentError("the checksum of its directory does not match")
    directory: Directory = orjson.loads(content)
    return directory


def statuses_of(directory: Directory) -> dict[str, Status]:
    """Return the statuses of the event files in a pack when they were read, by key."""
    return {each[0]: Status(*each[1]) for each in directory["files"]}


def _packed_file(number: int, values: list[Any]) -> PackedFile:
    key, status, end, offset, length, tags, entries, version, counters, damage, large, phase, is_finite = values
    return PackedFile(
        number,
        key,
        Status(*status),
        end,
        offset,
        length,
        tags,
        entries,
        version_of(version),
        counters_of(counters),
        tuple(Damage(*each) for each in damage),
        large,
        phase,
        is_finite,
    )
