"""One run: its files by rank and attempt, and its series, which are assembled from them."""

import copy
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import Literal

import numpy as np
import numpy.typing as npt

from toposcope.proto.file_name import process_of
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.index.packs.packed_series import PackedSeries
from toposcope.server.reading.series.point_series import compact
from toposcope.server.reading.series.series import (
    NO_PAYLOADS,
    NO_POINTS,
    Columns,
    Float64s,
    Int64s,
    Payloads,
    Points,
    concatenate,
)
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.recordings.attempts import (
    Attempt,
    find_attempts,
    first_wall_time,
    is_by_product,
    overlaps,
    reached_steps,
    started,
    stitch,
    stitched_parts,
)
from toposcope.server.runs.recordings.file_activity import FileActivity, activity_of
from toposcope.server.runs.recordings.pauses import Pauses, pauses_of
from toposcope.server.runs.recordings.recordings import Recording, recordings_of
from toposcope.server.runs.recordings.run_state import Derived, RunState, State, derive, may_be_alive

ALL = "all"
"""The attempt that has every point in file order, nothing hidden."""
Ordering = Literal["strict", "ascending", "none"]
"""Whether the positions of a series are strictly ascending, ascending or neither."""
ASIDE_PLUGINS = ("lineage", "dataset_graph", "projector")
"""Plugins of files beside those of a training."""


class RunView:
    """A run as loaded up to some moment. Immutable, except for its caches.

    Args:
        name: of the run.
        files: what was read of its files.
        revision: in which they were published.
        live: whether a file grew within the last minute.
        activities: of the files, by path; None: they were read only once.
        seen: when they were looked at, in seconds of time.monotonic(); None: now.
    """

    def __init__(
        self,
        name: str,
        files: Iterable[FileView],
        revision: int,
        live: bool,
        activities: Mapping[str, FileActivity] | None = None,
        seen: float | None = None,
    ) -> None:
        self.name = name
        self.files = list(files)
        """The files, ordered by their first events; including those beside the training."""
        if len(self.files) > 1:
            self.files.sort(key=first_wall_time)
        self.revision = revision
        """In which its values changed last."""
        self.state_revision = revision
        """In which its values or its state changed last."""
        self.live = live
        self.activities = {file.path: activity_of(file) for file in self.files} if activities is None else activities
        """The activities of the files, by path."""
        self.seen = time.monotonic() if seen is None else seen
        """When the files were looked at, in seconds of time.monotonic()."""
        self._points: dict[tuple[str, int, int | str | None], Points] = {}
        self._ordered: dict[tuple[str, int, int | str | None, str], tuple[Points, Ordering]] = {}

    @property
    def only_file(self) -> FileView | None:
        """The only file with values of a training, as most runs of many have; None if there are others."""
        file = self.files[0]
        return None if len(self.files) > 1 or file.is_aside or is_by_product(file) else file

    @property
    def started(self) -> float | None:
        """When the first recording began, in seconds since 1970."""
        return started(self.files)

    @property
    def updated(self) -> float | None:
        """Largest wall_time, in seconds since 1970."""
        return max((walls[1] for file in self.files if (walls := file.wall_times)), default=None)

    @property
    def steps(self) -> tuple[int, int] | None:
        """Smallest step of all summaries, and largest of those that no later attempt replaces.

        Without by-products of landscapes.
        """
        only = self.only_file
        return self._steps if only is None else only.steps

    @cached_property
    def _steps(self) -> tuple[int, int] | None:
        reached = [steps for attempts in self.attempts.values() if (steps := reached_steps(attempts))]
        return (min(first for first, _ in reached), max(last for _, last in reached)) if reached else None

    @cached_property
    def dialect(self) -> str:
        """Dialect of the first file of a training, or the format that it was translated from."""
        return next((file for file in self.files if not file.is_aside), self.files[0]).version.shown_dialect

    @cached_property
    def writers(self) -> int:
        """How many programs without ranks wrote the run at the same time; 0 if there are no several.

        Rank 0 then contains the points of all of them, and rank n those of the n-th.
        """
        has_ranks = any(_has_rank(file) for file in self.files if not file.is_aside)
        return 0 if has_ranks else max(len(self.attempts) - 1, 0)

    @property
    def separate_ranks(self) -> list[int]:
        """The ranks without the one of all writers: they have no points in common."""
        return [rank for rank in self.attempts if rank or not self.writers]

    @property
    def covering_ranks(self) -> list[int]:
        """The ranks without those of single writers: they have no points in common either."""
        return [0] if self.writers else list(self.attempts)

    @cached_property
    def attempts(self) -> Mapping[int, list[Attempt]]:
        """Attempts of each rank, without files beside the training; see also writers."""
        files = [file for file in self.files if not file.is_aside]
        return {rank: find_attempts(files) for rank, files in sorted(_ranks(files).items())}

    @property
    def shape(self) -> tuple[tuple[int, ...], int, int]:
        """(The ranks, the number of writers, the maximum number of attempts of a rank), soon known of a single file."""
        only = self.only_file
        if only is not None:
            return (only.rank if only.rank is not None and _has_rank(only) else 0,), 0, 1
        return tuple(self.attempts), self.writers, max(map(len, self.attempts.values()), default=1)

    @cached_property
    def recordings(self) -> list[Recording]:
        """The recordings of all attempts."""
        return recordings_of({rank: self.attempts[rank] for rank in self.separate_ranks})

    @cached_property
    def pauses(self) -> Pauses:
        """The times in which none of its recorders ran, between its start and its end."""
        return pauses_of(self.recordings)

    @property
    def state(self) -> RunState:
        """Its state, and that of each recording, at the time at which this view was made."""
        return self._derived.state

    @property
    def state_name(self) -> State:
        """The state alone, without deriving the rest if its only file has no marks."""
        only = self.only_file
        is_unmarked = only is not None and only.version.start is None and only.counters.end is None
        return "unknown" if is_unmarked else self.state.state

    @property
    def may_be_alive(self) -> bool:
        """Whether a file has a start mark, no end mark, and grew lately, so that its state may change by time."""
        for file in self.files:
            start = file.version.start
            if start is not None and may_be_alive(
                start, file.counters.end, self.activities[file.path].grown, self.seen
            ):
                return True
        return False

    @property
    def state_changes_at(self) -> float:
        """When its state changes if no file grows, in seconds of time.monotonic(); infinite if it does not."""
        return self._derived.changes_at

    @cached_property
    def _derived(self) -> Derived:
        return derive(self.recordings, self.activities, self.seen)

    def seen_again(self, live: bool, activities: Mapping[str, FileActivity], seen: float | None = None) -> "RunView":
        """Return a view of the same values at another time; it shares the caches of this one.

        Args:
            live: whether a file grew within the last minute.
            activities: of the files, by path.
            seen: when they were looked at, in seconds of time.monotonic(); None: now.
        """
        other = copy.copy(self)
        other.__dict__.pop("_derived", None)
        other.live, other.activities = live, activities
        other.seen = time.monotonic() if seen is None else seen
        return other

    @property
    def plugins(self) -> Mapping[str, int]:
        """Number of tags of each plugin."""
        series = self.files[0].series
        return series.plugins if len(self.files) == 1 and isinstance(series, PackedSeries) else self._plugins

    @cached_property
    def _plugins(self) -> Mapping[str, int]:
        return Counter(tag.plugin for tag in {tag: None for file in self.files for tag in file.series})

    @property
    def tags(self) -> Sequence[Tag]:
        """Tags with points in the stitched view of any rank, in order of first occurrence."""
        only = self.only_file
        return only.series.tags if only is not None and isinstance(only.series, PackedSeries) else self._tags

    @cached_property
    def _tags(self) -> list[Tag]:
        tags = {tag: None for file in self.files for tag in file.series if not _hides(file, tag, None)}
        if all(len(attempts) == 1 for attempts in self.attempts.values()):
            return list(tags)  # Nothing is hidden by a restart.
        return [tag for tag in tags if self.ranks_of(tag)]

    def tags_of(self, plugin: str) -> list[str]:
        """Return the tags of a plugin with points in the stitched view of any rank, in order of first occurrence."""
        return [tag.name for tag in self.tags if tag.plugin == plugin]

    def ranks_of(self, tag: Tag, attempt: int | str | None = None) -> list[int]:
        """Return the ranks that have points of a tag; [0] for what is beside the training, which has no ranks."""
        ranks = [0] if tag.plugin in ASIDE_PLUGINS else list(self.attempts)
        return [rank for rank in ranks if self.series(tag, rank, attempt).total]

    def series(self, tag: Tag, rank: int, attempt: int | str | None = None) -> Points | Payloads:
        """Return a series of any plugin in file order; see points() and payloads()."""
        if tag.plugin == "scalar":
            return self.points(tag.name, rank, attempt)
        return self.payloads(tag, rank, attempt)

    def points(self, tag: str, rank: int, attempt: int | str | None = None) -> Points:
        """Return a scalar series in file order; no points if the rank or the attempt has none.

        Args:
            tag: name of a scalar tag.
            rank: of the writer.
            attempt: None for the stitched view, a number from 1 on for one attempt, ALL for every point.
        """
        key, scalar = (tag, rank, attempt), Tag("scalar", tag)
        attempts = self.attempts.get(rank, [])
        if not any(scalar in file.series for file in self.files) or (
            isinstance(attempt, int) and attempt > len(attempts)
        ):
            return NO_POINTS  # Not cached, as requests may contain any names.
        if key not in self._points:
            gathered = _gather(attempts, attempt, _scalar_reader(scalar, attempt), NO_POINTS)
            has_copied = sum(scalar in file.series for file in self.files) > 1
            self._points[key] = compact(gathered) if has_copied else gathered
        return self._points[key]

    def attempts_of(self, tag: str, rank: int) -> npt.NDArray[np.int32]:
        """Return the attempt, from 1 on, of each point of the stitched view of a scalar series, in file order."""
        parts = stitched_parts(self.attempts.get(rank, []), _scalar_reader(Tag("scalar", tag), None), NO_POINTS)
        return np.repeat(np.arange(1, len(parts) + 1, dtype=np.int32), [part.total for part in parts])

    def hidden(self, tag: str, rank: int) -> int:
        """Return how many points of a scalar series the stitched view hides, as a later attempt replaces them."""
        attempts = self.attempts.get(rank, [])
        if len(attempts) < 2:
            return 0
        scalar = Tag("scalar", tag)
        files = (file for attempt in attempts for file in attempt.files if not _hides(file, scalar, None))
        total = sum(file.series[scalar].total for file in files if scalar in file.series)
        return total - self.points(tag, rank).total

    def ordered(self, tag: str, rank: int, attempt: int | str | None, by: str) -> tuple[Points, Ordering]:
        """Return (a scalar series sorted by "step" or "wall_time", stably; its ordering).

        The points of every attempt together (ALL) are not sorted but in file order.
        """
        key = (tag, rank, attempt, by)
        if key not in self._ordered:
            points = self.points(tag, rank, attempt)
            self._ordered[key] = (points, ordering_of(points, by)) if attempt == ALL else sorted_points(points, by)
        return self._ordered[key]

    def payloads(self, tag: Tag, rank: int, attempt: int | str | None = None) -> Payloads:
        """Return a series of any other plugin in file order; no points if there are none.

        Args:
            tag: of a plugin that stores payloads. What is beside the training has no attempts.
            rank: of the writer.
            attempt: as for points().
        """
        if tag.plugin in ASIDE_PLUGINS:
            parts = [self._payloads_of(file, tag) for file in self.files if file.is_aside]
            return concatenate(parts, NO_PAYLOADS)

        def read(file: FileView) -> Payloads:
            return NO_PAYLOADS if _hides(file, tag, attempt) else self._payloads_of(file, tag)

        return _gather(self.attempts.get(rank, []), attempt, read, NO_PAYLOADS)

    def _payloads_of(self, file: FileView, tag: Tag) -> Payloads:
        series = file.series.get(tag)
        if not isinstance(series, Payloads):
            return NO_PAYLOADS
        number = next(number for number, each in enumerate(self.files) if each.path == file.path)
        return series._replace(file=np.full(series.total, number, np.uint32))


def sorted_points(points: Points, by: str) -> tuple[Points, Ordering]:
    """Return (points sorted by "step" or "wall_time", stably; their ordering, "none" if wall times are NaN)."""
    ordering = ordering_of(points, by)
    if ordering == "none":
        points = points.take(np.argsort(points.step if by == "step" else points.wall_time, kind="stable"))
        ordering = ordering_of(points, by)
    return points, ordering


def ordering_of(points: Points, by: str) -> Ordering:
    """Return how the points are ordered by "step" or "wall_time"."""
    steps = points.compact_step
    if by == "wall_time":
        return _ordering(points.wall_time)
    return ("strict" if steps.step > 0 else "none") if isinstance(steps, range) else _ordering(points.step)


def _ordering(keys: Int64s | Float64s) -> Ordering:
    if bool(np.all(keys[1:] > keys[:-1])):
        return "strict"
    return "ascending" if bool(np.all(keys[1:] >= keys[:-1])) else "none"


def _hides(file: FileView, tag: Tag, attempt: int | str | None) -> bool:
    """Return whether the stitched view omits a tag of a file as a by-product of MindSpore's landscapes."""
    is_shown = attempt is not None or tag.plugin in ("landscape", "graph", *ASIDE_PLUGINS)
    return not is_shown and is_by_product(file)


def _scalar_reader(tag: Tag, attempt: int | str | None) -> Callable[[FileView], Points]:
    """Return a function that returns the points of a scalar tag in a file."""

    def read(file: FileView) -> Points:
        series = None if _hides(file, tag, attempt) else file.series.get(tag)
        return series if isinstance(series, Points) else NO_POINTS

    return read


def _gather(
    attempts: list[Attempt], attempt: int | str | None, read: Callable[[FileView], Columns], none: Columns
) -> Columns:
    """Return a series of one rank: stitched, of one attempt or of all."""
    if attempt is None:
        return stitch(attempts, read, none)
    chosen = attempts if attempt == ALL else attempts[int(attempt) - 1 : int(attempt)]
    return concatenate([read(file) for attempt_files in chosen for file in attempt_files.files], none)


def _ranks(files: list[FileView]) -> dict[int, list[FileView]]:
    """Return the files of each rank; `files` are in order of their first event.

    TensorBoard's files have no rank. They are read together, as TensorBoard does: as rank 0, or as the lowest rank if
    other files have one. If several writers wrote them at the same time, each also has a number of its own: 1, 2, ...
    in order of the file names.
    """
    ranks: dict[int, list[FileView]] = {}
    has_ranks = any(map(_has_rank, files))
    for file in files:
        if file.rank is not None and has_ranks:
            ranks.setdefault(file.rank, []).append(file)
    unranked = [file for file in files if file.rank is None or not has_ranks]
    if ranks and unranked:
        lowest = min(ranks)
        ranks[lowest] = sorted(ranks[lowest] + unranked, key=first_wall_time)
    elif unranked:
        ranks[0] = unranked
        if len(writers := _writers(unranked)) > 1:
            ranks |= dict(enumerate(writers, 1))
    return ranks


def _has_rank(file: FileView) -> bool:
    """Return whether a file is of a process with a rank: a SummaryWriter records rank 0 without one too."""
    return file.rank is not None and (file.rank > 0 or file.version.dialect != "tensorboard")


def _writers(files: list[FileView]) -> list[list[FileView]]:
    """Return the files of each writer, in order of the file names: files that grew at the same time are of several.

    A writer has a file in each directory of its add_scalars() too: the n-th one there is of the n-th writer.
    """
    directories: dict[str, list[FileView]] = {}
    for file in files:
        directories.setdefault(file.part, []).append(file)
    several = [_writers_of_one(each) for each in directories.values()]
    joined = [[file for each in nth for file in each] for nth in zip_longest(*several, fillvalue=[])]
    return [sorted(each, key=first_wall_time) for each in joined]


def _writers_of_one(files: list[FileView]) -> list[list[FileView]]:
    """Return the files of each writer of one directory; those of a session are of one writer."""
    writers: list[list[FileView]] = []
    sessions: dict[bytes, list[FileView]] = {}
    for file in files:
        session = file.version.session_id
        writer = sessions.get(session) if session else None
        if writer is None:
            writer = next((each for each in writers if not any(_are_parallel(other, file) for other in each)), None)
        if writer is None:
            writers.append(writer := [])
        writer.append(file)
        sessions[session] = writer
    return sorted(writers, key=lambda each: min(file.path for file in each))


def _are_parallel(file: FileView, other: FileView) -> bool:
    """Return whether two files grew at the same time, unless one process wrote other tags to each of them."""
    if not overlaps(file, other):
        return False
    process, other_process = (process_of(os.path.basename(each.path)) for each in (file, other))
    return process is None or process != other_process or not file.series.keys().isdisjoint(other.series)
