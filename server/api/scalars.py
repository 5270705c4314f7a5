"""GET and POST /api/scalars, GET /api/scalars.csv: scalar series, whole, in a window or with fewer points."""

import csv
import io
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, HTTPException, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.current import Current, choose_runs, logdir_of, not_found
from toposcope.server.api.payload_query import REFUSED, Problem
from toposcope.server.api.reply import Number, json_reply, numbers
from toposcope.server.json_text import in_json, number_text
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.chosen_series import Choice, ranks
from toposcope.server.runs.run import RunView
from toposcope.server.runs.selection import Axis, Selected, Window, select
from toposcope.server.runs.smoothing import parse_smoothing

router = APIRouter()
_CSV_COLUMNS = ["run", "tag", "rank", "step", "wall_time", "value"]
_CSV_CHUNK = 10_000
_MOST_BYTES = 16 << 20
"""Of a request: the names of a hundred thousand runs have room in it."""
_Smooth = Annotated[str, Field(max_length=100, json_schema_extra={"pattern": r"^ema:(0|0?\.[0-9]{1,16})$"})]


class SeriesQuery(BaseModel):
    """Which series, and which part of them."""

    model_config = ConfigDict(extra="forbid")

    tag: list[str] = Field(min_length=1, max_length=1000, description="tags; at least one")
    run: list[str] = Field([], max_length=1000, description="runs; none: all")
    rank: Annotated[int, Field(ge=0, lt=2**31)] | Literal["all"] | None = Field(
        None, description="absent: the lowest rank that has the series"
    )
    attempt: Annotated[int, Field(ge=1, lt=2**31)] | Literal["all"] | None = Field(
        None, description="absent: stitched, what a later attempt repeats is hidden; all: every point in file order"
    )
    lo: float = Field(
        float("-inf"), description="lower bound on the axis, included", json_schema_extra={"default": None}
    )
    hi: float = Field(
        float("inf"), description="upper bound on the axis, included", json_schema_extra={"default": None}
    )
    axis: Axis = Field("step", description="relative: seconds since the start of the run")


class ScalarQuery(SeriesQuery):
    """Which series, which part of them, and how they are to be drawn."""

    points: int = Field(1000, ge=0, lt=2**31, description="points a series, about; 0: every point")
    smooth: _Smooth | None = Field(None, description="ema:WEIGHT, of what came before", examples=["ema:0.9"])
    since: int | None = Field(
        None, ge=0, lt=2**53, description="a revision: 304 when nothing asked for changed after it"
    )


class ScalarBody(ScalarQuery):
    """The same in JSON, where a number is no text and no bool, and lists may be longer than a URL."""

    model_config = ConfigDict(strict=True)

    tag: list[str] = Field(min_length=1, max_length=10_000, description="tags; at least one")
    run: list[str] = Field([], max_length=100_000, description="runs; none: all")


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


class Scalars(BaseModel):
    """The series that matched, by tag in the order asked for."""

    revision: int
    tag: str | None
    """The tag, when one was asked for."""
    series: list[ScalarSeries]
    missing: list[str]
    """Tags and runs asked for that no series has."""


_REPLIES: dict[int | str, dict[str, Any]] = {
    304: {"description": "Nothing asked for changed since that revision."},
    404: {"model": Problem, "description": "No run has any of the tags, or there is none of the runs."},
    422: REFUSED[422],
}
_POST_REPLIES: dict[int | str, dict[str, Any]] = {
    **_REPLIES,
    400: {"model": Problem, "description": "The body is no JSON in UTF-8, or it is nested too deeply."},
    413: {
        "model": Problem,
        "content": {"text/plain": {"schema": {"type": "string"}}},
        "description": f"The body has more than {_MOST_BYTES} bytes.",
    },
}
_CSV_REPLIES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}}},
    404: _REPLIES[404],
    422: REFUSED[422],
}


@router.get("/scalars", response_model=Scalars, responses=_REPLIES)
def read_scalars(current: Current, query: Annotated[ScalarQuery, Query()]) -> Response:
    """Read scalar series."""
    return _read(current, query)


@router.post("/scalars", response_model=Scalars, responses=_POST_REPLIES, max_body_size=_MOST_BYTES)
def read_many_scalars(request: Request, current: Current, query: Annotated[ScalarBody, Body()]) -> Response:
    """Read scalar series; the same as GET for lists that are too long for a URL."""
    logdir_of(request).want(query.run)
    return _read(current, query)


@router.get("/scalars.csv", response_class=StreamingResponse, responses=_CSV_REPLIES)
def read_scalars_csv(current: Current, query: Annotated[SeriesQuery, Query()]) -> Response:
    """Read scalar series, every point, as CSV: run,tag,rank,step,wall_time,value."""
    found, _ = _find(current, query)
    headers = {"Content-Disposition": 'attachment; filename="scalars.csv"'}
    return StreamingResponse(_csv(found, query), media_type="text/csv; charset=utf-8", headers=headers)


def _read(current: Snapshot, query: ScalarQuery) -> Response:
    try:
        smoothing = parse_smoothing(query.smooth) if query.smooth is not None else None
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
    found, missing = _find(current, query)
    if not missing and _is_known(current, query):
        return Response(status_code=304)
    window = Window(query.axis, query.lo, query.hi, query.points)
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


def _is_known(current: Snapshot, query: ScalarQuery) -> bool:
    """Say whether an answer given at the revision `since` would be the same now."""
    if query.since is None or not current.removal <= query.since <= current.revision:
        return False
    runs, _ = choose_runs(current, query.run)
    return bool(runs) and all(run.revision <= query.since for run in runs)


def _find(current: Snapshot, query: SeriesQuery) -> tuple[list[tuple[str, RunView, int]], list[str]]:
    """Return (tag, run, rank) of the series asked for, and the tags and runs that have none.

    Raises:
        HTTPException: 404 when no run has any of the tags, or there is none of the runs; 422 when lo is above hi.
    """
    if not query.lo <= query.hi:
        raise HTTPException(422, f"lo={query.lo} is above hi={query.hi}: expected lo <= hi")
    runs, missing_runs = choose_runs(current, query.run)
    if query.run and not runs:
        raise not_found("run", missing_runs)
    choice = Choice(query.rank, query.attempt)
    found = [
        (tag, run, rank)
        for tag in dict.fromkeys(query.tag)
        for run in runs
        for rank in ranks(run, Tag("scalar", tag), choice)
    ]
    missing_tags = sorted(set(query.tag) - {tag for tag, _, _ in found})
    # A known tag that the chosen runs happen to lack is an empty answer: a page asks so whenever runs are switched off.
    if not found and not any(Tag("scalar", tag) in run.tags for run in current.runs.values() for tag in query.tag):
        raise not_found("scalar tag", missing_tags)
    return found, missing_tags + missing_runs


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
