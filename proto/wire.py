"""Protobuf's wire format, as far as it is written by hand where the generated classes are too slow."""

from enum import IntEnum


class WireType(IntEnum):
    """How a field's value is laid out."""

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
    rest = number & 0xFFFFFFFFFFFFFFFF
    encoded = bytearray()
    while rest > 0x7F:
        encoded.append(rest & 0x7F | 0x80)
        rest >>= 7
    encoded.append(rest)
    return bytes(encoded)


def key(field: int, wire_type: WireType) -> bytes:
    """Return what stands before the value of a field."""
    return varint(field << 3 | wire_type)


def text_bytes(text: str) -> bytes:
    """Return text in UTF-8; a lone surrogate (of an undecodable file name, say), which has none, is spelled out."""
    return text.encode("utf-8", "backslashreplace")


def bytes_head(field: int, length: int) -> bytes:
    """Return what stands before the content of a string, a message or a packed field of length bytes."""
    return key(field, WireType.BYTES) + varint(length)
