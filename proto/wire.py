"""Protobuf's wire format: the parts that are encoded by hand because the generated classes are too slow."""

from enum import IntEnum


class WireType(IntEnum):
    """The encoding of the value of a field."""

    VARINT = 0
    DOUBLE = 1
    BYTES = 2
    FLOAT = 5


def varint(number: int) -> bytes:
    """Return a 64-bit integer as a varint; negative numbers take ten bytes."""
    if 0 <= number < 0x80:
        return bytes((number,))
    if 0 <= number < 0x4000:
        return bytes((number & 0x7F | 0x80, number >> 7))
    remaining = number & 0xFFFFFFFFFFFFFFFF
    encoded = bytearray()
    while remaining > 0x7F:
        encoded.append(remaining & 0x7F | 0x80)
        remaining >>= 7
    encoded.append(remaining)
    return bytes(encoded)


def key(field: int, wire_type: WireType) -> bytes:
    """Return the key of a field, which precedes its value."""
    return varint(field << 3 | wire_type)


def text_bytes(text: str) -> bytes:
    """Return text in UTF-8, with lone surrogates (of undecodable file names, for example) escaped."""
    return text.encode("utf-8", "backslashreplace")


def bytes_head(field: int, length: int) -> bytes:
    """Return the key and the length that precede a string, a message or a packed field."""
    return key(field, WireType.BYTES) + varint(length)
