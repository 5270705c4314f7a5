"""GET /api/runs: all runs with their state."""

import itertools
import os
from collections.abc import Iterator
from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from toposcope.server.api.json_reply import json_reply
from toposcope.server.api.snapshot import Current, logdir_of
from toposcope.server.loading.discovery import printable
from toposcope.server.runs.run import RunView

router = APIRouter()
_LISTED_DAMAGE = 100


class DamagedPlace(BaseModel):
    """A position in an event file at which no record could be read."""

    file: str
    """Name of the event file."""
    offset: int
    reason: Literal["payload", "length"]
    """payload: wrong checksum or malformed message; length: reading resumed at the next intact header."""


class Run(BaseModel):
    """A run: the event files of one directory."""

    run: str
    """Its directory relative to the logdir; "." for the logdir itself."""
    started: float | None
    """Smallest wall_time, in seconds since 1970."""
    updated: float | None
    """Largest wall_time, in seconds since 1970."""
    first_step: int | None
    last_step: int | None
    ranks: list[int]
    attempts: int
    """The maximum over the ranks."""
    dialect: str
    live: bool
    """Whether one of its files grew within the last minute."""
    events: int
    damaged_records: int
    damage: list[DamagedPlace]
    """The first 100 damaged records."""
    pending_records: int
    """Large records, which are verified after loading, that have not been verified yet."""
    parent: str | None
    """The run that this one is a hyperparameter session of."""
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
    """All runs, oldest first."""

    revision: int
    logdir: str
    logdir_exists: bool
    loading: bool
    """Whether files are still being read for the first time."""
    progress: LoadProgress
    runs: list[Run]


@router.get("/runs", response_model=Runs)
def list_runs(request: Request, current: Current) -> Response:
    """List the runs of the logdir, oldest first."""
    runs = sorted(current.runs.values(), key=lambda run: (run.started or float("inf"), run.name))
    parents = request.app.state.overview.parents(current.runs)
    return json_reply(
        {
            "revision": current.revision,
            "logdir": logdir_of(request).path,
            "logdir_exists": current.exists,
            "loading": current.loading,
            "progress": current.progress._asdict(),
            "runs": [_describe(run, parents.get(run.name)) for run in runs],
        }
    )


def _describe(run: RunView, parent: str | None) -> dict[str, Any]:
    first_step, last_step = run.steps or (None, None)
    return {
        "run": run.name,
        "started": run.started,
        "updated": run.updated,
        "first_step": first_step,
        "last_step": last_step,
        "ranks": list(run.attempts),
        "attempts": max(map(len, run.attempts.values()), default=1),
        "dialect": run.dialect,
        "live": run.live,
        "events": sum(file.counters.events for file in run.files),
        "damaged_records": sum(len(file.damage) for file in run.files),
        "damage": list(itertools.islice(_damage(run), _LISTED_DAMAGE)),
        "pending_records": sum(file.large_records - file.verified_large_records for file in run.files),
        "parent": parent,
        "plugins": dict(run.plugins),
        "plugin_ranks": _plugin_ranks(run) if len(run.attempts) > 1 else {},
    }


def _plugin_ranks(run: RunView) -> dict[str, list[int]]:
    ranks: dict[str, list[int]] = {}
    for rank, attempts in run.attempts.items():
        for plugin in sorted({tag.plugin for each in attempts for file in each.files for tag in file.series}):
            ranks.setdefault(plugin, []).append(rank)
    return ranks


def _damage(run: RunView) -> Iterator[dict[str, Any]]:
    for file in run.files:
        for offset, reason in file.damage:
            yield {"file": printable(os.path.basename(file.path)), "offset": offset, "reason": reason}
