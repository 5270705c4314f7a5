"""GET /api/runs: all runs with their state."""

import itertools
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from toposcope.server.api.listings.run_listing import ListingQuery, list_found
from toposcope.server.api.replies.errors import REQUEST_ERRORS
from toposcope.server.api.replies.json_reply import json_reply
from toposcope.server.api.requests.snapshot import Current, find_runs, logdir_of
from toposcope.server.loading.finding.discovery import printable
from toposcope.server.runs.recordings.run_state import Phase, RunState, State
from toposcope.server.runs.run import RunView
from toposcope.server.search.facts import plugin_ranks
from toposcope.server.text.json_values import json_value

router = APIRouter(prefix="/api")
_LISTED_DAMAGE = 100


class DamagedPlace(BaseModel):
    """A position in an event file at which no record could be read."""

    file: str
    """Path of the event file below the directory of the run."""
    offset: int
    reason: Literal["payload", "length"]
    """payload: wrong checksum or malformed message; length: reading resumed at the next intact header."""


class RunError(BaseModel):
    """The exception that ended a recording, or what interrupted it."""

    type: str
    """"" for an interruption without an exception; its text is then "SIGTERM", for example."""
    text: str
    traceback: str
    """At most 8192 bytes; the middle of a longer one is left out."""


class RunRecording(BaseModel):
    """What one recorder wrote, from its start to its end; the files of other programs count as one per attempt."""

    rank: int
    attempt: int
    """The number of the attempt of the rank, from 1."""
    session: str | None
    """Identifies the recording; null if another program wrote the files."""
    state: State
    phase: Phase | None
    started: float | None
    ended: float | None
    error: RunError | None
    host: str | None
    process_id: int | None
    command_line: str | None
    """Secrets are replaced by "***"."""


class Run(BaseModel):
    """A run: the event files of one directory, and of the directories that add_scalars() made for it."""

    run: str
    """Its directory relative to the logdir; "." for the logdir itself."""
    started: float | None
    """When the first recording began, in seconds since 1970: the wall_time of its first event."""
    updated: float | None
    """Largest wall_time, in seconds since 1970."""
    first_step: int | None
    last_step: int | None
    ranks: list[int]
    writers: int
    """How many programs without ranks, such as TensorBoard's writers, wrote the run at the same time; 0 if there are no
    several. Rank 0 contains the points of all of them, rank n those of the n-th in order of the file names."""
    attempts: int
    """The maximum over the ranks."""
    dialect: str
    """The dialect of event files, "mindspore" or "tensorboard", or the format of another tool, such as "wandb"."""
    live: bool
    """Whether one of its files grew within the last minute."""
    state: State
    """failed: an exception ended the recording; lost: it did not grow for three heartbeats, by default 90 seconds;
    interrupted: by a person or by the program itself; stalled: a training that recorded nothing for ten times the usual
    interval, and at least a minute; running; finished; unknown: its files do not say how it began, as those of other
    programs, and those of TensorBoard's writers without a SessionLog that ended. The gravest of the recordings of the
    newest attempt, in this order."""
    phase: Phase | None
    """What the training does while it runs; null if it is unknown. A change of it alone makes no revision."""
    ended: float | None
    """Seconds since 1970. The time of the last write if the state is lost or unknown; null while it runs."""
    error: RunError | None
    """The error of the recording that failed first."""
    recordings: list[RunRecording]
    """All of them, by rank and in order of their start."""
    events: int
    damaged_records: int
    damage: list[DamagedPlace]
    """The first 100 damaged records."""
    pending_records: int
    """Large records, which are verified after loading, that have not been verified yet."""
    stale: str | None
    """Why it may have changed since it was read: its files cannot be read at present, and are tried again. Null: they
    can."""
    parent: str | None
    """The run that this one is a hyperparameter session of."""
    colour: int
    """For good: a colour of the palette of 24 that the page has, from 0, plus 24 times its dash pattern."""
    session_name: str | None
    """What to show in place of the last part of its name: the hyperparameters of a session whose directory is named by
    the time; null for others."""
    plugins: dict[str, int]
    """Number of tags of each plugin."""
    plugin_ranks: dict[str, list[int]]
    """The ranks that have tags of each plugin; empty if the run has only one rank."""


class LoadProgress(BaseModel):
    """Progress in loading; see /api/health."""

    files: int
    waiting_files: int
    bytes: int
    read_bytes: int


class Runs(BaseModel):
    """The runs that match, oldest first unless another order is requested."""

    revision: int
    logdir: str
    logdir_exists: bool
    loading: bool
    """Whether files are still being read for the first time."""
    progress: LoadProgress
    runs: list[Run]
    total: int
    """How many runs match the search; more than there are in this reply if a page was requested."""
    unknown: list[str]
    """Names in the search that no run has as a field, hyperparameter or metric."""


class RunsQuery(ListingQuery):
    """Finds, sorts and pages runs."""

    run: list[str] = Field([], max_length=1000, description="runs; none: all")


@router.get("/runs", response_model=Runs, responses=REQUEST_ERRORS)
def list_runs(request: Request, current: Current, query: Annotated[RunsQuery, Query()]) -> Response:
    """List the runs of the logdir, oldest first unless another order is requested."""
    find_runs(current, query.run)
    listing = list_found(request, current, query.run, query)
    parents = request.app.state.overview.parents(current.runs)
    names = request.app.state.overview.session_names(current.runs)
    colours = request.app.state.colours.of(current.runs)
    return json_reply(
        {
            "revision": current.revision,
            "logdir": logdir_of(request).path,
            "logdir_exists": current.exists,
            "loading": current.loading,
            "progress": current.progress._asdict(),
            "runs": [
                _describe(run, current.stale.get(run.name))
                | {
                    "parent": parents.get(run.name),
                    "session_name": names.get(run.name),
                    "colour": colours[run.name],
                }
                for run in listing.runs
            ],
            "total": listing.total,
            "unknown": listing.unknown,
        }
    )


def _describe(run: RunView, stale: str | None) -> dict[str, Any]:
    first_step, last_step = run.steps or (None, None)
    return {
        "run": run.name,
        "started": run.started,
        "updated": run.updated,
        "first_step": first_step,
        "last_step": last_step,
        "ranks": list(run.attempts),
        "writers": run.writers,
        "attempts": max(map(len, run.attempts.values()), default=1),
        "dialect": run.dialect,
        "live": run.live,
        **_state(run.state),
        "events": sum(file.counters.events for file in run.files),
        "damaged_records": sum(len(file.damage) for file in run.files),
        "damage": list(itertools.islice(_damage(run), _LISTED_DAMAGE)),
        "pending_records": sum(file.large_records - file.verified_large_records for file in run.files),
        "stale": json_value(stale),
        "plugins": dict(run.plugins),
        "plugin_ranks": plugin_ranks(run),
    }


def _state(state: RunState) -> dict[str, Any]:
    return {
        "state": state.state,
        "phase": state.phase,
        "ended": state.ended,
        "error": state.error and state.error._asdict(),
        "recordings": [each._asdict() | {"error": each.error and each.error._asdict()} for each in state.recordings],
    }


def _damage(run: RunView) -> Iterator[dict[str, Any]]:
    for file in run.files:
        for offset, reason in file.damage:
            yield {"file": printable(file.path_in_run), "offset": offset, "reason": reason}
