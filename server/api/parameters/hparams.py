"""GET /api/hparams: the hyperparameters recorded by TensorBoard writers, session by session."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from toposcope.server.api.parameters.lineage import RunsQuery
from toposcope.server.api.replies.errors import REQUEST_ERRORS
from toposcope.server.api.replies.json_reply import Number, json_reply
from toposcope.server.api.requests.snapshot import Current, find_runs
from toposcope.server.runs.parameters.hparams_sessions import parent_of, read_experiment, read_session
from toposcope.server.runs.run import RunView
from toposcope.server.text.json_values import json_value

router = APIRouter(prefix="/api")


class Hparam(BaseModel):
    """A hyperparameter's value in one session."""

    type: Literal["float64", "string", "bool", "list", "struct", "null"]
    """TensorBoard stores integers as float64."""
    value: Any


class Session(BaseModel):
    """A training with a value for each hyperparameter."""

    hparams: dict[str, Hparam]
    group: str
    """Sessions of a group repeat a trial; empty if the session is not in a group."""
    model_uri: str
    monitor_url: str
    start_time: Number | None
    """Seconds since 1970; null if the file does not state it."""
    end_time: Number | None
    status: Literal["success", "failure", "running", "unknown"]


class HparamInfo(BaseModel):
    """The declaration of a hyperparameter in an experiment."""

    name: str
    display_name: str
    description: str
    type: Literal["string", "bool", "float64"] | None
    values: list[Any] | None
    """The values it may take, if they are declared."""
    interval: list[Number] | None
    """The least and the largest value it may take, if they are declared."""


class MetricInfo(BaseModel):
    """The declaration of a metric in an experiment."""

    group: str
    """Path of the metric's run relative to the session; empty for the session itself."""
    tag: str
    """The scalar tag."""
    display_name: str
    description: str
    dataset: Literal["training", "validation"] | None


class Experiment(BaseModel):
    """An experiment, which several sessions share."""

    name: str
    description: str
    user: str
    time_created: Number | None
    """Seconds since 1970; null if the file does not state it."""
    hparams: list[HparamInfo]
    metrics: list[MetricInfo]


class RunHparams(BaseModel):
    """The session and experiment of one run."""

    run: str
    """The name of the run, and thus of its session."""
    parent: str | None
    """The run that the session belongs to, if the session is in a subdirectory of it."""
    session: Session | None
    experiment: Experiment | None
    problems: list[str]
    """Why messages could not be read, one sentence each."""


class Hparams(BaseModel):
    """The runs with hyperparameters recorded by TensorBoard writers."""

    revision: int
    runs: list[RunHparams]


@router.get("/hparams", response_model=Hparams, responses=REQUEST_ERRORS)
def read_hparams(current: Current, query: Annotated[RunsQuery, Query()]) -> Response:
    """Read the sessions and experiments recorded by TensorBoard writers."""
    chosen = find_runs(current, query.run)
    rows = [_row(run, parent_of(run, current.runs)) for run in chosen if "hparams" in run.plugins]
    return json_reply({"revision": current.revision, "runs": rows})


def _row(run: RunView, parent: str | None) -> Any:
    session, problems = read_session(run)
    experiment, more_problems = read_experiment(run)
    return json_value(
        {
            "run": run.name,
            "parent": parent,
            "session": session,
            "experiment": experiment,
            "problems": problems + more_problems,
        }
    )
