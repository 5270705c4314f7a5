"""Fields of an encoded protobuf message, located without copying: the elements of a tensor stay in the payload.

Event files are untrusted: malformed messages raise ValueError, and the work for a message is bounded.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

MAX_FIELDS = 1 << 17
"""Limit on the fields of a message; each takes a microsecond."""
LONGEST_VARINT = 10
"""Bytes of the longest varint."""
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
_CHUNK_BYTES = 1 << 20


class Field(NamedTuple):
    """A field of a message."""

    number: int
    content: memoryview
    """The bytes of the value; for a varint they are encoded, so that concatenated ones are a packed field."""


def fields(message: memoryview) -> Iterator[Field]:
    """Yield the fields of a message in order.

    Raises:
        ValueError: the message is malformed, or has more than MAX_FIELDS fields.
    """
    at = 0
    for _ in range(MAX_FIELDS):
        if at == len(message):
            return
        key, start = _varint(message, at)
        start, at = _span(message, start, key & 7)
        if at > len(message):
            raise ValueError(f"field {key >> 3} ends at byte {at} of a message of {len(message)} bytes")
        yield Field(key >> 3, message[start:at])
    if at < len(message):
        raise ValueError(f"a message has more than {MAX_FIELDS} fields")


def _span(message: memoryview, at: int, wire_type: int) -> tuple[int, int]:
    """Return (begin, end) of the content of a field whose key ends at `at`."""
    if wire_type == _BYTES:
        length, at = _varint(message, at)
        return at, at + length
    if wire_type == _VARINT:
        return at, _varint(message, at)[1]
    if wire_type in (_FOUR_BYTES, _EIGHT_BYTES):
        return at, at + (4 if wire_type == _FOUR_BYTES else 8)
    raise ValueError(f"a field has the unsupported wire type {wire_type}")


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """Return (unsigned number, end) of the varint at `at`."""
    number = 0
    for shift, byte in enumerate(message[at : at + LONGEST_VARINT]):
        number |= (byte & 0x7F) << 7 * shift
        if byte < 0x80:
            return number, at + shift + 1
    raise ValueError("a varint is incomplete")


def integer(content: memoryview) -> int:
    """Decode a varint field as an int64.

    Raises:
        ValueError: the content is not a varint.
    """
    number, end = _varint(content, 0)
    if end != len(content):
        raise ValueError("a varint field has more bytes than its number")
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number


def double(content: memoryview) -> float:
    """Decode a double field.

    Raises:
        ValueError: the content does not have 8 bytes.
    """
    if len(content) != 8:
        raise ValueError(f"a double has {len(content)} bytes: expected 8")
    return float(np.frombuffer(content, "<f8")[0])


def single(content: memoryview) -> float:
    """Decode a float field.

    Raises:
        ValueError: the content does not have 4 bytes.
    """
    if len(content) != 4:
        raise ValueError(f"a float has {len(content)} bytes: expected 4")
    return float(np.frombuffer(content, "<f4")[0])


def joined(contents: list[memoryview]) -> memoryview:
    """Return the packed form of a repeated field of numbers; a packed field is not copied."""
    return contents[0] if len(contents) == 1 else memoryview(b"".join(contents))


def doubles(contents: list[memoryview]) -> npt.NDArray[np.float64]:
    """Decode a repeated double field as float64[n].

    Raises:
        ValueError: the number of bytes is not a multiple of 8.
    """
    packed = joined(contents)
    if len(packed) % 8:
        raise ValueError(f"doubles have {len(packed)} bytes: expected a multiple of 8")
    return np.frombuffer(packed, "<f8")


def integers(contents: list[memoryview], dtype: npt.DTypeLike = np.int64) -> npt.NDArray[Any]:
    """Decode a repeated varint field as dtype[n]; values out of range wrap around, as in C.

    Raises:
        ValueError: a varint is incomplete or has more than ten bytes.
    """
    packed = np.frombuffer(joined(contents), np.uint8)
    numbers = np.empty(np.count_nonzero(packed < 0x80), dtype)
    at = filled = 0
    while at < len(packed):
        chunk = packed[at : at + _CHUNK_BYTES]
        ends = np.flatnonzero(chunk < 0x80)
        if not len(ends):
            raise ValueError("a varint is incomplete")
        numbers[filled : filled + len(ends)] = _decoded(chunk, ends).astype(numbers.dtype)
        at, filled = at + int(ends[-1]) + 1, filled + len(ends)
    return numbers


def _decoded(chunk: npt.NDArray[np.uint8], ends: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """Decode the varints that end at these bytes."""
    starts = np.append(0, ends[:-1] + 1)
    lengths = ends - starts + 1
    if lengths.max() > LONGEST_VARINT:
        raise ValueError("a varint has more than ten bytes")
    numbers: npt.NDArray[np.uint64] = (chunk[starts] & 0x7F).astype(np.uint64)
    for k in range(1, lengths.max()):
        longer = np.flatnonzero(lengths > k)
        numbers[longer] |= (chunk[starts[longer] + k] & 0x7F).astype(np.uint64) << np.uint64(7 * k)
    return numbers.view(np.int64)
