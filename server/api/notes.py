"""GET and PUT /api/notes and /api/runs/{run}/notes: the notes of users on runs."""

from typing import Annotated

from fastapi import APIRouter, Body, HTTPException, Path, Query, Request, Response
from pydantic import BaseModel

from toposcope.server.api.errors import INVALID_REQUEST, REQUEST_ERRORS, Problem, Replies, body_errors
from toposcope.server.api.json_reply import json_reply
from toposcope.server.api.request_limits import MOST_NAME
from toposcope.server.api.snapshot import Current, not_found
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.notes.no_notes import NoNotes
from toposcope.server.notes.notes import Notes, NotesSnapshot
from toposcope.server.notes.run_notes import NO_NOTES, NotesChange, RunNotes

router = APIRouter()
_MOST_BYTES = 1 << 20
"""Bytes of a request; a note of 64 KiB has at most six times as many in JSON."""


class AllNotes(BaseModel):
    """All notes."""

    revision: int
    """Incremented with each change; restarts with the server."""
    runs: dict[str, RunNotes]
    """By run, including removed runs, excluding runs without notes."""
    problems: list[str]
    """Why notes could not be read, one sentence each."""
    read_only: bool
    """Whether the server has no notes, and stores none."""


class NotesOfRun(BaseModel):
    """The notes of one run."""

    revision: int
    run: str
    notes: RunNotes


_RunPath = Annotated[str, Path(max_length=MOST_NAME, description="name of a run; slashes need no escaping")]
_PUT_REPLIES: Replies = {
    **body_errors(_MOST_BYTES),
    **INVALID_REQUEST,
    403: {"description": "The request comes from a page of another origin, or the server is read-only."},
    404: {"model": Problem, "description": "There is no such run, and there are no notes on it."},
    503: {"model": Problem, "description": "The data folder cannot be written."},
}


def notes_of(request: Request) -> Notes | NoNotes:
    """Return the notes of the application."""
    notes: Notes | NoNotes = request.app.state.notes
    return notes


@router.get("/notes", response_model=AllNotes)
def list_notes(request: Request) -> Response:
    """List the notes on all runs."""
    notes_store = notes_of(request)
    noted = notes_store.current()
    runs = {run: notes.model_dump() for run, notes in noted.runs.items()}
    read_only = isinstance(notes_store, NoNotes)
    return json_reply({"revision": noted.revision, "runs": runs, "problems": noted.problems, "read_only": read_only})


@router.put("/notes", response_model=NotesOfRun, responses=_PUT_REPLIES, max_body_size=_MOST_BYTES)
def change_notes(
    request: Request,
    current: Current,
    run: Annotated[str, Query(max_length=MOST_NAME, description="name of a run")],
    change: Annotated[NotesChange, Body()],
) -> Response:
    """Change the notes of a run: the fields in the body are replaced, the others are kept."""
    return _change(notes_of(request), current, run, change)


@router.get("/runs/{run:path}/notes", response_model=NotesOfRun, responses=REQUEST_ERRORS)
def read_notes_of_run(request: Request, current: Current, run: _RunPath) -> Response:
    """Read the notes on a run."""
    return _reply(notes_of(request).current(), current, run)


@router.put("/runs/{run:path}/notes", response_model=NotesOfRun, responses=_PUT_REPLIES, max_body_size=_MOST_BYTES)
def change_notes_of_run(
    request: Request,
    current: Current,
    run: _RunPath,
    change: Annotated[NotesChange, Body()],
) -> Response:
    """Change the notes of a run; the same as PUT /api/notes, which also accepts the run "."."""
    return _change(notes_of(request), current, run, change)


def _change(notes: Notes | NoNotes, current: Snapshot, run: str, change: NotesChange) -> Response:
    if isinstance(notes, NoNotes):
        raise HTTPException(403, "the server is read-only: it was started with --read-only and stores no notes")
    _check_run(notes.current(), current, run)
    try:
        notes.change(run, change.changes())
    except OSError as error:
        raise HTTPException(
            503,
            f"the notes cannot be stored in {notes.path!r}: {error.strerror or error}; make that directory writable, "
            "or start the server with another --data-dir",
        ) from error
    return _reply(notes.current(), current, run)


def _reply(noted: NotesSnapshot, current: Snapshot, run: str) -> Response:
    _check_run(noted, current, run)
    return json_reply({"revision": noted.revision, "run": run, "notes": noted.runs.get(run, NO_NOTES).model_dump()})


def _check_run(noted: NotesSnapshot, current: Snapshot, run: str) -> None:
    """Raise 404 unless the run exists or has notes."""
    if run not in current.runs and run not in noted.runs:
        raise not_found("run", [run])
