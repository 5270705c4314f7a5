"""What a recording says about itself in its files: how it began and how it ended."""

import math
import struct
from typing import NamedTuple

from google.protobuf.message import DecodeError, Message

from toposcope.proto import summary_pb2, tensorboard_pb2

_BITS, _DOUBLE = struct.Struct("<Q"), struct.Struct("<d")
_END_STATES = {
    summary_pb2.RecordingEnd.STATE_FINISHED: "finished",
    summary_pb2.RecordingEnd.STATE_FAILED: "failed",
    summary_pb2.RecordingEnd.STATE_INTERRUPTED: "interrupted",
}


class RecordingStart(NamedTuple):
    """How a recording began. Text is empty, and a number None, if the file does not contain it."""

    host: str
    process_id: int | None
    rank: int | None
    command_line: str
    heartbeat_seconds: float | None
    """The longest time between two records while the process lives."""


class RecordingEnd(NamedTuple):
    """How a recording ended."""

    wall_time: float
    """Seconds since 1970."""
    state: str
    """"finished", "failed" or "interrupted"; "unknown" if it is another state; "" if the recording began again, which
    only TensorBoard's SessionLog says."""
    error_type: str
    """Empty if there was no exception, like the next two."""
    error_text: str
    traceback: str


def read_start(event: summary_pb2.Event) -> RecordingStart | None:
    """Return the start mark in a version event; None if there is none."""
    if not event.HasField("start"):
        return None
    start = event.start
    seconds = start.heartbeat_seconds
    return RecordingStart(
        _text(start, "host"),
        start.process_id if start.HasField("process_id") else None,
        start.rank if start.HasField("rank") else None,
        _text(start, "command_line"),
        seconds if 0 < seconds < math.inf else None,
    )


def read_end(content: bytes, wall_bits: int, *, is_session_log: bool) -> RecordingEnd | None:
    """Return an end mark: our own, or TensorBoard's SessionLog; None if it is malformed.

    Args:
        content: the encoded message.
        wall_bits: the wall_time of its event, as the bits of the double.
        is_session_log: whether it is a SessionLog.
    """
    (wall_time,) = _DOUBLE.unpack(_BITS.pack(wall_bits))
    wall_time = wall_time if math.isfinite(wall_time) else 0.0
    try:
        if is_session_log:
            is_stop = tensorboard_pb2.SessionLog.FromString(content).status == tensorboard_pb2.SessionLog.STOP
            return RecordingEnd(wall_time, "finished" if is_stop else "", "", "", "")
        end = summary_pb2.RecordingEnd.FromString(content)
    except DecodeError:
        return None
    texts = (_text(end, "error_type"), _text(end, "error_text"), _text(end, "traceback"))
    return RecordingEnd(wall_time, _END_STATES.get(end.state, "unknown"), *texts)


def _text(message: Message, field: str) -> str:
    """Return a field; a text that is not UTF-8 is "?" or, in protobuf's Python implementation, bytes."""
    try:
        text: str | bytes = getattr(message, field)
    except UnicodeDecodeError:
        return "?"
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else text
