"""Scalar events as records: a fast encoder for the one kind of event that is recorded by the million.

Its bytes are those of the generated classes (a test compares them); it is several times faster because all that a tag
contributes is built once.
"""

import math
import struct
from collections.abc import Iterable

from toposcope.proto.framing import frame

ScalarEvent = tuple[float, int, dict[str, float]]
"""What one record() call recorded: wall_time in seconds since 1970, step, and the value of each tag."""

_MAX_REMEMBERED_TAGS = 10_000
_SINGLE = struct.Struct("<f")
# The key of wall_time, wall_time, the key of step.
_START = struct.Struct("<BdB")
# scalar_value, the key of scalar_double (field 100, wire type 1, as a two-byte varint), scalar_double.
_EXACT = struct.Struct("<fHd")
_EXACT_KEY = 0x06A1


class ScalarEncoder:
    """Encodes scalar events; remembers the bytes that stand before the values of each tag."""

    def __init__(self) -> None:
        self._heads: dict[str, tuple[bytes, bytes]] = {}

    def encode(self, events: Iterable[ScalarEvent]) -> bytes:
        """Return the records of events, one each, in their order."""
        return b"".join([frame(self.payload(event)) for event in events])

    def payload(self, event: ScalarEvent) -> bytes:
        """Return event as an Event message."""
        wall_time, step, scalars = event
        values = self._values(scalars)
        start = _START.pack(0x09, wall_time, 0x10)
        return b"".join((start, varint(step), b"\x2a", varint(len(values)), values))

    def _values(self, scalars: dict[str, float]) -> bytes:
        parts: list[bytes] = []
        heads = self._heads
        pack, unpack, pack_exact = _SINGLE.pack, _SINGLE.unpack, _EXACT.pack
        for tag, value in scalars.items():
            short, long = heads.get(tag) or self._remember(tag)
            try:
                packed = pack(value)
            except OverflowError:
                parts += (long, pack_exact(math.copysign(math.inf, value), _EXACT_KEY, value))
                continue
            (single,) = unpack(packed)
            if single == value or value != value:
                parts += (short, packed)
            else:
                parts += (long, pack_exact(single, _EXACT_KEY, value))
        return b"".join(parts)

    def _remember(self, tag: str) -> tuple[bytes, bytes]:
        """Return what stands before a value of tag: when float32 holds it exactly, and when a double follows."""
        if len(self._heads) >= _MAX_REMEMBERED_TAGS:
            self._heads.clear()
        # A lone surrogate (an undecodable file name, say) has no UTF-8: it is spelled out.
        name = tag.encode("utf-8", "backslashreplace")
        head = b"\x0a" + varint(len(name)) + name + b"\x1d"
        heads = tuple(b"\x0a" + varint(len(head) + packing.size) + head for packing in (_SINGLE, _EXACT))
        self._heads[tag] = (heads[0], heads[1])
        return self._heads[tag]


def varint(number: int) -> bytes:
    """Return a 64-bit integer as protobuf's varint; negative numbers take ten bytes."""
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
