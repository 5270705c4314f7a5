"""Protobuf's wire format: little-endian numbers, varints and fields (protobuf.dev/programming-guides/encoding)."""

import cython

from toposcope.server.reading.scan.state import State

HEAD_BYTES = 20
"""The most that key and length, or key and number, of a field take."""
ONES_32 = 0xFFFFFFFF
ONES_64 = 0xFFFFFFFFFFFFFFFF


def pointer(data: memoryview) -> memoryview:
    """Return data as the functions of the scan take it: in C a bare pointer, as a view is a large struct to pass on."""
    return cython.address(data[0]) if cython.compiled else data


def u32(data: memoryview, at: int) -> int:
    """Return the little-endian 32-bit number at a place of data."""
    number = data[at + 3]
    number = (number << 8) | data[at + 2]
    number = (number << 8) | data[at + 1]
    return (number << 8) | data[at]


def u64(data: memoryview, at: int) -> int:
    """Return the little-endian 64-bit number at a place of data."""
    return u32(data, at) | (u32(data, at + 4) << 32)


def read_varint(data: memoryview, at: int, end: int, state: State) -> int:
    """Read a varint into state.number; return the place after it, -1 when it is longer than ten bytes or than data."""
    number = 0
    shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        number |= ((byte & 0x7F) << shift) & ONES_64
        if byte < 0x80:
            state.number = number
            return at
        shift += 7
    return -1


def read_field(data: memoryview, at: int, end: int, state: State) -> int:
    """Read a field into state.key and state.content; return the place after it, -1 when it is malformed.

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
