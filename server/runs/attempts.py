"""Which files of a rank are one attempt, and which points a later attempt hides.

A restart goes back in steps: it repeats tags at steps that an earlier file has already passed. What was recorded
before is never thrown away; the stitched view leaves out the older points from the restart step on.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.series import Columns, Payloads, Points, concatenate
from toposcope.server.reading.tag_table import Tag


class Attempt(NamedTuple):
    """Files of one rank that do not repeat each other's steps."""

    files: tuple[FileView, ...]
    restart_step: int | None
    """Where it took up an earlier attempt; None for the first."""


def first_wall_time(file: FileView) -> tuple[float, str]:
    """Order files by when they began."""
    return (file.wall_times[0] if file.wall_times else float("inf"), file.path)


def overlaps(earlier: FileView, later: FileView) -> bool:
    """Say whether two files grew at the same time; the earlier one began first."""
    if earlier.wall_times is None or later.wall_times is None:
        return False
    return later.wall_times[0] < earlier.wall_times[1]


def find_attempts(files: Iterable[FileView]) -> list[Attempt]:
    """Split the files of one rank into attempts, oldest first."""
    attempts: list[list[FileView]] = []
    restarts: list[int | None] = []
    reached: dict[Tag, int] = {}
    ordered = sorted(files, key=first_wall_time)
    for file in ordered:
        restart = _restart_step(file, attempts[-1], reached) if attempts else None
        if not attempts or restart is not None:
            attempts.append([])
            restarts.append(restart)
            reached = {}
        attempts[-1].append(file)
        if file is ordered[-1]:
            break  # Nobody asks how far the last one came.
        for tag, points in file.series.items():
            if points.total:
                reached[tag] = max(int(points.step.max()), reached.get(tag, 0))
    return [Attempt(tuple(group), restart) for group, restart in zip(attempts, restarts, strict=True)]


def _restart_step(file: FileView, attempt: list[FileView], reached: Mapping[Tag, int]) -> int | None:
    """Return the step from which a file replaces an attempt; None when it continues or accompanies it."""
    session = file.version.session_id
    if session and any(session == other.version.session_id for other in attempt):
        return None
    if any(overlaps(other, file) for other in attempt):
        return None
    starts = [_repeats_from(points, reached[tag]) for tag, points in file.series.items() if tag in reached]
    repeated = [start for start in starts if start is not None]
    if repeated:
        return min(repeated)
    if file.version.starts_attempt:
        return min((int(points.step.min()) for points in file.series.values() if points.total), default=0)
    return None


def _repeats_from(points: Points | Payloads, reached: int) -> int | None:
    """Return the first step of points that repeat a series which had reached a step; None when they do not."""
    steps = points.step[points.step > 0]
    repeats = len(steps) and bool(np.any(steps <= reached))
    return int(steps.min()) if repeats else None


def is_by_product(file: FileView) -> bool:
    """Say whether a file's scalars are by-products of landscapes.

    MindSpore evaluates the network for a landscape and writes its operators' values beside it, all at step 0.
    """
    return file.steps == (0, 0) and any(tag.plugin == "landscape" for tag in file.series)


def stitch(attempts: list[Attempt], read: Callable[[FileView], Columns], none: Columns) -> Columns:
    """Return a series over all attempts, without what a later attempt repeats.

    Of the attempts before one that holds the series those points are hidden that are at or behind its first step above
    0, and those at the same steps. Step 0 is special: an evaluation before the training goes on stands there.
    """
    parts: list[Columns] = []
    for attempt in attempts:
        points = concatenate([read(file) for file in attempt.files], none)
        if points.total and attempt.restart_step is not None:
            first = points.step[points.step > 0].min(initial=np.iinfo(np.int64).max)
            parts = [part.take((part.step < first) & ~np.isin(part.step, points.step)) for part in parts]
        parts.append(points)
    return concatenate(parts, none)
