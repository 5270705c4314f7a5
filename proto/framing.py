"""Record framing: how a payload becomes a record of an event file (TFRecord's framing, FORMAT.md)."""

import functools
import struct
from typing import NamedTuple

import google_crc32c

HEADER_BYTES = 12
FOOTER_BYTES = 4
_MASK_DELTA = 0xA282EAD8
_LENGTH = struct.Struct("<Q")
_CRC = struct.Struct("<I")
_HEADER = struct.Struct("<QI")


class Header(NamedTuple):
    """The first twelve bytes of a record."""

    length: int
    """Payload length in bytes."""
    crc: int
    """Masked crc32c of the eight length bytes."""


def masked_crc(data: bytes) -> int:
    """Return the masked crc32c of data: rotated right by 15 bits, plus a constant, modulo 2**32."""
    crc: int = google_crc32c.value(data)
    return (((crc >> 15) | (crc << 17)) + _MASK_DELTA) & 0xFFFFFFFF


def frame(payload: bytes) -> bytes:
    """Return the record that holds payload: length, crc of the length, payload, crc of the payload."""
    return b"".join((_header_bytes(len(payload)), payload, _CRC.pack(masked_crc(payload))))


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
    """Say whether the crc in the header belongs to its length."""
    return masked_crc(_LENGTH.pack(header.length)) == header.crc
