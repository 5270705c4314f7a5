"""Fields of an encoded protobuf message, found without copying: a tensor's elements stay where they were read.

Messages of event files are hostile: whatever is malformed raises ValueError, and no message costs more than its bytes
and a bounded number of steps.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

MOST_FIELDS = 1 << 17
"""A message with more of them is refused: each costs a microsecond."""
LONGEST_VARINT = 10
"""Bytes."""
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
_CHUNK_BYTES = 1 << 20


class Field(NamedTuple):
    """A field of a message."""

    number: int
    content: memoryview
    """Its bytes; of a varint the varint's own, so that those of a repeated field joined are its packed form."""


def fields(message: memoryview) -> Iterator[Field]:
    """Yield the fields of a message in their order.

    Raises:
        ValueError: the message is malformed, or has more than MOST_FIELDS fields.
    """
    at = 0
    for _ in range(MOST_FIELDS):
        if at == len(message):
            return
        key, start = _varint(message, at)
        start, at = _span(message, start, key & 7)
        if at > len(message):
            raise ValueError(f"field {key >> 3} of a message of {len(message)} bytes ends at byte {at}")
        yield Field(key >> 3, message[start:at])
    if at < len(message):
        raise ValueError(f"a message has more than {MOST_FIELDS} fields")


def _span(message: memoryview, at: int, wire_type: int) -> tuple[int, int]:
    """Return where the content of a field, whose key ends at a place, begins and ends."""
    if wire_type == _BYTES:
        length, at = _varint(message, at)
        return at, at + length
    if wire_type == _VARINT:
        return at, _varint(message, at)[1]
    if wire_type in (_FOUR_BYTES, _EIGHT_BYTES):
        return at, at + (4 if wire_type == _FOUR_BYTES else 8)
    raise ValueError(f"a field of a message has the wire type {wire_type}")


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """Return (the unsigned number, where it ends) of the varint at a place."""
    number = 0
    for shift, byte in enumerate(message[at : at + LONGEST_VARINT]):
        number |= (byte & 0x7F) << 7 * shift
        if byte < 0x80:
            return number, at + shift + 1
    raise ValueError("a varint has no end")


def integer(content: memoryview) -> int:
    """Return the number of a varint field, read as an int64.

    Raises:
        ValueError: it is no varint.
    """
    number, end = _varint(content, 0)
    if end != len(content):
        raise ValueError("a field of one number holds more bytes than the number")
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number


def double(content: memoryview) -> float:
    """Return the number of a double field.

    Raises:
        ValueError: it has not 8 bytes.
    """
    if len(content) != 8:
        raise ValueError(f"a double has {len(content)} bytes")
    return float(np.frombuffer(content, "<f8")[0])


def joined(contents: list[memoryview]) -> memoryview:
    """Return the packed form of a repeated field of numbers; a field that is packed already is not copied."""
    return contents[0] if len(contents) == 1 else memoryview(b"".join(contents))


def doubles(contents: list[memoryview]) -> npt.NDArray[np.float64]:
    """Return the numbers of a repeated double field, float64[n].

    Raises:
        ValueError: their bytes are no multiple of 8.
    """
    packed = joined(contents)
    if len(packed) % 8:
        raise ValueError(f"doubles have {len(packed)} bytes")
    return np.frombuffer(packed, "<f8")


def integers(contents: list[memoryview], dtype: npt.DTypeLike = np.int64) -> npt.NDArray[Any]:
    """Return the numbers of a repeated varint field, dtype[n]; what dtype cannot hold wraps around, as in C.

    Raises:
        ValueError: one of them does not end, or has more than ten bytes.
    """
    packed = np.frombuffer(joined(contents), np.uint8)
    numbers = np.empty(np.count_nonzero(packed < 0x80), dtype)
    at = filled = 0
    while at < len(packed):
        chunk = packed[at : at + _CHUNK_BYTES]
        ends = np.flatnonzero(chunk < 0x80)
        if not len(ends):
            raise ValueError("a varint has no end")
        numbers[filled : filled + len(ends)] = _decoded(chunk, ends).astype(numbers.dtype)
        at, filled = at + int(ends[-1]) + 1, filled + len(ends)
    return numbers


def _decoded(chunk: npt.NDArray[np.uint8], ends: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """Return the varints whose last bytes are given."""
    starts = np.append(0, ends[:-1] + 1)
    lengths = ends - starts + 1
    if lengths.max() > LONGEST_VARINT:
        raise ValueError("a varint has more than ten bytes")
    numbers: npt.NDArray[np.uint64] = (chunk[starts] & 0x7F).astype(np.uint64)
    for k in range(1, lengths.max()):
        longer = np.flatnonzero(lengths > k)
        numbers[longer] |= (chunk[starts[longer] + k] & 0x7F).astype(np.uint64) << np.uint64(7 * k)
    return numbers.view(np.int64)
