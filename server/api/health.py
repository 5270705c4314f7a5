"""GET /api/health: the server's version, its progress in loading, and what is wrong."""

import time
from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel

from toposcope.server.api.requests.snapshot import Current, logdir_of
from toposcope.server.installation import installation_warnings
from toposcope.server.process.version import VERSION
from toposcope.server.text.json_values import json_value

router = APIRouter(prefix="/api")
_MAX_PROBLEMS = 1000


class HealthWarning(BaseModel):
    """A fault that does not stop the server: it is slow, runs other code than was installed, or keeps nothing."""

    kind: Literal["uncompiled_scan", "shadowed_package", "unwritable_index", "unwritable_data"]
    message: str
    """What is wrong, one sentence; how to correct it too, if it is a fault of the installation."""


class Health(BaseModel):
    """The state of the server."""

    version: str
    uptime: float
    """Seconds."""
    revision: int
    loading: bool
    """Whether files are still being read for the first time."""
    runs: int
    files: int
    """Event files in the logdir."""
    waiting_files: int
    """Event files with bytes that have not been read yet."""
    bytes: int
    """Size of all event files."""
    read_bytes: int
    """Bytes that have been read, or that the index contains."""
    ignored_files: int
    """Files in the logdir that are not event files."""
    problems: dict[str, str]
    """Files and directories that could not be read, and links that are not followed, with the reason; the first
    1,000."""
    warnings: list[HealthWarning]
    """Faults of the installation, and folders that cannot be written."""


@router.get("/health")
def health(request: Request, current: Current) -> Health:
    """Return the server's version, uptime, load progress and warnings."""
    values: dict[str, Any] = {
        "version": VERSION,
        "uptime": time.monotonic() - request.app.state.started,
        "revision": current.revision,
        "loading": current.loading,
        "runs": len(current.runs),
        **current.progress._asdict(),
        "ignored_files": current.ignored_files,
        "problems": json_value(dict(islice(current.problems.items(), _MAX_PROBLEMS))),
        "warnings": list(warnings_of(request)),
    }
    return Health(**values)


def warnings_of(request: Request) -> Iterator[HealthWarning]:
    """Yield the faults that do not stop the server."""
    for kind, message in installation_warnings():
        yield HealthWarning(kind=kind, message=message)
    if problem := logdir_of(request).snapshot.index_problem:
        yield HealthWarning(kind="unwritable_index", message=problem)
    for files in request.app.state.data_files:
        if reason := files.problem():
            message = f"notes and views cannot be written to {files.address!r}: {reason}"
            yield HealthWarning(kind="unwritable_data", message=message)
            return
