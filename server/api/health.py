"""GET /api/health: whether the server lives and how far it has loaded."""

import time
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel

from toposcope.server.api.snapshot import Current
from toposcope.server.json_values import in_json
from toposcope.server.version import VERSION

router = APIRouter()


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
    """Event files that were found."""
    waiting_files: int
    """Those with bytes that were not read yet."""
    bytes: int
    """Of all event files."""
    read_bytes: int
    """Those that were read, or that the index knew."""
    ignored_files: int
    """Files in the logdir that are no event files."""
    problems: dict[str, str]
    """Files and directories that could not be read, with the reason."""


@router.get("/health")
def health(request: Request, current: Current) -> Health:
    """Tell version, uptime and load progress."""
    values: dict[str, Any] = {
        "version": VERSION,
        "uptime": time.monotonic() - request.app.state.began,
        "revision": current.revision,
        "loading": current.loading,
        "runs": len(current.runs),
        **current.progress._asdict(),
        "ignored_files": current.ignored_files,
        "problems": in_json(dict(current.problems)),
    }
    return Health(**values)
