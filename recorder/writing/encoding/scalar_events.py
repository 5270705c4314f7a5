"""Encodes scalar events, the only events that are recorded by the million.

The messages are equal to those of the generated classes (tests compare them). Encoding is many times faster because the
bytes of a tag are built once, and because events with the same tags are encoded together.
"""

import math
import struct
from collections.abc import Sequence
from typing import Any

from toposcope.proto.framing import frame
from toposcope.proto.wire import WireType, key, text_bytes, varint
from toposcope.recorder.writing.encoding.scalar_batches import Batch, batch_records

Scalars = tuple[float, int, dict[str, float]] | tuple[float, int, dict[str, float], object]
"""wall_time in seconds since 1970, step, and the value of each tag."""

OneScalar = tuple[float, int, str, float]
"""wall_time in seconds since 1970, step, tag and value: it is recorded faster than a dict with one entry."""

ScalarEvent = Scalars | OneScalar

# From this number of events, encoding them together is faster than one by one.
_MIN_BATCH_EVENTS = 24
_MAX_CACHED_TAGS = 10_000
_SINGLE = struct.Struct("<f")
# The key of wall_time, wall_time, the key of step.
_START = struct.Struct("<BdB")
# The float32, the key of scalar_double (field 100, wire type 1, as a two-byte varint), scalar_double.
_EXACT = struct.Struct("<fHd")
_EXACT_KEY = 0x06A1


def scalars_of(event: ScalarEvent) -> dict[str, float]:
    """Return the value of each tag."""
    return {event[2]: event[3]} if isinstance(event[2], str) else event[2]


class ScalarEncoder:
    """Encodes scalar events; caches the bytes that precede the values of each tag."""

    def __init__(self, scalar_field: int) -> None:
        """Create an encoder that writes the float32 of a scalar to this field of Summary.Value."""
        self._field = scalar_field
        self._key = key(scalar_field, WireType.FLOAT)
        self._heads: dict[str, tuple[bytes, bytes]] = {}

    def records(self, events: Sequence[ScalarEvent]) -> list[bytes]:
        """Return one record per event with scalars, in the same order."""
        events = [event for event in events if event[2]]
        indices_of_tags: dict[str | tuple[str, ...], list[int]] = {}
        for index, event in enumerate(events):
            scalars = event[2]
            tags = scalars if isinstance(scalars, str) else tuple(scalars)
            if (indices := indices_of_tags.get(tags)) is None:
                indices_of_tags[tags] = [index]
            else:
                indices.append(index)
        if len(indices_of_tags) == 1:
            return self._records_of_batch(tags, events)
        records = [b""] * len(events)
        for tags, indices in indices_of_tags.items():
            batch = [events[index] for index in indices]
            for index, record in zip(indices, self._records_of_batch(tags, batch), strict=True):
                records[index] = record
        return records

    def _records_of_batch(self, tags: str | Sequence[str], events: Sequence[Any]) -> list[bytes]:
        """Return the records of events with the same tags: one tag of OneScalar, or those of Scalars."""
        if len(events) < _MIN_BATCH_EVENTS:
            return [frame(self.payload(event[0], event[1], scalars_of(event))) for event in events]
        columns = tuple(zip(*events, strict=True))
        if isinstance(tags, str):
            names, values = [tags], [columns[3]]
        else:
            names, values = list(tags), [scalars.values() for scalars in columns[2]]
        return batch_records([text_bytes(tag) for tag in names], Batch(columns[0], columns[1], values), self._field)

    def payload(self, wall_time: float, step: int, scalars: dict[str, float]) -> bytes:
        """Return the Event message with the scalars by tag; wall_time in seconds since 1970."""
        values = self.values(scalars)
        return summary_event_head(wall_time, step, len(values)) + values

    def values(self, scalars: dict[str, float]) -> bytes:
        """Return the entries of Summary.value with the scalars by tag."""
        parts: list[bytes] = []
        heads = self._heads
        pack, unpack, pack_exact = _SINGLE.pack, _SINGLE.unpack, _EXACT.pack
        for tag, value in scalars.items():
            short, long = heads.get(tag) or self._cache_heads(tag)
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

    def _cache_heads(self, tag: str) -> tuple[bytes, bytes]:
        """Return the bytes before a value of tag: if float32 represents it exactly, and if a double follows."""
        if len(self._heads) >= _MAX_CACHED_TAGS:
            self._heads.clear()
        name = text_bytes(tag)
        head = b"\x0a" + varint(len(name)) + name + self._key
        heads = tuple(b"\x0a" + varint(len(head) + packing.size) + head for packing in (_SINGLE, _EXACT))
        self._heads[tag] = (heads[0], heads[1])
        return self._heads[tag]


def summary_event_head(wall_time: float, step: int, length: int) -> bytes:
    """Return the bytes of an Event message before the entries of Summary.value, which take length bytes."""
    return b"".join((_START.pack(0x09, wall_time, 0x10), varint(step), b"\x2a", varint(length)))
