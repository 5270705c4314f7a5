"""NullFileWriter: the writer of a SummaryWriter that records nothing."""

import os
from collections import deque
from typing import Any

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder.tensorboard.files.file_writer import EventWriter, FileWriter
from toposcope.recorder.writing.event_queue import EventQueue
from toposcope.recorder.writing.snapshot import Snapshot


class NullFileWriter(FileWriter):
    """A FileWriter that creates no file, checks its arguments and drops every value."""

    def __init__(self, log_dir: str | os.PathLike[str]) -> None:
        """Create nothing."""
        self._log_dir = str(log_dir)
        self.queue = EventQueue("", 1.0)
        self.queue.events = deque(maxlen=0)
        self.queue.is_scheduled = True

    @property
    def event_writer(self) -> EventWriter:
        """A file without a name."""
        return EventWriter(self, "")

    def flush(self) -> bool:
        """Return True."""
        return True

    def close(self, end: RecordingEnd | None = None) -> bool:
        """Return True."""
        return True

    def reopen(self) -> None:
        """Do nothing."""

    def _put_large(self, snapshots: dict[tuple[str, str], Snapshot], *_: Any) -> None:
        """Drop values."""
