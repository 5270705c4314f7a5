"""GET and POST /api/importance: how much each hyperparameter matters for a metric."""

import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Annotated, Any, Literal, NamedTuple

import anyio
from anyio import to_thread
from fastapi import APIRouter, Body, HTTPException, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.json_reply import json_reply
from toposcope.server.api.payload_query import MOST_NAME, REFUSED, Problem
from toposcope.server.api.scalar_query import MOST_BYTES, POST_REPLIES
from toposcope.server.api.snapshot import Current, find_runs, logdir_of, not_found
from toposcope.server.json_values import in_json
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.runs.hyper_parameters import Value
from toposcope.server.runs.importance import Importance, Parameter, importance
from toposcope.server.runs.importance_forest import MissingExtraError
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView
from toposcope.server.runs.run_lineage import Sessions, lineage_of
from toposcope.server.values.lineage import Plain

router = APIRouter()
Source = Literal["scalar", "lineage"]
_MOST_ANSWERS = 32
_one_at_a_time = anyio.CapacityLimiter(1)
"""Forests take seconds: whoever waits for one takes no thread from other requests."""


class ImportanceQuery(BaseModel):
    """Which metric of which runs."""

    model_config = ConfigDict(extra="forbid")

    metric: str = Field(max_length=MOST_NAME, description="a scalar tag, whose last value counts, or a lineage metric")
    run: list[str] = Field([], max_length=1000, description="runs; none: all")
    source: Source | None = Field(None, description="absent: the scalar tag when a run has it, else the lineage metric")
    seed: int = Field(0, ge=0, lt=2**32, description="of the forests; the same gives the same answer")


class ImportanceBody(ImportanceQuery):
    """The same in JSON, where a number is no text and no bool, and lists may be longer than a URL."""

    model_config = ConfigDict(strict=True)

    run: list[str] = Field([], max_length=100_000, description="runs; none: all")


class ImportanceReply(BaseModel):
    """What hyperparameters tell of a metric."""

    revision: int
    metric: str
    source: Source
    runs: int
    """That have a finite value of the metric and hyperparameters."""
    left_out: int
    """Runs that have the metric and are not among them."""
    not_finite: int
    """Of these, those whose value is NaN or infinite."""
    enough: bool
    """Whether there was enough to compute importances; correlations are there wherever they can be."""
    problem: str | None
    """Why there was not, or what to mind, in sentences."""
    score: float | None
    """R2 of the forest for runs that it was not fitted to: 1 is perfect, 0 no better than their mean."""
    parameters: list[Parameter]
    """The most important first."""


_REPLIES: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "There is no such run, or none has such a metric."},
    422: REFUSED[422],
    501: {"model": Problem, "description": "scikit-learn is not installed."},
}
_POST_REPLIES: dict[int | str, dict[str, Any]] = {**_REPLIES, **{status: POST_REPLIES[status] for status in (400, 413)}}
MISSING_EXTRA = "importance needs scikit-learn, which is not installed: pip install 'toposcope[importance]'"


class _Table(NamedTuple):
    """What an answer is computed from."""

    source: Source
    rows: list[dict[str, Value]]
    """The hyperparameters of each run."""
    metric: list[float]
    """Of each run."""
    left_out: int
    not_finite: int


class _Answers:
    """Remembers the last answers: while the same is known of the runs there is no other."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, Importance] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, table: _Table, seed: int) -> Importance:
        """Return what the hyperparameters of a table tell of its metric."""
        known = repr((seed, table.metric, table.rows))
        key = hashlib.blake2b(known.encode(errors="surrogatepass")).digest()
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        found = importance(table.rows, table.metric, seed)
        with self._lock:
            self._known[key] = found
            if len(self._known) > _MOST_ANSWERS:
                self._known.popitem(last=False)
        return found


_answers = _Answers()


@router.get("/importance", response_model=ImportanceReply, responses=_REPLIES)
async def read_importance(request: Request, current: Current, query: Annotated[ImportanceQuery, Query()]) -> Response:
    """Compute how much each hyperparameter matters for a metric: by a random forest, and plain correlation beside it.

    A directory in which torch or tensorboardX put a hyperparameter session of a run counts with that run, and by itself
    only when it is named.
    """
    return await to_thread.run_sync(_reply, request.app.state.overview, current, query, limiter=_one_at_a_time)


@router.post("/importance", response_model=ImportanceReply, responses=_POST_REPLIES, max_body_size=MOST_BYTES)
async def read_importance_of_many(
    request: Request, current: Current, query: Annotated[ImportanceBody, Body()]
) -> Response:
    """Compute how much each hyperparameter matters; the same as GET for lists that are too long for a URL."""
    logdir_of(request).prioritise(query.run)
    return await to_thread.run_sync(_reply, request.app.state.overview, current, query, limiter=_one_at_a_time)


def _reply(overview: Overview, current: Snapshot, query: ImportanceQuery) -> Response:
    table = _table(overview, current, query)
    try:
        found = _answers.of(table, query.seed)
    except MissingExtraError as error:
        raise HTTPException(501, MISSING_EXTRA) from error
    content = {
        "revision": current.revision,
        "metric": query.metric,
        "source": table.source,
        "runs": len(table.rows),
        "left_out": table.left_out,
        "not_finite": table.not_finite,
        "enough": found.enough,
        "problem": found.problem,
        "score": found.score,
        "parameters": [asdict(parameter) for parameter in found.parameters],
    }
    return json_reply(in_json(content))


def _table(overview: Overview, current: Snapshot, query: ImportanceQuery) -> _Table:
    runs = find_runs(current, query.run)
    sessions = overview.sessions(current.runs)
    folded = {session.name for below in sessions.values() for session in below}
    runs = [run for run in runs if query.run or run.name not in folded]
    source: Source = query.source or "scalar"
    values = _last_values(overview, runs, query.metric) if source == "scalar" else {}
    if not values and query.source != "scalar":
        source, values = "lineage", _lineage_values(overview, runs, query.metric, sessions, current.runs)
    if not values:
        raise not_found("metric", [query.metric])
    rows, metric = [], []
    finite = [run for run in runs if math.isfinite(values.get(run.name, math.nan))]
    for run in finite:
        told = overview.settings(run, sessions.get(run.name, ())).hyper_parameters
        row = {name: value for name, value in told.items() if name != query.metric}
        if row:
            rows.append(row)
            metric.append(values[run.name])
    return _Table(source, rows, metric, len(values) - len(rows), len(values) - len(finite))


def _last_values(overview: Overview, runs: Iterable[RunView], tag: str) -> dict[str, float]:
    """Return the last value of a scalar tag by run, of those that have it."""
    found = {run.name: overview.summary(run, tag) for run in runs}
    return {name: each[1].last for name, each in found.items() if each is not None}


def _lineage_values(
    overview: Overview, runs: Iterable[RunView], metric: str, sessions: Sessions, all_runs: Mapping[str, RunView]
) -> dict[str, float]:
    """Return a metric of the lineage by run, of those whose is a number."""
    found = {run.name: _lineage_metrics(overview, run, sessions, all_runs).get(metric) for run in runs}
    return {name: number for name, value in found.items() if (number := _number(value)) is not None}


def _number(value: Plain) -> float | None:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _lineage_metrics(
    overview: Overview, run: RunView, sessions: Sessions, runs: Mapping[str, RunView]
) -> Mapping[str, Plain]:
    """Return the metrics of evaluations and sessions; the last loss of the training unless one of them has the name."""
    answers = overview.reply_cache(run)
    key = ("metrics", *((session.name, session.revision) for session in sessions.get(run.name, ())))
    if key not in answers:
        lineage, _ = lineage_of(run, sessions, runs)
        loss = {"loss": lineage.model["loss"]} if "loss" in lineage.model else {}
        answers[key] = loss | lineage.metrics
    metrics: Mapping[str, Plain] = answers[key]
    return metrics
