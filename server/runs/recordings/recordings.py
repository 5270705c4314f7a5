"""The recordings of a run: the files of each recorder, from its start to its end."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.records.marks import RecordingEnd, RecordingStart
from toposcope.server.reading.series.series import Points
from toposcope.server.reading.tag_table import is_of_training
from toposcope.server.runs.recordings.attempts import Attempt, started

_MAX_TIMES = 1001
"""Records from which the interval between records is determined."""


class Recording:
    """What one recorder wrote to a run: the files of a session, or the files of an attempt that have no session.

    Args:
        rank: of the recorder.
        attempt: from 1.
        files: at least one, in order of their first event.
        parts: the files of the add_scalars() of the same process, which have no marks that differ from those.
    """

    def __init__(self, rank: int, attempt: int, files: Sequence[FileView], parts: Sequence[FileView] = ()) -> None:
        self.rank = rank
        self.attempt = attempt
        self.files = [*parts, *files]
        """The last one is the recorder's own."""
        self.session = files[0].version.session_id.hex()
        """The session id as hexadecimal digits; empty if another program wrote the files."""
        self.start: RecordingStart | None = None
        """How it began; None if its files do not say so."""
        self.end: RecordingEnd | None = None
        """How it ended; None if it did not, as far as its files say."""
        self.started = started(self.files)
        """When it began, in seconds since 1970."""
        self.recorded = max((walls[1] for file in self.files if (walls := file.wall_times)), default=None)
        """Largest wall_time, in seconds since 1970."""
        for file in files:
            self._add_marks(file)

    def _add_marks(self, file: FileView) -> None:
        self.start = self.start or file.version.start
        end = file.counters.end
        if end is not None:
            self.end = end if end.state else None
        elif not self.session:  # It follows the one before.
            self.end = None

    @cached_property
    def interval(self) -> float:
        """The median time in seconds between two records, of the last ones of the longest scalar series; 0 if unknown.

        Metrics of the machine are recorded at intervals of their own, so they are ignored.
        """
        totals: dict[str, int] = {}
        for file in self.files:
            for tag, points in file.series.items():
                if isinstance(points, Points) and is_of_training(tag):
                    totals[tag.name] = totals.get(tag.name, 0) + points.total
        if not totals:
            return 0.0
        longest = max(totals, key=lambda name: totals[name])
        series = [
            points.wall_time[-_MAX_TIMES:]
            for file in self.files
            for tag, points in file.series.items()
            if tag.name == longest and isinstance(points, Points)
        ]
        times = np.concatenate(series)[-_MAX_TIMES:]
        intervals = np.diff(times[np.isfinite(times)])
        intervals = intervals[intervals > 0]
        return float(np.median(intervals)) if len(intervals) else 0.0


def recordings_of(attempts: Mapping[int, Sequence[Attempt]]) -> list[Recording]:
    """Return the recordings of a run.

    Args:
        attempts: the attempts of each rank.
    """
    recordings = []
    for rank, each in attempts.items():
        for number, attempt in enumerate(each, 1):
            recordings += [Recording(rank, number, *files) for files in _sessions(attempt.files)]
    return recordings


def _sessions(files: Sequence[FileView]) -> list[tuple[list[FileView], list[FileView]]]:
    """Return (the files of a session, those of add_scalars() of its process) for each session of an attempt."""
    own: dict[bytes, list[FileView]] = {}
    for file in files:
        if not file.part:
            own.setdefault(file.version.session_id, []).append(file)
    if len(own) == 1:
        return [(each, [file for file in files if file.part]) for each in own.values()]
    processes = {_process(file): session for session, each in own.items() for file in each}
    parts: dict[bytes, list[FileView]] = {}
    for file in files:
        if file.part:
            session = processes.get(_process(file), file.version.session_id)
            (parts if session in own else own).setdefault(session, []).append(file)
    return [(each, parts.get(session, [])) for session, each in own.items()]


def _process(file: FileView) -> tuple[str, int | None] | None:
    """Return what identifies the process that wrote a file; None if the file does not say so."""
    start = file.version.start
    return (start.host, start.process_id) if start else None
