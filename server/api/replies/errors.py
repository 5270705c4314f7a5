"""Error replies, as routes declare them in the OpenAPI document, and the one to a place that cannot be written."""

import errno
from typing import Any

from fastapi import HTTPException
from pydantic import BaseModel

Replies = dict[int | str, dict[str, Any]]
"""Replies by status code, as FastAPI's `responses` takes them."""


class Problem(BaseModel):
    """Why a request failed."""

    detail: str


INVALID_REQUEST: Replies = {422: {"model": Problem, "description": "A parameter of the request is invalid."}}
REQUEST_ERRORS: Replies = {
    404: {"model": Problem, "description": "There is no such run, or it has no such tag."},
    **INVALID_REQUEST,
}


def body_errors(most_bytes: int) -> Replies:
    """Return the replies to a body that cannot be parsed, or that has more than so many bytes."""
    return {
        400: {"model": Problem, "description": "The body is not JSON in UTF-8, or is nested too deeply."},
        413: {
            "model": Problem,
            "content": {"text/plain": {"schema": {"type": "string"}}},
            "description": f"The body has more than {most_bytes} bytes.",
        },
    }


def not_stored(what: str, path: str, error: OSError) -> HTTPException:
    """Return the reply to a change that a place did not take."""
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return HTTPException(
        503,
        f"{what} cannot be stored in {path!r}: {error.strerror or error}; "
        f"{'free some space there' if is_full else 'make that place writable'}, "
        "or start the server with another --data-dir",
    )
