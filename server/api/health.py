"""GET /api/health: the server's version, its progress in loading, and what is wrong."""

import time
from itertools import islice
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel

from toposcope.server.api.snapshot import Current
from toposcope.server.installation import installation_warnings
from toposcope.server.json_values import json_value
from toposcope.server.version import VERSION

router = APIRouter()
_MOST_PROBLEMS = 1000


class HealthWarning(BaseModel):
    """A fault of the installation, which slows the server down or makes it run other code than was installed."""

    kind: Literal["uncompiled_scan", "shadowed_package"]
    message: str
    """What is wrong and how to correct it, one sentence."""


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
    """Faults of the installation; the same as long as the server runs."""


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
        "problems": json_value(dict(islice(current.problems.items(), _MOST_PROBLEMS))),
        "warnings": [warning._asdict() for warning in installation_warnings()],
    }
    return Health(**values)
