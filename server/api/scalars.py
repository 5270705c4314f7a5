"""GET and POST /api/scalars, GET /api/scalars.csv: scalar series, whole, in a window or with fewer points."""

import csv
import io
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from toposcope.server.api.json_reply import Number, json_reply, numbers
from toposcope.server.api.payload_query import REFUSED
from toposcope.server.api.scalar_query import (
    MOST_BYTES,
    POST_REPLIES,
    REPLIES,
    DrawnQuery,
    LongLists,
    SeriesQuery,
    find_series,
    is_known,
    smoothing_of,
)
from toposcope.server.api.snapshot import Current, logdir_of
from toposcope.server.json_values import in_json, number_text
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.runs.run import RunView
from toposcope.server.runs.selection import Selected, Window, select

router = APIRouter()
_CSV_COLUMNS = ["run", "tag", "rank", "step", "wall_time", "value"]
_CSV_CHUNK = 10_000


class ScalarBody(LongLists, DrawnQuery):
    """A DrawnQuery in JSON."""


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
    """Read off the smoothed full series at the steps above; empty unless asked for."""
    total: int
    """Points in the window before downsampling."""
    duplicates: int
    """Points left out because a later one has the same step."""
    min: float | None
    """The smallest finite value of all points in the window, before downsampling and smoothing; null: there is none."""
    min_step: int | None
    """The step of the first point that has it."""
    max: float | None
    """The largest one."""
    max_step: int | None


class Scalars(BaseModel):
    """The series that matched, by tag in the order asked for."""

    revision: int
    tag: str | None
    """The tag, when one was asked for."""
    series: list[ScalarSeries]
    missing: list[str]
    """Tags and runs asked for that no series has."""


_CSV_REPLIES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}}},
    404: REPLIES[404],
    422: REFUSED[422],
}


@router.get("/scalars", response_model=Scalars, responses=REPLIES)
def read_scalars(current: Current, query: Annotated[DrawnQuery, Query()]) -> Response:
    """Read scalar series."""
    return _read(current, query)


@router.post("/scalars", response_model=Scalars, responses=POST_REPLIES, max_body_size=MOST_BYTES)
def read_many_scalars(request: Request, current: Current, query: Annotated[ScalarBody, Body()]) -> Response:
    """Read scalar series; the same as GET for lists that are too long for a URL."""
    logdir_of(request).prioritise(query.run)
    return _read(current, query)


@router.get("/scalars.csv", response_class=StreamingResponse, responses=_CSV_REPLIES)
def read_scalars_csv(current: Current, query: Annotated[SeriesQuery, Query()]) -> Response:
    """Read scalar series, every point, as CSV: run,tag,rank,step,wall_time,value."""
    found, _ = find_series(current, query)
    headers = {"Content-Disposition": 'attachment; filename="scalars.csv"'}
    return StreamingResponse(_csv(found, query), media_type="text/csv; charset=utf-8", headers=headers)


def _read(current: Snapshot, query: DrawnQuery) -> Response:
    smoothing = smoothing_of(query.smooth)
    found, missing = find_series(current, query)
    if not missing and is_known(current, query.since, query.run):
        return Response(status_code=304)
    window = Window(query.axis, query.lo, query.hi, query.points, query.scale)
    return json_reply(
        {
            "revision": current.revision,
            "tag": query.tag[0] if len(query.tag) == 1 else None,
            "series": [
                _series(run, tag, rank, query.attempt, select(run, tag, rank, query.attempt, window, smoothing))
                for tag, run, rank in found
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
        "wall_time": numbers(selected.points.wall_time),
        "value": numbers(selected.points.value),
        "smoothed": [] if selected.smoothed is None else numbers(selected.smoothed),
        "total": selected.total,
        "duplicates": selected.duplicates,
        **selected.best._asdict(),
    }


def _csv(found: list[tuple[str, RunView, int]], query: SeriesQuery) -> Iterator[str]:
    yield ",".join(_CSV_COLUMNS) + "\r\n"
    window = Window(query.axis, query.lo, query.hi)
    for tag, run, rank in found:
        points = select(run, tag, rank, query.attempt, window, None).points
        for start in range(0, points.total, _CSV_CHUNK):
            part = points.take(slice(start, start + _CSV_CHUNK))
            text = io.StringIO()
            csv.writer(text).writerows(
                (in_json(run.name), tag, rank, step, number_text(wall_time), number_text(value))
                for step, wall_time, value in zip(*(column.tolist() for column in part), strict=True)
            )
            yield text.getvalue()
