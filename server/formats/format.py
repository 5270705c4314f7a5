"""The protocol of a format: which files it may be in, whether a file is one, and translating what is new of it.

A format knows nothing of runs as they are served. It writes events (see event_writer.py), which are kept in event files
of the server's own (see translation.py); whatever reads event files then reads those. To add a format, implement Format
and name an instance in the entry point group `toposcope.readers`.
"""

import contextlib
import re
import time
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.places.place import Place, Status

HEAD_BYTES = 64 << 10
"""The bytes of a file from which it is decided what it is."""
_SETTLED_SECONDS = 10.0

State = dict[str, Any]
"""How far a source was translated, as JSON has it: what the next call of read() needs."""
Stamp = list[Any]
"""When a source was last written, in seconds since 1970, and plain data that differs when there may be more to read."""


class Candidate(NamedTuple):
    """A file whose name may be that of a log."""

    path: str
    name: str
    directory: str
    run: str
    """Its directory relative to the logdir; "." for the logdir itself."""
    status: Status
    siblings: Sequence[str]
    """The names of all files in its directory."""
    place: Place

    def head(self, length: int = HEAD_BYTES) -> bytes:
        """Return its first bytes.

        Raises:
            OSError: they cannot be read.
        """
        with contextlib.closing(self.place.open(self.path)) as file:
            return file.read(0, min(length, file.status.size))


class Source(NamedTuple):
    """A file or folder that contains the log of one run, or of several."""

    format: str
    path: str
    run: str
    """The name of the run; of several runs, the first part of their names."""
    why: str
    """Why it was taken for this format: the end of a sentence."""
    key: str
    """The key of its run: of several sources with the same key, only the one that was written last is read."""
    modified: float
    """Seconds since 1970."""


PROBLEM = "problem"
"""The key of a state with a sentence about what of a source is damaged and was left out."""


class StartOver(Exception):  # noqa: N818 - not an error.
    """What was read is no longer there: the source is translated again from its start."""


class Output(Protocol):
    """The runs of a source."""

    def run(self, key: str = "", name: str | None = None) -> EventWriter:
        """Return the writer of a run.

        Args:
            key: identifies the run in the source, the same at each call.
            name: of the run; None: the source's own. A change of it has no effect.
        """
        ...


class Format(Protocol):
    """A format of logs. Its methods are called in one thread at a time."""

    name: str
    """The name in --formats, and the dialect of its runs."""
    names: re.Pattern[str]
    """Matches the names of the files that may be of this format; others are not examined."""

    def examine(self, candidate: Candidate) -> Source | str:
        """Return the source that a file belongs to; if it is no log of this format, why: the end of a sentence.

        Raises:
            OSError: the file cannot be read at present.
        """
        ...

    def stamp(self, source: Source, place: Place) -> Stamp:
        """Return what differs when read() may find something new.

        Raises:
            OSError: it cannot be determined at present.
        """
        ...

    def read(self, source: Source, place: Place, state: State, output: Output) -> bool:
        """Translate what is new, about 8 MB of it at most; return whether there is more at once.

        Args:
            source: of this format.
            place: where it lies.
            state: as the last call left it; empty at first.
            output: takes the events.

        Raises:
            StartOver: what was read is no longer there.
            OSError, ValueError: it cannot be read at present, or ever.
        """
        ...


def safe_part(name: str) -> str:
    """Return the name that a tool has for a run as one part of the name that the run has here."""
    return "_" if name in ("", ".", "..") else name.replace("/", "_")


def file_stamp(path: str, place: Place) -> Stamp:
    """Return the stamp of one file, which also differs once the file has settled, so that its last line may be read."""
    status = place.stat(path)
    return [status.modified, status.size, status.inode, is_settled(status)]


def is_settled(status: Status) -> bool:
    """Return whether a file was not written lately."""
    return time.time() - status.modified > _SETTLED_SECONDS
