"""GET, PUT and POST /api/notes, and /api/runs/{run}/notes: the notes of users on runs."""

from typing import Annotated

from fastapi import APIRouter, Body, HTTPException, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.replies.errors import (
    INVALID_REQUEST,
    REQUEST_ERRORS,
    Problem,
    Replies,
    body_errors,
    not_stored,
)
from toposcope.server.api.replies.json_reply import json_reply
from toposcope.server.api.requests.request_limits import MAX_BODY_BYTES, MAX_NAME
from toposcope.server.api.requests.snapshot import Current, not_found
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.notes.no_notes import NoNotes
from toposcope.server.notes.notes import Notes, NotesSnapshot, TooLongTogetherError
from toposcope.server.notes.notes_change import NotesChange, NotesEdit, NotesFields
from toposcope.server.notes.notes_folder import Change
from toposcope.server.notes.run_notes import NO_NOTES

router = APIRouter(prefix="/api")
_MAX_BYTES = 1 << 20
"""Bytes of a request; a note of 64 KiB has at most six times as many in JSON."""
_MAX_RUNS, _MAX_EDITS = 10_000, 1000
"""Runs in one request, each with a file of its own, and changes of them."""


class AllNotes(BaseModel):
    """All notes."""

    revision: int
    """Incremented with each change; restarts with the server."""
    runs: dict[str, NotesFields]
    """The notes, by run, including removed runs, excluding runs without notes."""
    problems: list[str]
    """Why notes could not be read, one sentence each."""
    read_only: bool
    """Whether the server has no notes, and stores none."""


class NotesOfRun(BaseModel):
    """The notes of one run."""

    revision: int
    run: str
    notes: NotesFields


class EditOfRuns(BaseModel):
    """A change of the notes of some runs."""

    model_config = ConfigDict(extra="forbid")

    runs: list[str] = Field(min_length=1, max_length=_MAX_RUNS)
    change: NotesEdit


class NotesOfRuns(BaseModel):
    """Changes of the notes of many runs."""

    model_config = ConfigDict(extra="forbid")

    changes: list[EditOfRuns] = Field(min_length=1, max_length=_MAX_EDITS)


class NotesProblem(BaseModel):
    """Why the notes of a run are as before."""

    run: str
    detail: str


class ChangedNotes(BaseModel):
    """What a change of the notes of many runs did."""

    revision: int
    changed: int
    """How many runs have the notes that were requested."""
    problems: list[NotesProblem]
    """The other runs: their notes are as before."""


_RunPath = Annotated[str, Path(max_length=MAX_NAME, description="name of a run; slashes need no escaping")]
_PUT_REPLIES: Replies = {
    **body_errors(_MAX_BYTES),
    **INVALID_REQUEST,
    403: {"description": "The request comes from a page of another origin, or the server is read-only."},
    404: {"model": Problem, "description": "There is no such run, and there are no notes on it."},
    503: {"model": Problem, "description": "The data folder cannot be written."},
}
_POST_REPLIES: Replies = {
    **body_errors(MAX_BODY_BYTES),
    **INVALID_REQUEST,
    403: _PUT_REPLIES[403],
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
    runs = {run: notes.values() for run, notes in noted.runs.items()}
    read_only = isinstance(notes_store, NoNotes)
    return json_reply({"revision": noted.revision, "runs": runs, "problems": noted.problems, "read_only": read_only})


@router.put("/notes", response_model=NotesOfRun, responses=_PUT_REPLIES, max_body_size=_MAX_BYTES)
def change_notes(
    request: Request,
    current: Current,
    run: Annotated[str, Query(max_length=MAX_NAME, description="name of a run")],
    change: Annotated[NotesChange, Body()],
) -> Response:
    """Change the notes of a run: the fields in the body are replaced, the others are kept."""
    return _change(notes_of(request), current, run, change)


@router.post("/notes", response_model=ChangedNotes, responses=_POST_REPLIES, max_body_size=MAX_BODY_BYTES)
def change_notes_of_runs(
    request: Request,
    current: Current,
    edits: Annotated[NotesOfRuns, Body()],
) -> Response:
    """Change the notes of many runs, of each wholly or not at all: one change after another."""
    notes = _writable(notes_of(request))
    if (count := sum(len(edit.runs) for edit in edits.changes)) > _MAX_RUNS:
        raise HTTPException(422, f"the changes name {count} runs: expected at most {_MAX_RUNS}")
    noted = notes.current().runs
    problems: dict[str, str] = {}
    changes: list[tuple[str, Change]] = []
    for edit in edits.changes:
        for run in edit.runs:
            if run in current.runs or run in noted:
                changes.append((run, edit.change.changes_of))
            else:
                problems[run] = "there is no such run"
    problems |= notes.change_many(changes)
    named = {run for edit in edits.changes for run in edit.runs}
    return json_reply(
        {
            "revision": notes.current().revision,
            "changed": len(named) - len(problems),
            "problems": [{"run": run, "detail": detail} for run, detail in problems.items()],
        }
    )


@router.get("/runs/{run:path}/notes", response_model=NotesOfRun, responses=REQUEST_ERRORS)
def read_notes_of_run(request: Request, current: Current, run: _RunPath) -> Response:
    """Read the notes on a run."""
    return _reply(notes_of(request).current(), current, run)


@router.put("/runs/{run:path}/notes", response_model=NotesOfRun, responses=_PUT_REPLIES, max_body_size=_MAX_BYTES)
def change_notes_of_run(
    request: Request,
    current: Current,
    run: _RunPath,
    change: Annotated[NotesChange, Body()],
) -> Response:
    """Change the notes of a run; the same as PUT /api/notes, which also accepts the run "."."""
    return _change(notes_of(request), current, run, change)


def _change(notes: Notes | NoNotes, current: Snapshot, run: str, change: NotesChange) -> Response:
    notes = _writable(notes)
    _check_run(notes.current(), current, run)
    try:
        notes.change(run, change.changes())
    except OSError as error:
        raise not_stored("the notes", notes.path, error) from error
    except TooLongTogetherError as error:
        raise HTTPException(422, str(error)) from error
    return _reply(notes.current(), current, run)


def _writable(notes: Notes | NoNotes) -> Notes:
    if isinstance(notes, NoNotes):
        raise HTTPException(403, "the server is read-only: it was started with --read-only and stores no notes")
    return notes


def _reply(noted: NotesSnapshot, current: Snapshot, run: str) -> Response:
    _check_run(noted, current, run)
    return json_reply({"revision": noted.revision, "run": run, "notes": noted.runs.get(run, NO_NOTES).values()})


def _check_run(noted: NotesSnapshot, current: Snapshot, run: str) -> None:
    """Raise 404 unless the run exists or has notes."""
    if run not in current.runs and run not in noted.runs:
        raise not_found("run", [run])
