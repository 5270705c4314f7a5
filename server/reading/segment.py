"""The file format of the index: a segment contains what was read from a byte range of an event file.

16 bytes   magic
u32        length of the header in bytes
u32        crc32c of these four bytes and everything that follows
header     JSON
columns    8-byte aligned: step, wall_time and value of all scalar series, concatenated; step, wall_time, record,
           start, length and kind of the other series, concatenated; the offsets of the large records
"""

import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import google_crc32c
import numpy as np
import numpy.typing as npt
import orjson

from toposcope.server.reading.counters import Counters
from toposcope.server.reading.marks import RecordingEnd, RecordingStart
from toposcope.server.reading.scanner import Damage
from toposcope.server.reading.series import Int64s, Payloads, Points
from toposcope.server.reading.tag_table import Entry, Tag
from toposcope.server.reading.version_event import Version

_MAGIC = b"toposcope-index2"
_HEAD = struct.Struct("<16sII")
_LENGTH = struct.Struct("<I")
_ALIGNMENT = 8
_CHUNK_BYTES = 4 << 20
_POINT_TYPES = ("<i8", "<f8", "<f8")
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
        *_join(list(points.values()), _POINT_TYPES),
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
        "points": [[*tag, series.total] for tag, series in points.items()],
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
    ]


def version_of(values: list[Any]) -> Version:
    """Return the version that version_values() returned as values."""
    dialect, session_id, starts_attempt, resume_step, start = values
    return Version(dialect, bytes.fromhex(session_id), starts_attempt, resume_step, start and RecordingStart(*start))


def counters_values(counters: Counters) -> dict[str, Any]:
    """Return counters as values of JSON."""
    return vars(counters) | {"end": counters.end and list(counters.end)}


def counters_of(values: dict[str, Any]) -> Counters:
    """Return the counters that counters_values() returned as values."""
    end = values["end"]
    return Counters(**values | {"end": end and RecordingEnd(*end)})


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
    columns_at = _HEAD.size + header_bytes
    header = orjson.loads(content[_HEAD.size : columns_at])
    reader = _ColumnReader(content, columns_at)
    series: dict[Tag, Points | Payloads] = {}
    step, wall_time, value = reader.table(header["points"], _POINT_TYPES)
    at = 0
    for plugin, name, rows in header["points"]:
        end = at + rows
        series[_tag(plugin, name)] = Points(step[at:end], wall_time[at:end], value[at:end])
        at = end
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

    def table(self, series: list[tuple[str, str, int]], dtypes: tuple[str, ...]) -> list[npt.NDArray[Any]]:
        """Return the next columns, each of which contains these series, concatenated."""
        rows = sum(rows for *_, rows in series)
        return [self.take(rows, dtype) for dtype in dtypes]


@lru_cache(65536)  # The files of a logdir have the same tags.
def _entry(plugin: str, tag: str, name: str, kind: int) -> Entry:
    return Entry(_tag(plugin, tag), name.encode("latin-1"), kind)


@lru_cache(65536)
def _tag(plugin: str, name: str) -> Tag:
    return Tag(plugin, name)


def _join(series: Sequence[tuple[npt.NDArray[Any], ...]], dtypes: tuple[str, ...]) -> list[npt.NDArray[Any]]:
    """Return each column of all series, concatenated."""
    return [
        np.concatenate([np.empty(0, dtype), *(columns[number] for columns in series)]).astype(dtype, copy=False)
        for number, dtype in enumerate(dtypes)
    ]


def _padded(text: bytes, pad: bytes) -> bytes:
    return text + pad * (-(_HEAD.size + len(text)) % _ALIGNMENT)


def _checksum(parts: Sequence[bytes | memoryview]) -> int:
    crc = 0
    for part in parts:
        content = np.frombuffer(part, np.uint8)
        for at in range(0, len(content), _CHUNK_BYTES):
            crc = google_crc32c.extend(crc, content[at : at + _CHUNK_BYTES])
    return crc
