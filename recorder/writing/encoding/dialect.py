"""Dialect: what differs between the formats of event files that a recording can write.

The framing of records, and the fields of an Event that contain wall_time, step and summary, are the same in all
dialects. So are the fields of our own: session, rotation, start, heartbeat and end of a recording.
"""

from collections.abc import Callable, Collection
from typing import NamedTuple

from toposcope.proto.framing import Buffer
from toposcope.proto.summary_pb2 import Event
from toposcope.recorder.writing.encoding.summary_values import value_parts
from toposcope.recorder.writing.snapshot import Snapshot


class Dialect(NamedTuple):
    """How a recording writes its values."""

    version: str
    """The version of the format, in the first record of a file."""
    scalar_field: int
    """Number of the field of Summary.Value with the float32 of a scalar; the double is in field 100."""
    value_parts: Callable[[str, Snapshot], list[Buffer]]
    """Returns the entry of Summary.value for a tag and a snapshot, as consecutive buffers."""
    event_plugins: Collection[str]
    """The plugins whose snapshots are events of their own, rather than values of a summary."""
    event_payload: Callable[[float, int, Snapshot], bytes]
    """Returns the Event of such a snapshot, for its wall_time and step."""
    session_start: Callable[[int], bytes | None] = lambda _: None
    """Returns what follows the version in the first file of a recording that resumes at a step: an Event, or None."""


_EVENT_FIELDS = {
    "graph": "graph_def",
    "console": "console",
    "environment": "environment",
    "code": "code",
    "alert": "alert",
}


def _event_payload(wall_time: float, step: int, snapshot: Snapshot) -> bytes:
    event = Event(wall_time=wall_time, **{_EVENT_FIELDS[snapshot.plugin]: snapshot.content})
    if snapshot.plugin == "alert":  # The others are of the whole training.
        event.step = step
    return event.SerializeToString()


MINDSPORE = Dialect("MindSpore.Event:1", 3, value_parts, _EVENT_FIELDS, _event_payload)
