"""Locating fields of an encoded message without decoding them.

Graphs are decoded one node at a time, as decoded messages take many times the memory of their bytes. Only the position
of a node's attributes is kept.
"""

from collections.abc import Iterator

from toposcope.proto.wire import WireType, bytes_head
from toposcope.server.graphs.model.limits import GraphError

_LARGE_MESSAGE = 256 << 10
_LARGE_FIELD = 16 << 10
_LARGEST_MESSAGE = 2 << 20
_FIXED_BYTES = {int(WireType.DOUBLE): 8, int(WireType.FLOAT): 4}

Span = tuple[int, int]
"""Begin and end of a message in a payload."""


def nested_fields(payload: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield (number, start, end) of the length-delimited fields in a message; other fields are skipped.

    Raises:
        GraphError: the bytes are malformed.
    """
    at = start
    while at < end:
        key, at = _varint(payload, at, end)
        wire_type = key & 7
        if wire_type == WireType.BYTES:
            length, at = _varint(payload, at, end)
            if at + length > end:
                raise GraphError(f"the graph is malformed: the field at byte {at} extends beyond its message")
            yield key >> 3, at, at + length
            at += length
        elif wire_type == WireType.VARINT:
            _, at = _varint(payload, at, end)
        elif wire_type in _FIXED_BYTES:
            at += _FIXED_BYTES[wire_type]
        else:
            raise GraphError(f"the graph is malformed: invalid field at byte {at}")
    if at > end:
        raise GraphError(f"the graph is malformed: a field extends beyond its message, which ends at byte {end}")


def is_small(span: Span) -> bool:
    """Return whether a message is small enough to be decoded as a whole."""
    return span[1] - span[0] <= _LARGE_MESSAGE


def message_bytes(payload: bytes, span: Span) -> bytes:
    """Return the bytes of a message; large fields of a large message, which are values of attributes, are omitted.

    Raises:
        GraphError: the bytes are malformed, or the remaining fields are too large.
    """
    start, end = span
    if is_small(span):
        return payload[start:end]
    small = bytearray()
    for number, field_start, field_end in nested_fields(payload, start, end):
        if field_end - field_start <= _LARGE_FIELD:
            small += bytes_head(number, field_end - field_start) + payload[field_start:field_end]
        if len(small) > _LARGEST_MESSAGE:
            raise GraphError(f"the graph is too large: a node has {end - start:,} bytes")
    return bytes(small)


def _varint(payload: bytes, at: int, end: int) -> tuple[int, int]:
    """Return (value, end)."""
    number = shift = 0
    while at < end and shift < 70:
        byte = payload[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
        shift += 7
    raise GraphError(f"the graph is malformed: invalid number before byte {at}")
