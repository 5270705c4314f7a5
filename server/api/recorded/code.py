"""GET /api/code: the version of the code that a training ran."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.proto.summary_pb2 import Code
from toposcope.server.api.recorded.recorded_reply import recorded_reply
from toposcope.server.api.replies.errors import REQUEST_ERRORS
from toposcope.server.api.replies.json_reply import Number
from toposcope.server.api.requests.request_limits import MAX_NAME
from toposcope.server.api.requests.snapshot import Current

router = APIRouter(prefix="/api")


class CodeQuery(BaseModel):
    """Selects the newest recordings of a run."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MAX_NAME, description="name of a run")
    limit: int = Field(1, ge=1, le=10, description="maximum number of recordings")


class RecordedCode(BaseModel):
    """The code of one recording. Its texts are untrusted: never insert them as HTML."""

    rank: int
    wall_time: Number
    """When it was recorded, in seconds since 1970."""
    commit: str
    remote: str
    """URL of the git remote without user and password; empty if there is none."""
    diff: str
    """The differences of tracked files from the commit, as `git diff` prints it, with secrets replaced by "***"."""
    diff_bytes: int
    """Bytes of the whole diff; if git did not end in time, of what it printed."""
    is_cut: bool
    """Whether diff is only the beginning of it."""


class CodeVersions(BaseModel):
    """The code of the recordings of a run, newest first."""

    revision: int
    run: str
    recordings: list[RecordedCode]
    problems: list[str]
    """Why others cannot be read, one sentence each."""


@router.get("/code", response_model=CodeVersions, responses=REQUEST_ERRORS)
def read_code(current: Current, query: Annotated[CodeQuery, Query()]) -> Response:
    """Read the git commit of a training's code, and what differed from it: once for each recording of the run."""
    return recorded_reply(current, query.run, "code", _decode, query.limit)


def _decode(payload: bytes) -> dict[str, Any]:
    """Return the fields of a message; DecodeError or UnicodeDecodeError, a ValueError, if it is malformed."""
    code = Code.FromString(payload)
    return {
        "commit": code.commit,
        "remote": code.remote,
        "diff": code.diff.decode("utf-8", "replace"),
        "diff_bytes": code.diff_bytes if code.HasField("diff_bytes") else len(code.diff),
        "is_cut": code.HasField("diff_bytes"),
    }
