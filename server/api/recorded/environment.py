"""GET /api/environment: where and with which packages a training ran."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.proto.summary_pb2 import Environment
from toposcope.server.api.recorded.recorded_reply import recorded_reply
from toposcope.server.api.replies.errors import REQUEST_ERRORS
from toposcope.server.api.replies.json_reply import Number
from toposcope.server.api.requests.request_limits import MAX_NAME
from toposcope.server.api.requests.snapshot import Current

router = APIRouter(prefix="/api")


class RecordingsQuery(BaseModel):
    """Selects the newest recordings of a run."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MAX_NAME, description="name of a run")
    limit: int = Field(10, ge=1, le=100, description="maximum number of recordings")


class RecordedEnvironment(BaseModel):
    """The environment of one recording. Its texts are untrusted: never insert them as HTML."""

    rank: int
    wall_time: Number
    """When it was recorded, in seconds since 1970."""
    facts: dict[str, str]
    """The facts, by name: "argv", "python", "host", "git_commit", "variable/CUDA_VISIBLE_DEVICES" and others."""
    packages: dict[str, str]
    """Versions of the installed packages by name."""


class Environments(BaseModel):
    """The environments of the recordings of a run, newest first."""

    revision: int
    run: str
    recordings: list[RecordedEnvironment]
    problems: list[str]
    """Why others cannot be read, one sentence each."""


@router.get("/environment", response_model=Environments, responses=REQUEST_ERRORS)
def read_environment(current: Current, query: Annotated[RecordingsQuery, Query()]) -> Response:
    """Read where, and with which packages, a training ran: once for each recording of the run."""
    return recorded_reply(current, query.run, "environment", _decode, query.limit)


def _decode(payload: bytes) -> dict[str, dict[str, str]]:
    """Return the facts and packages; DecodeError or UnicodeDecodeError, a ValueError, if they are malformed."""
    message = Environment.FromString(payload)
    return {
        "facts": {entry.name: entry.value for entry in message.facts},
        "packages": {entry.name: entry.value for entry in message.packages},
    }
