"""GET, PUT and DELETE /api/views and /api/views/{name}, PUT /api/default-view: saved views."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, HTTPException, Path, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from toposcope.server.api.replies.errors import INVALID_REQUEST, Problem, Replies, body_errors
from toposcope.server.api.replies.json_reply import json_reply
from toposcope.server.api.saved.view_bodies import MAX_BYTES, Address, OptionalWorkspace, storing
from toposcope.server.views.no_views import NoViews
from toposcope.server.views.view import (
    LINE_PATTERN,
    LONGEST_NAME,
    LONGEST_PAGE,
    View,
    ViewContent,
    Workspace,
    checked_line,
)
from toposcope.server.views.views import Views
from toposcope.server.views.views_folder import MAX_VIEWS, ConflictError, NoViewError, TooManyViewsError

router = APIRouter(prefix="/api")

_LINE = {"pattern": LINE_PATTERN}
_Version = Annotated[str, Field(max_length=100)]


class ListedView(BaseModel):
    """A saved view without what it shows."""

    name: str
    page: str
    version: str
    """Differs after each change."""
    changed: float
    """Seconds since 1970."""


class AllViews(BaseModel):
    """All saved views of the logdir, by name."""

    views: list[ListedView]
    default: str | None
    """The view that a page without an address opens."""
    read_only: bool
    """Whether the server has no views, and stores none."""
    problems: list[str]
    """Why views could not be read, one sentence each."""


class SavedView(ListedView):
    """A saved view."""

    address: str
    workspace: Workspace | None


class ViewBody(BaseModel):
    """A view to save."""

    model_config = ConfigDict(strict=True, extra="forbid")

    page: Annotated[str, Field(max_length=LONGEST_PAGE, json_schema_extra=_LINE), AfterValidator(checked_line)]
    address: Address
    workspace: OptionalWorkspace = None
    base: Annotated[_Version | None, Field(description="the version that it replaces; null: there must be none")]


class DefaultBody(BaseModel):
    """The default view to choose."""

    model_config = ConfigDict(strict=True, extra="forbid")

    name: Annotated[
        Annotated[str, Field(max_length=LONGEST_NAME)] | None, Field(description="of a view; null: no default")
    ]


class Conflict(BaseModel):
    """Both versions of a view that someone else changed meanwhile."""

    detail: str
    current: SavedView | None
    """The stored view; null: there is none."""
    yours: ViewBody | None
    """The view that was sent; null: it was to be deleted."""


_Name = Annotated[
    str,
    Path(
        max_length=LONGEST_NAME,
        json_schema_extra=_LINE,
        description="name of a view: one line of text; slashes need no escaping",
    ),
    AfterValidator(checked_line),
]
_NOT_FOUND: Replies = {404: {"model": Problem, "description": "There is no such view."}}
_CONFLICT: Replies = {409: {"model": Conflict, "description": "The stored version is not `base`."}}
WRITE_REPLIES: Replies = {
    **INVALID_REQUEST,
    403: {"description": "The request comes from a page of another origin, or the server is read-only."},
    503: {"model": Problem, "description": "The data folder cannot be written."},
}


@router.get("/views", response_model=AllViews)
def list_views(request: Request) -> Response:
    """List the saved views."""
    store = _store(request)
    current = store.current()
    views = [view._asdict() for view in current.views.values()]
    read_only = isinstance(store, NoViews)
    return json_reply(
        {"views": views, "default": current.default, "read_only": read_only, "problems": current.problems}
    )


@router.get("/views/{name:path}", response_model=SavedView, responses={**_NOT_FOUND, **INVALID_REQUEST})
def read_view(request: Request, name: _Name) -> Response:
    """Read a saved view."""
    try:
        return json_reply(_whole(_store(request).read(name)))
    except NoViewError:
        raise _no_view(name) from None


@router.put(
    "/views/{name:path}",
    response_model=SavedView,
    responses={**WRITE_REPLIES, **body_errors(MAX_BYTES), **_CONFLICT},
    max_body_size=MAX_BYTES,
)
def save_view(request: Request, name: _Name, body: Annotated[ViewBody, Body()]) -> Response:
    """Save a view in place of the version `base`; 409 with both versions if another one is stored."""
    store = writable(_store(request))
    try:
        with storing("the view", store.path):
            view = store.replace(name, ViewContent(body.page, body.address, body.workspace), body.base)
    except ConflictError as conflict:
        return _conflict(name, conflict.stored, body)
    except TooManyViewsError:
        raise HTTPException(422, f"expected at most {MAX_VIEWS} views: delete one before you save another") from None
    return json_reply(_whole(view))


@router.delete(
    "/views/{name:path}",
    status_code=204,
    response_class=Response,
    responses={**WRITE_REPLIES, **_NOT_FOUND, **_CONFLICT},
)
def delete_view(
    request: Request,
    name: _Name,
    base: Annotated[str, Query(max_length=100, description="the version to delete")],
) -> Response:
    """Delete the version `base` of a view; 409 with the stored one if that is another version."""
    store = writable(_store(request))
    try:
        with storing("the change", store.path):
            store.delete(name, base)
    except ConflictError as conflict:
        return _conflict(name, conflict.stored, None)
    except NoViewError:
        raise _no_view(name) from None
    return Response(status_code=204)


@router.put(
    "/default-view",
    response_model=DefaultBody,
    responses={**WRITE_REPLIES, **_NOT_FOUND, **body_errors(MAX_BYTES)},
    max_body_size=MAX_BYTES,
)
def choose_default_view(request: Request, body: Annotated[DefaultBody, Body()]) -> Response:
    """Choose the view that a page without an address opens; null: none."""
    store = writable(_store(request))
    try:
        with storing("the default view", store.path):
            store.choose_default(body.name)
    except NoViewError:
        raise _no_view(str(body.name)) from None
    return json_reply({"name": body.name})


def writable(store: Views | NoViews) -> Views:
    """Return a store that can be changed, or reply 403."""
    if isinstance(store, NoViews):
        raise HTTPException(403, "the server is read-only: it was started with --read-only and stores no views")
    return store


def _store(request: Request) -> Views | NoViews:
    store: Views | NoViews = request.app.state.views
    return store


def _whole(view: View) -> dict[str, Any]:
    return {**view.listed._asdict(), "address": view.address, "workspace": view.workspace}


def _conflict(name: str, stored: View | None, body: ViewBody | None) -> Response:
    happened = "changed" if stored else "deleted"
    detail = f"view {name!r} was {happened} meanwhile: expected the stored version as base"
    return JSONResponse(
        {"detail": detail, "current": stored and _whole(stored), "yours": body and body.model_dump()}, 409
    )


def _no_view(name: str) -> HTTPException:
    return HTTPException(404, f"no view {name!r}")
