"""The file format of the index: a segment contains what was read from a byte range of an event file.

16 bytes   magic
u32        length of the header in bytes
u32        crc32c of these four bytes and everything that follows
header     JSON
columns    8-byte aligned: of all scalar series, concatenated, wall_time, the values and steps with 64 bits, and those
           with 32; step, wall_time, record, start, length and kind of the other series, concatenated; the offsets of
           the large records

Regular steps are in the header: their first and their stride.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import google_crc32c
import numpy as np
import numpy.typing as npt
import orjson

from toposcope.server.places.place import OpenFile
from toposcope.server.reading.records.counters import Counters
from toposcope.server.reading.records.marks import RecordingEnd, RecordingStart
from toposcope.server.reading.records.version_event import Version
from toposcope.server.reading.series.series import Int64s, Payloads, Points
from toposcope.server.reading.tag_table import Entry, Tag
from toposcope.server.reading.windows.scanner import Damage

_MAGIC = b"toposcope-index5"
_HEAD = struct.Struct("<16sII")
_LENGTH = struct.Struct("<I")
_ALIGNMENT = 8
_CHUNK_BYTES = 4 << 20
_WIDE, _NARROW = 8, 4
"""Sizes in bytes of steps and values."""
_READ_BYTES = 256 << 10
_PAYLOAD_TYPES = ("<i8", "<f8", "<i8", "<u4", "<u4", "u1")


class DamagedSegmentError(ValueError):
    """The bytes are not those of a segment that was written: treat it as missing."""


class Identity(NamedTuple):
    """Identifies the event file that a segment was made from, and its content."""

    inode: int
    head: int
    """crc32c of its first bytes."""
    tail: int
    """crc32c of the last bytes before the end of the segment."""


class Segment(NamedTuple):
    """What was read from an event file between `start` and `end`.

    All but `series` and `large` describe the whole file up to `end`.
    """

    start: int
    end: int
    identity: Identity
    version: Version
    counters: Counters
    damage: Sequence[Damage]
    entries: Sequence[Entry]
    verified: int
    """How many of the large records of the file were verified."""
    bad_records: Sequence[int]
    """Offsets of the records that failed verification."""
    series: Mapping[Tag, Points | Payloads]
    large: Int64s


def encode(segment: Segment) -> list[bytes | memoryview]:
    """Return the bytes of a segment, as parts to concatenate."""
    points = {tag: series for tag, series in segment.series.items() if isinstance(series, Points)}
    payloads = {tag: series for tag, series in segment.series.items() if isinstance(series, Payloads)}
    columns = [
        *_join_points(list(points.values())),
        *_join([series[: len(_PAYLOAD_TYPES)] for series in payloads.values()], _PAYLOAD_TYPES),
        np.ascontiguousarray(segment.large, "<i8"),
    ]
    header = _padded(orjson.dumps(_header(segment, points, payloads)), b" ")
    parts: list[bytes | memoryview] = [header]
    for column in columns:
        parts += [column.view(np.uint8).data, bytes(-column.nbytes % _ALIGNMENT)]
    return [_HEAD.pack(_MAGIC, len(header), _checksum([_LENGTH.pack(len(header)), *parts])), *parts]


def _header(segment: Segment, points: Mapping[Tag, Points], payloads: Mapping[Tag, Payloads]) -> dict[str, Any]:
    return {
        "start": segment.start,
        "end": segment.end,
        "identity": list(segment.identity),
        "version": version_values(segment.version),
        "counters": counters_values(segment.counters),
        "damage": [list(damage) for damage in segment.damage],
        "entries": [[plugin, tag, name.decode("latin-1"), kind] for (plugin, tag), name, kind in segment.entries],
        "verified": segment.verified,
        "bad_records": list(segment.bad_records),
        "points": [[*tag, series.total, *_form(series)] for tag, series in points.items()],
        "payloads": [[*tag, series.total] for tag, series in payloads.items()],
        "heavy": len(segment.large),
    }


def version_values(version: Version) -> list[Any]:
    """Return a version as values of JSON."""
    start = version.start
    return [
        version.dialect,
        version.session_id.hex(),
        version.starts_attempt,
        version.resume_step,
        start and list(start),
        version.source_format,
    ]


def version_of(values: list[Any]) -> Version:
    """Return the version that version_values() returned as values."""
    dialect, session_id, starts_attempt, resume_step, start, source_format = values
    mark = start and RecordingStart(*start)
    return Version(dialect, bytes.fromhex(session_id), starts_attempt, resume_step, mark, source_format)


def counters_values(counters: Counters) -> dict[str, Any]:
    """Return counters as values of JSON."""
    return counters.values() | {"end": counters.end and list(counters.end)}


def counters_of(values: dict[str, Any]) -> Counters:
    """Return the counters that counters_values() returned as values."""
    end = values["end"]
    return Counters(**values | {"end": end and RecordingEnd(*end)})


def read_segment(file: OpenFile) -> Segment:
    """Return the segment in a file, whose arrays are views of one buffer.

    The file is not mapped into memory: where another host shortens or removes it, that would end the process.

    Raises:
        DamagedSegmentError: the file is not a segment, or is damaged.
        OSError: it cannot be read.
    """
    content = np.empty(file.status.size, np.uint8)
    if len(content) < _HEAD.size or file.read_into(content[: _HEAD.size].data, 0) < _HEAD.size:
        raise DamagedSegmentError("too short")
    magic, header_bytes, checksum = _HEAD.unpack(content[: _HEAD.size].data)
    if magic != _MAGIC:
        raise DamagedSegmentError("the first bytes are others")
    crc = google_crc32c.value(_LENGTH.pack(header_bytes))
    for at in range(_HEAD.size, len(content), _READ_BYTES):
        part = content[at : at + _READ_BYTES]
        if file.read_into(part.data, at) < len(part):
            raise DamagedSegmentError("too short")
        crc = google_crc32c.extend(crc, part)  # While it is in the cache of the processor.
    if crc != checksum:
        raise DamagedSegmentError("the checksum does not match")
    return _decode(content.data, header_bytes)


def decode(content: memoryview) -> Segment:
    """Return the segment in content; its arrays are views of content.

    Raises:
        DamagedSegmentError: content is not a segment, or is damaged.
    """
    if len(content) < _HEAD.size:
        raise DamagedSegmentError("too short")
    magic, header_bytes, checksum = _HEAD.unpack(content[: _HEAD.size])
    if magic != _MAGIC or _checksum([_LENGTH.pack(header_bytes), content[_HEAD.size :]]) != checksum:
        raise DamagedSegmentError("the checksum does not match")
    return _decode(content, header_bytes)


def _decode(content: memoryview, header_bytes: int) -> Segment:
    columns_at = _HEAD.size + header_bytes
    header = orjson.loads(content[_HEAD.size : columns_at])
    reader = _ColumnReader(content, columns_at)
    series: dict[Tag, Points | Payloads] = {}
    series |= reader.points(header["points"])
    columns = [*reader.table(header["payloads"], _PAYLOAD_TYPES)]
    columns.append(np.zeros(len(columns[0]), np.uint32))
    at = 0
    for plugin, name, rows in header["payloads"]:
        series[_tag(plugin, name)] = Payloads(*[column[at : at + rows] for column in columns])
        at += rows
    entries = [_entry(*entry) for entry in header["entries"]]
    return Segment(
        header["start"],
        header["end"],
        Identity(*header["identity"]),
        version_of(header["version"]),
        counters_of(header["counters"]),
        [Damage(*damage) for damage in header["damage"]],
        entries,
        header["verified"],
        header["bad_records"],
        {entry.tag: series[entry.tag] for entry in entries if entry.tag in series},
        reader.take(header["heavy"], "<i8"),
    )


class _ColumnReader:
    """Reads one column after another."""

    def __init__(self, content: memoryview, at: int) -> None:
        self._content = content
        self._at = at

    def take(self, rows: int, dtype: str) -> npt.NDArray[Any]:
        """Return the next column."""
        column = np.frombuffer(self._content, dtype, rows, self._at)
        self._at += column.nbytes + -column.nbytes % _ALIGNMENT
        return column

    def points(self, listed: list[list[Any]]) -> Iterator[tuple[Tag, Points]]:
        """Yield the scalar series."""
        wall_times = _Parts(self.take(sum(rows for _, _, rows, *_ in listed), "<f8"))
        values, steps = {}, {}
        for size in (_WIDE, _NARROW):
            rows_of_values = sum(rows for _, _, rows, bytes_of_value, *_ in listed if bytes_of_value == size)
            rows_of_steps = sum(rows for _, _, rows, _, bytes_of_step, *_ in listed if bytes_of_step == size)
            values[size] = _Parts(self.take(rows_of_values, f"<f{size}"))
            steps[size] = _Parts(self.take(rows_of_steps, f"<i{size}"))
        for plugin, name, rows, bytes_of_value, bytes_of_step, start, stride in listed:
            step = steps[bytes_of_step].next(rows) if bytes_of_step else range(start, start + stride * rows, stride)
            yield _tag(plugin, name), Points(step, wall_times.next(rows), values[bytes_of_value].next(rows))

    def table(self, series: list[tuple[str, str, int]], dtypes: tuple[str, ...]) -> list[npt.NDArray[Any]]:
        """Return the next columns, each of which contains these series, concatenated."""
        rows = sum(rows for *_, rows in series)
        return [self.take(rows, dtype) for dtype in dtypes]


class _Parts:
    """A column, of which one part after another is taken."""

    def __init__(self, column: npt.NDArray[Any]) -> None:
        self._column = column
        self._at = 0

    def next(self, rows: int) -> npt.NDArray[Any]:
        """Return the next part, a view."""
        self._at += rows
        return self._column[self._at - rows : self._at]


@lru_cache(65536)  # The files of a logdir have the same tags.
def _entry(plugin: str, tag: str, name: str, kind: int) -> Entry:
    return Entry(_tag(plugin, tag), name.encode("latin-1"), kind)


@lru_cache(65536)
def _tag(plugin: str, name: str) -> Tag:
    return Tag(plugin, name)


def _form(points: Points) -> tuple[int, int, int, int]:
    """Return (bytes of a value; bytes of a step, 0 if they are regular; the first one and the stride, if so)."""
    steps, bytes_of_value = points.compact_step, points.compact_value.itemsize
    if isinstance(steps, range):
        return bytes_of_value, 0, steps.start, steps.step
    return bytes_of_value, steps.itemsize, 0, 0


def _join_points(series: Sequence[Points]) -> list[npt.NDArray[Any]]:
    """Return each column of all scalar series, concatenated."""
    values = [points.compact_value for points in series]
    steps = [points.compact_step for points in series if not isinstance(points.compact_step, range)]
    columns = [_joined([points.wall_time for points in series], "<f8")]
    for size in (_WIDE, _NARROW):
        columns.append(_joined([column for column in values if column.itemsize == size], f"<f{size}"))
        columns.append(_joined([column for column in steps if column.itemsize == size], f"<i{size}"))
    return columns


def _joined(columns: Sequence[npt.NDArray[Any]], dtype: str) -> npt.NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *columns]).astype(dtype, copy=False)


def _join(series: Sequence[tuple[npt.NDArray[Any], ...]], dtypes: tuple[str, ...]) -> list[npt.NDArray[Any]]:
    """Return each column of all series, concatenated."""
    return [_joined([columns[number] for columns in series], dtype) for number, dtype in enumerate(dtypes)]


def _padded(text: bytes, pad: bytes) -> bytes:
    return text + pad * (-(_HEAD.size + len(text)) % _ALIGNMENT)


def _checksum(parts: Sequence[bytes | memoryview]) -> int:
    crc = 0
    for part in parts:
        content = np.frombuffer(part, np.uint8)
        for at in range(0, len(content), _CHUNK_BYTES):
            crc = google_crc32c.extend(crc, content[at : at + _CHUNK_BYTES])
    return crc
