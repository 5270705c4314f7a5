"""Recorded events as records: scalars by the fast encoder, everything else value by value."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from toposcope.proto.framing import Buffer, frame, frame_parts
from toposcope.proto.lineage_pb2 import LineageEvent
from toposcope.proto.summary_pb2 import Event
from toposcope.recorder import log
from toposcope.recorder.messages.foreign_messages import LINEAGE_FIELDS
from toposcope.recorder.values.snapshot import Snapshot
from toposcope.recorder.writing.npy_export import NpyExport
from toposcope.recorder.writing.scalar_events import ScalarEncoder, ScalarEvent, summary_event_head
from toposcope.recorder.writing.summary_values import value_parts

Snapshots = Mapping[tuple[str, str], Snapshot]
"""Values by plugin and name."""

RecordedEvent = tuple[float, int, dict[str, float], Snapshots | None]
"""What one record() call recorded: wall_time in seconds since 1970, step, the scalar of each tag, the other values."""

Record = bytes | list[Buffer]
"""A record of an event file: small ones in one piece."""

# More values go into further events of the same step: protobuf reads no event of 2 GiB, MindInsight none of 500 MB.
_EVENT_BYTES = 16 << 20
# Enough to encode at once; more would only take more memory.
_RUN_SCALARS = 10_000
# Copying so many bytes costs less than another buffer in a write.
_SMALL_BYTES = 64 << 10


class Encoded(NamedTuple):
    """The records of recorded events."""

    summaries: Sequence[Record]
    lineage: Sequence[Record]


class EventEncoder:
    """Encodes events; remembers the bytes of tags, and which values it has reported as impossible to encode."""

    def __init__(self, owner: str, export: NpyExport | None = None, moved: Callable[[], None] = lambda: None) -> None:
        """Name *owner* in the log; export tensors when there is an *export*; call *moved* after each value."""
        self._owner = owner
        self._export = export
        self._moved = moved
        self._scalars = ScalarEncoder()
        self._reported: set[tuple[str, str]] = set()

    def encode_next(self, events: deque[RecordedEvent]) -> Encoded:
        """Take the first of events, and those behind it if they hold only scalars; return their records."""
        if events[0][3]:
            return self._encode_snapshots(*events.popleft())
        run: list[ScalarEvent] = []
        scalars = 0
        while events and not events[0][3] and scalars < _RUN_SCALARS:
            run.append(events.popleft()[:3])
            scalars += len(run[-1][2])
        return Encoded(self._scalars.records(run), [])

    def _encode_snapshots(
        self, wall_time: float, step: int, scalars: dict[str, float], snapshots: Snapshots | None
    ) -> Encoded:
        """Return the records of one event. A value that cannot be encoded is logged, once a tag, and left out."""
        values: list[list[Buffer]] = [[self._scalars.values(scalars)]] if scalars else []
        graphs: list[Record] = []
        lineage: list[Record] = []
        for (plugin, name), snapshot in (snapshots or {}).items():
            try:
                if plugin == "graph":
                    graphs.append(_graph_record(wall_time, snapshot))
                elif plugin in LINEAGE_FIELDS:
                    lineage.append(_lineage_record(wall_time, snapshot))
                else:
                    values.append(value_parts(name, snapshot))
                    self._exported(name, step, snapshot)
            except Exception as error:  # Whatever is wrong with one value costs that value only.
                self._report(plugin, name, error)
            self._moved()
        return Encoded(_summary_records(wall_time, step, values) + graphs, lineage)

    def _exported(self, name: str, step: int, snapshot: Snapshot) -> None:
        if self._export is not None and snapshot.plugin == "tensor":
            self._export.write(name, step, snapshot.content)

    def _report(self, plugin: str, name: str, error: Exception) -> None:
        if (plugin, name) not in self._reported:
            self._reported.add((plugin, name))
            log.warn("%s: %s skipped, the %s cannot be encoded: %r", self._owner, name, plugin, error)


def _graph_record(wall_time: float, snapshot: Snapshot) -> bytes:
    return frame(Event(wall_time=wall_time, graph_def=snapshot.content).SerializeToString())


def _lineage_record(wall_time: float, snapshot: Snapshot) -> bytes:
    field = LINEAGE_FIELDS[snapshot.plugin]
    return frame(LineageEvent(wall_time=wall_time, **{field: snapshot.content}).SerializeToString())


def _summary_records(wall_time: float, step: int, values: list[list[Buffer]]) -> list[Record]:
    """Return one event of all values, or several when they are large."""
    records: list[Record] = []
    left = deque(values)
    while left:
        parts, size = [], 0
        while left and (size == 0 or size + _size(left[0]) <= _EVENT_BYTES):
            size += _size(left[0])
            parts += left.popleft()
        records.append(_record([summary_event_head(wall_time, step, size), *parts]))
    return records


def _size(parts: list[Buffer]) -> int:
    return sum(map(len, parts))


def _record(parts: list[Buffer]) -> Record:
    if _size(parts) <= _SMALL_BYTES:
        return frame(b"".join(parts))
    return frame_parts(_merged(parts))


def _merged(parts: list[Buffer]) -> list[Buffer]:
    """Return parts with neighbours that are small made one: a write takes a limited number of buffers."""
    merged: list[Buffer] = []
    small: list[Buffer] = []
    for part in parts:
        if len(part) <= _SMALL_BYTES:
            small.append(part)
            continue
        merged += [b"".join(small), part]
        small = []
    return [*merged, b"".join(small)]
