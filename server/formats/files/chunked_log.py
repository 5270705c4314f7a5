"""Logs in the framing of LevelDB's log, as W&B and SwanLab write them: blocks of 32 KiB, records in one or more chunks.

A chunk is the checksum of the rest (4 bytes), the length of its content (2) and its type (1), then the content. Fewer
than 7 bytes at the end of a block are padding. The file begins with 7 bytes of its own.
"""

import contextlib
import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from toposcope.server.formats.format import PROBLEM, StartOver, State
from toposcope.server.places.place import OpenFile, Place

BLOCK_BYTES = 32 << 10
HEAD_BYTES = 7
"""The beginning of a file, before its first chunk."""
_CHUNK_HEAD = struct.Struct("<IHB")
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_LARGEST_RECORD = 256 << 20
_WINDOW_BYTES = 4 << 20
_MAX_LISTED = 5
"""Damaged places that a problem lists."""


class Framed(NamedTuple):
    """A record, or a place at which none could be read."""

    payload: bytes | None
    """None: the chunk is damaged, and reading goes on in the next block."""
    start: int
    """Where it begins in the file."""
    end: int
    """Where the next one begins."""


def read_frames(content: bytes, offset: int) -> Iterator[Framed]:
    """Yield the complete records in a part of a file.

    Args:
        content: the part.
        offset: where it begins in the file: where a record begins, or a block.
    """
    parts: list[bytes] = []
    start = at = 0
    while True:
        left = BLOCK_BYTES - (offset + at) % BLOCK_BYTES
        if left < _CHUNK_HEAD.size:
            at += left
            continue
        if at + _CHUNK_HEAD.size > len(content):
            return
        checksum, length, kind = _CHUNK_HEAD.unpack_from(content, at)
        end = at + _CHUNK_HEAD.size + length
        is_possible = _CHUNK_HEAD.size + length <= left and kind in (_FULL, _FIRST, _MIDDLE, _LAST)
        if is_possible and end > len(content):
            return
        is_sound = is_possible and zlib.crc32(content[at + _CHUNK_HEAD.size - 1 : end]) == checksum
        if not is_sound:
            if at + left > len(content):  # Whether the block is damaged or written just now is not known yet.
                return
            yield Framed(None, offset + at, offset + at + left)
            at = start = at + left
            parts = []
            continue
        if kind in (_FULL, _FIRST):
            parts, start = [], at
        is_open = kind in (_FULL, _FIRST) or bool(parts)
        parts += [content[at + _CHUNK_HEAD.size : end]] if is_open else []  # Else its beginning was damaged.
        at = end
        if kind in (_FULL, _LAST):
            if is_open:
                yield Framed(b"".join(parts), offset + start, offset + at)
            parts, start = [], at


def new_frames(path: str, place: Place, state: State) -> tuple[list[Framed], bool]:
    """Return (the records after those that were read, in about one window; whether there are more).

    Args:
        path: of the log.
        place: where it lies.
        state: its "offset" is the end of the last record that was read.

    Raises:
        OSError: it cannot be read.
        StartOver: what was read is no longer there.
        ValueError: a record is too long.
    """
    with contextlib.closing(place.open(path)) as file:
        offset: int = state.setdefault("offset", HEAD_BYTES)
        if file.status.size < offset:
            raise StartOver
        return _read(file, offset)


def _read(file: OpenFile, offset: int) -> tuple[list[Framed], bool]:
    length = _WINDOW_BYTES
    while True:
        content = file.read(offset, length)
        frames = list(read_frames(content, offset))
        is_all = offset + len(content) >= file.status.size
        if frames or is_all:
            return frames, bool(frames) and not is_all
        if length > _LARGEST_RECORD:
            raise ValueError(f"a record is longer than {_LARGEST_RECORD} bytes")
        length *= 2


def note_damage(offset: int, state: State) -> None:
    """Add a damaged place to the problem of a source."""
    damage: list[int] = state.setdefault("damage", [])
    state["damaged"] = state.get("damaged", 0) + 1
    if len(damage) < _MAX_LISTED:
        damage.append(offset)
    places = ", ".join(map(str, damage)) + (", ..." if state["damaged"] > len(damage) else "")
    state[PROBLEM] = f"{state['damaged']} damaged places were left out, at bytes {places}"
