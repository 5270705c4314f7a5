"""GET and POST /api/scalars, GET /api/scalars.csv: scalar series, complete, in a window or downsampled."""

from typing import Annotated, Any, Literal, NamedTuple

from fastapi import APIRouter, Body, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from toposcope.server.api.replies.cbor import MEDIA_TYPE
from toposcope.server.api.replies.columns import Column, Numbers, accepts_cbor, cbor_column, columns_reply, json_column
from toposcope.server.api.replies.download_name import attachment
from toposcope.server.api.replies.errors import INVALID_REQUEST, Replies, body_errors
from toposcope.server.api.replies.json_reply import Number
from toposcope.server.api.requests.budgeted import Work, in_parts, within_budget
from toposcope.server.api.requests.cursors import Cursors
from toposcope.server.api.requests.request_limits import MAX_BODY_BYTES
from toposcope.server.api.requests.snapshot import Current, choose_runs, logdir_of
from toposcope.server.api.series.scalar_cost import Columns, download_cost, scalars_cost
from toposcope.server.api.series.scalar_query import (
    REPLIES,
    ColumnName,
    ColumnsQuery,
    LongLists,
    SeriesQuery,
    find_series,
    is_comparable,
    is_unchanged,
    smoothing_of,
)
from toposcope.server.budget.cancellation import check
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.runs.selection.selection import Selected, Window, select
from toposcope.server.runs.selection.selection_over import select_over
from toposcope.server.runs.selection.sources import FoundSeries, hidden
from toposcope.server.runs.statistics.smoothing import Requested, smoothing_text
from toposcope.server.tables.scalar_csv import scalar_csv

router = APIRouter(prefix="/api")


class ScalarBody(LongLists, ColumnsQuery):
    """A ColumnsQuery as JSON."""


class CsvQuery(SeriesQuery):
    """A SeriesQuery, and how names are written."""

    formulas: bool = Field(
        False,
        description="whether runs and tags are written as they are; else an apostrophe is put before one that begins "
        "with =, +, -, @, a tab or a carriage return, as spreadsheets would take it for a formula",
    )


class ScalarSeries(BaseModel):
    """One scalar series of one rank of one run. Columns that were not requested are empty."""

    tag: str
    """The tag, or the expression."""
    expr: bool
    """Whether it is an expression."""
    run: str
    rank: int
    attempt: int | Literal["all"] | None
    kept: int
    """How many of its first points the client keeps, as it sent their cursor. The columns contain the points that
    follow; they replace all others that the client has."""
    cursor: str
    """Refers to the first points of the series, which will be kept if it grows."""
    step: list[int]
    wall_time: list[Number]
    """Seconds since 1970."""
    value: list[Number]
    x: list[Number]
    """Values of the requested tag x, in ascending order, or the positions on the axis active; else empty."""
    smoothed: list[Number]
    """Values of the smoothed complete series at these steps; empty without smoothing."""
    smooth: str | None
    """How it was smoothed: as in the request, but what `auto` chose; null without smoothing."""
    total: int
    """Points in the window before downsampling."""
    duplicates: int
    """Points omitted because a later one has the same step."""
    unplaced: int
    """Points of the whole series without a place on an axis of time: their wall_time is NaN or infinite or, on the axis
    wall_time, not positive. 0 on the axis step."""
    set_back: int
    """Points of the whole series that stand before points of earlier steps on an axis of time, as a clock was set back;
    0 if steps repeat, and on axes of steps."""
    hidden: int
    """Points of the whole series, not only in the window, that are hidden because a later attempt replaces them;
    `attempt=all` shows them. 0 unless attempt is absent."""
    min: float | None
    """The smallest finite value in the window, before downsampling and smoothing, without points that a later one with
    the same step replaces on the step axis; null if there is none."""
    min_step: int | None
    """The step of the first point with this value."""
    max: float | None
    """The largest finite value."""
    max_step: int | None


class Scalars(BaseModel):
    """The selected series, by tag and then by expression, in the order of the request.

    As application/cbor, columns are typed arrays of RFC 8746, little-endian: `wall_time`, `value` and `smoothed` are
    floats of 32 bits if that holds every one exactly, else of 64; `step` is `{"start", "stride", "count"}` if the steps
    are at regular distances, else integers of 32 bits if all fit, else of 64.
    """

    revision: int
    since: int | None
    """The requested revision, if series of runs that have not changed since are left out; else null."""
    changed: list[str]
    """If `since` is not null: the requested runs that have changed since then. One without series here has none."""
    tag: str | None
    """The tag, if the request has only one and no expressions."""
    series: list[ScalarSeries]
    missing: list[str]
    """Requested tags, expressions and runs without a series."""


_REPLIES: Replies = {
    200: {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}},
    **REPLIES,
}
_POST_REPLIES = _REPLIES | body_errors(MAX_BODY_BYTES)
_CSV_REPLIES: Replies = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}}},
    404: REPLIES[404],
    **INVALID_REQUEST,
}


@router.get("/scalars", response_model=Scalars, responses=_REPLIES)
async def read_scalars(request: Request, current: Current, query: Annotated[ColumnsQuery, Query()]) -> Response:
    """Read scalar series, as JSON, or as CBOR if the header Accept names it."""
    return await within_budget(request, lambda: _plan(current, query, accepts_cbor(request)))


@router.post("/scalars", response_model=Scalars, responses=_POST_REPLIES, max_body_size=MAX_BODY_BYTES)
async def read_many_scalars(request: Request, current: Current, query: Annotated[ScalarBody, Body()]) -> Response:
    """Read scalar series; the same as GET, for lists that are too long for a URL."""
    logdir_of(request).prioritise(query.run)
    return await within_budget(request, lambda: _plan(current, query, accepts_cbor(request)))


@router.get("/scalars.csv", response_class=StreamingResponse, responses=_CSV_REPLIES)
async def read_scalars_csv(request: Request, current: Current, query: Annotated[CsvQuery, Query()]) -> Response:
    """Read all points of scalar series as CSV, with the columns run, tag, rank, step, wall_time and value."""
    selected, _ = await run_in_threadpool(find_series, current, query)
    window = Window(query.axis, query.lo, query.hi)
    series = (
        (run.name, source.text, rank, select(run, source, rank, query.attempt, window, None).points)
        for source, run, rank in selected
    )
    headers = {"Content-Disposition": attachment(query.tag + query.expr, "scalars", "csv")}
    parts = await in_parts(request, download_cost(selected, query.attempt), scalar_csv(series, is_exact=query.formulas))
    return StreamingResponse(parts, media_type="text/csv; charset=utf-8", headers=headers)


def _plan(current: Snapshot, query: ColumnsQuery, is_cbor: bool) -> Response | Work:
    smoothing = smoothing_of(query.smooth)
    series, missing = find_series(current, query)
    if not missing and is_unchanged(current, query.since, query.run):
        return Response(status_code=304)
    since = query.since if is_comparable(current, query.since) else None
    runs, _ = choose_runs(current, query.run)
    changed = [] if since is None else [run.name for run in runs if run.revision > since]
    series = [each for each in series if since is None or each.run.revision > since]
    window = Window(query.axis, query.lo, query.hi, query.points, query.scale)
    reader = _Reader(query, window, smoothing, Cursors(query.cursor), cbor_column if is_cbor else json_column)

    def compute() -> Response:
        return columns_reply(
            {
                "revision": current.revision,
                "since": since,
                "changed": changed,
                "tag": query.tag[0] if len(query.tag) == 1 and not query.expr else None,
                "series": [reader.read(each) for each in series],
                "missing": missing,
            },
            is_cbor,
        )

    columns = Columns(len(query.column) or len(_COLUMNS), is_cbor)
    return Work(scalars_cost(series, query.attempt, window, smoothing, columns), compute)


_COLUMNS: tuple[ColumnName, ...] = ("step", "wall_time", "value", "x", "smoothed")


class _Reader(NamedTuple):
    """What a request asks of every series."""

    query: ColumnsQuery
    window: Window
    smoothing: Requested | None
    cursors: Cursors
    encode: Column

    def read(self, found: FoundSeries) -> dict[str, Any]:
        """Return a series for the reply."""
        check()
        query, (source, run, rank) = self.query, found
        select_points = select if source.x is None else select_over
        selected = select_points(run, source, rank, query.attempt, self.window, self.smoothing)
        columns = _columns(selected, query.column)
        name = source if source.is_expression or source.x is not None else source.text
        series = (run.name, name, rank, query.attempt, *columns)
        kept, cursor = self.cursors.advance(series, list(columns.values()), selected.points.total, selected.settled)
        return {
            "tag": source.text,
            "expr": source.is_expression,
            "run": run.name,
            "rank": rank,
            "attempt": query.attempt,
            "kept": kept,
            "cursor": cursor,
            **{name: self.encode(columns[name][kept:]) if name in columns else [] for name in _COLUMNS},
            "smooth": smoothing_text(selected.smoothing) if selected.smoothing else None,
            "total": selected.total,
            "duplicates": selected.duplicates,
            "unplaced": selected.unplaced,
            "set_back": selected.set_back,
            "hidden": hidden(run, source, rank) if query.attempt is None else 0,
            **selected.best._asdict(),
        }


def _columns(selected: Selected, requested: list[ColumnName]) -> dict[ColumnName, Numbers]:
    """Return the requested columns of a series, as they are stored; all, if none is requested."""
    points = selected.points
    columns: dict[ColumnName, Numbers] = {
        "step": points.compact_step,
        "wall_time": points.wall_time,
        "value": points.compact_value,
    }
    if selected.smoothed is not None:
        columns["smoothed"] = selected.smoothed
    if selected.x is not None:
        columns["x"] = selected.x
    return {name: column for name, column in columns.items() if not requested or name in requested}
