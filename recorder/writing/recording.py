"""One recording: the queue, the thread and the files behind a SummaryRecord."""

import os
from typing import NamedTuple

from toposcope.proto.summary_pb2 import RecordingStart
from toposcope.recorder.stores.spool import largest_file, most_seconds
from toposcope.recorder.writing.encoding.dialect import MINDSPORE, Dialect
from toposcope.recorder.writing.encoding.event_encoder import EventEncoder
from toposcope.recorder.writing.encoding.npy_export import NpyExport
from toposcope.recorder.writing.event_queue import EventQueue
from toposcope.recorder.writing.event_writer import EventWriter
from toposcope.recorder.writing.files.event_file import Naming, create_event_file, seconds_of
from toposcope.recorder.writing.files.rotating_file import RotatingFile
from toposcope.recorder.writing.heartbeat import Heartbeat
from toposcope.recorder.writing.marks import version_records

_LINEAGE_SUFFIX = "_lineage"


class RecordingOptions(NamedTuple):
    """How a recording is written."""

    naming: Naming
    max_file_size: int | None
    """In bytes; None: no limit."""
    exports_npy: bool
    flush_seconds: float
    resume: bool | int
    """Whether the recording replaces later steps of an earlier one; an integer: from that step on."""
    start: RecordingStart
    """How the recording begins; contains the interval of heartbeats."""
    drops_on_backlog: bool = False
    """Whether new events are dropped, instead of waiting, while the queue is full."""
    dialect: Dialect = MINDSPORE


class Recording(NamedTuple):
    """A started recording."""

    queue: EventQueue
    writer: EventWriter
    summaries: RotatingFile
    export: NpyExport | None
    encoder: EventEncoder
    heartbeat: Heartbeat

    @property
    def is_complete(self) -> bool:
        """True if nothing that was recorded is lost; it may still have to be written."""
        return not (self.queue.has_losses or self.encoder.skipped)

    @property
    def is_healthy(self) -> bool:
        """False if the recording is closed, or if something cannot be written at present."""
        return self.queue.is_healthy and not (self.export and self.export.has_failed)

    def take_unraised_fault(self) -> Exception | None:
        """Return why something cannot be written, once per fault."""
        return self.queue.take_unraised_fault() or (self.export.take_unraised() if self.export else None)

    def loss(self) -> Exception | None:
        """Return the reason why something that was recorded is lost, other than that it was dropped on a backlog."""
        return self.queue.loss() or self.encoder.skipped


def start_recording(options: RecordingOptions) -> Recording:
    """Create the first event file and start the thread; OSError if the file cannot be created.

    The lineage file is created with its first record. Its name, and that of the export, contain the seconds of the
    first event file: that is how MindSpore pairs them.
    """
    naming, session = options.naming, os.urandom(16)
    max_file_size = largest_file(naming.directory, options.max_file_size)
    max_seconds = most_seconds(naming.directory)
    summaries = RotatingFile(
        lambda _: create_event_file(naming, after=seconds_of(summaries.path)),
        lambda rotation: version_records(options.dialect, session, rotation, options.start, options.resume),
        max_file_size,
        max_seconds,
    )
    summaries.open_next()
    seconds = seconds_of(summaries.path)
    lineage = RotatingFile(
        lambda rotation: create_event_file(
            naming._replace(suffix=_LINEAGE_SUFFIX), 0 if rotation else seconds, seconds_of(lineage.path)
        ),
        lambda _: b"",
        max_file_size,
        max_seconds,
    )
    export = NpyExport(naming.directory, seconds) if options.exports_npy else None
    queue = EventQueue(summaries.path, options.flush_seconds, drops_on_backlog=options.drops_on_backlog)
    encoder = EventEncoder(summaries.path, export, queue.mark_progress, options.dialect)
    heartbeat = Heartbeat(options.start.heartbeat_seconds)
    writer = EventWriter(queue, encoder, summaries, lineage, heartbeat)
    return Recording(queue, writer, summaries, export, encoder, heartbeat)
