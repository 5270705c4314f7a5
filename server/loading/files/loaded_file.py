"""An event file of a logdir, with what is known of it."""

import time
from dataclasses import dataclass

from toposcope.proto.file_name import FileName
from toposcope.server.places.place import Status
from toposcope.server.reading.event_file import EventFile
from toposcope.server.reading.file_view import FileView

QUIET_SECONDS = 5.0
"""How long after its last change a file counts as quiet."""


@dataclass(slots=True)
class LoadedFile:
    """An event file and its last known status and view."""

    run: str
    name: FileName
    status: Status
    grown: float
    """When it was seen to grow, in seconds of time.monotonic()."""
    recorded: float
    """When it was seen to grow by values of the training, in seconds of time.monotonic()."""
    file: EventFile | None = None
    """None: it was not opened yet."""
    view: FileView | None = None
    has_more: bool = False
    has_news: bool = True
    """Whether the last read found more than heartbeats."""
    edition: int = 0
    training_edition: int = 0
    """The edition of the file after the last successful read."""


def quiet_view(file: LoadedFile) -> FileView | None:
    """Return the view of a file that was read completely and did not change lately; None for others."""
    view, status = file.view, file.status
    if view is None or view.read_bytes != view.size or time.time() - status.modified < QUIET_SECONDS:
        return None
    return view if (view.size, view.modified, view.inode) == (status.size, status.modified, status.inode) else None
