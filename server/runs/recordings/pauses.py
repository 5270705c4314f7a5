"""The pauses of a run: from when its last recorder stopped until the next one started."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.series.series import Float64s
from toposcope.server.runs.recordings.recordings import Recording


class Pauses(NamedTuple):
    """Pauses that do not overlap, in order."""

    begin: Float64s
    """Seconds since 1970, like end; of shape (pauses,)."""
    end: Float64s


def pauses_of(recordings: Iterable[Recording]) -> Pauses:
    """Return the pauses of a run.

    Files of one session are one recording. Those of other programs have no sessions, so each of them is one.
    """
    spans: list[tuple[float, float]] = []
    for recording in recordings:
        groups = [recording.files] if recording.session else [[file] for file in recording.files]
        spans += [span for group in groups if (span := _span(group))]
    begins, ends = [], []
    latest = math.inf
    for begin, end in sorted(spans):
        if begin > latest:
            begins.append(latest)
            ends.append(begin)
        latest = end if latest == math.inf else max(latest, end)
    return Pauses(np.array(begins, np.float64), np.array(ends, np.float64))


def paused_before(pauses: Pauses, wall_times: Float64s) -> Float64s:
    """Return how many seconds of pauses lie before each wall_time."""
    if not len(pauses.begin):
        return np.zeros(len(wall_times))
    edges = np.stack([pauses.begin, pauses.end], axis=1).ravel()
    paused = np.cumsum(pauses.end - pauses.begin)
    before = np.append(0.0, paused[:-1])
    interpolated: Float64s = np.interp(wall_times, edges, np.stack([before, paused], axis=1).ravel())
    return interpolated


def _span(files: Iterable[FileView]) -> tuple[float, float] | None:
    """Return (when files of a recorder were started, their last sign of life); None if they have no times."""
    times = []
    for file in files:
        counters = file.counters
        ended = counters.end.wall_time if counters.end else 0.0
        times += [*(file.wall_times or ()), counters.heartbeat, ended]
    placed = [time for time in times if math.isfinite(time) and time > 0]
    return (min(placed), max(placed)) if placed else None
