"""/api/lineage, /api/lineage/dataset and /datasets: what runs were trained with, and their dataset pipelines."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Body, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.json_reply import json_reply
from toposcope.server.api.payload_query import MOST_NAME, REFUSED
from toposcope.server.api.scalar_query import MOST_BYTES, POST_REPLIES
from toposcope.server.api.snapshot import Current, find_runs, logdir_of
from toposcope.server.json_values import in_json
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.runs.run import RunView
from toposcope.server.runs.run_lineage import Sessions, lineage_of, read_dataset_graph, sessions_by_parent

router = APIRouter()


class RunsQuery(BaseModel):
    """Which runs."""

    model_config = ConfigDict(extra="forbid")

    run: list[str] = Field([], max_length=1000, description="runs; none: all")


class RunsBody(RunsQuery):
    """The same in JSON, where a list may be longer than a URL."""

    model_config = ConfigDict(strict=True)

    run: list[str] = Field([], max_length=100_000, description="runs; none: all")


class RunQuery(BaseModel):
    """Which run."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MOST_NAME, description="a run")


class RunLineage(BaseModel):
    """The lineage of one run: name to value by section; the newest value of each name wins.

    Values are plain data; NaN and infinities are the strings "NaN", "Infinity" and "-Infinity", integers beyond
    64 bits their digits.
    """

    run: str
    hyper_parameters: dict[str, Any]
    """optimizer, learning_rate, loss_function, epoch, parallel_mode, device_num, batch_size; and those that
    TensorBoard's writers recorded."""
    metrics: dict[str, Any]
    """Of evaluations; last values of the metrics of a hyperparameter session."""
    train_dataset: dict[str, Any]
    """train_dataset_path, train_dataset_size (samples)."""
    valid_dataset: dict[str, Any]
    """valid_dataset_path, valid_dataset_size (samples)."""
    model: dict[str, Any]
    """network, loss (the last of the training), path (of the checkpoint), size (bytes)."""
    custom: dict[str, Any]
    """What the user told."""
    problems: list[str]
    """Messages that are damaged or too large, a sentence each."""


class Lineages(BaseModel):
    """One row a run that has lineage."""

    revision: int
    runs: list[RunLineage]


class Stage(BaseModel):
    """One stage of a dataset pipeline."""

    op_type: str
    """"Batch", "Map", ...; empty when the file names none."""
    parameters: dict[str, Any]
    operations: list[dict[str, Any]]
    """Parameters of each transform that it applies."""
    sampler: dict[str, Any] | None
    """Parameters of its sampler."""
    children: list["Stage"]
    """The stages that feed it."""


class DatasetPipeline(BaseModel):
    """The dataset pipeline of a run."""

    revision: int
    run: str
    dataset: Stage | None
    """Its last stage; null when the run has no pipeline."""
    problems: list[str]
    """Why the newest one cannot be shown, a sentence each."""


class RunPipeline(BaseModel):
    """The dataset pipeline of one of several runs."""

    run: str
    dataset: Stage | None
    """Its last stage; null when the newest one cannot be shown."""
    problems: list[str]
    """Why it cannot, a sentence each."""


class DatasetPipelines(BaseModel):
    """One row a run that has a dataset pipeline."""

    revision: int
    runs: list[RunPipeline]


@router.get("/lineage", response_model=Lineages, responses=REFUSED)
def read_lineages(current: Current, query: Annotated[RunsQuery, Query()]) -> Response:
    """Read the lineage of runs.

    A directory in which torch or tensorboardX put a hyperparameter session of a run belongs to that run's row, and is
    a row of its own only when it is named.
    """
    return _read_lineages(current, query)


@router.post("/lineage", response_model=Lineages, responses=POST_REPLIES, max_body_size=MOST_BYTES)
def read_many_lineages(request: Request, current: Current, query: Annotated[RunsBody, Body()]) -> Response:
    """Read the lineage of runs; the same as GET for lists that are too long for a URL."""
    logdir_of(request).prioritise(query.run)
    return _read_lineages(current, query)


def _read_lineages(current: Snapshot, query: RunsQuery) -> Response:
    chosen = find_runs(current, query.run)
    sessions = sessions_by_parent(current.runs)
    folded = {session.name for below in sessions.values() for session in below}
    wanted = [run for run in chosen if query.run or run.name not in folded]
    rows = [row for run in wanted if (row := _row(run, sessions, current.runs))]
    return json_reply({"revision": current.revision, "runs": rows})


@router.get("/lineage/dataset", response_model=DatasetPipeline, responses=REFUSED)
def read_dataset(current: Current, query: Annotated[RunQuery, Query()]) -> Response:
    """Read the newest dataset pipeline of a run as a tree, from its last stage to the sources."""
    runs = find_runs(current, [query.run])
    dataset, problems = read_dataset_graph(runs[0])
    content = {"revision": current.revision, "run": query.run, "dataset": dataset, "problems": problems}
    return json_reply(in_json(content))


@router.get("/lineage/datasets", response_model=DatasetPipelines, responses=REFUSED)
def read_datasets(current: Current, query: Annotated[RunsQuery, Query()]) -> Response:
    """Read the newest dataset pipelines of runs as trees."""
    return _read_datasets(current, query)


@router.post("/lineage/datasets", response_model=DatasetPipelines, responses=POST_REPLIES, max_body_size=MOST_BYTES)
def read_many_datasets(request: Request, current: Current, query: Annotated[RunsBody, Body()]) -> Response:
    """Read dataset pipelines; the same as GET for lists that are too long for a URL."""
    logdir_of(request).prioritise(query.run)
    return _read_datasets(current, query)


def _read_datasets(current: Snapshot, query: RunsQuery) -> Response:
    chosen = find_runs(current, query.run)
    rows = []
    for run in chosen:
        dataset, problems = read_dataset_graph(run)
        if dataset or problems:
            rows.append(in_json({"run": run.name, "dataset": dataset, "problems": problems}))
    return json_reply({"revision": current.revision, "runs": rows})


def _row(run: RunView, sessions: Sessions, runs: Mapping[str, RunView]) -> orjson.Fragment | None:
    """Return a row in JSON; None when there is nothing to tell of the run."""
    lineage, problems = lineage_of(run, sessions, runs)
    if not (any(lineage) or problems):
        return None
    return orjson.Fragment(_encoded({"run": run.name, **lineage._asdict(), "problems": problems}))


def _encoded(content: dict[str, Any]) -> bytes:
    """Return plain data in JSON. What needs in_json, which costs as much as all the rest, is rare."""
    with suppress(orjson.JSONEncodeError):  # An integer beyond 64 bits, or a text that is no UTF-8.
        body = orjson.dumps(content)
        if b"null" not in body:  # As orjson writes NaN and infinities.
            return body
    return orjson.dumps(in_json(content))
