"""Queries shared by the routes of scalars, and the series that they select."""

from typing import Annotated, Literal, Self

from fastapi import HTTPException
from pydantic import BaseModel, ConfigDict, Field, model_validator

from toposcope.server.api.replies.errors import INVALID_REQUEST, Problem, Replies
from toposcope.server.api.requests.cursors import PATTERN
from toposcope.server.api.requests.request_limits import MAX_RUNS, MAX_TAGS
from toposcope.server.api.requests.snapshot import choose_runs, not_found
from toposcope.server.expressions.evaluation import RateUnit
from toposcope.server.expressions.joining import Join
from toposcope.server.expressions.syntax import LONGEST, parse
from toposcope.server.expressions.tokens import ExpressionError
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.selection.chosen_series import Choice
from toposcope.server.runs.selection.selection import Axis
from toposcope.server.runs.selection.sources import FoundSeries, Source, series_of, tag_source
from toposcope.server.runs.statistics.downsample import Scale
from toposcope.server.runs.statistics.smoothing import PATTERN as SMOOTHING_PATTERN
from toposcope.server.runs.statistics.smoothing import Requested, parse_smoothing

Smooth = Annotated[
    str,
    Field(
        max_length=100,
        description="ema:WEIGHT: exponential moving average with this weight of previous values; time:HALF_LIFE: the "
        "same with the distance on the axis, in steps or seconds, that halves a weight; median:WINDOW: running median "
        "over an odd number of points; auto: of series of at least 500 points that scatter, the average by distance "
        "with a half-life of 1/64 to 1/128 of their range on the axis, and of others nothing",
        examples=["auto", "ema:0.9", "time:100", "median:31"],
        json_schema_extra={"pattern": SMOOTHING_PATTERN},
    ),
]
Since = Annotated[
    int, Field(ge=0, lt=2**53, description="a revision of this server: 304 if nothing selected has changed since then")
]
Cursor = Annotated[str, Field(pattern=PATTERN)]
Expression = Annotated[str, Field(max_length=LONGEST)]
ColumnName = Literal["step", "wall_time", "value", "x", "smoothed"]


class SeriesQuery(BaseModel):
    """Selects series and a window."""

    model_config = ConfigDict(extra="forbid")

    tag: list[str] = Field([], max_length=1000, description="tags; at least one, or an expression")
    expr: list[Expression] = Field(
        [], max_length=100, description="expressions of tags", examples=["validation/loss - train/loss"]
    )
    join: Join = Field(
        "equal",
        description="at which steps the operands of expressions, and x, are joined; equal: those that all have; last: "
        "those that any has, with the last value of each at or before the step",
    )
    rate: RateUnit = Field("step", description="the unit of rate() in expressions")
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
    axis: Axis = Field(
        "step",
        description="relative: seconds since the start of the run; active: without those from a stop until a "
        "resumption; relative_step: steps since its first one",
    )

    @model_validator(mode="after")
    def _has_series(self) -> Self:
        if not self.tag and not self.expr:
            raise ValueError("expected at least one tag or expr")
        return self


class DrawnQuery(SeriesQuery):
    """Selects series and a window, and how to downsample and smooth them."""

    x: str | None = Field(
        None,
        description="a tag whose values are the positions: points are in order of x, lo and hi are values of x, and "
        "points without a finite x are left out; axis must be step",
    )
    points: int = Field(1000, ge=0, lt=2**31, description="approximate number of points per series; 0: all points")
    scale: Scale = Field("linear", description="scale of the axis; log spreads the points evenly along its logarithm")
    smooth: Smooth | None = None
    since: Since | None = None

    @model_validator(mode="after")
    def _has_one_axis(self) -> Self:
        if self.x is not None and self.axis != "step":
            raise ValueError(f"x={self.x!r} cannot be combined with axis={self.axis}: expected axis=step")
        return self


class ColumnsQuery(DrawnQuery):
    """A DrawnQuery, what of the series to return, and what of it the client has."""

    column: list[ColumnName] = Field([], max_length=5, description="columns to return, others are empty; none: all")
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
        max_length=MAX_RUNS,
        description="cursors of series in earlier replies to the same query, in any order: of these series only the "
        "points that the client lacks are returned, see kept",
    )


class LongLists(BaseModel):
    """Fields of a JSON body, which are validated strictly and whose lists may be longer than in a URL."""

    model_config = ConfigDict(strict=True)

    tag: list[str] = Field([], max_length=MAX_TAGS, description="tags; at least one, or an expression")
    run: list[str] = Field([], max_length=MAX_RUNS, description="runs; none: all")


REPLIES: Replies = {
    304: {"description": "None of the series has changed since that revision."},
    404: {"model": Problem, "description": "No run has any of the tags, or none of the runs exists."},
    **INVALID_REQUEST,
}


def smoothing_of(text: str | None) -> Requested | None:
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


def sources_of(query: SeriesQuery) -> list[Source]:
    """Return the requested tags, then the expressions, each once.

    Raises:
        HTTPException: 422 if an expression is invalid.
    """
    x = query.x if isinstance(query, DrawnQuery) else None
    tags = [tag_source(tag)._replace(join=query.join, x=x) for tag in dict.fromkeys(query.tag)]
    return tags + [_expression(text, query, x) for text in dict.fromkeys(query.expr)]


def _expression(text: str, query: SeriesQuery, x: str | None) -> Source:
    try:
        return Source(text, parse(text), True, query.join, query.rate, x)
    except ExpressionError as error:
        raise HTTPException(422, str(error)) from error


def find_series(current: Snapshot, query: SeriesQuery) -> tuple[list[FoundSeries], list[str]]:
    """Return the selected series, and the tags, expressions and runs without one.

    Raises:
        HTTPException: 404 if no run has any of the tags, or none of the runs exists; 422 if lo is above hi, or an
            expression is invalid.
    """
    if not query.lo <= query.hi:
        raise HTTPException(422, f"lo={query.lo} is above hi={query.hi}: expected lo <= hi")
    sources = sources_of(query)
    runs, missing_runs = choose_runs(current, query.run)
    if query.run and not runs:
        raise not_found("run", missing_runs)
    choice = Choice(query.rank, query.attempt)
    series = series_of(sources, runs, choice)
    found = {each.source.text for each in series}
    missing = sorted({source.text for source in sources} - found)
    # If other runs have the tags, the reply is empty instead of 404: pages send such requests when runs are hidden.
    if not series:
        unknown = [tag for source in sources for tag in source.tags if not _any_has(current, tag)]
        if all(any(tag in unknown for tag in source.tags) for source in sources):
            raise _no_tags(list(dict.fromkeys(unknown)), bool(query.expr))
    return series, missing + missing_runs


def _any_has(current: Snapshot, tag: str) -> bool:
    return any(Tag("scalar", tag) in run.tags for run in current.runs.values())


def _no_tags(unknown: list[str], in_expression: bool) -> HTTPException:
    error = not_found("scalar tag", unknown)
    if in_expression and any("/" in tag or "-" in tag for tag in unknown):
        error.detail += "; to divide or subtract tags, put spaces around / and -"
    return error
