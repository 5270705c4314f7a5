"""Bodies of requests that store views and links, and what storing requires."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from toposcope.server.api.replies.errors import not_stored
from toposcope.server.views.view import LARGEST_VIEW, Workspace, checked_workspace

MAX_BYTES = 2 * LARGEST_VIEW
"""Bytes of a request; JSON may escape characters."""

Address = Annotated[str, Field(max_length=LARGEST_VIEW, description="the hash of the page, without theme and language")]
OptionalWorkspace = Annotated[
    Annotated[Workspace, AfterValidator(checked_workspace)] | None,
    Field(description="panels of the page `workspace`; at most 1 MiB and 32 levels"),
]


class LinkContent(BaseModel):
    """What a link leads to."""

    model_config = ConfigDict(strict=True, extra="forbid")

    address: Address
    workspace: OptionalWorkspace = None


@contextmanager
def storing(what: str, path: str) -> Iterator[None]:
    """Reply 503 if the data folder cannot be written."""
    try:
        yield
    except OSError as error:
        raise not_stored(what, path, error) from error
