"""Record framing: the encoding of payloads as records of an event file, equal to TFRecord's (see FORMAT.md)."""

import functools
import struct
from collections.abc import Sequence
from typing import NamedTuple

import google_crc32c
import numpy as np
import numpy.typing as npt

HEADER_BYTES = 12
FOOTER_BYTES = 4
_MASK_DELTA = 0xA282EAD8
_LENGTH = struct.Struct("<Q")
_CRC = struct.Struct("<I")
_HEADER = struct.Struct("<QI")
# The checksum is computed with the GIL held: this many bytes at a time take a fraction of a millisecond.
_CRC_BYTES = 4 << 20

Buffer = bytes | memoryview
"""Bytes that are written without a copy; a memoryview must have items of one byte."""


class Header(NamedTuple):
    """The first twelve bytes of a record."""

    length: int
    """Payload length in bytes."""
    crc: int
    """Masked crc32c of the eight length bytes."""


def masked_crc(data: bytes) -> int:
    """Return the masked crc32c of data: rotated right by 15 bits, plus a constant, modulo 2**32."""
    return masked(google_crc32c.value(data))


def masked(crc: int) -> int:
    """Return a crc32c in the masked form that records contain."""
    return (((crc >> 15) | (crc << 17)) + _MASK_DELTA) & 0xFFFFFFFF


def masked_crcs(payloads: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """Return the masked crc32c of each row of payloads, little-endian."""
    rows, length = len(payloads), payloads.shape[1]
    content = payloads.tobytes()
    values = (google_crc32c.value(content[start : start + length]) for start in range(0, rows * length, length))
    crcs = np.fromiter(values, "<u4", rows)
    return ((crcs >> np.uint32(15)) | (crcs << np.uint32(17))) + np.uint32(_MASK_DELTA)


def frame(payload: bytes) -> bytes:
    """Return payload as a record: length, crc of the length, payload, crc of the payload."""
    return b"".join((_header_bytes(len(payload)), payload, _CRC.pack(masked_crc(payload))))


def frame_parts(parts: Sequence[Buffer]) -> list[Buffer]:
    """Return the record whose payload is the concatenation of parts, without copying them."""
    crc = 0
    for part in parts:
        for start in range(0, len(part), _CRC_BYTES):
            # The library accepts arrays, but not memoryviews.
            crc = google_crc32c.extend(crc, np.frombuffer(part[start : start + _CRC_BYTES], np.uint8))
    return [_header_bytes(sum(map(len, parts))), *parts, _CRC.pack(masked(crc))]


@functools.lru_cache(maxsize=1024)
def _header_bytes(length: int) -> bytes:
    packed = _LENGTH.pack(length)
    return packed + _CRC.pack(masked_crc(packed))


def read_header(data: bytes) -> Header:
    """Decode the first HEADER_BYTES bytes of a record.

    Raises:
        struct.error: data is not HEADER_BYTES long.
    """
    return Header(*_HEADER.unpack(data))


def header_is_sound(header: Header) -> bool:
    """Return whether the crc in the header matches its length."""
    return masked_crc(_LENGTH.pack(header.length)) == header.crc
