"""What of an event file is sound: every record checked, in little memory, nothing kept of their contents."""

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from toposcope.proto import framing
from toposcope.proto.file_name import FileName
from toposcope.server.reading.record import ReadAt, payload_bytes, payload_is_sound, read_at
from toposcope.server.reading.scan import next_header
from toposcope.server.reading.scan_buffers import WINDOW_BYTES, ScanBuffers
from toposcope.server.reading.scanner import Damage, Scanner
from toposcope.server.reading.version_event import LARGEST_VERSION_EVENT, read_version

_SEEK_BYTES = 1 << 20
_FRAME_BYTES = framing.HEADER_BYTES + framing.FOOTER_BYTES


class DamagedStretch(NamedTuple):
    """Bytes of an event file in which no record can be read."""

    start: int
    end: int
    reason: str
    """As of Damage: "payload" for one whole record, "length" for all up to the next sound header."""


class Survey(NamedTuple):
    """What an event file holds."""

    records: int
    """Sound ones, the version event included."""
    damage: list[DamagedStretch]
    """In the order of the file."""
    end: int
    """Where the last record, or the last damage, ends; what follows is the beginning of a record."""
    size: int
    """Bytes of the file when it was surveyed."""

    @property
    def sound(self) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of the stretches that hold sound records, none of them empty."""
        at = 0
        for stretch in self.damage:
            if stretch.start > at:
                yield at, stretch.start
            at = stretch.end
        if self.end > at:
            yield at, self.end


def survey(descriptor: int, name: FileName) -> Survey:
    """Check every record of an open event file as the server does, and those that it leaves for later too.

    Raises:
        OSError: the file cannot be read.
        ValueError: it was cut short meanwhile.
    """
    read, size = read_at(descriptor), os.fstat(descriptor).st_size
    if size < framing.HEADER_BYTES:
        return Survey(0, [], 0, size)
    version = read_version(read(0, LARGEST_VERSION_EVENT), name)
    is_lineage = name.is_lineage and version.dialect == "mindspore"
    scanner = Scanner("lineage" if is_lineage else version.dialect, read)
    bad_heavy: list[Damage] = []
    end = 0
    for next_offset, heavy in _scan(scanner, descriptor, size):
        bad_heavy += [Damage(record, "payload") for record in heavy if not _is_sound(read, record)]
        end = next_offset
    damage = _stretches(read, size, sorted([*scanner.damage, *bad_heavy]))
    # Damage that reaches to the end is known to, but for what may be the beginning of a header.
    end = size if damage and damage[-1].end == size else end
    return Survey(scanner.counters.events - len(bad_heavy), damage, end, size)


def _scan(scanner: Scanner, descriptor: int, size: int) -> Iterator[tuple[int, list[int]]]:
    """Yield (where its last complete record ends, where its heavy records begin) of one window after the other."""
    usual = ScanBuffers(WINDOW_BYTES)
    offset, wanted, worth_reading_at = 0, 0, framing.HEADER_BYTES
    while worth_reading_at <= size:
        length = max(min(WINDOW_BYTES, size - offset), wanted)
        arrays = usual if length <= usual.size else ScanBuffers(length)
        filled = os.preadv(descriptor, [arrays.data[:length]], offset)
        if filled < min(length, size - offset):
            raise ValueError(f"the file was cut short while it was read, from {size} bytes to {offset + filled}")
        offset, wanted, worth_reading_at = scanner.read(arrays, filled, offset, size)
        yield offset, scanner.take_rows(arrays).large.tolist()


def _is_sound(read: ReadAt, record: int) -> bool:
    length = payload_bytes(read, record)
    return length is not None and payload_is_sound(read, record, length)


def _stretches(read: ReadAt, size: int, damage: Iterable[Damage]) -> list[DamagedStretch]:
    stretches = []
    for offset, reason in damage:
        length = payload_bytes(read, offset) if reason == "payload" else None
        end = next_sound_header(read, offset + 1, size) if length is None else offset + _FRAME_BYTES + length
        stretches.append(DamagedStretch(offset, end, reason))
    return stretches


def next_sound_header(read: ReadAt, at: int, size: int) -> int:
    """Return the first place from `at` on where a sound header stands in a file of `size` bytes; else `size`."""
    while at + framing.HEADER_BYTES <= size:
        window = np.frombuffer(read(at, _SEEK_BYTES), np.uint8)
        if len(window) < framing.HEADER_BYTES:
            break
        found = next_header(window.data, 0, len(window))
        if found >= 0:
            return at + found
        at += len(window) - framing.HEADER_BYTES + 1
    return size
