"""Integrity check of an event file: every record is verified in constant memory, and no contents are kept."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from toposcope.proto import framing
from toposcope.proto.file_name import FileName
from toposcope.server.places.place import OpenFile
from toposcope.server.reading.records.record import ReadAt, payload_bytes, payload_is_sound
from toposcope.server.reading.records.version_event import LARGEST_VERSION_EVENT, read_version
from toposcope.server.reading.scan import next_header
from toposcope.server.reading.windows.scan_buffers import WINDOW_BYTES, ScanBuffers
from toposcope.server.reading.windows.scanner import Damage, Scanner

_SEEK_BYTES = 1 << 20
_FRAME_BYTES = framing.HEADER_BYTES + framing.FOOTER_BYTES


class DamagedRange(NamedTuple):
    """A byte range of an event file in which no record can be read."""

    start: int
    end: int
    reason: str
    """The reason, as in Damage: "payload" for one whole record, "length" for all up to the next intact header."""


class FileCheck(NamedTuple):
    """The result of checking an event file."""

    records: int
    """Intact records, including the version event."""
    damage: list[DamagedRange]
    """In file order."""
    end: int
    """The end of the last complete record or damaged range; an incomplete record may follow."""
    size: int
    """Bytes of the file when it was checked."""

    @property
    def intact_ranges(self) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of the non-empty byte ranges of intact records."""
        at = 0
        for damaged in self.damage:
            if damaged.start > at:
                yield at, damaged.start
            at = damaged.end
        if self.end > at:
            yield at, self.end


def check_file(file: OpenFile, name: FileName) -> FileCheck:
    """Verify every record of an open event file, including the large ones that the server verifies later.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file was truncated while it was read.
    """
    read, size = file.read, file.status.size
    if size < framing.HEADER_BYTES:
        return FileCheck(0, [], 0, size)
    version = read_version(read(0, LARGEST_VERSION_EVENT), name)
    is_lineage = name.is_lineage and version.dialect == "mindspore"
    scanner = Scanner("lineage" if is_lineage else version.dialect, read)
    bad_large: list[Damage] = []
    end = 0
    for next_offset, large in _scan(scanner, file):
        bad_large += [Damage(record, "payload") for record in large if not _is_intact(read, record)]
        end = next_offset
    damage = _damaged_ranges(read, size, sorted([*scanner.damage, *bad_large]))
    # After damage up to the end of the file there is no incomplete record.
    end = size if damage and damage[-1].end == size else end
    return FileCheck(scanner.counters.events - len(bad_large), damage, end, size)


def _scan(scanner: Scanner, file: OpenFile) -> Iterator[tuple[int, list[int]]]:
    """Yield, window by window, (end of the last complete record, offsets of the large records)."""
    scratch, size = ScanBuffers(WINDOW_BYTES), file.status.size
    offset, needed_bytes, worth_reading_at = 0, 0, framing.HEADER_BYTES
    while worth_reading_at <= size:
        length = max(min(WINDOW_BYTES, size - offset), needed_bytes)
        arrays = scratch if length <= scratch.size else ScanBuffers(length)
        filled = file.read_into(arrays.data[:length], offset)
        if filled < min(length, size - offset):
            raise ValueError(f"the file was truncated while it was read, from {size} to {offset + filled} bytes")
        offset, needed_bytes, worth_reading_at = scanner.read(arrays, filled, offset, size)
        yield offset, scanner.take_rows(arrays).large.tolist()


def _is_intact(read: ReadAt, record: int) -> bool:
    length = payload_bytes(read, record)
    return length is not None and payload_is_sound(read, record, length)


def _damaged_ranges(read: ReadAt, size: int, damage: Iterable[Damage]) -> list[DamagedRange]:
    ranges = []
    for offset, reason in damage:
        length = payload_bytes(read, offset) if reason == "payload" else None
        end = next_intact_header(read, offset + 1, size) if length is None else offset + _FRAME_BYTES + length
        ranges.append(DamagedRange(offset, end, reason))
    return ranges


def next_intact_header(read: ReadAt, at: int, size: int) -> int:
    """Return the offset of the first intact record header from `at` in a file of `size` bytes; `size` if none."""
    while at + framing.HEADER_BYTES <= size:
        window = np.frombuffer(read(at, _SEEK_BYTES), np.uint8)
        if len(window) < framing.HEADER_BYTES:
            break
        offset = next_header(window.data, 0, len(window))
        if offset >= 0:
            return at + offset
        at += len(window) - framing.HEADER_BYTES + 1
    return size
