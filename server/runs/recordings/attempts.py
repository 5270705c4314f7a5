"""Splits the files of a rank into attempts, and stitches the series of all attempts.

A restart goes back in steps: its version event contains the step at which it resumes, or it repeats tags at steps
that an earlier file has already passed. The older points are kept, but the stitched view omits them from the restart
step on.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.series.series import Columns, Payloads, Points, concatenate
from toposcope.server.reading.tag_table import Tag


class Attempt(NamedTuple):
    """Files of one rank that do not repeat each other's steps."""

    files: tuple[FileView, ...]
    restart_step: int | None
    """The step at which it resumed an earlier attempt; None for the first."""
    replaces_all_tags: bool = False
    """Whether it replaces the points of every tag from the restart step on, not only of the tags that it has."""


def first_wall_time(file: FileView) -> tuple[float, str]:
    """Return a sort key that orders files by their first event."""
    return (file.wall_times[0] if file.wall_times else float("inf"), file.path)


def started(files: Sequence[FileView]) -> float | None:
    """Return the time of the first event of files; None if they have none.

    A recording started in its first file, whose name sorts first: the clock may have been set back since.
    """
    if len(files) == 1:
        return files[0].wall_times[0] if files[0].wall_times else None
    firsts: dict[bytes | str, float] = {}
    for file in sorted(files, key=lambda file: file.path):
        if file.wall_times:
            firsts.setdefault(file.version.session_id or file.path, file.wall_times[0])
    return min(firsts.values(), default=None)


def overlaps(earlier: FileView, later: FileView) -> bool:
    """Return whether two files grew at the same time; the earlier one has the earlier first event."""
    if earlier.wall_times is None or later.wall_times is None:
        return False
    return later.wall_times[0] < earlier.wall_times[1]


def find_attempts(files: Iterable[FileView]) -> list[Attempt]:
    """Split the files of one rank into attempts, oldest first."""
    attempts: list[list[FileView]] = []
    restarts: list[_Restart | None] = []
    reached: dict[Tag, int] = {}
    visible = -1
    """The largest step of the files so far, unless an attempt has replaced it."""
    ordered = sorted(files, key=first_wall_time)
    for file in ordered:
        restart = _restart(file, attempts[-1], reached, visible) if attempts else None
        if not attempts or restart is not None:
            attempts.append([])
            restarts.append(restart)
            reached = {}
            if restart is not None and restart.replaces_all_tags:
                visible = restart.step - 1
        attempts[-1].append(file)
        if file is ordered[-1]:
            break  # The steps reached by the last file are not needed.
        for tag, points in file.series.items():
            if points.total:
                reached[tag] = max(int(points.step.max()), reached.get(tag, 0))
        visible = max(visible, *reached.values(), -1)
    return [
        Attempt(tuple(group), *(restart or (None, False))) for group, restart in zip(attempts, restarts, strict=True)
    ]


class _Restart(NamedTuple):
    step: int
    replaces_all_tags: bool


def _restart(file: FileView, attempt: list[FileView], reached: Mapping[Tag, int], visible: int) -> _Restart | None:
    """Return how a file restarts an attempt; None if it continues or accompanies it."""
    session = file.version.session_id
    if session and any(session == other.version.session_id for other in attempt):
        return None
    if any(overlaps(other, file) for other in attempt):
        return None
    resume_step = file.version.resume_step
    if resume_step is not None:
        # Nothing to replace: it continues where the attempt ended.
        return _Restart(resume_step, True) if visible >= resume_step else None
    starts = [_repeats_from(points, reached[tag]) for tag, points in file.series.items() if tag in reached]
    repeated = [start for start in starts if start is not None]
    if repeated:
        return _Restart(min(repeated), False)
    if file.version.starts_attempt:
        first = min((int(points.step.min()) for points in file.series.values() if points.total), default=0)
        return _Restart(first, False)
    return None


def _repeats_from(points: Points | Payloads, reached: int) -> int | None:
    """Return the first step of points that repeat a series which had reached a step; None if they do not."""
    steps = points.step[points.step > 0]
    repeats = len(steps) and bool(np.any(steps <= reached))
    return int(steps.min()) if repeats else None


def is_by_product(file: FileView) -> bool:
    """Return whether a file's scalars are by-products of landscapes.

    MindSpore evaluates the network for a landscape and also writes the values of its operators, all at step 0.
    """
    return file.steps == (0, 0) and any(tag.plugin == "landscape" for tag in file.series)


def stitch(attempts: list[Attempt], read: Callable[[FileView], Columns], none: Columns) -> Columns:
    """Return a series over all attempts, without what a later attempt repeats; see stitched_parts()."""
    return concatenate(stitched_parts(attempts, read, none), none)


def stitched_parts(attempts: list[Attempt], read: Callable[[FileView], Columns], none: Columns) -> list[Columns]:
    """Return the points of a series in each attempt, without what a later attempt repeats.

    An attempt with the series hides the points of earlier attempts that are at or after its first step above 0, or at
    one of its steps. Step 0 is an exception because it may be an evaluation before training continues. An attempt that
    replaces all tags hides those at or after its restart step, whether it has the series or not.
    """
    parts: list[Columns] = []
    for attempt in attempts:
        points = concatenate([read(file) for file in attempt.files], none)
        restart = attempt.restart_step
        if restart is not None and attempt.replaces_all_tags:
            parts = [part.take(part.step < restart) for part in parts]
        if points.total and attempt.restart_step is not None:
            first = points.step[points.step > 0].min(initial=np.iinfo(np.int64).max)
            parts = [part.take((part.step < first) & ~np.isin(part.step, points.step)) for part in parts]
        parts.append(points)
    return parts


def reached_steps(attempts: list[Attempt]) -> tuple[int, int] | None:
    """Return the smallest step of all summaries of a rank, and the step that its newest attempt has reached.

    An attempt without summaries so far has reached the step before its restart step.
    """
    firsts: list[int] = []
    reached: list[int] = []
    for attempt in attempts:
        spans = [file.steps for file in attempt.files if file.steps and not is_by_product(file)]
        if attempt.restart_step is not None:
            reached = [min(step, attempt.restart_step - 1) for step in reached]
        firsts += [first for first, _ in spans]
        reached += [last for _, last in spans]
    return (min(firsts), max(reached)) if firsts else None
