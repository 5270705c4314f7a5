"""GET and POST /api/scalars/groups: bands, one a group of runs."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Body, HTTPException, Query, Request, Response
from pydantic import BaseModel, Field

from toposcope.server.api.json_reply import Number, json_reply, numbers
from toposcope.server.api.scalar_query import (
    MOST_BYTES,
    MOST_RUNS,
    POST_REPLIES,
    REPLIES,
    DrawnQuery,
    LongLists,
    find_series,
    is_known,
    smoothing_of,
)
from toposcope.server.api.snapshot import Current, choose_runs, logdir_of
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.runs.alignment import PositionLimits, curve_of, position_limits
from toposcope.server.runs.bands import Band, Centre, Spread, compute_band
from toposcope.server.runs.grouping import PATTERN, Group, Grouping, group_runs, parse_grouping
from toposcope.server.runs.hyper_parameters import Value
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView
from toposcope.server.runs.smoothing import Smoothing

router = APIRouter()
_Runs = Annotated[list[str], Field(max_length=MOST_RUNS)]
_Groups = Annotated[dict[str, _Runs], Field(max_length=10_000)]


class GroupQuery(DrawnQuery):
    """Which series, how they are grouped, and what is told of a group."""

    by: str | None = Field(
        None,
        max_length=2000,
        description="none: all runs are one group; regex:PATTERN, of Python and of 200 characters at most: what it "
        "finds in the name of a run, its first capture group or else all of the match, names the run's group; "
        "param:NAME: the value of the hyperparameter does",
        examples=["none", "regex:seed_?[0-9]+", "param:learning_rate"],
        json_schema_extra={"pattern": PATTERN},
    )
    centre: Centre = Field("mean", description="the line in the middle")
    band: Spread = Field(
        "minmax", description="the edges; std: the mean less and plus the standard deviation of the population"
    )


class GroupBody(LongLists, GroupQuery):
    """A GroupQuery in JSON, which may also tell the groups."""

    groups: _Groups | None = Field(None, description="runs by name of their group; instead of run and by")


class ScalarGroup(BaseModel):
    """A group of runs in one tag: statistics across its series, place by place on the axis.

    Each series is smoothed first, where that is asked for. A place is where any of the series has a point; of points of
    a series at the same place the last counts. Between its points a series is interpolated linearly, before its first
    and behind its last one it has no value, nor between a point and one that is not finite.
    """

    tag: str
    group: str
    runs: list[str]
    """Those that have the tag."""
    x: list[int | Number]
    """Places: steps, or seconds, as the axis is."""
    step: list[int]
    """The same on the axis of steps, else empty."""
    centre: list[Number]
    """NaN where no series has a finite value."""
    low: list[Number]
    """Lower edge; empty without a band."""
    high: list[Number]
    """Upper edge; empty without a band."""
    count: list[int]
    """Series that have a finite value there: one a run, unless every rank is asked for."""
    non_finite: list[int]
    """Series whose own point there is NaN or infinite: it is left out."""
    total: int
    """Places in the window before downsampling."""
    aligned: int
    """At how many of these the statistics were computed, before downsampling: all, unless places times series of all
    groups are more than 2**24. Then it is where each series has its extremes, and exact there."""


class ScalarGroups(BaseModel):
    """The groups that have any of the tags, by tag in the order asked for."""

    revision: int
    tag: str | None
    """The tag, when one was asked for."""
    groups: list[ScalarGroup]
    """Of each tag first those whose names are numbers, by number, then by name; those that were posted as they were."""
    ungrouped: list[str]
    """Runs that have any of the tags, but the pattern finds nothing in their names, or they lack the hyperparameter."""
    missing: list[str]
    """Tags and runs asked for that no series has."""


@router.get("/scalars/groups", response_model=ScalarGroups, responses=REPLIES)
def read_groups(request: Request, current: Current, query: Annotated[GroupQuery, Query()]) -> Response:
    """Read one band a group of runs."""
    return _read(request, current, query, None)


@router.post("/scalars/groups", response_model=ScalarGroups, responses=POST_REPLIES, max_body_size=MOST_BYTES)
def read_many_groups(request: Request, current: Current, query: Annotated[GroupBody, Body()]) -> Response:
    """Read one band a group of runs; the same as GET for lists that are too long for a URL, or for groups as told."""
    if query.groups is not None:
        if query.run or query.by is not None:
            raise HTTPException(422, "groups stand beside run or by: expected groups, or run and by")
        runs = [run for group in query.groups.values() for run in group]
        if not runs:
            raise HTTPException(422, "no group has a run: expected one at least")
        query.run = list(dict.fromkeys(runs))
    logdir_of(request).prioritise(query.run)
    return _read(request, current, query, query.groups)


def _read(request: Request, current: Snapshot, query: GroupQuery, told: _Groups | None) -> Response:
    smoothing = smoothing_of(query.smooth)
    try:
        grouping = parse_grouping(query.by)
    except ValueError as error:
        raise _refused(query.by, error) from error
    found, missing = find_series(current, query)
    # A run below another may hold its hyperparameters.
    watched = query.run if grouping.kind != "param" else []
    if not missing and is_known(current, query.since, watched):
        return Response(status_code=304)
    having = {run.name for _, run, _ in found}
    ranks = defaultdict[tuple[str, str], list[int]](list)
    for tag, run, rank in found:
        ranks[tag, run.name].append(rank)
    groups, ungrouped = _groups(request, current, query, grouping, told)
    return json_reply(
        {
            "revision": current.revision,
            "tag": query.tag[0] if len(query.tag) == 1 else None,
            "groups": [
                _group(tag, name, members, query, smoothing, room)
                for tag in dict.fromkeys(query.tag)
                for name, members, room in _members(tag, groups, ranks)
            ],
            "ungrouped": [name for name in ungrouped if name in having],
            "missing": missing,
        }
    )


def _groups(
    request: Request, current: Snapshot, query: GroupQuery, grouping: Grouping, told: _Groups | None
) -> tuple[list[Group], list[str]]:
    """Return (groups, names of the runs in none)."""
    if told is not None:
        return [Group(name, choose_runs(current, runs)[0] if runs else []) for name, runs in told.items()], []
    overview: Overview = request.app.state.overview
    sessions = defaultdict[str, list[RunView]](list)
    if grouping.kind == "param":
        parents = overview.parents(current.runs)
        for name in sorted(parents, key=lambda name: current.runs[name].started or 0.0):
            sessions[parents[name]].append(current.runs[name])

    def hyper_parameters(run: RunView) -> dict[str, Value]:
        return overview.settings(run, sessions.get(run.name, ())).hyper_parameters

    try:
        return group_runs(choose_runs(current, query.run)[0], grouping, hyper_parameters)
    except ValueError as error:
        raise _refused(query.by, error) from error


def _refused(by: str | None, error: ValueError) -> HTTPException:
    return HTTPException(422, f"by={by!r}: {error}")


def _members(
    tag: str, groups: list[Group], ranks: Mapping[tuple[str, str], list[int]]
) -> list[tuple[str, list[tuple[RunView, int]], PositionLimits]]:
    """Return (name, series, room) of the groups that have a tag, whose ranks are given by tag and run."""
    members = [
        (group.name, [(run, rank) for run in group.runs for rank in ranks.get((tag, run.name), ())]) for group in groups
    ]
    room = position_limits(sum(len(series) for _, series in members))
    return [(name, series, room) for name, series in members if series]


def _group(
    tag: str,
    name: str,
    members: list[tuple[RunView, int]],
    query: GroupQuery,
    smoothing: Smoothing | None,
    room: PositionLimits,
) -> dict[str, Any]:
    curves = [curve_of(run, tag, rank, query.attempt, query.axis, smoothing) for run, rank in members]
    band: Band = compute_band(curves, query.centre, query.band, query.lo, query.hi, query.points, room, query.scale)
    return {
        "tag": tag,
        "group": name,
        "runs": list(dict.fromkeys(run.name for run, _ in members)),
        "x": band.x,
        "step": band.x if query.axis == "step" else [],
        "centre": numbers(band.centre),
        "low": numbers(band.low),
        "high": numbers(band.high),
        "count": band.present,
        "non_finite": band.non_finite,
        "total": band.total,
        "aligned": band.aligned,
    }
