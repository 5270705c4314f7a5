"""The marks of a recording in its files: how it began, that its process is alive, and how it ended."""

import os
import platform
import time

from toposcope.proto.framing import frame
from toposcope.proto.summary_pb2 import Event, Phase, RecordingEnd, RecordingStart
from toposcope.proto.wire import text_bytes
from toposcope.recorder.writing.encoding.dialect import Dialect


def recording_start(rank: int, heartbeat_seconds: float, command_line: str) -> RecordingStart:
    """Return how a recording of this process begins; the command line must not contain secrets."""
    return RecordingStart(
        host=platform.node(),
        process_id=os.getpid(),
        rank=rank,
        command_line=text_bytes(command_line).decode(),
        heartbeat_seconds=heartbeat_seconds,
    )


def version_records(
    dialect: Dialect, session: bytes, rotation: int, start: RecordingStart, resume: bool | int
) -> bytes:
    """Return the first record of a file of summaries, and what the dialect adds to it where a recording resumes."""
    event = Event(wall_time=time.time(), version=dialect.version, session_id=session, rotation=rotation, start=start)
    if rotation or resume is False:
        return frame(event.SerializeToString())
    if resume is True:
        event.starts_attempt = True
        return frame(event.SerializeToString())
    event.resume_step = resume
    session_start = dialect.session_start(resume)
    return frame(event.SerializeToString()) + (frame(session_start) if session_start else b"")


def heartbeat_record(phase: Phase) -> bytes:
    """Return the record that says that the process is alive: 28 bytes."""
    return frame(Event(wall_time=time.time(), heartbeat=phase).SerializeToString())


def end_record(end: RecordingEnd) -> bytes:
    """Return the last record of a recording."""
    return frame(Event(wall_time=time.time(), end=end).SerializeToString())
