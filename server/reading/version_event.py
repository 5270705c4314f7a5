"""The version event, the first record of an event file, and what it says about the file."""

from typing import NamedTuple

from google.protobuf.message import DecodeError

from toposcope.proto import framing, summary_pb2
from toposcope.proto.file_name import FileName

LARGEST_VERSION_EVENT = 4096


class Version(NamedTuple):
    """What the version event says."""

    dialect: str
    """"mindspore" or "tensorboard"."""
    session_id: bytes
    """Equal for the files of one recorder; empty when the writer was not ours."""
    starts_attempt: bool


def version_event_bytes(head: bytes) -> int:
    """Return how many bytes the head of a file must have before the version event can be read from it."""
    header = framing.read_header(head[: framing.HEADER_BYTES])
    record = framing.HEADER_BYTES + header.length + framing.FOOTER_BYTES
    is_version = framing.header_is_sound(header) and record <= LARGEST_VERSION_EVENT
    return record if is_version else framing.HEADER_BYTES


def read_version(head: bytes, name: FileName) -> Version:
    """Return what the version event at the head of a file says; without one the name tells the dialect."""
    unknown = Version(name.dialect, b"", False)
    header = framing.read_header(head[: framing.HEADER_BYTES])
    if not framing.header_is_sound(header) or framing.HEADER_BYTES + header.length > len(head):
        return unknown
    try:
        event = summary_pb2.Event.FromString(head[framing.HEADER_BYTES : framing.HEADER_BYTES + header.length])
    except DecodeError:
        return unknown
    if isinstance(event.version, bytes):  # What protobuf makes of text that is no UTF-8.
        return unknown
    if event.version.startswith("brain.Event"):
        return Version("tensorboard", b"", False)
    if event.version.lower().startswith("mindspore.event"):
        return Version("mindspore", event.session_id, event.starts_attempt)
    return unknown
