"""GET and POST /api/importance: the importance of hyperparameters for a metric."""

import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Annotated, Literal, NamedTuple

from fastapi import APIRouter, Body, HTTPException, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.replies.errors import INVALID_REQUEST, Problem, Replies, body_errors
from toposcope.server.api.replies.json_reply import json_reply
from toposcope.server.api.requests.budgeted import Work, within_budget
from toposcope.server.api.requests.request_limits import MAX_BODY_BYTES, MAX_NAME, MAX_RUNS
from toposcope.server.api.requests.snapshot import Current, find_runs, logdir_of, not_found
from toposcope.server.budget.cost import Cost
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.runs.importance.forest import MissingExtraError
from toposcope.server.runs.importance.importance import Importance, Parameter, importance
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.parameters.hparams_sessions import Sessions
from toposcope.server.runs.parameters.hyper_parameters import Value
from toposcope.server.runs.parameters.run_lineage import lineage_of
from toposcope.server.runs.run import RunView
from toposcope.server.text.json_values import json_value
from toposcope.server.values.lineage import Plain

router = APIRouter(prefix="/api")
Source = Literal["scalar", "lineage"]
_MAX_RESULTS = 32
_COST = Cost(5.0, 64 << 20)
"""The cost of fitting a forest."""


class ImportanceQuery(BaseModel):
    """Selects a metric and runs."""

    model_config = ConfigDict(extra="forbid")

    metric: str = Field(
        max_length=MAX_NAME, description="a scalar tag, of which the last value counts, or a lineage metric"
    )
    run: list[str] = Field([], max_length=1000, description="runs; none: all")
    source: Source | None = Field(None, description="default: scalar if a run has such a tag, else lineage")
    seed: int = Field(0, ge=0, lt=2**32, description="seed of the random forest; equal seeds give equal replies")


class ImportanceBody(ImportanceQuery):
    """An ImportanceQuery as JSON, which is validated strictly and whose lists may be longer than in a URL."""

    model_config = ConfigDict(strict=True)

    run: list[str] = Field([], max_length=MAX_RUNS, description="runs; none: all")


class ImportanceReply(BaseModel):
    """The importance of hyperparameters for a metric."""

    revision: int
    metric: str
    source: Source
    runs: int
    """Number of runs with hyperparameters and a finite value of the metric."""
    left_out: int
    """Number of other runs with the metric."""
    not_finite: int
    """Number of these whose value is NaN or infinite."""
    enough: bool
    """Whether there were enough runs to compute importances; correlations are computed where possible."""
    problem: str | None
    """Why importances could not be computed, or what limits them, in sentences."""
    score: float | None
    """Out-of-sample R2 of the forest: 1 is perfect, 0 is no better than the mean."""
    parameters: list[Parameter]
    """The most important first."""


_REPLIES: Replies = {
    404: {"model": Problem, "description": "There is no such run, or no run has the metric."},
    **INVALID_REQUEST,
    501: {"model": Problem, "description": "scikit-learn is not installed."},
}
_POST_REPLIES = _REPLIES | body_errors(MAX_BODY_BYTES)
MISSING_EXTRA = "importance needs scikit-learn, which is not installed: pip install 'toposcope[importance]'"


class _Table(NamedTuple):
    """The input of the computation."""

    source: Source
    rows: list[dict[str, Value]]
    """The hyperparameters of each run."""
    metric: list[float]
    """The metric of each run."""
    left_out: int
    not_finite: int


class _ResultCache:
    """A cache of the last results, keyed by the input of the computation."""

    def __init__(self) -> None:
        self._results: OrderedDict[bytes, Importance] = OrderedDict()
        self._lock = threading.Lock()

    def importance_of(self, table: _Table, seed: int) -> Importance:
        """Return the importance of the hyperparameters of a table for its metric."""
        content = repr((seed, table.metric, table.rows))
        key = hashlib.blake2b(content.encode(errors="surrogatepass")).digest()
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        result = importance(table.rows, table.metric, seed)
        with self._lock:
            self._results[key] = result
            if len(self._results) > _MAX_RESULTS:
                self._results.popitem(last=False)
        return result


_result_cache = _ResultCache()


@router.get("/importance", response_model=ImportanceReply, responses=_REPLIES)
async def read_importance(request: Request, current: Current, query: Annotated[ImportanceQuery, Query()]) -> Response:
    """Compute the importance of each hyperparameter for a metric with a random forest, and its correlation.

    A hyperparameter session that torch or tensorboardX recorded in a subdirectory of a run describes that run, and is a
    separate run only if it is named. Several sessions below a run are trials: each is a run.
    """
    return await within_budget(request, lambda: Work(_COST, lambda: _reply(request, current, query)))


@router.post("/importance", response_model=ImportanceReply, responses=_POST_REPLIES, max_body_size=MAX_BODY_BYTES)
async def read_importance_of_many(
    request: Request, current: Current, query: Annotated[ImportanceBody, Body()]
) -> Response:
    """Compute the importance of hyperparameters; the same as GET, for lists that are too long for a URL."""
    logdir_of(request).prioritise(query.run)
    return await within_budget(request, lambda: Work(_COST, lambda: _reply(request, current, query)))


def _reply(request: Request, current: Snapshot, query: ImportanceQuery) -> Response:
    table = _table(request.app.state.overview, current, query)
    try:
        result = _result_cache.importance_of(table, query.seed)
    except MissingExtraError as error:
        raise HTTPException(501, MISSING_EXTRA) from error
    content = {
        "revision": current.revision,
        "metric": query.metric,
        "source": table.source,
        "runs": len(table.rows),
        "left_out": table.left_out,
        "not_finite": table.not_finite,
        "enough": result.enough,
        "problem": result.problem,
        "score": result.score,
        "parameters": [asdict(parameter) for parameter in result.parameters],
    }
    return json_reply(json_value(content))


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
        settings = overview.settings(run, sessions.get(run.name, ())).hyper_parameters
        row = {name: value for name, value in settings.items() if name != query.metric}
        if row:
            rows.append(row)
            metric.append(values[run.name])
    return _Table(source, rows, metric, len(values) - len(rows), len(values) - len(finite))


def _last_values(overview: Overview, runs: Iterable[RunView], tag: str) -> dict[str, float]:
    """Return the last value of a scalar tag by run, for the runs that have it."""
    summaries = {run.name: overview.summary(run, tag) for run in runs}
    return {name: each[1].last for name, each in summaries.items() if each is not None}


def _lineage_values(
    overview: Overview, runs: Iterable[RunView], metric: str, sessions: Sessions, all_runs: Mapping[str, RunView]
) -> dict[str, float]:
    """Return a lineage metric by run, for the runs in which it is a number."""
    metrics = {run.name: _lineage_metrics(overview, run, sessions, all_runs).get(metric) for run in runs}
    return {name: number for name, value in metrics.items() if (number := _number(value)) is not None}


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
    """Return the metrics of evaluations and sessions, and "loss", the last training loss, unless they contain it."""
    answers = overview.reply_cache(run)
    key = ("metrics", *((session.name, session.revision) for session in sessions.get(run.name, ())))
    if key not in answers:
        lineage, _ = lineage_of(run, sessions, runs)
        loss = {"loss": lineage.model["loss"]} if "loss" in lineage.model else {}
        answers[key] = loss | lineage.metrics
    metrics: Mapping[str, Plain] = answers[key]
    return metrics
