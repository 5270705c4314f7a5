"""Fields of an encoded message, found without decoding what they hold.

Graphs are decoded a node at a time: what decoded messages take is many times their bytes, and of a node's attributes
only its place is kept.
"""

from collections.abc import Iterator

from toposcope.proto.wire import WireType, bytes_head
from toposcope.server.graphs.limits import GraphError

_LARGE_MESSAGE = 256 << 10
_LARGE_FIELD = 16 << 10
_LARGEST_MESSAGE = 2 << 20
_FIXED_BYTES = {int(WireType.DOUBLE): 8, int(WireType.FLOAT): 4}

Span = tuple[int, int]
"""Where something begins and ends in a payload."""


def nested_fields(payload: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield (number, start, end) of the texts, bytes and messages in a message; numbers are skipped.

    Raises:
        GraphError: these bytes are no message.
    """
    at = start
    while at < end:
        key, at = _varint(payload, at, end)
        wire_type = key & 7
        if wire_type == WireType.BYTES:
            length, at = _varint(payload, at, end)
            if at + length > end:
                raise GraphError(f"the graph is malformed: a field at byte {at} ends after the message it is in")
            yield key >> 3, at, at + length
            at += length
        elif wire_type == WireType.VARINT:
            _, at = _varint(payload, at, end)
        elif wire_type in _FIXED_BYTES:
            at += _FIXED_BYTES[wire_type]
        else:
            raise GraphError(f"the graph is malformed: no field begins at byte {at}")
    if at > end:
        raise GraphError(f"the graph is malformed: a field ends after byte {end}, where its message does")


def is_small(span: Span) -> bool:
    """Say whether the message at a place may be decoded as it is."""
    return span[1] - span[0] <= _LARGE_MESSAGE


def message_bytes(payload: bytes, span: Span) -> bytes:
    """Return the bytes of a message; of a large one without its large fields, which are values of attributes.

    Raises:
        GraphError: these bytes are no message, or the others are too many.
    """
    start, end = span
    if is_small(span):
        return payload[start:end]
    small = bytearray()
    for number, field_start, field_end in nested_fields(payload, start, end):
        if field_end - field_start <= _LARGE_FIELD:
            small += bytes_head(number, field_end - field_start) + payload[field_start:field_end]
        if len(small) > _LARGEST_MESSAGE:
            raise GraphError(f"a node of {end - start:,} bytes is not shown")
    return bytes(small)


def _varint(payload: bytes, at: int, end: int) -> tuple[int, int]:
    """Return (value, where it ends)."""
    number = shift = 0
    while at < end and shift < 70:
        byte = payload[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
        shift += 7
    raise GraphError(f"the graph is malformed: no number ends at byte {at}")
