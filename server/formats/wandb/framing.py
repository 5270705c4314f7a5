"""The framing of .wandb files, which is that of LevelDB's log: blocks of 32 KiB, and records in one or more chunks.

A chunk is the checksum of the rest (4 bytes), the length of its content (2) and its type (1), then the content. Fewer
than 7 bytes at the end of a block are padding. The file begins with 7 bytes of its own.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

BLOCK_BYTES = 32 << 10
FILE_HEAD = b":W&B\xe1\xbe\x00"
_HEAD = struct.Struct("<IHB")
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
LARGEST_RECORD = 256 << 20


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
        if left < _HEAD.size:
            at += left
            continue
        if at + _HEAD.size > len(content):
            return
        checksum, length, kind = _HEAD.unpack_from(content, at)
        end = at + _HEAD.size + length
        is_possible = _HEAD.size + length <= left and kind in (_FULL, _FIRST, _MIDDLE, _LAST)
        if is_possible and end > len(content):
            return
        is_sound = is_possible and zlib.crc32(content[at + _HEAD.size - 1 : end]) == checksum
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
        parts += [content[at + _HEAD.size : end]] if is_open else []  # Else its beginning was damaged.
        at = end
        if kind in (_FULL, _LAST):
            if is_open:
                yield Framed(b"".join(parts), offset + start, offset + at)
            parts, start = [], at
