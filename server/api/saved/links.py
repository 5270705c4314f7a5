"""POST /api/links and GET /api/links/{id}: short links to views."""

from typing import Annotated

from fastapi import APIRouter, Body, HTTPException, Path, Request, Response
from pydantic import BaseModel

from toposcope.server.api.replies.errors import INVALID_REQUEST, Problem, body_errors
from toposcope.server.api.replies.json_reply import json_reply
from toposcope.server.api.saved.view_bodies import MAX_BYTES, LinkContent, storing
from toposcope.server.api.saved.views import WRITE_REPLIES
from toposcope.server.views.links import LONGEST_ID, SHORTEST_ID, Link, Links

router = APIRouter(prefix="/api")


class LinkReply(BaseModel):
    """The name of a link."""

    id: str


@router.post(
    "/links",
    response_model=LinkReply,
    responses={**WRITE_REPLIES, **body_errors(MAX_BYTES)},
    max_body_size=MAX_BYTES,
)
def create_link(request: Request, body: Annotated[LinkContent, Body()]) -> Response:
    """Create a link to a view; equal views have equal links. The least recently created links are deleted."""
    links = _links(request)
    if links is None:
        raise HTTPException(403, "the server is read-only: it was started with --read-only and stores no links")
    with storing("the link", links.path):
        return json_reply({"id": links.store(Link(body.address, body.workspace))})


@router.get(
    "/links/{id}",
    response_model=LinkContent,
    responses={404: {"model": Problem, "description": "There is no such link."}, **INVALID_REQUEST},
)
def read_link(
    request: Request,
    identity: Annotated[str, Path(alias="id", min_length=SHORTEST_ID, max_length=LONGEST_ID, pattern="^[a-z2-7]+$")],
) -> Response:
    """Read what a link leads to."""
    links = _links(request)
    link = links.find(identity) if links else None
    if link is None:
        raise HTTPException(404, f"no link {identity!r}: it was never created, or many were created since")
    return json_reply(link._asdict())


def _links(request: Request) -> Links | None:
    links: Links | None = request.app.state.links
    return links
