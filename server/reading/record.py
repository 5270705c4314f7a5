"""One record of an event file, checked when its bytes are needed: the heavy ones are not verified when they load."""

import os
from collections.abc import Callable
from functools import partial

import google_crc32c
import numpy as np

from toposcope.proto import framing

ReadAt = Callable[[int, int], bytes]
"""Read (offset, length) of an event file; fewer bytes when it ends before."""
_CHUNK_BYTES = 1 << 20  # The checksum holds the GIL: so many bytes take a tenth of a millisecond.


def read_at(descriptor: int) -> ReadAt:
    """Return how to read at a place of an open file."""
    return partial(_pread, descriptor)


def _pread(descriptor: int, offset: int, length: int) -> bytes:
    return os.pread(descriptor, length, offset)


def payload_bytes(read: ReadAt, record: int) -> int | None:
    """Return the length of the payload of a record, or None when no sound header stands there any more."""
    head = read(record, framing.HEADER_BYTES)
    if len(head) < framing.HEADER_BYTES:
        return None
    header = framing.read_header(head)
    return header.length if framing.header_is_sound(header) else None


def payload_is_sound(read: ReadAt, record: int, length: int) -> bool:
    """Say whether the payload of a record fits its checksum; False as well when the file ends before it does."""
    at, end = record + framing.HEADER_BYTES, record + framing.HEADER_BYTES + length
    crc = 0
    while at < end:
        chunk = np.frombuffer(read(at, min(_CHUNK_BYTES, end - at)), np.uint8)
        if not len(chunk):
            return False
        crc = google_crc32c.extend(crc, chunk)
        at += len(chunk)
    footer = read(end, framing.FOOTER_BYTES)
    return int.from_bytes(footer, "little") == framing.masked(crc) and len(footer) == framing.FOOTER_BYTES
