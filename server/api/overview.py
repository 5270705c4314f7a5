"""GET and POST /api/overview: the table of runs, with the metrics that are chosen as its columns."""

from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Body, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.json_reply import Number, json_reply
from toposcope.server.api.notes import notes_of
from toposcope.server.api.payload_query import REFUSED, Problem, number
from toposcope.server.api.snapshot import Current, find_runs, logdir_of
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.notes.notes import NotesSnapshot
from toposcope.server.notes.run_notes import NO_NOTES, RunNotes
from toposcope.server.runs.overview import NonFiniteScalar, Overview, State, shown_points, state_of
from toposcope.server.runs.run import RunView
from toposcope.server.runs.series_summary import NonFinitePoint
from toposcope.server.runs.sparkline import sparkline

router = APIRouter()
_MOST_BYTES = 16 << 20
"""Of a request, as for scalars."""


class OverviewQuery(BaseModel):
    """Which runs, and which metrics of them."""

    model_config = ConfigDict(extra="forbid")

    run: list[str] = Field([], max_length=1000, description="runs; none: all")
    metric: list[str] = Field([], max_length=1000, description="scalar tags; none: no metrics")
    sparkline: bool = Field(True, description="whether metrics come with a sparkline")
    environment: bool = Field(True, description="whether runs come with the facts of their environment")
    since: int | None = Field(
        None, ge=0, lt=2**53, description="a revision: 304 when nothing asked for changed after it"
    )


class OverviewBody(OverviewQuery):
    """The same in JSON, where a number is no text and no bool, and lists may be longer than a URL."""

    model_config = ConfigDict(strict=True)

    run: list[str] = Field([], max_length=100_000, description="runs; none: all")


class BadValue(BaseModel):
    """The first point of a series, by step, whose value is NaN or infinite."""

    step: int
    wall_time: Number
    """Seconds since 1970."""
    value: Literal["NaN", "Infinity", "-Infinity"]


class RunBadValue(BadValue):
    """The first of all non-finite points of a run: at the smallest step, there the first in time."""

    tag: str
    rank: int


class ExtremeValue(BaseModel):
    """The smallest or the largest finite value, and the first step that has it."""

    value: float
    step: int


class SparklinePoints(BaseModel):
    """At most 40 finite points by step; the extremes are among them."""

    step: list[int]
    value: list[float]


class RunMetric(BaseModel):
    """A scalar tag of a run, computed from every point: the lowest rank's, stitched where there are attempts."""

    rank: int
    points: int
    last: Number
    """At the largest step; of points with equal steps the last one recorded."""
    last_step: int
    min: ExtremeValue | None
    """Null: no value is finite."""
    max: ExtremeValue | None
    first_bad: BadValue | None
    sparkline: SparklinePoints | None
    """Null unless asked for."""


class OverviewRun(BaseModel):
    """A row of the table of runs."""

    run: str
    state: State
    """live: a file of it grew within the last minute; else finished. A live run is waiting while nothing is recorded
    but its lineage and hyperparameters; a finished one of nothing at all is empty."""
    started: Number | None
    """Smallest wall_time, in seconds since 1970."""
    updated: Number | None
    """Largest wall_time, in seconds since 1970."""
    duration: Number | None
    """Seconds between the two."""
    first_step: int | None
    last_step: int | None
    ranks: list[int]
    attempts: int
    """The most attempts of any rank."""
    dialect: str
    parent: str | None
    """The run that this one is a hyperparameter session of."""
    damaged_records: int
    pending_records: int
    """Records too large to be verified while they are loaded that were not verified yet."""
    plugins: dict[str, int]
    """Number of tags of each plugin."""
    hyper_parameters: dict[str, bool | int | float | str]
    """Of TensorBoard's writers, of the lineage, which wins, and of custom lineage, whose names have "custom/" before
    them where a hyperparameter has the same name and another value. Non-finite numbers are strings, lists and objects
    their JSON; texts are cut at 1000 characters."""
    environment: dict[str, bool | int | float | str] | None
    """What custom lineage tells under "environment/"; null unless asked for."""
    problems: list[str]
    """Lineage and hyperparameters that are damaged or too large, a sentence each."""
    first_bad: RunBadValue | None
    metrics: dict[str, RunMetric]
    """Of the metrics asked for those that the run has."""
    notes: RunNotes


class OverviewReply(BaseModel):
    """The table of runs, oldest first."""

    revision: int
    loading: bool
    """Whether files are still being read for the first time."""
    runs: list[OverviewRun]
    missing: list[str]
    """Metrics asked for that none of the runs has."""


_REPLIES: dict[int | str, dict[str, Any]] = {
    304: {"description": "Nothing asked for changed since that revision."},
    404: {"model": Problem, "description": "There is no such run."},
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


@router.get("/overview", response_model=OverviewReply, responses=_REPLIES)
def read_overview(request: Request, current: Current, query: Annotated[OverviewQuery, Query()]) -> Response:
    """Read the table of runs."""
    return _read(request, current, query)


@router.post("/overview", response_model=OverviewReply, responses=_POST_REPLIES, max_body_size=_MOST_BYTES)
def read_long_overview(request: Request, current: Current, query: Annotated[OverviewBody, Body()]) -> Response:
    """Read the table of runs; the same as GET for lists that are too long for a URL."""
    logdir_of(request).prioritise(query.run)
    return _read(request, current, query)


def _read(request: Request, current: Snapshot, query: OverviewQuery) -> Response:
    chosen = find_runs(current, query.run)
    overview: Overview = request.app.state.overview
    overview.forget_all_but(current.runs)
    sessions = overview.sessions(current.runs)
    noted = notes_of(request).current()
    shown = [*chosen, *(session for run in chosen for session in sessions.get(run.name, ()))]
    if query.since is not None and _is_known(current, shown, noted, query.since):
        return Response(status_code=304)
    parents = {session.name: parent for parent, below in sessions.items() for session in below}
    metrics = list(dict.fromkeys(query.metric))
    nothing = NO_NOTES.model_dump()
    rows = []
    for run in sorted(chosen, key=lambda run: (run.started or float("inf"), run.name)):
        told, notes = overview.settings(run, sessions.get(run.name, ())), noted.runs.get(run.name)
        rows.append(
            _described(overview, run)
            | {
                "parent": parents.get(run.name),
                "hyper_parameters": told.hyper_parameters,
                "environment": told.environment if query.environment else None,
                "problems": told.problems,
                "metrics": _metrics(overview, run, metrics, query.sparkline),
                "notes": notes.model_dump() if notes else nothing,
            }
        )
    had = {metric for row in rows for metric in row["metrics"]}
    missing = [metric for metric in metrics if metric not in had]
    return json_reply({"revision": current.revision, "loading": current.loading, "runs": rows, "missing": missing})


def _is_known(current: Snapshot, shown: list[RunView], noted: NotesSnapshot, since: int) -> bool:
    """Say whether an answer given at the revision `since` would be the same now.

    Notes may have changed before or after an answer at the same revision, so that is no answer to rely on.
    """
    if not current.removal <= since <= current.revision or since <= noted.changed_at:
        return False
    return bool(shown) and all(run.revision <= since for run in shown)


def _described(overview: Overview, run: RunView) -> dict[str, Any]:
    answers = overview.reply_cache(run)
    if None not in answers:
        answers[None] = _describe(run, overview.first_non_finite(run))
    described: dict[str, Any] = answers[None]
    return described


def _describe(run: RunView, bad: NonFiniteScalar | None) -> dict[str, Any]:
    first_step, last_step = run.steps or (None, None)
    is_timed = run.started is not None and run.updated is not None
    return {
        "run": run.name,
        "state": state_of(run),
        "started": number(run.started),
        "updated": number(run.updated),
        "duration": number((run.updated or 0.0) - (run.started or 0.0)) if is_timed else None,
        "first_step": first_step,
        "last_step": last_step,
        "ranks": list(run.attempts),
        "attempts": max(map(len, run.attempts.values()), default=1),
        "dialect": run.dialect,
        "damaged_records": sum(len(file.damage) for file in run.files),
        "pending_records": sum(file.large_records - file.verified_large_records for file in run.files),
        "plugins": dict(run.plugins),
        "first_bad": bad and {"tag": bad.tag, "rank": bad.rank, **_bad(bad.point)},
    }


def _metrics(overview: Overview, run: RunView, tags: list[str], with_sparkline: bool) -> dict[str, orjson.Fragment]:
    answers = overview.reply_cache(run)
    found = {}
    for tag in tags:
        key = (tag, with_sparkline)
        if key not in answers:
            metric = _metric(overview, run, tag, with_sparkline)
            if metric is None:
                continue  # Not remembered: there is no end to what may be asked for.
            # Ten thousand runs are answered in half the time when they are encoded once.
            answers[key] = orjson.Fragment(orjson.dumps(metric, option=orjson.OPT_SERIALIZE_NUMPY))
        found[tag] = answers[key]
    return found


def _metric(overview: Overview, run: RunView, tag: str, with_sparkline: bool) -> dict[str, Any] | None:
    found = overview.summary(run, tag)
    if found is None:
        return None
    rank, summary = found
    return {
        "rank": rank,
        "points": summary.points,
        "last": number(summary.last),
        "last_step": summary.last_step,
        "min": summary.min and summary.min._asdict(),
        "max": summary.max and summary.max._asdict(),
        "first_bad": summary.first_non_finite and _bad(summary.first_non_finite),
        "sparkline": sparkline(shown_points(run, tag, rank))._asdict() if with_sparkline else None,
    }


def _bad(point: NonFinitePoint) -> dict[str, Any]:
    return {"step": point.step, "wall_time": number(point.wall_time), "value": number(point.value)}
