"""GET and POST /api/scalars, GET /api/scalars.csv: scalar series, complete, in a window or downsampled."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from toposcope.server.api.errors import INVALID_REQUEST, Replies, body_errors
from toposcope.server.api.json_reply import Number, json_numbers, json_reply
from toposcope.server.api.request_limits import MOST_BODY_BYTES
from toposcope.server.api.scalar_query import (
    REPLIES,
    DrawnQuery,
    LongLists,
    SeriesQuery,
    find_series,
    is_unchanged,
    smoothing_of,
)
from toposcope.server.api.snapshot import Current, logdir_of
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.runs.run import RunView
from toposcope.server.runs.selection import Selected, Window, select
from toposcope.server.scalar_csv import scalar_csv

router = APIRouter()


class ScalarBody(LongLists, DrawnQuery):
    """A DrawnQuery as JSON."""


class ScalarSeries(BaseModel):
    """One scalar series of one rank of one run."""

    tag: str
    run: str
    rank: int
    attempt: int | Literal["all"] | None
    step: list[int]
    wall_time: list[Number]
    """Seconds since 1970."""
    value: list[Number]
    smoothed: list[Number]
    """Values of the smoothed complete series at these steps; empty without smoothing."""
    total: int
    """Points in the window before downsampling."""
    duplicates: int
    """Points omitted because a later one has the same step."""
    hidden: int
    """Points of the whole series, not only in the window, that are hidden because a later attempt replaces them;
    `attempt=all` shows them. 0 unless attempt is absent."""
    min: float | None
    """The smallest finite value in the window, before downsampling and smoothing; null if there is none."""
    min_step: int | None
    """The step of the first point with this value."""
    max: float | None
    """The largest finite value."""
    max_step: int | None


class Scalars(BaseModel):
    """The selected series, by tag in the order of the request."""

    revision: int
    tag: str | None
    """The tag, if the request has only one."""
    series: list[ScalarSeries]
    missing: list[str]
    """Requested tags and runs without a series."""


_POST_REPLIES = REPLIES | body_errors(MOST_BODY_BYTES)
_CSV_REPLIES: Replies = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}}},
    404: REPLIES[404],
    **INVALID_REQUEST,
}


@router.get("/scalars", response_model=Scalars, responses=REPLIES)
def read_scalars(current: Current, query: Annotated[DrawnQuery, Query()]) -> Response:
    """Read scalar series."""
    return _read(current, query)


@router.post("/scalars", response_model=Scalars, responses=_POST_REPLIES, max_body_size=MOST_BODY_BYTES)
def read_many_scalars(request: Request, current: Current, query: Annotated[ScalarBody, Body()]) -> Response:
    """Read scalar series; the same as GET, for lists that are too long for a URL."""
    logdir_of(request).prioritise(query.run)
    return _read(current, query)


@router.get("/scalars.csv", response_class=StreamingResponse, responses=_CSV_REPLIES)
def read_scalars_csv(current: Current, query: Annotated[SeriesQuery, Query()]) -> Response:
    """Read all points of scalar series as CSV, with the columns run, tag, rank, step, wall_time and value."""
    selected, _ = find_series(current, query)
    window = Window(query.axis, query.lo, query.hi)
    series = (
        (run.name, tag, rank, select(run, tag, rank, query.attempt, window, None).points) for tag, run, rank in selected
    )
    headers = {"Content-Disposition": 'attachment; filename="scalars.csv"'}
    return StreamingResponse(scalar_csv(series), media_type="text/csv; charset=utf-8", headers=headers)


def _read(current: Snapshot, query: DrawnQuery) -> Response:
    smoothing = smoothing_of(query.smooth)
    series, missing = find_series(current, query)
    if not missing and is_unchanged(current, query.since, query.run):
        return Response(status_code=304)
    window = Window(query.axis, query.lo, query.hi, query.points, query.scale)
    return json_reply(
        {
            "revision": current.revision,
            "tag": query.tag[0] if len(query.tag) == 1 else None,
            "series": [
                _series(run, tag, rank, query.attempt, select(run, tag, rank, query.attempt, window, smoothing))
                for tag, run, rank in series
            ],
            "missing": missing,
        }
    )


def _series(run: RunView, tag: str, rank: int, attempt: int | str | None, selected: Selected) -> dict[str, Any]:
    return {
        "tag": tag,
        "run": run.name,
        "rank": rank,
        "attempt": attempt,
        "step": selected.points.step,
        "wall_time": json_numbers(selected.points.wall_time),
        "value": json_numbers(selected.points.value),
        "smoothed": [] if selected.smoothed is None else json_numbers(selected.smoothed),
        "total": selected.total,
        "duplicates": selected.duplicates,
        "hidden": run.hidden(tag, rank) if attempt is None else 0,
        **selected.best._asdict(),
    }
