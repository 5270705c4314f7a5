"""Scalar events as records: fast encoders for the one kind of event that is recorded by the million.

Their messages are those of the generated classes (tests compare them); they are many times faster because what a tag
contributes is built once, and because runs of events with the same tags are encoded at once.
"""

import math
import struct
from collections.abc import Sequence

from toposcope.proto.framing import frame
from toposcope.proto.wire import text_bytes, varint
from toposcope.recorder.writing.scalar_runs import Run, run_records

ScalarEvent = tuple[float, int, dict[str, float]]
"""wall_time in seconds since 1970, step, and the value of each tag."""

# From so many events on, encoding them at once is faster than one by one.
_RUN_EVENTS = 24
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

    def records(self, events: Sequence[ScalarEvent]) -> list[bytes]:
        """Return the records of events, one each, in their order."""
        places: dict[tuple[str, ...], list[int]] = {}
        for place, (_, _, scalars) in enumerate(events):
            places.setdefault(tuple(scalars), []).append(place)
        records = [b""] * len(events)
        for tags, where in places.items():
            run = [events[place] for place in where]
            for place, record in zip(where, self._records_of_run(tags, run), strict=True):
                records[place] = record
        return records

    def _records_of_run(self, tags: Sequence[str], events: Sequence[ScalarEvent]) -> list[bytes]:
        if len(events) < _RUN_EVENTS:
            return [frame(self.payload(*event)) for event in events]
        wall_times, steps, scalars = zip(*events, strict=True)
        return run_records(
            [text_bytes(tag) for tag in tags], Run(wall_times, steps, (each.values() for each in scalars))
        )

    def payload(self, wall_time: float, step: int, scalars: dict[str, float]) -> bytes:
        """Return the Event message that holds scalars, by tag; wall_time in seconds since 1970."""
        values = self.values(scalars)
        return summary_event_head(wall_time, step, len(values)) + values

    def values(self, scalars: dict[str, float]) -> bytes:
        """Return the entries of Summary.value that hold scalars."""
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
        name = text_bytes(tag)
        head = b"\x0a" + varint(len(name)) + name + b"\x1d"
        heads = tuple(b"\x0a" + varint(len(head) + packing.size) + head for packing in (_SINGLE, _EXACT))
        self._heads[tag] = (heads[0], heads[1])
        return self._heads[tag]


def summary_event_head(wall_time: float, step: int, length: int) -> bytes:
    """Return what stands before the entries of Summary.value, length bytes of them, in an Event message."""
    return b"".join((_START.pack(0x09, wall_time, 0x10), varint(step), b"\x2a", varint(length)))
