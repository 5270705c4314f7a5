"""GET /api/runs: every run with its state."""

import os
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from toposcope.server.api.current import Current, logdir_of
from toposcope.server.api.reply import json_reply
from toposcope.server.logdir import Snapshot
from toposcope.server.run import RunView

router = APIRouter()


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
    """The most attempts of any rank."""
    dialect: str
    live: bool
    """Whether a file of it grew within the last minute."""
    damaged_records: int
    parent: str | None
    """The run that this one is a hyperparameter session of."""
    plugins: dict[str, int]
    """Number of tags of each plugin."""


class Runs(BaseModel):
    """All runs, oldest first."""

    revision: int
    logdir: str
    logdir_exists: bool
    loading: bool
    """Whether files are still being read for the first time."""
    runs: list[Run]


@router.get("/runs", response_model=Runs)
def list_runs(request: Request, current: Current) -> Response:
    """List the runs of the logdir, oldest first."""
    runs = sorted(current.runs.values(), key=lambda run: (run.started or float("inf"), run.name))
    return json_reply(
        {
            "revision": current.revision,
            "logdir": logdir_of(request).path,
            "logdir_exists": current.exists,
            "loading": current.loading,
            "runs": [_describe(run, current) for run in runs],
        }
    )


def _describe(run: RunView, current: Snapshot) -> dict[str, Any]:
    first_step, last_step = run.steps or (None, None)
    return {
        "run": run.name,
        "started": run.started,
        "updated": run.updated,
        "first_step": first_step,
        "last_step": last_step,
        "ranks": list(run.attempts),
        "attempts": max(map(len, run.attempts.values())),
        "dialect": run.dialect,
        "live": run.live,
        "damaged_records": run.damaged_records,
        "parent": _parent(run, current),
        "plugins": dict(run.plugins),
    }


def _parent(run: RunView, current: Snapshot) -> str | None:
    above = os.path.dirname(run.name) or "."
    return above if run.is_session and run.name != "." and above in current.runs else None
