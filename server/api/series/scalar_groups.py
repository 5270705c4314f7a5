"""GET and POST /api/scalars/groups: a band for each group of runs."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Body, HTTPException, Query, Request, Response
from pydantic import BaseModel, Field

from toposcope.server.api.notes import notes_of
from toposcope.server.api.replies.cbor import MEDIA_TYPE
from toposcope.server.api.replies.columns import Column, accepts_cbor, cbor_column, columns_reply, json_column
from toposcope.server.api.replies.errors import Replies, body_errors
from toposcope.server.api.replies.json_reply import Number
from toposcope.server.api.requests.budgeted import Work, within_budget
from toposcope.server.api.requests.request_limits import MAX_BODY_BYTES, MAX_RUNS
from toposcope.server.api.requests.snapshot import Current, choose_runs, logdir_of
from toposcope.server.api.series.scalar_cost import bands_cost
from toposcope.server.api.series.scalar_query import (
    REPLIES,
    DrawnQuery,
    LongLists,
    find_series,
    is_unchanged,
    smoothing_of,
    sources_of,
)
from toposcope.server.budget.cancellation import check
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.notes.run_notes import NO_NOTES
from toposcope.server.runs.grouping import PATTERN, Group, Grouping, group_runs, parse_grouping
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.parameters.hyper_parameters import Value
from toposcope.server.runs.run import RunView
from toposcope.server.runs.selection.alignment import PositionLimits, curve_of, position_limits
from toposcope.server.runs.selection.bands import Band, Centre, Spread, compute_band
from toposcope.server.runs.selection.sources import FoundSeries, Source
from toposcope.server.runs.statistics.smoothing import Requested

router = APIRouter(prefix="/api")
_REPLIES: Replies = {200: {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}}, **REPLIES}
_POST_REPLIES = _REPLIES | body_errors(MAX_BODY_BYTES)
_Runs = Annotated[list[str], Field(max_length=MAX_RUNS)]
_Groups = Annotated[dict[str, _Runs], Field(max_length=10_000)]


class GroupQuery(DrawnQuery):
    """Selects series, how they are grouped, and the statistics of a group."""

    by: str | None = Field(
        None,
        max_length=2000,
        description="none: all runs are one group; label: the runs with a label are a group; regex:PATTERN: runs are "
        "grouped by the match of a Python regular "
        "expression of at most 200 characters in their name, or by its first capture group; param:NAME: runs are "
        "grouped by the value of a hyperparameter",
        examples=["none", "regex:seed_?[0-9]+", "param:learning_rate"],
        json_schema_extra={"pattern": PATTERN},
    )
    centre: Centre = Field(
        "mean", description="statistic of the centre line; sum with rank=all adds up the throughput of all ranks"
    )
    band: Spread = Field(
        "minmax", description="edges of the band; std: mean minus and plus the standard deviation of the sample"
    )


class GroupBody(LongLists, GroupQuery):
    """A GroupQuery as JSON, which may also specify the groups."""

    groups: _Groups | None = Field(None, description="runs by group name, instead of run and by")


class ScalarGroup(BaseModel):
    """Statistics across the series of a group of runs for one tag or expression, at each position on the axis.

    Each series is smoothed first, if requested. The positions are those of the points of all series; of several points
    of a series at the same position the last one counts. A series is interpolated linearly between its points; it
    has no value before its first and after its last point, nor next to a point that is not finite.
    """

    tag: str
    """The tag, or the expression."""
    expr: bool
    """Whether it is an expression."""
    group: str
    runs: list[str]
    """The runs of the group that have a series."""
    x: list[int | Number]
    """Positions: steps or seconds, depending on the axis, or values of the requested tag x."""
    step: list[int]
    """The same if they are steps, else empty."""
    centre: list[Number]
    """NaN if no series has a finite value at the position."""
    low: list[Number]
    """Lower edge of the band; empty without a band."""
    high: list[Number]
    """Upper edge of the band; empty without a band."""
    count: list[int]
    """Number of series with a finite value at the position: one per run, unless rank=all."""
    non_finite: list[int]
    """Number of series whose point at the position is NaN or infinite, and thus ignored."""
    total: int
    """Positions in the window before downsampling."""
    aligned: int
    """Number of positions at which the statistics were computed, before downsampling: all, unless the product of
    positions and series of all groups exceeds 2**24. Then it is the positions of the extremes of each series, where the
    statistics are exact."""


class ScalarGroups(BaseModel):
    """The groups with any of the series, in the order of the request; as CBOR, with columns as those of series."""

    revision: int
    tag: str | None
    """The tag, if the request has only one and no expressions."""
    groups: list[ScalarGroup]
    """For each tag or expression: groups named by numbers, by number, then others by name; posted ones in order."""
    ungrouped: list[str]
    """Runs with any series that are in no group: the pattern does not match, or the hyperparameter is missing."""
    missing: list[str]
    """Requested tags, expressions and runs without a series."""


@router.get("/scalars/groups", response_model=ScalarGroups, responses=_REPLIES)
async def read_groups(request: Request, current: Current, query: Annotated[GroupQuery, Query()]) -> Response:
    """Read a band for each group of runs, as JSON, or as CBOR if the header Accept names it."""
    return await within_budget(request, lambda: _plan(request, current, query, None))


@router.post("/scalars/groups", response_model=ScalarGroups, responses=_POST_REPLIES, max_body_size=MAX_BODY_BYTES)
async def read_many_groups(request: Request, current: Current, query: Annotated[GroupBody, Body()]) -> Response:
    """Read a band for each group of runs; the same as GET, for long lists or for explicit groups."""
    if query.groups is not None:
        if query.run or query.by is not None:
            raise HTTPException(422, "groups cannot be combined with run or by: expected groups, or run and by")
        runs = [run for group in query.groups.values() for run in group]
        if not runs:
            raise HTTPException(422, "the groups are empty: expected at least one run")
        query.run = list(dict.fromkeys(runs))
    logdir_of(request).prioritise(query.run)
    return await within_budget(request, lambda: _plan(request, current, query, query.groups))


def _plan(request: Request, current: Snapshot, query: GroupQuery, posted_groups: _Groups | None) -> Response | Work:
    smoothing = smoothing_of(query.smooth)
    try:
        grouping = parse_grouping(query.by)
    except ValueError as error:
        raise _invalid_grouping(query.by, error) from error
    # The hyperparameters of a run may be in a run below it.
    relevant_runs = query.run if grouping.kind != "param" else []
    if grouping.kind == "label":  # Notes change without the runs.
        query.since = None
    if is_unchanged(current, query.since, relevant_runs) and not find_series(current, query)[1]:
        return Response(status_code=304)
    series, missing = find_series(current, query)
    # Patterns have limits of their own, and may wait for others: not in the place of a request that computes.
    groups = _groups(request, current, query, grouping, posted_groups)

    def compute() -> Response:
        return _bands(request, current, query, smoothing, series, missing, groups)

    return Work(bands_cost(series, query.attempt, smoothing), compute)


def _bands(
    request: Request,
    current: Snapshot,
    query: GroupQuery,
    smoothing: Requested | None,
    series: list[FoundSeries],
    missing: list[str],
    grouped: tuple[list[Group], list[str]],
) -> Response:
    groups, ungrouped = grouped
    having_tag = {run.name for _, run, _ in series}
    ranks = defaultdict[tuple[Source, str], list[int]](list)
    for source, run, rank in series:
        ranks[source, run.name].append(rank)
    is_cbor = accepts_cbor(request)
    encode = cbor_column if is_cbor else json_column
    return columns_reply(
        {
            "revision": current.revision,
            "tag": query.tag[0] if len(query.tag) == 1 and not query.expr else None,
            "groups": [
                _group(source, name, members, query, smoothing, limits, encode)
                for source in sources_of(query)
                for name, members, limits in _members(source, groups, ranks)
            ],
            "ungrouped": [name for name in ungrouped if name in having_tag],
            "missing": missing,
        },
        is_cbor,
    )


def _groups(
    request: Request, current: Snapshot, query: GroupQuery, grouping: Grouping, posted_groups: _Groups | None
) -> tuple[list[Group], list[str]]:
    """Return (groups, names of runs in no group)."""
    if posted_groups is not None:
        return [Group(name, choose_runs(current, runs)[0] if runs else []) for name, runs in posted_groups.items()], []
    overview: Overview = request.app.state.overview
    sessions = overview.sessions(current.runs) if grouping.kind == "param" else {}

    def hyper_parameters(run: RunView) -> dict[str, Value]:
        return overview.settings(run, sessions.get(run.name, ())).hyper_parameters

    notes = notes_of(request).current().runs

    def labels(run: RunView) -> list[str]:
        return notes.get(run.name, NO_NOTES).labels

    try:
        return group_runs(choose_runs(current, query.run)[0], grouping, hyper_parameters, labels)
    except ValueError as error:
        raise _invalid_grouping(query.by, error) from error


def _invalid_grouping(by: str | None, error: ValueError) -> HTTPException:
    return HTTPException(422, f"by={by!r}: {error}")


def _members(
    source: Source, groups: list[Group], ranks: Mapping[tuple[Source, str], list[int]]
) -> list[tuple[str, list[tuple[RunView, int]], PositionLimits]]:
    """Return (name, series, limits) of each group that has a series; `ranks` is keyed by source and run."""
    members = [
        (group.name, [(run, rank) for run in group.runs for rank in ranks.get((source, run.name), ())])
        for group in groups
    ]
    limits = position_limits(sum(len(series) for _, series in members))
    return [(name, series, limits) for name, series in members if series]


def _group(
    source: Source,
    name: str,
    members: list[tuple[RunView, int]],
    query: GroupQuery,
    smoothing: Requested | None,
    limits: PositionLimits,
    encode: Column,
) -> dict[str, Any]:
    curves = []
    for run, rank in members:
        check()
        curves.append(curve_of(run, source, rank, query.attempt, query.axis, smoothing))
    band: Band = compute_band(curves, query.centre, query.band, query.lo, query.hi, query.points, limits, query.scale)
    return {
        "tag": source.text,
        "expr": source.is_expression,
        "group": name,
        "runs": list(dict.fromkeys(run.name for run, _ in members)),
        "x": encode(band.x),
        "step": encode(band.x) if query.axis == "step" and query.x is None else [],
        "centre": encode(band.centre),
        "low": encode(band.low),
        "high": encode(band.high),
        "count": encode(band.present),
        "non_finite": encode(band.non_finite),
        "total": band.total,
        "aligned": band.aligned,
    }
