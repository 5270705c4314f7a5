"""GET and POST /api/overview: the table of runs, with selected metrics as columns."""

from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Body, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.metric_direction import Direction, metric_directions
from toposcope.server.api.listings.run_listing import ListingQuery, list_found
from toposcope.server.api.notes import notes_of
from toposcope.server.api.replies.errors import INVALID_REQUEST, Problem, Replies, body_errors
from toposcope.server.api.replies.json_reply import Number, json_number, json_reply
from toposcope.server.api.requests.budgeted import Work, within_budget
from toposcope.server.api.requests.request_limits import MAX_BODY_BYTES, MAX_RUNS
from toposcope.server.api.requests.snapshot import Current, find_runs, logdir_of
from toposcope.server.budget.cancellation import check
from toposcope.server.budget.cost import Cost
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.notes.notes import NotesSnapshot
from toposcope.server.notes.notes_change import NotesFields
from toposcope.server.notes.run_notes import NO_NOTES
from toposcope.server.reading.series.series_summary import NonFinitePoint
from toposcope.server.runs.overview import NonFiniteScalar, Overview, shown_points
from toposcope.server.runs.recordings.run_state import Phase, State
from toposcope.server.runs.run import RunView
from toposcope.server.runs.statistics.sparkline import sparkline

router = APIRouter(prefix="/api")


class OverviewQuery(ListingQuery):
    """Selects runs and metrics."""

    run: list[str] = Field([], max_length=1000, description="runs; none: all")
    metric: list[str] = Field([], max_length=1000, description="scalar tags; none: no metrics")
    sparkline: bool = Field(True, description="whether to include a sparkline of each metric")
    environment: bool = Field(True, description="whether to include the environment of each run")
    since: int | None = Field(
        None, ge=0, lt=2**53, description="a revision: the reply is 304 if none of the runs has changed since then"
    )


class OverviewBody(OverviewQuery):
    """An OverviewQuery as JSON, which is validated strictly and whose lists may be longer than in a URL."""

    model_config = ConfigDict(strict=True)

    run: list[str] = Field([], max_length=MAX_RUNS, description="runs; none: all")


class BadValue(BaseModel):
    """The first point of a series, by step, with a value that is not finite."""

    step: int
    wall_time: Number
    """Seconds since 1970."""
    value: Literal["NaN", "Infinity", "-Infinity"]


class RunBadValue(BadValue):
    """The first non-finite point of a run: at the smallest step, and there the earliest."""

    tag: str
    rank: int


class ExtremeValue(BaseModel):
    """The smallest or largest finite value, and the first step with this value."""

    value: float
    step: int


class SparklinePoints(BaseModel):
    """At most 40 finite points by step, including the extremes."""

    step: list[int]
    value: list[float]


class RunMetric(BaseModel):
    """A scalar tag of a run, computed from the points of the lowest rank that are drawn over steps.

    Attempts are stitched, and of several points with the same step the last counts.
    """

    rank: int
    points: int
    """With those at repeated steps, which are not drawn."""
    last: Number
    """The value at the largest step."""
    last_step: int
    min: ExtremeValue | None
    """Null if no value is finite."""
    max: ExtremeValue | None
    first_bad: BadValue | None
    sparkline: SparklinePoints | None
    """Null unless requested."""


class EndError(BaseModel):
    """What ended a run; /api/runs has the traceback."""

    type: str
    text: str


class OverviewRun(BaseModel):
    """A row of the table of runs."""

    run: str
    state: State
    """See /api/runs, like the next three."""
    phase: Phase | None
    ended: Number | None
    error: EndError | None
    started: Number | None
    """When the first recording began, in seconds since 1970: the wall_time of its first event."""
    updated: Number | None
    """Largest wall_time, in seconds since 1970."""
    duration: Number | None
    """Seconds from started to updated."""
    first_step: int | None
    last_step: int | None
    ranks: list[int]
    attempts: int
    """The maximum over the ranks."""
    dialect: str
    parent: str | None
    """The run that this one is a hyperparameter session of."""
    damaged_records: int
    pending_records: int
    """Large records, which are verified after loading, that have not been verified yet."""
    plugins: dict[str, int]
    """Number of tags of each plugin."""
    hyper_parameters: dict[str, bool | int | float | str | None]
    """From TensorBoard writers, lineage, which takes precedence, and custom lineage, whose names are prefixed with
    "custom/" if a hyperparameter has the same name and another value. Non-finite numbers are strings; lists and objects
    are JSON text; texts are truncated to 1000 characters. null: recorded without a value.
    Integers above 2^53 are texts of their digits."""
    environment: dict[str, bool | int | float | str] | None
    """Custom lineage with the prefix "environment/"; null unless requested."""
    problems: list[str]
    """Why lineage or hyperparameters could not be read, and in which unit wall times were recorded if not in seconds,
    one sentence each."""
    first_bad: RunBadValue | None
    metrics: dict[str, RunMetric]
    """The requested metrics that the run has."""
    notes: NotesFields


class OverviewReply(BaseModel):
    """The table of runs, oldest first unless another order is requested."""

    revision: int
    loading: bool
    """Whether files are still being read for the first time."""
    runs: list[OverviewRun]
    total: int
    """How many runs match the search; more than there are in this reply if a page was requested."""
    unknown: list[str]
    """Names in the search that no run has as a field, hyperparameter or metric."""
    missing: list[str]
    """Requested metrics that none of the runs in this reply has."""
    directions: dict[str, Direction]
    """Whether the smallest or the largest value of a requested metric is its best, if its name says so."""


_ROW_SECONDS, _METRIC_SECONDS, _ROW_BYTES = 200e-6, 50e-6, 4096
"""What a row of the reply costs at most, on average, and each of its metrics."""
_FIRST_DATE = 1e8
"""A wall_time in 1973, before which nobody recorded event files."""
_REPLIES: Replies = {
    304: {"description": "None of the runs has changed since that revision."},
    404: {"model": Problem, "description": "There is no such run."},
    **INVALID_REQUEST,
}
_POST_REPLIES = _REPLIES | body_errors(MAX_BODY_BYTES)


@router.get("/overview", response_model=OverviewReply, responses=_REPLIES)
async def read_overview(request: Request, current: Current, query: Annotated[OverviewQuery, Query()]) -> Response:
    """Read the table of runs."""
    return await within_budget(request, lambda: _plan(request, current, query))


@router.post("/overview", response_model=OverviewReply, responses=_POST_REPLIES, max_body_size=MAX_BODY_BYTES)
async def read_long_overview(request: Request, current: Current, query: Annotated[OverviewBody, Body()]) -> Response:
    """Read the table of runs; the same as GET, for lists that are too long for a URL."""
    logdir_of(request).prioritise(query.run)
    return await within_budget(request, lambda: _plan(request, current, query))


def _plan(request: Request, current: Snapshot, query: OverviewQuery) -> Work:
    rows = min(len(current.runs) if query.limit is None else query.limit, len(query.run or current.runs))
    seconds = rows * (_ROW_SECONDS + _METRIC_SECONDS * len(query.metric))
    return Work(Cost(seconds, rows * _ROW_BYTES), lambda: _read(request, current, query))


def _read(request: Request, current: Snapshot, query: OverviewQuery) -> Response:
    find_runs(current, query.run)
    listing = list_found(request, current, query.run, query)
    chosen = listing.runs
    overview: Overview = request.app.state.overview
    overview.forget_all_but(current.runs)
    sessions = overview.sessions(current.runs)
    all_notes = notes_of(request).current()
    shown = [*chosen, *(session for run in chosen for session in sessions.get(run.name, ()))]
    if query.since is not None and _is_unchanged(current, shown, all_notes, query.since):
        return Response(status_code=304)
    parents = overview.parents(current.runs)
    metrics = list(dict.fromkeys(query.metric))
    no_notes = NO_NOTES.values()
    rows = []
    for run in chosen:
        check()
        settings, notes = overview.settings(run, sessions.get(run.name, ())), all_notes.runs.get(run.name)
        rows.append(
            _described(overview, run)
            | _state(run)
            | {
                "parent": parents.get(run.name),
                "hyper_parameters": settings.shown,
                "environment": settings.environment if query.environment else None,
                "problems": [*settings.problems, *_time_problems(run)],
                "metrics": _metrics(overview, run, metrics, query.sparkline),
                "notes": notes.values() if notes else no_notes,
            }
        )
    existing = {metric for row in rows for metric in row["metrics"]}
    missing = [metric for metric in metrics if metric not in existing]
    return json_reply(
        {
            "revision": current.revision,
            "loading": current.loading,
            "runs": rows,
            "total": listing.total,
            "unknown": listing.unknown,
            "missing": missing,
            "directions": metric_directions(metrics),
        }
    )


def _is_unchanged(current: Snapshot, shown: list[RunView], all_notes: NotesSnapshot, since: int) -> bool:
    """Return whether the reply is the same as at revision `since`.

    Notes may have changed before or after a reply at the same revision, so such a revision counts as changed.
    """
    if not current.removal <= since <= current.revision or since <= all_notes.changed_at:
        return False
    return bool(shown) and all(run.state_revision <= since for run in shown)


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
        "started": json_number(run.started),
        "updated": json_number(run.updated),
        "duration": json_number((run.updated or 0.0) - (run.started or 0.0)) if is_timed else None,
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


def _state(run: RunView) -> dict[str, Any]:
    state = run.state
    return {
        "state": state.state,
        "phase": state.phase,
        "ended": json_number(state.ended),
        "error": state.error and {"type": state.error.type, "text": state.error.text},
    }


def _time_problems(run: RunView) -> list[str]:
    """Return a sentence about each unit other than seconds since 1970 in which wall times were recorded."""
    units = {file.counters.time_unit for file in run.files} - {"seconds"}
    problems = [f"Wall times were recorded in {unit} and are read as such." for unit in sorted(units)]
    if run.updated is not None and run.updated < _FIRST_DATE:
        problems.append("Wall times are no dates: they seem to count from the start of a machine or a simulation.")
    return problems


def _metrics(overview: Overview, run: RunView, tags: list[str], with_sparkline: bool) -> dict[str, orjson.Fragment]:
    answers = overview.reply_cache(run)
    metrics = {}
    for tag in tags:
        key = (tag, with_sparkline)
        if key not in answers:
            metric = _metric(overview, run, tag, with_sparkline)
            if metric is None:
                continue  # Not cached: there is no limit on requested names.
            # Caching the encoded form halves the time of a reply with ten thousand runs.
            answers[key] = orjson.Fragment(orjson.dumps(metric, option=orjson.OPT_SERIALIZE_NUMPY))
        metrics[tag] = answers[key]
    return metrics


def _metric(overview: Overview, run: RunView, tag: str, with_sparkline: bool) -> dict[str, Any] | None:
    ranked_summary = overview.summary(run, tag)
    if ranked_summary is None:
        return None
    rank, summary = ranked_summary
    return {
        "rank": rank,
        "points": summary.points,
        "last": json_number(summary.last),
        "last_step": summary.last_step,
        "min": summary.min and summary.min._asdict(),
        "max": summary.max and summary.max._asdict(),
        "first_bad": summary.first_non_finite and _bad(summary.first_non_finite),
        "sparkline": sparkline(shown_points(run, tag, rank))._asdict() if with_sparkline else None,
    }


def _bad(point: NonFinitePoint) -> dict[str, Any]:
    return {"step": point.step, "wall_time": json_number(point.wall_time), "value": json_number(point.value)}
