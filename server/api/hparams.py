"""GET /api/hparams: TensorBoard's hyperparameters as they are, session by session."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from toposcope.server.api.json_reply import Number, json_reply
from toposcope.server.api.lineage import RunsQuery
from toposcope.server.api.payload_query import REFUSED
from toposcope.server.api.snapshot import Current, find_runs
from toposcope.server.json_values import in_json
from toposcope.server.runs.hparams_sessions import parent_of, read_experiment, read_session
from toposcope.server.runs.run import RunView

router = APIRouter()


class Hparam(BaseModel):
    """A hyperparameter's value in one session."""

    type: Literal["float64", "string", "bool", "list", "struct", "null"]
    """TensorBoard has integers as float64."""
    value: Any


class Session(BaseModel):
    """A training with one value of each hyperparameter."""

    hparams: dict[str, Hparam]
    group: str
    """Sessions of one group repeat a trial; empty: a group of its own."""
    model_uri: str
    monitor_url: str
    start_time: Number | None
    """Seconds since 1970; null when the file does not say."""
    end_time: Number | None
    status: Literal["success", "failure", "running", "unknown"]


class HparamInfo(BaseModel):
    """What an experiment says of one hyperparameter."""

    name: str
    display_name: str
    description: str
    type: Literal["string", "bool", "float64"] | None
    values: list[Any] | None
    """The values it may take, when they are listed."""
    interval: list[Number] | None
    """The least and the largest value it may take, when these are given."""


class MetricInfo(BaseModel):
    """What an experiment says of one metric."""

    group: str
    """Path of the metric's run below the session's; empty: the session itself."""
    tag: str
    """Of the scalar."""
    display_name: str
    description: str
    dataset: Literal["training", "validation"] | None


class Experiment(BaseModel):
    """What sessions have in common."""

    name: str
    description: str
    user: str
    time_created: Number | None
    """Seconds since 1970; null when the file does not say."""
    hparams: list[HparamInfo]
    metrics: list[MetricInfo]


class RunHparams(BaseModel):
    """What one run holds of hyperparameters."""

    run: str
    """The session's name too."""
    parent: str | None
    """The run that the session belongs to, when it stands in a directory of its own below it."""
    session: Session | None
    experiment: Experiment | None
    problems: list[str]
    """Messages that are damaged or too large, a sentence each."""


class Hparams(BaseModel):
    """One row a run that holds hyperparameters of TensorBoard's kind."""

    revision: int
    runs: list[RunHparams]


@router.get("/hparams", response_model=Hparams, responses=REFUSED)
def read_hparams(current: Current, query: Annotated[RunsQuery, Query()]) -> Response:
    """Read the sessions and experiments that TensorBoard's writers recorded."""
    chosen = find_runs(current, query.run)
    rows = [_row(run, parent_of(run, current.runs)) for run in chosen if "hparams" in run.plugins]
    return json_reply({"revision": current.revision, "runs": rows})


def _row(run: RunView, parent: str | None) -> Any:
    session, problems = read_session(run)
    experiment, more_problems = read_experiment(run)
    return in_json(
        {
            "run": run.name,
            "parent": parent,
            "session": session,
            "experiment": experiment,
            "problems": problems + more_problems,
        }
    )
