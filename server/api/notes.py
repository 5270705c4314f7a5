"""GET and PUT /api/notes and /api/runs/{run}/notes: what users say about runs."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, HTTPException, Path, Query, Request, Response
from pydantic import BaseModel

from toposcope.server.api.json_reply import json_reply
from toposcope.server.api.payload_query import MOST_NAME, REFUSED, Problem
from toposcope.server.api.snapshot import Current, not_found
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.notes.notes import Notes, NotesSnapshot
from toposcope.server.notes.run_notes import NO_NOTES, NotesChange, RunNotes

router = APIRouter()
_MOST_BYTES = 1 << 20
"""Of a change; a note of 64 KiB has at most six times as many in JSON."""


class AllNotes(BaseModel):
    """All notes there are."""

    revision: int
    """Grows with each change; starts anew with the server."""
    runs: dict[str, RunNotes]
    """By run; those of runs that are gone too, and none of a run that nothing is said about."""
    problems: list[str]
    """Why notes could not be read, a sentence each."""


class NotesOfRun(BaseModel):
    """The notes of one run."""

    revision: int
    run: str
    notes: RunNotes


_RunPath = Annotated[str, Path(max_length=MOST_NAME, description="name of a run; its slashes may stand as they are")]
_PUT_REPLIES: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The body is no JSON in UTF-8, or it is nested too deeply."},
    403: {"description": "The request comes from a page of another origin."},
    404: {"model": Problem, "description": "There is no such run, and there are no notes on it."},
    413: {
        "model": Problem,
        "content": {"text/plain": {"schema": {"type": "string"}}},
        "description": f"The body has more than {_MOST_BYTES} bytes.",
    },
    422: {"model": Problem, "description": "A value of the request is not what was expected."},
    503: {"model": Problem, "description": "The data folder cannot be written."},
}


def notes_of(request: Request) -> Notes:
    """Return the notes of the application."""
    notes: Notes = request.app.state.notes
    return notes


@router.get("/notes", response_model=AllNotes)
def list_notes(request: Request) -> Response:
    """List what users say about runs."""
    noted = notes_of(request).current()
    runs = {run: notes.model_dump() for run, notes in noted.runs.items()}
    return json_reply({"revision": noted.revision, "runs": runs, "problems": noted.problems})


@router.put("/notes", response_model=NotesOfRun, responses=_PUT_REPLIES, max_body_size=_MOST_BYTES)
def change_notes(
    request: Request,
    current: Current,
    run: Annotated[str, Query(max_length=MOST_NAME, description="name of a run")],
    change: Annotated[NotesChange, Body()],
) -> Response:
    """Change the notes of a run: the fields that the body holds replace those before, the others stay."""
    return _change(notes_of(request), current, run, change)


@router.get("/runs/{run:path}/notes", response_model=NotesOfRun, responses=REFUSED)
def read_notes_of_run(request: Request, current: Current, run: _RunPath) -> Response:
    """Read what users say about a run."""
    return _reply(notes_of(request).current(), current, run)


@router.put("/runs/{run:path}/notes", response_model=NotesOfRun, responses=_PUT_REPLIES, max_body_size=_MOST_BYTES)
def change_notes_of_run(
    request: Request,
    current: Current,
    run: _RunPath,
    change: Annotated[NotesChange, Body()],
) -> Response:
    """Change the notes of a run; the same as PUT /api/notes, which takes the run "." too."""
    return _change(notes_of(request), current, run, change)


def _change(notes: Notes, current: Snapshot, run: str, change: NotesChange) -> Response:
    _check_run(notes.current(), current, run)
    try:
        notes.change(run, change.changes())
    except OSError as error:
        raise HTTPException(
            503,
            f"the notes cannot be kept in {notes.path!r}: {error.strerror or error}; make that folder writable, "
            "or start the server with --data-dir naming another",
        ) from error
    return _reply(notes.current(), current, run)


def _reply(noted: NotesSnapshot, current: Snapshot, run: str) -> Response:
    _check_run(noted, current, run)
    return json_reply({"revision": noted.revision, "run": run, "notes": noted.runs.get(run, NO_NOTES).model_dump()})


def _check_run(noted: NotesSnapshot, current: Snapshot, run: str) -> None:
    """Refuse a run that nothing is known of: the logdir has none of the name, and there are no notes on it."""
    if run not in current.runs and run not in noted.runs:
        raise not_found("run", [run])
