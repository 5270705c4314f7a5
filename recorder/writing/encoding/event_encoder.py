"""Encodes recorded events as records: scalars in batches, all other values one by one."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from toposcope.proto.framing import Buffer, frame, frame_parts
from toposcope.proto.lineage_pb2 import LineageEvent
from toposcope.recorder import log
from toposcope.recorder.messages.foreign_messages import LINEAGE_FIELDS
from toposcope.recorder.writing.encoding.deferred_scalars import read_deferred
from toposcope.recorder.writing.encoding.dialect import MINDSPORE, Dialect
from toposcope.recorder.writing.encoding.npy_export import NpyExport
from toposcope.recorder.writing.encoding.scalar_events import OneScalar, ScalarEncoder, ScalarEvent, summary_event_head
from toposcope.recorder.writing.snapshot import Snapshot

Snapshots = Mapping[tuple[str, str], Snapshot]
"""Values by plugin and tag."""

RecordedEvent = tuple[float, int, dict[str, float], Snapshots | None] | OneScalar
"""The result of one record() call: wall_time in seconds since 1970, step, scalars by tag, all other values.

One scalar alone may be wall_time, step, tag and value.
"""

_APART = ("console", "environment", "code")


def is_of_training(event: RecordedEvent) -> bool:
    """Return whether an event is not only from record_apart(): what is printed, and the metrics of the machine.

    Those are also recorded while the training does not advance, so they do not replace heartbeats.
    """
    if isinstance(event[2], str):
        return True
    return not all(tag.startswith("machine/") for tag in event[2]) or any(
        each not in _APART for each, _ in event[3] or ()
    )


Record = bytes | list[Buffer]
"""A record of an event file; a small one is in one piece."""

# Further values go into another event of the same step: protobuf's limit is 2 GiB an event, MindInsight's 500 MB.
_MAX_EVENT_BYTES = 16 << 20
# Larger batches take more memory and are not faster.
_BATCH_SCALARS = 10_000
# Copying fewer bytes than this is cheaper than one more buffer in a write.
_SMALL_BYTES = 64 << 10


class EncodedRecords(NamedTuple):
    """The records of recorded events, by the file that they belong to."""

    summaries: Sequence[Record]
    lineage: Sequence[Record]


class EventEncoder:
    """Encodes events; caches the encoded tags, and logs values that cannot be encoded once per plugin and tag."""

    def __init__(
        self,
        owner: str,
        export: NpyExport | None = None,
        on_progress: Callable[[], None] = lambda: None,
        dialect: Dialect = MINDSPORE,
    ) -> None:
        """Create an encoder.

        Args:
            owner: the file, for log messages.
            export: where tensors are exported to; None: nowhere.
            on_progress: called after each encoded value.
            dialect: of the files.
        """
        self._owner = owner
        self._export = export
        self._on_progress = on_progress
        self._dialect = dialect
        self._scalars = ScalarEncoder(dialect.scalar_field)
        self._reported: set[tuple[str, str]] = set()
        self.skipped: Exception | None = None
        """The reason why the latest value that could not be encoded is not in the file."""

    def encode_next(self, events: deque[RecordedEvent]) -> EncodedRecords:
        """Remove the first event, and following ones if all contain only scalars; return their records."""
        batch: list[ScalarEvent] = []
        scalars = 0
        while events and scalars < _BATCH_SCALARS:
            event = events[0]
            if isinstance(event[2], str):
                scalars += 1
            else:
                if event[3]:
                    event = events[0] = self._with_read_scalars(*event)
                if event[3]:
                    break
                scalars += len(event[2])
            batch.append(event)
            events.popleft()
        if not batch:
            return self._encode_snapshots(*events.popleft())
        return EncodedRecords(self._scalars.records(batch), [])

    def _with_read_scalars(
        self, wall_time: float, step: int, scalars: dict[str, float], snapshots: Snapshots | None
    ) -> RecordedEvent:
        """Return an event with its deferred scalars read."""
        deferred, others = read_deferred(snapshots or {}, self._report)
        self._on_progress()
        return wall_time, step, scalars | deferred, others or None

    def _encode_snapshots(
        self, wall_time: float, step: int, scalars: dict[str, float], snapshots: Snapshots | None
    ) -> EncodedRecords:
        """Return the records of one event, without the values that cannot be encoded."""
        values: list[list[Buffer]] = [[self._scalars.values(scalars)]] if scalars else []
        others: list[Record] = []
        lineage: list[Record] = []
        for (plugin, tag), snapshot in (snapshots or {}).items():
            try:
                if plugin in self._dialect.event_plugins:
                    others.append(frame(self._dialect.event_payload(wall_time, step, snapshot)))
                elif plugin in LINEAGE_FIELDS:
                    lineage.append(_lineage_record(wall_time, snapshot))
                else:
                    values.append(self._dialect.value_parts(tag, snapshot))
                    if self._export is not None and plugin == "tensor":
                        self._export.write(tag, step, snapshot.content)
            except Exception as error:  # An error in one value must not affect the others.
                self._report(plugin, tag, error)
            self._on_progress()
        return EncodedRecords(_summary_records(wall_time, step, values) + others, lineage)

    def _report(self, plugin: str, tag: str, error: Exception) -> None:
        self.skipped = error
        if (plugin, tag) not in self._reported:
            self._reported.add((plugin, tag))
            log.warn("%s: %s skipped, the %s cannot be encoded: %r", self._owner, tag, plugin, error)


def _lineage_record(wall_time: float, snapshot: Snapshot) -> bytes:
    field = LINEAGE_FIELDS[snapshot.plugin]
    return frame(LineageEvent(wall_time=wall_time, **{field: snapshot.content}).SerializeToString())


def _summary_records(wall_time: float, step: int, values: list[list[Buffer]]) -> list[Record]:
    """Return the values as one event, or as several if they are large."""
    records: list[Record] = []
    remaining = deque(values)
    while remaining:
        parts, size = [], 0
        while remaining and (size == 0 or size + _size(remaining[0]) <= _MAX_EVENT_BYTES):
            size += _size(remaining[0])
            parts += remaining.popleft()
        records.append(_record([summary_event_head(wall_time, step, size), *parts]))
    return records


def _size(parts: list[Buffer]) -> int:
    return sum(map(len, parts))


def _record(parts: list[Buffer]) -> Record:
    if _size(parts) <= _SMALL_BYTES:
        return frame(b"".join(parts))
    return frame_parts(_merge_small(parts))


def _merge_small(parts: list[Buffer]) -> list[Buffer]:
    """Join small adjacent parts: the number of buffers in a write is limited."""
    merged: list[Buffer] = []
    small: list[Buffer] = []
    for part in parts:
        if len(part) <= _SMALL_BYTES:
            small.append(part)
            continue
        merged += [b"".join(small), part]
        small = []
    return [*merged, b"".join(small)]
