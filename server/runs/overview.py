"""What the table of runs shows of each run; cached, so that only what changed is computed again."""

import weakref
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.index.packs.packed_series import PackedSeries
from toposcope.server.reading.series.series import Points
from toposcope.server.reading.series.series_summary import (
    NonFinitePoint,
    SeriesSummary,
    first_non_finite,
    follows,
    merge,
    merge_non_finite,
    summarise,
)
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.run_messages import TemporaryProblem
from toposcope.server.runs.parameters.hparams_sessions import (
    Sessions,
    by_parent,
    only_sessions,
    parent_of,
    read_session,
)
from toposcope.server.runs.parameters.hyper_parameters import RunSettings, read_settings
from toposcope.server.runs.parameters.session_names import is_named_by_time, session_names
from toposcope.server.runs.recordings.attempts import is_by_product
from toposcope.server.runs.run import RunView
from toposcope.server.runs.statistics.incremental_cache import IncrementalCache
from toposcope.server.values.hparams import SESSION_END, SESSION_START, Hparam

_SETTINGS_TAGS = [
    *(Tag("lineage", name) for name in ("train", "custom")),
    *(Tag("hparams", name) for name in (SESSION_START, SESSION_END)),
]


SETTINGS_PLUGINS = {tag.plugin for tag in _SETTINGS_TAGS}
"""Plugins of which the settings of a run are read."""
_NO_SETTINGS = RunSettings({}, {}, {}, [])


class NonFiniteScalar(NamedTuple):
    """A non-finite point of a run."""

    tag: str
    rank: int
    point: NonFinitePoint


class _Parent(NamedTuple):
    """The run that a session belongs to, determined from one view of the run above it."""

    above: "weakref.ref[RunView]"
    name: str | None
    hparams: Mapping[str, Hparam]
    """Those of the session, if its name is made from them."""


class Overview:
    """Caches results by run. Threads may share it: at worst they compute a result twice."""

    def __init__(self) -> None:
        self._replies: weakref.WeakKeyDictionary[RunView, dict[object, Any]] = weakref.WeakKeyDictionary()
        self._parents: weakref.WeakKeyDictionary[RunView, _Parent] = weakref.WeakKeyDictionary()
        self._summaries = IncrementalCache(summarise, merge, follows)
        self._non_finite = IncrementalCache(first_non_finite, merge_non_finite)
        self._settings: dict[str, tuple[object, RunSettings]] = {}
        self._with_hparams: tuple[Mapping[str, RunView], dict[str, RunView]] = {}, {}
        """All runs when they were looked at last, and those of them that have TensorBoard's hyperparameters."""
        self._kept_runs: object = None
        """Those of the last forget_all_but()."""
        self.unread: set[str] = set()
        """The runs whose hyperparameters could not be read when they were asked for last."""

    def reply_cache(self, run: RunView) -> dict[object, Any]:
        """Return a dictionary for replies about a run, which is dropped with this view of it."""
        return self._replies.setdefault(run, {})

    def summary(self, run: RunView, tag: str) -> tuple[int, SeriesSummary] | None:
        """Return (the lowest rank that has a scalar tag, the summary of its series); None if the run lacks the tag.

        It is that of the points that are drawn: those that a restart repeats, and those at repeated steps but the last,
        are left out.
        """
        scalar = Tag("scalar", tag)
        if not any(scalar in file.series for file in run.files):
            return None
        for rank, attempts in run.attempts.items():
            if len(attempts) > 1:  # A restart hides points of the attempt before.
                points = run.points(tag, rank)
                parts = [summarise(points)] if points.total else []
            else:
                parts = [part for file in _files_with(run, rank, scalar) if (part := self._summary(run, file, scalar))]
            if parts:
                self._release(run, self._summaries)
                if not all(follows(later, earlier) for earlier, later in pairwise(parts)):
                    parts = [summarise(run.points(tag, rank))]
                return rank, reduce(merge, parts)
        return None

    def _summary(self, run: RunView, file: FileView, tag: Tag) -> SeriesSummary | None:
        """Return the summary of a series of a file; None if it has no points."""
        if isinstance(file.series, PackedSeries):
            return file.series.summary(tag)
        points = file.series[tag]
        if not isinstance(points, Points) or not points.total:
            return None
        return self._summaries.result(run.name, file.path, tag.name, points)

    def first_non_finite(self, run: RunView) -> NonFiniteScalar | None:
        """Return the first non-finite point of a run: at the smallest step, and of several there the first in time."""
        scalars = [NonFiniteScalar(tag, rank, point) for tag, rank, point in self._non_finite_points(run)]
        self._release(run, self._non_finite)
        return min(scalars, key=lambda scalar: (scalar.point.step, scalar.point.wall_time), default=None)

    def _non_finite_points(self, run: RunView) -> Iterator[tuple[str, int, NonFinitePoint]]:
        """Yield (tag, rank, first non-finite point) for each tag of each rank that has any."""
        for rank, attempts in run.attempts.items():
            first: dict[str, NonFinitePoint | None] = {}
            for file, tag, points in _scalars(run, rank, may_be_finite=False):
                point = self._non_finite.result(run.name, file.path, tag.name, points)
                if point is not None:
                    first[tag.name] = merge_non_finite(first.get(tag.name), point)
            for name, point in first.items():
                if len(attempts) > 1:  # It may be among the points that a restart hides.
                    points = run.points(name, rank)
                    point = first_non_finite(points) if points.total else None
                if point is not None:
                    yield name, rank, point

    def _release(self, run: RunView, cache: IncrementalCache[Any]) -> None:
        """Drop the partial results of a run that no longer grows: the final ones are in the reply cache."""
        if not run.live:
            cache.forget(run.name)

    def settings(self, run: RunView, sessions: Iterable[RunView]) -> RunSettings:
        """Return the hyperparameters and the environment of a run; they are read again only if more was recorded.

        If they cannot be read at present, those that were read before are returned, with the reason.
        """
        holders = [run, *sessions]
        if all(SETTINGS_PLUGINS.isdisjoint(holder.plugins) for holder in holders):
            self._settings.pop(run.name, None)
            self.unread.discard(run.name)
            return _NO_SETTINGS
        recorded = [_recorded(file) for holder in holders for file in holder.files]
        identity = [file for file in recorded if file]
        cached = self._settings.get(run.name)
        if cached is not None and cached[0] == identity:
            return cached[1]
        settings = read_settings(run, holders[1:])
        if any(isinstance(problem, TemporaryProblem) for problem in settings.problems):
            self.unread.add(run.name)
            return cached[1]._replace(problems=settings.problems) if cached else settings
        self.unread.discard(run.name)
        self._settings[run.name] = identity, settings
        return settings

    def parents(self, runs: Mapping[str, RunView]) -> dict[str, str]:
        """Return the run that each hyperparameter session in a separate directory belongs to."""
        parents = {run.name: self._parent(run, runs) for run in self._find_hparams(runs).values()}
        return {name: parent for name, parent in parents.items() if parent is not None}

    def _find_hparams(self, runs: Mapping[str, RunView]) -> dict[str, RunView]:
        """Return the runs with TensorBoard's hyperparameters; only runs that changed are looked at."""
        before, old = self._with_hparams
        if before is runs:
            return old
        changed = [run for name, run in runs.items() if before.get(name) is not run]
        found = {name: run for name, run in old.items() if runs.get(name) is run}
        found |= {run.name: run for run in changed if "hparams" in run.plugins}
        self._with_hparams = runs, found
        return found

    def sessions(self, runs: Mapping[str, RunView]) -> Sessions:
        """Return the hyperparameter sessions that describe other runs."""
        return only_sessions(runs, self.parents(runs))

    def _parent(self, run: RunView, runs: Mapping[str, RunView]) -> str | None:
        above = runs.get(run.name.rpartition("/")[0] or ".")
        if above is None:
            return None
        cached = self._parents.get(run)
        if cached is None or cached.above() is not above:
            parent = parent_of(run, runs)
            is_named = parent is not None and is_named_by_time(run.name)
            session, problems = read_session(run) if is_named else (None, [])
            cached = _Parent(weakref.ref(above), parent, session.hparams if session else {})
            if not any(isinstance(problem, TemporaryProblem) for problem in problems):
                self._parents[run] = cached
        return cached.name

    def session_names(self, runs: Mapping[str, RunView]) -> dict[str, str]:
        """Return the names of the sessions whose directories are named by the time."""
        names: dict[str, str] = {}
        for sessions in by_parent(runs, self.parents(runs)).values():
            cached = [(run.name, self._parents.get(run)) for run in sessions if is_named_by_time(run.name)]
            of_run = {name: parent.hparams for name, parent in cached if parent and parent.hparams}
            names |= zip(of_run, session_names(list(of_run.values())), strict=True)
        return names

    def forget_all_but(self, runs: Mapping[str, RunView]) -> None:
        """Drop what is cached of runs that no longer exist."""
        if self._kept_runs is runs:
            return
        self._kept_runs = runs
        for gone in [name for name in self._settings if name not in runs]:
            self._settings.pop(gone, None)
        self.unread &= runs.keys()
        for cache in (self._summaries, self._non_finite):
            for gone in cache.runs - runs.keys():
                cache.forget(gone)


def shown_points(run: RunView, tag: str, rank: int) -> Points:
    """Return a scalar series in file order, without points that a restart repeats."""
    if len(run.attempts[rank]) == 1:
        files = [points for _, _, points in _scalars(run, rank, Tag("scalar", tag))]
        if len(files) == 1:  # points() takes 30 us longer.
            return files[0]
    return run.points(tag, rank)


def _scalars(
    run: RunView, rank: int, only: Tag | None = None, *, may_be_finite: bool = True
) -> Iterator[tuple[FileView, Tag, Points]]:
    """Yield the scalar series of the files of a rank in file order.

    Args:
        run: has the files.
        rank: of the writer.
        only: the tag of the series; None: all tags.
        may_be_finite: whether to yield the series of files known to have only finite values.
    """
    for file in _files_with(run, rank, only):
        if not may_be_finite and isinstance(file.series, PackedSeries) and file.series.is_finite:
            continue
        for tag in file.series if only is None else (only,):
            points = file.series[tag]
            if isinstance(points, Points) and points.total:
                yield file, tag, points


def _files_with(run: RunView, rank: int, tag: Tag | None = None) -> Iterator[FileView]:
    """Yield the files of a rank, all or those with one tag, in file order; none with by-products of landscapes."""
    for attempt in run.attempts[rank]:
        for file in attempt.files:
            if (tag is None or tag in file.series) and not is_by_product(file):
                yield file


def _recorded(file: FileView) -> tuple[object, ...] | None:
    """Return a value that changes with the lineage and hyperparameters in a file; None if it has none."""
    totals = tuple((tag, series.total) for tag in _SETTINGS_TAGS if (series := file.series.get(tag)) is not None)
    return (file.path, file.inode, totals) if totals else None
