"""/api/lineage, /api/lineage/dataset and /datasets: the lineage of runs and their dataset pipelines."""

from contextlib import suppress
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Body, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.metric_direction import Direction, metric_directions
from toposcope.server.api.replies.errors import REQUEST_ERRORS, body_errors
from toposcope.server.api.replies.json_reply import json_reply
from toposcope.server.api.requests.request_limits import MAX_BODY_BYTES, MAX_NAME, MAX_RUNS
from toposcope.server.api.requests.snapshot import Current, find_runs, logdir_of
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.runs.parameters.hparams_sessions import only_sessions, parents_of
from toposcope.server.runs.parameters.run_lineage import lineage_of, read_dataset_graph
from toposcope.server.text.json_values import json_value

router = APIRouter(prefix="/api")
_POST_REPLIES = REQUEST_ERRORS | body_errors(MAX_BODY_BYTES)


class RunsQuery(BaseModel):
    """Selects runs."""

    model_config = ConfigDict(extra="forbid")

    run: list[str] = Field([], max_length=1000, description="runs; none: all")


class RunsBody(RunsQuery):
    """A RunsQuery as JSON, whose list may be longer than in a URL."""

    model_config = ConfigDict(strict=True)

    run: list[str] = Field([], max_length=MAX_RUNS, description="runs; none: all")


class RunQuery(BaseModel):
    """Selects a run."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MAX_NAME, description="name of a run")


class RunLineage(BaseModel):
    """The lineage of one run: values by name in each section; the newest value of each name takes precedence.

    Values are plain data; NaN and infinities are the strings "NaN", "Infinity" and "-Infinity", integers beyond
    64 bits are strings of their digits.
    """

    run: str
    hyper_parameters: dict[str, Any]
    """optimizer, learning_rate, loss_function, epoch, parallel_mode, device_num, batch_size, and
    hyperparameters recorded by TensorBoard writers."""
    metrics: dict[str, Any]
    """Metrics of evaluations, and the last values of the metrics of a hyperparameter session."""
    train_dataset: dict[str, Any]
    """train_dataset_path, train_dataset_size (samples)."""
    valid_dataset: dict[str, Any]
    """valid_dataset_path, valid_dataset_size (samples)."""
    model: dict[str, Any]
    """network, loss (the last training loss), path (of the checkpoint), size (bytes)."""
    custom: dict[str, Any]
    """Values recorded by the user."""
    problems: list[str]
    """Why messages could not be read, one sentence each."""


class Lineages(BaseModel):
    """The runs that have lineage."""

    revision: int
    runs: list[RunLineage]
    directions: dict[str, Direction]
    """Whether the smallest or the largest value of a metric is its best, if its name says so."""


class Stage(BaseModel):
    """One stage of a dataset pipeline."""

    op_type: str
    """"Batch", "Map", ...; empty if the file does not state it."""
    parameters: dict[str, Any]
    operations: list[dict[str, Any]]
    """Parameters of each transform that the stage applies."""
    sampler: dict[str, Any] | None
    """Parameters of its sampler."""
    children: list["Stage"]
    """The stages that feed it."""


class DatasetPipeline(BaseModel):
    """The dataset pipeline of a run."""

    revision: int
    run: str
    dataset: Stage | None
    """The last stage; null if the run has no pipeline."""
    problems: list[str]
    """Why the newest pipeline could not be read, one sentence each."""


class RunPipeline(BaseModel):
    """The dataset pipeline of one of several runs."""

    run: str
    dataset: Stage | None
    """The last stage; null if the newest pipeline could not be read."""
    problems: list[str]
    """Why it could not be read, one sentence each."""


class DatasetPipelines(BaseModel):
    """The runs that have a dataset pipeline."""

    revision: int
    runs: list[RunPipeline]


@router.get("/lineage", response_model=Lineages, responses=REQUEST_ERRORS)
def read_lineages(current: Current, query: Annotated[RunsQuery, Query()]) -> Response:
    """Read the lineage of runs.

    A hyperparameter session that torch or tensorboardX recorded in a subdirectory of a run describes that run, and is a
    separate row only if it is named. Several sessions below a run are trials: each is a row.
    """
    return _read_lineages(current, query)


@router.post("/lineage", response_model=Lineages, responses=_POST_REPLIES, max_body_size=MAX_BODY_BYTES)
def read_many_lineages(request: Request, current: Current, query: Annotated[RunsBody, Body()]) -> Response:
    """Read the lineage of runs; the same as GET, for lists that are too long for a URL."""
    logdir_of(request).prioritise(query.run)
    return _read_lineages(current, query)


def _read_lineages(current: Snapshot, query: RunsQuery) -> Response:
    chosen = find_runs(current, query.run)
    sessions = only_sessions(current.runs, parents_of(current.runs))
    folded = {session.name for below in sessions.values() for session in below}
    shown = [run for run in chosen if query.run or run.name not in folded]
    rows, metrics = [], set[str]()
    for run in shown:
        lineage, problems = lineage_of(run, sessions, current.runs)
        if any(lineage) or problems:
            rows.append(orjson.Fragment(_encoded({"run": run.name, **lineage._asdict(), "problems": problems})))
            metrics.update(lineage.metrics)
    return json_reply({"revision": current.revision, "runs": rows, "directions": metric_directions(sorted(metrics))})


@router.get("/lineage/dataset", response_model=DatasetPipeline, responses=REQUEST_ERRORS)
def read_dataset(current: Current, query: Annotated[RunQuery, Query()]) -> Response:
    """Read the newest dataset pipeline of a run as a tree, from the last stage to the sources."""
    runs = find_runs(current, [query.run])
    dataset, problems = read_dataset_graph(runs[0])
    content = {"revision": current.revision, "run": query.run, "dataset": dataset, "problems": problems}
    return json_reply(json_value(content))


@router.get("/lineage/datasets", response_model=DatasetPipelines, responses=REQUEST_ERRORS)
def read_datasets(current: Current, query: Annotated[RunsQuery, Query()]) -> Response:
    """Read the newest dataset pipeline of each run as a tree."""
    return _read_datasets(current, query)


@router.post(
    "/lineage/datasets", response_model=DatasetPipelines, responses=_POST_REPLIES, max_body_size=MAX_BODY_BYTES
)
def read_many_datasets(request: Request, current: Current, query: Annotated[RunsBody, Body()]) -> Response:
    """Read dataset pipelines; the same as GET, for lists that are too long for a URL."""
    logdir_of(request).prioritise(query.run)
    return _read_datasets(current, query)


def _read_datasets(current: Snapshot, query: RunsQuery) -> Response:
    chosen = find_runs(current, query.run)
    rows = []
    for run in chosen:
        dataset, problems = read_dataset_graph(run)
        if dataset or problems:
            rows.append(json_value({"run": run.name, "dataset": dataset, "problems": problems}))
    return json_reply({"revision": current.revision, "runs": rows})


def _encoded(content: dict[str, Any]) -> bytes:
    """Return plain data as JSON. json_value, which is as slow as all the rest, is applied only if necessary."""
    with suppress(orjson.JSONEncodeError):  # An integer beyond 64 bits, or invalid UTF-8.
        body = orjson.dumps(content)
        if b"null" not in body:  # orjson writes NaN and infinities as null.
            return body
    return orjson.dumps(json_value(content))
