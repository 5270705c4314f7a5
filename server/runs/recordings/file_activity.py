"""When an event file grew, by the clock of the server, and what its recording does."""

import time
from typing import NamedTuple

from toposcope.server.reading.file_view import FileView


class FileActivity(NamedTuple):
    """What is known of a growing file apart from its contents, which a heartbeat changes without adding a value."""

    grown: float
    """When the server saw the file grow, in seconds of time.monotonic()."""
    recorded: float
    """When the server saw it grow by values of the training, in seconds of time.monotonic()."""
    modified: float
    """When it was last written, in seconds since 1970."""
    phase: int
    """What the training does, one of summary_pb2.Phase; 0 if it is unknown."""
    heartbeat: float
    """The wall_time of its last heartbeat, in seconds since 1970; 0 if there is none."""


def seen_first(modified: float) -> float:
    """Return when a file that the server sees for the first time grew, in seconds of time.monotonic().

    Only here the time of the file system is compared with the server's clock.

    Args:
        modified: when it was last written, in seconds since 1970.
    """
    return time.monotonic() - max(0.0, time.time() - modified)


def activity_of(file: FileView) -> FileActivity:
    """Return the activity of a file that was read only once."""
    grown = seen_first(file.modified)
    return FileActivity(grown, grown, file.modified, file.phase, file.counters.heartbeat)
