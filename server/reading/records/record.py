"""Reads and verifies one record of an event file; large records are not verified when they load."""

from collections.abc import Callable

import google_crc32c
import numpy as np

from toposcope.proto import framing

ReadAt = Callable[[int, int], bytes]
"""Returns the bytes of an event file at (offset, length); fewer if the file ends before."""
_CHUNK_BYTES = 1 << 20  # The checksum holds the GIL, for 0.1 ms at this size.


def payload_bytes(read: ReadAt, record: int) -> int | None:
    """Return the length of the payload of a record, or None if there is no valid header at its offset any more."""
    head = read(record, framing.HEADER_BYTES)
    if len(head) < framing.HEADER_BYTES:
        return None
    header = framing.read_header(head)
    return header.length if framing.header_is_sound(header) else None


def payload_is_sound(read: ReadAt, record: int, length: int) -> bool:
    """Return whether the payload of a record matches its checksum; False also if the file ends before the record."""
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
