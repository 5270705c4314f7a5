"""TensorBoard's dialect of event files.

Its Event and Summary.Value (tensorboard/compat/proto/event.proto, summary.proto) also contain the fields of our own,
from 100 on, with the same numbers as in MindSpore's dialect. TensorBoard skips them.
"""

import struct
from time import time
from typing import Protocol

from toposcope.proto.framing import Buffer
from toposcope.proto.tensorboard_pb2 import Event, SessionLog
from toposcope.proto.wire import bytes_head, text_bytes, varint
from toposcope.recorder.writing.encoding.dialect import Dialect
from toposcope.recorder.writing.snapshot import Snapshot

_VERSION = "brain.Event:2"
_SIMPLE_VALUE = 2
_VALUE, _TAG = 1, 1
_WALL_TIME = struct.Struct("<Bd")


class Value(Protocol):
    """The content of a snapshot that becomes a Summary.Value."""

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value but the tag, as consecutive buffers."""


class EventMember(Protocol):
    """The content of a snapshot that becomes an event of its own."""

    def fields(self) -> bytes:
        """Return the encoded fields of the Event but wall_time and step."""


def value_entry(tag: str, value: Value) -> list[Buffer]:
    """Return the entry of Summary.value for a tag and a value, as consecutive buffers."""
    fields = value.fields()
    name = text_bytes(tag)
    head = bytes_head(_TAG, len(name)) + name
    return [bytes_head(_VALUE, len(head) + sum(map(len, fields))), head, *fields]


def _value_parts(tag: str, snapshot: Snapshot) -> list[Buffer]:
    return value_entry(tag, snapshot.content)


def _event_payload(wall_time: float, step: int, snapshot: Snapshot) -> bytes:
    member: EventMember = snapshot.content
    # Behind the other fields, which may contain a wall_time and a step: the last ones are valid.
    return member.fields() + _WALL_TIME.pack(0x09, wall_time) + b"\x10" + varint(step)


def _session_start(step: int) -> bytes:
    """Return the event at which TensorBoard deletes what it has read at this step or later."""
    return Event(wall_time=time(), step=step, session_log=SessionLog(status=SessionLog.START)).SerializeToString()


TENSORBOARD = Dialect(_VERSION, _SIMPLE_VALUE, _value_parts, ("event", "graph"), _event_payload, _session_start)
