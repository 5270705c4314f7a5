"""Dependencies of routes: the current snapshot of the logdir, and the runs that a request names."""

from typing import Annotated

from fastapi import Depends, HTTPException, Request

from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.loading.run_source import RunSource
from toposcope.server.runs.run import RunView


def logdir_of(request: Request) -> RunSource:
    """Return the logdir that the application serves."""
    logdir: RunSource = request.app.state.logdir
    return logdir


def snapshot_of(request: Request) -> Snapshot:
    """Return the last published snapshot; runs named in the query string are loaded before others."""
    logdir = logdir_of(request)
    names = request.query_params.getlist("run")
    if names:
        logdir.prioritise(names)
    return logdir.snapshot


_MAX_NAMES, _LONGEST_NAME = 10, 1000
"""Limits on the names in an error message."""
Current = Annotated[Snapshot, Depends(snapshot_of)]


def choose_runs(snapshot: Snapshot, names: list[str]) -> tuple[list[RunView], list[str]]:
    """Return (the runs with these names, or all runs if there are no names; the names that no run has)."""
    if not names:
        return list(snapshot.runs.values()), []
    unique = list(dict.fromkeys(names))
    runs = [snapshot.runs[name] for name in unique if name in snapshot.runs]
    return runs, [name for name in unique if name not in snapshot.runs]


def find_runs(snapshot: Snapshot, names: list[str]) -> list[RunView]:
    """Return the runs with these names; all runs if there are no names.

    Raises:
        HTTPException: 404 if a run does not exist.
    """
    runs, missing = choose_runs(snapshot, names)
    if missing:
        raise not_found("run", missing)
    return runs


def not_found(kind: str, names: list[str]) -> HTTPException:
    """Return a 404 error that lists the missing names."""
    listed = ", ".join(repr(name[:_LONGEST_NAME]) for name in names[:_MAX_NAMES])
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return HTTPException(404, f"no {kind} {listed}{more}")
