"""The version event, which is the first record of an event file."""

from typing import NamedTuple

from google.protobuf.message import DecodeError

from toposcope.proto import framing, summary_pb2
from toposcope.proto.file_name import FileName
from toposcope.server.reading.records.marks import RecordingStart, read_start

LARGEST_VERSION_EVENT = 16384
PROJECTOR = "projector"
"""The format of lists of embeddings, which lie beside the event files of a run."""


class Version(NamedTuple):
    """Contents of the version event."""

    dialect: str
    """"mindspore" or "tensorboard"."""
    session_id: bytes
    """Equal for all files of one recorder; empty if another program wrote the file."""
    starts_attempt: bool
    resume_step: int | None = None
    """The recording resumes an earlier one at this step; None if it does not say so."""
    start: RecordingStart | None = None
    """How the recording began; None if another program or an earlier version wrote the file."""
    source_format: str = ""
    """The format of another tool from which the server translated the file; empty: it is an event file itself."""

    @property
    def shown_dialect(self) -> str:
        """The source format, or else the dialect."""
        return self.source_format or self.dialect


def version_event_bytes(head: bytes) -> int:
    """Return how many bytes of a file must exist before its version event can be read, according to its first bytes."""
    header = framing.read_header(head[: framing.HEADER_BYTES])
    record = framing.HEADER_BYTES + header.length + framing.FOOTER_BYTES
    is_version = framing.header_is_sound(header) and record <= LARGEST_VERSION_EVENT
    return record if is_version else framing.HEADER_BYTES


def read_version(head: bytes, name: FileName) -> Version:
    """Return the version event in the first bytes of a file; if there is none, the file name determines the dialect."""
    unknown = Version(name.dialect, b"", False)
    header = framing.read_header(head[: framing.HEADER_BYTES])
    if not framing.header_is_sound(header) or framing.HEADER_BYTES + header.length > len(head):
        return unknown
    try:
        event = summary_pb2.Event.FromString(head[framing.HEADER_BYTES : framing.HEADER_BYTES + header.length])
    except DecodeError:
        return unknown
    if isinstance(event.version, bytes):  # protobuf's Python implementation returns text that is not UTF-8 as bytes.
        return unknown
    dialect = _dialect_of(event.version)
    if dialect is None:
        return unknown
    resume_step = event.resume_step if event.HasField("resume_step") else None
    _, _, source_format = event.version.partition(" ")
    return Version(dialect, event.session_id, event.starts_attempt, resume_step, read_start(event), source_format)


def _dialect_of(version: str) -> str | None:
    """Return the dialect that a version event names; None if it is another text."""
    if version.startswith("brain.Event"):
        return "tensorboard"
    return "mindspore" if version.lower().startswith("mindspore.event") else None
