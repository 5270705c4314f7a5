"""GET /api/files: the event files of a run."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.replies.errors import REQUEST_ERRORS
from toposcope.server.api.replies.json_reply import json_reply
from toposcope.server.api.requests.request_limits import MAX_NAME
from toposcope.server.api.requests.snapshot import Current, find_runs
from toposcope.server.loading.finding.discovery import printable

router = APIRouter(prefix="/api")


class FilesQuery(BaseModel):
    """Selects the files of a run."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MAX_NAME, description="name of a run")
    limit: int = Field(100, ge=1, le=10_000, description="maximum number of files")


class EventFile(BaseModel):
    """An event file, as far as it was read."""

    file: str
    """Its path below the directory of the run."""
    rank: int | None
    """The rank of the process that wrote it, as its name states; null if it states none."""
    bytes: int
    events: int
    damaged_records: int


class Files(BaseModel):
    """The event files of a run, in the order of their names."""

    revision: int
    run: str
    files: list[EventFile]
    total: int
    """How many files the run has."""


@router.get("/files", response_model=Files, responses=REQUEST_ERRORS)
def list_files(current: Current, query: Annotated[FilesQuery, Query()]) -> Response:
    """List the event files of a run."""
    (run,) = find_runs(current, [query.run])
    files = sorted(run.files, key=lambda file: file.path_in_run)
    listed = [
        {
            "file": printable(file.path_in_run),
            "rank": file.rank,
            "bytes": file.size,
            "events": file.counters.events,
            "damaged_records": len(file.damage),
        }
        for file in files[: query.limit]
    ]
    return json_reply({"revision": current.revision, "run": query.run, "files": listed, "total": len(files)})
