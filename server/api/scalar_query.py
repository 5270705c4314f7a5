"""Queries shared by the routes of scalars, and the series that they select."""

from typing import Annotated, Literal

from fastapi import HTTPException
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.cursors import PATTERN
from toposcope.server.api.errors import INVALID_REQUEST, Problem, Replies
from toposcope.server.api.request_limits import MOST_RUNS, MOST_TAGS
from toposcope.server.api.snapshot import choose_runs, not_found
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.chosen_series import Choice, ranks
from toposcope.server.runs.downsample import Scale
from toposcope.server.runs.run import RunView
from toposcope.server.runs.selection import Axis
from toposcope.server.runs.smoothing import PATTERN as SMOOTHING_PATTERN
from toposcope.server.runs.smoothing import Smoothing, parse_smoothing

Smooth = Annotated[
    str,
    Field(
        max_length=100,
        description="ema:WEIGHT: exponential moving average with this weight of previous values; time:HALF_LIFE: the "
        "same with the distance on the axis, in steps or seconds, that halves a weight; median:WINDOW: running median "
        "over an odd number of points",
        examples=["ema:0.9", "time:100", "median:31"],
        json_schema_extra={"pattern": SMOOTHING_PATTERN},
    ),
]
Since = Annotated[
    int, Field(ge=0, lt=2**53, description="a revision of this server: 304 if nothing selected has changed since then")
]
Cursor = Annotated[str, Field(pattern=PATTERN)]
ColumnName = Literal["step", "wall_time", "value", "smoothed"]


class SeriesQuery(BaseModel):
    """Selects series and a window."""

    model_config = ConfigDict(extra="forbid")

    tag: list[str] = Field(min_length=1, max_length=1000, description="tags; at least one")
    run: list[str] = Field([], max_length=1000, description="runs; none: all")
    rank: Annotated[int, Field(ge=0, lt=2**31)] | Literal["all"] | None = Field(
        None, description="default: the lowest rank that has the series"
    )
    attempt: Annotated[int, Field(ge=1, lt=2**31)] | Literal["all"] | None = Field(
        None,
        description="default: stitched, without points repeated by a later attempt; all: all points in file order",
    )
    lo: float = Field(
        float("-inf"), description="lower bound on the axis, inclusive", json_schema_extra={"default": None}
    )
    hi: float = Field(
        float("inf"), description="upper bound on the axis, inclusive", json_schema_extra={"default": None}
    )
    axis: Axis = Field("step", description="relative: seconds since the start of the run")


class DrawnQuery(SeriesQuery):
    """Selects series and a window, and how to downsample and smooth them."""

    points: int = Field(1000, ge=0, lt=2**31, description="approximate number of points per series; 0: all points")
    scale: Scale = Field("linear", description="scale of the axis; log spreads the points evenly along its logarithm")
    smooth: Smooth | None = None
    since: Since | None = None


class ColumnsQuery(DrawnQuery):
    """A DrawnQuery, what of the series to return, and what of it the client has."""

    column: list[ColumnName] = Field([], max_length=4, description="columns to return, others are empty; none: all")
    since: Annotated[
        int | None,
        Field(
            ge=0,
            lt=2**53,
            description="the revision of an earlier reply: only series of runs that have changed since then are "
            "returned; 304 if there are none. All series are returned if a run was removed since then, or if another "
            "server replied",
        ),
    ] = None
    cursor: list[Cursor] = Field(
        [],
        max_length=MOST_RUNS,
        description="cursors of series in earlier replies to the same query, in any order: of these series only the "
        "points that the client lacks are returned, see kept",
    )


class LongLists(BaseModel):
    """Fields of a JSON body, which are validated strictly and whose lists may be longer than in a URL."""

    model_config = ConfigDict(strict=True)

    tag: list[str] = Field(min_length=1, max_length=MOST_TAGS, description="tags; at least one")
    run: list[str] = Field([], max_length=MOST_RUNS, description="runs; none: all")


REPLIES: Replies = {
    304: {"description": "None of the series has changed since that revision."},
    404: {"model": Problem, "description": "No run has any of the tags, or none of the runs exists."},
    **INVALID_REQUEST,
}


def smoothing_of(text: str | None) -> Smoothing | None:
    """Return the smoothing that a request specifies.

    Raises:
        HTTPException: 422 if it is invalid.
    """
    try:
        return None if text is None else parse_smoothing(text)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error


def is_comparable(current: Snapshot, since: int | None) -> bool:
    """Return whether only what has changed since a revision is new: no run was removed after it."""
    return since is not None and current.removal <= since <= current.revision


def is_unchanged(current: Snapshot, since: int | None, names: list[str]) -> bool:
    """Return whether a reply about these runs (all, if there are no names) is the same as at revision `since`."""
    if since is None or not is_comparable(current, since):
        return False
    runs, _ = choose_runs(current, names)
    return bool(runs) and all(run.revision <= since for run in runs)


def find_series(current: Snapshot, query: SeriesQuery) -> tuple[list[tuple[str, RunView, int]], list[str]]:
    """Return (tag, run, rank) of each selected series, and the tags and runs without a series.

    Raises:
        HTTPException: 404 if no run has any of the tags, or none of the runs exists; 422 if lo is above hi.
    """
    if not query.lo <= query.hi:
        raise HTTPException(422, f"lo={query.lo} is above hi={query.hi}: expected lo <= hi")
    runs, missing_runs = choose_runs(current, query.run)
    if query.run and not runs:
        raise not_found("run", missing_runs)
    choice = Choice(query.rank, query.attempt)
    series = [
        (tag, run, rank)
        for tag in dict.fromkeys(query.tag)
        for run in runs
        for rank in ranks(run, Tag("scalar", tag), choice)
    ]
    missing_tags = sorted(set(query.tag) - {tag for tag, _, _ in series})
    # If other runs have the tag, the reply is empty instead of 404: pages send such requests when runs are hidden.
    if not series and not any(Tag("scalar", tag) in run.tags for run in current.runs.values() for tag in query.tag):
        raise not_found("scalar tag", missing_tags)
    return series, missing_tags + missing_runs
