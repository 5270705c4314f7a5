"""Protobuf's wire format: little-endian numbers, varints and fields (protobuf.dev/programming-guides/encoding)."""

from toposcope.server.reading.scan.state import ScanState
from toposcope.server.reading.scan.uncompiled import cython

FIELD_HEAD_BYTES = 20
"""The most bytes that a field's key and length, or its key and number, occupy."""
MASK_32 = 0xFFFFFFFF
MASK_64 = 0xFFFFFFFFFFFFFFFF


def pointer(data: memoryview) -> memoryview:
    """Return data in the form that the functions of the scan take: in C a bare pointer, as a view is a large struct."""
    return cython.address(data[0]) if cython.compiled else data


def u32(data: memoryview, at: int) -> int:
    """Return the little-endian 32-bit number at data[at:]."""
    number = data[at + 3]
    number = (number << 8) | data[at + 2]
    number = (number << 8) | data[at + 1]
    return (number << 8) | data[at]


def u64(data: memoryview, at: int) -> int:
    """Return the little-endian 64-bit number at data[at:]."""
    return u32(data, at) | (u32(data, at + 4) << 32)


def read_varint(data: memoryview, at: int, end: int, state: ScanState) -> int:
    """Read a varint into state.number; return its end, or -1 if it is longer than ten bytes or extends beyond `end`."""
    number = 0
    shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        number |= ((byte & 0x7F) << shift) & MASK_64
        if byte < 0x80:
            state.number = number
            return at
        shift += 7
    return -1


def read_field(data: memoryview, at: int, end: int, state: ScanState) -> int:
    """Read a field into state.key and state.content; return its end, or -1 if it is malformed.

    The content of a length-delimited field begins after its length.
    """
    at = read_varint(data, at, end, state)
    if at < 0 or (state.number >> 3) == 0 or (state.number >> 3) > 0x1FFFFFFF:
        return -1
    state.key = state.number
    state.content = at
    wire = state.key & 7
    if wire == 2:
        at = read_varint(data, at, end, state)
        if at < 0 or state.number > end - at:
            return -1
        state.content = at
        return at + state.number
    if wire == 0:
        return read_varint(data, at, end, state)
    if wire == 1 and at + 8 <= end:
        return at + 8
    if wire == 5 and at + 4 <= end:
        return at + 4
    return -1
