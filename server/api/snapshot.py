"""What routes start from: the snapshot of the logdir at the time of the request."""

from typing import Annotated

from fastapi import Depends, HTTPException, Request

from toposcope.server.loading.logdir import Logdir, Snapshot
from toposcope.server.runs.run import RunView


def logdir_of(request: Request) -> Logdir:
    """Return the logdir that the application serves."""
    logdir: Logdir = request.app.state.logdir
    return logdir


def snapshot_of(request: Request) -> Snapshot:
    """Return the last published snapshot; runs that the request names are loaded before others."""
    logdir = logdir_of(request)
    named = request.query_params.getlist("run")
    if named:
        logdir.prioritise(named)
    return logdir.snapshot


_MOST_NAMES, _LONGEST_NAME = 10, 1000
"""Of those that an answer repeats."""
Current = Annotated[Snapshot, Depends(snapshot_of)]


def choose_runs(snapshot: Snapshot, names: list[str]) -> tuple[list[RunView], list[str]]:
    """Return (the runs of these names, the names that no run has); no names mean all runs."""
    if not names:
        return list(snapshot.runs.values()), []
    once = list(dict.fromkeys(names))
    return [snapshot.runs[name] for name in once if name in snapshot.runs], [
        name for name in once if name not in snapshot.runs
    ]


def find_runs(snapshot: Snapshot, names: list[str]) -> list[RunView]:
    """Return the runs of these names; all runs when there are none.

    Raises:
        HTTPException: 404, which names those that no run has.
    """
    runs, missing = choose_runs(snapshot, names)
    if missing:
        raise not_found("run", missing)
    return runs


def not_found(kind: str, names: list[str]) -> HTTPException:
    """Return the 404 that names what was not found."""
    listed = ", ".join(repr(name[:_LONGEST_NAME]) for name in names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return HTTPException(404, f"no {kind} {listed}{more}")
