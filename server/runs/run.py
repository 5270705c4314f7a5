"""One run: its files sorted by rank and attempt, and its series put together from them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Literal

import numpy as np

from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.series import (
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
from toposcope.server.runs.attempts import Attempt, find_attempts, first_wall_time, is_by_product, overlaps, stitch

ALL = "all"
"""As an attempt: every point in file order, nothing hidden."""
Ordering = Literal["strict", "ascending", "none"]
"""How the points of a series follow one another."""
LINEAGE_PLUGINS = ("lineage", "dataset_graph")
"""What stands in lineage files."""


class RunView:
    """What is known of a run at one moment. Immutable but for what it remembers of its own answers."""

    def __init__(self, name: str, files: Iterable[FileView], revision: int, live: bool) -> None:
        self.name = name
        self.files = sorted(files, key=first_wall_time)
        """Lineage files included."""
        self.revision = revision
        self.live = live
        self._numbers = {file.path: number for number, file in enumerate(self.files)}
        self._points: dict[tuple[str, int, int | str | None], Points] = {}
        self._ordered: dict[tuple[str, int, int | str | None, str], tuple[Points, Ordering]] = {}

    @cached_property
    def started(self) -> float | None:
        """Smallest wall_time, in seconds since 1970."""
        return min((file.wall_times[0] for file in self.files if file.wall_times), default=None)

    @cached_property
    def updated(self) -> float | None:
        """Largest wall_time, in seconds since 1970."""
        return max((file.wall_times[1] for file in self.files if file.wall_times), default=None)

    @cached_property
    def steps(self) -> tuple[int, int] | None:
        """Smallest and largest step of all summaries but the by-products of landscapes."""
        spans = [file.steps for file in self.files if file.steps and not is_by_product(file)]
        return (min(first for first, _ in spans), max(last for _, last in spans)) if spans else None

    @cached_property
    def dialect(self) -> str:
        """Dialect of the first file."""
        return self.files[0].version.dialect

    @cached_property
    def attempts(self) -> Mapping[int, list[Attempt]]:
        """Attempts of each rank; lineage files belong to none."""
        files = [file for file in self.files if not file.is_lineage]
        return {rank: find_attempts(files) for rank, files in sorted(_ranks(files).items())}

    @cached_property
    def plugins(self) -> Mapping[str, int]:
        """Number of tags of each plugin."""
        return Counter(tag.plugin for tag in {tag: None for file in self.files for tag in file.series})

    @cached_property
    def tags(self) -> list[Tag]:
        """Tags that have points in the stitched view of some rank, in the order they were first met."""
        tags = {tag: None for file in self.files for tag in file.series if not _hides(file, tag, None)}
        if all(len(attempts) == 1 for attempts in self.attempts.values()):
            return list(tags)  # Nothing is hidden by a restart.
        return [tag for tag in tags if self.ranks_of(tag)]

    def tags_of(self, plugin: str) -> list[str]:
        """Return the tags of a plugin that have points in the stitched view of some rank, as they were first met."""
        return [tag.name for tag in self.tags if tag.plugin == plugin]

    def ranks_of(self, tag: Tag, attempt: int | str | None = None) -> list[int]:
        """Return the ranks that have points of a tag; lineage has none and stands under 0."""
        ranks = [0] if tag.plugin in LINEAGE_PLUGINS else list(self.attempts)
        return [rank for rank in ranks if len(self.steps_of(tag, rank, attempt))]

    def steps_of(self, tag: Tag, rank: int, attempt: int | str | None = None) -> Int64s:
        """Return the steps of a series of any plugin, in file order."""
        if tag.plugin == "scalar":
            return self.points(tag.name, rank, attempt).step
        return self.payloads(tag, rank, attempt).step

    def points(self, tag: str, rank: int, attempt: int | str | None = None) -> Points:
        """Return a scalar series in file order; no points when the rank or the attempt has none.

        Args:
            tag: name of a scalar tag.
            rank: which writer.
            attempt: None for the stitched view, a number from 1 on for one attempt, ALL for every point.
        """
        key, scalar = (tag, rank, attempt), Tag("scalar", tag)
        attempts = self.attempts.get(rank, [])
        if not any(scalar in file.series for file in self.files) or (
            isinstance(attempt, int) and attempt > len(attempts)
        ):
            return NO_POINTS  # Not remembered: there is no end to what may be asked for.
        if key not in self._points:

            def read(file: FileView) -> Points:
                found = None if _hides(file, scalar, attempt) else file.series.get(scalar)
                return found if isinstance(found, Points) else NO_POINTS

            self._points[key] = _gather(attempts, attempt, read, NO_POINTS)
        return self._points[key]

    def ordered(self, tag: str, rank: int, attempt: int | str | None, by: str) -> tuple[Points, Ordering]:
        """Return a scalar series sorted by "step" or "wall_time", equal ones in file order, and how it is ordered.

        Of every attempt together (ALL) the points are in file order as they are.
        """
        key = (tag, rank, attempt, by)
        if key not in self._ordered:
            points = self.points(tag, rank, attempt)
            keys: Int64s | Float64s = points.step if by == "step" else points.wall_time
            if _ordering(keys) == "none" and attempt != ALL:
                points = points.take(np.argsort(keys, kind="stable"))
                keys = points.step if by == "step" else points.wall_time
            self._ordered[key] = points, _ordering(keys)
        return self._ordered[key]

    def payloads(self, tag: Tag, rank: int, attempt: int | str | None = None) -> Payloads:
        """Return a series of another plugin than scalars in file order; no points when there are none.

        Args:
            tag: of any plugin that stores payloads. Lineage and dataset graphs have no attempts.
            rank: which writer.
            attempt: as for points.
        """
        if tag.plugin in LINEAGE_PLUGINS:
            parts = [self._payloads_of(file, tag) for file in self.files if file.is_lineage]
            return concatenate(parts, NO_PAYLOADS)

        def read(file: FileView) -> Payloads:
            return NO_PAYLOADS if _hides(file, tag, attempt) else self._payloads_of(file, tag)

        return _gather(self.attempts.get(rank, []), attempt, read, NO_PAYLOADS)

    def _payloads_of(self, file: FileView, tag: Tag) -> Payloads:
        found = file.series.get(tag)
        if not isinstance(found, Payloads):
            return NO_PAYLOADS
        return found._replace(file=np.full(found.total, self._numbers[file.path], np.uint32))


def _ordering(keys: Int64s | Float64s) -> Ordering:
    if bool(np.all(keys[1:] > keys[:-1])):
        return "strict"
    return "ascending" if bool(np.all(keys[1:] >= keys[:-1])) else "none"


def _hides(file: FileView, tag: Tag, attempt: int | str | None) -> bool:
    """Say whether the stitched view leaves out a tag of a file: what MindSpore writes beside its landscapes."""
    is_shown = attempt is not None or tag.plugin in ("landscape", "graph", *LINEAGE_PLUGINS)
    return not is_shown and is_by_product(file)


def _gather(
    attempts: list[Attempt], attempt: int | str | None, read: Callable[[FileView], Columns], none: Columns
) -> Columns:
    """Return a series of one rank: stitched, of one attempt or of all."""
    if attempt is None:
        return stitch(attempts, read, none)
    chosen = attempts if attempt == ALL else attempts[int(attempt) - 1 : int(attempt)]
    return concatenate([read(file) for each in chosen for file in each.files], none)


def _ranks(files: list[FileView]) -> dict[int, list[FileView]]:
    """Sort files, ordered by when they began, by rank.

    TensorBoard's files name no rank: files that grew at the same time are writers of their own, numbered by file name.
    """
    ranks: dict[int, list[FileView]] = {}
    unranked: list[list[FileView]] = []
    for file in files:
        if file.rank is not None:
            ranks.setdefault(file.rank, []).append(file)
            continue
        free = next((lane for lane in unranked if not any(overlaps(other, file) for other in lane)), None)
        if free is None:
            unranked.append([file])
        else:
            free.append(file)
    for number, lane in enumerate(sorted(unranked, key=lambda lane: min(file.path for file in lane))):
        ranks.setdefault(number, []).extend(lane)
    return ranks
