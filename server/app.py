"""The application: the API beside the page, and the guard in front of both."""

import os
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toposcope.server import page
from toposcope.server.api import (
    health,
    histograms,
    hparams,
    images,
    importance,
    lineage,
    notes,
    overview,
    runs,
    scalar_groups,
    scalars,
    tags,
    tensors,
    text,
    updates,
)
from toposcope.server.exposure import Exposure, Guard
from toposcope.server.graphs import routes as graphs
from toposcope.server.landscapes import file_routes as landscape_files
from toposcope.server.landscapes import routes as landscapes
from toposcope.server.loading.logdir import Logdir, Update
from toposcope.server.notes.data_folder import default_data_folder, notes_folder
from toposcope.server.notes.notes import Notes
from toposcope.server.notes.notes_folder import NotesFolder
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.prefetch import Prefetcher
from toposcope.server.version import VERSION

_GZIP_BYTES = 4096
# Of what was wrong with a request, as much as is told.
_MOST_PROBLEMS, _LONGEST_VALUE = 10, 1000
# Arrays hardly shrink: to try takes ten times as long as to send them.
_NOT_ZIPPED = (*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/octet-stream")


def make_app(
    logdir: Logdir,
    streams: updates.Streams,
    exposure: Exposure,
    path_prefix: str = "",
    data_folder: Path | None = None,
) -> ASGIApp:
    """Return the ASGI application that serves a logdir.

    Args:
        logdir: is started and stopped with the application.
        streams: the open event streams.
        exposure: whom to answer.
        path_prefix: "" or a path like "/topo", below which everything is served.
        data_folder: for what users say; None: that of the user.
    """
    api = make_api(logdir, streams, path_prefix, data_folder)
    files = page.Page(page.FOLDER, path_prefix)

    async def api_or_page(scope: Scope, receive: Receive, send: Send) -> None:
        reply = files.reply(scope) if scope["type"] == "http" else None
        if reply is None and scope["type"] == "http" and scope["method"] == "HEAD":
            await api({**scope, "method": "GET"}, receive, _head(send))
        else:
            await (reply or api)(scope, receive, send)

    return Guard(api_or_page, exposure, page.CONTENT_SECURITY_POLICY, path_prefix)


def make_api(logdir: Logdir, streams: updates.Streams, path_prefix: str, data_folder: Path | None = None) -> FastAPI:
    """Return the API alone."""
    folder = notes_folder(data_folder or default_data_folder(), logdir.path)
    overviewed = Overview()
    ahead = Prefetcher(overviewed, lambda: logdir.snapshot.runs)
    noted = Notes(NotesFolder(folder, os.path.realpath(logdir.path)), lambda: logdir.snapshot.revision)

    def tell(update: Update) -> None:
        streams.send(update)
        ahead.add([*update.added, *update.changed])

    def tell_noted(names: list[str]) -> None:
        """Tell runs whose notes changed as changed."""
        current = logdir.snapshot
        if changed := [name for name in names if name in current.runs]:
            streams.send(Update(current.revision, [], changed, []))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        unsubscribe = logdir.subscribe(tell)
        ahead.start()
        logdir.start()
        noted.start(tell_noted)
        yield
        noted.stop()
        unsubscribe()
        logdir.stop()
        ahead.stop()

    root = f"{path_prefix}/api"
    app = FastAPI(
        title="Toposcope",
        version=VERSION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{root}/openapi.json",
    )
    app.state.logdir, app.state.streams, app.state.began = logdir, streams, time.monotonic()
    app.state.notes, app.state.overview = noted, overviewed
    app.exception_handler(RequestValidationError)(_explain)
    app.exception_handler(405)(_refuse_method)
    router = APIRouter(prefix=root)
    plugins = (
        scalars,
        scalar_groups,
        histograms,
        images,
        tensors,
        text,
        graphs,
        lineage,
        hparams,
        importance,
        landscape_files,
        landscapes,
    )
    for module in (runs, overview, notes, tags, *plugins, updates, health):
        router.include_router(module.router)
    app.include_router(router)
    app.add_middleware(GZipMiddleware, minimum_size=_GZIP_BYTES, compresslevel=1, exclude_content_types=_NOT_ZIPPED)
    return app


def _head(send: Send) -> Send:
    """Return a send that passes on the head of a reply and ends it there: a stream of events, too."""

    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            await send(message)
            await send({"type": "http.response.body"})

    return wrapped


async def _refuse_method(request: Request, _: Exception) -> JSONResponse:
    """Name all methods of the path; Starlette names those of one of its functions."""
    path, described = request.scope["path"], request.app.openapi()["paths"]
    methods = {method.upper() for template in described if _fits(template, path) for method in described[template]}
    methods = methods or {"GET"}
    allowed = ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
    return JSONResponse({"detail": f"no {request.method} here: expected one of {allowed}"}, 405, {"Allow": allowed})


def _fits(template: str, path: str) -> bool:
    """Say whether a path is one of a route, whose parameters may hold slashes."""
    return bool(re.fullmatch(re.sub(r"\\\{\w+\\\}", ".+", re.escape(template)), path, re.DOTALL))


async def _explain(_: Request, error: Exception) -> JSONResponse:
    """Answer a malformed request with one sentence that names the value and what was expected."""
    assert isinstance(error, RequestValidationError)
    return JSONResponse({"detail": "; ".join(map(_sentence, error.errors()[:_MOST_PROBLEMS]))}, 422)


def _sentence(problem: dict[str, Any]) -> str:
    place = ".".join(str(part) for part in problem["loc"][1:]) or "request"
    value = repr(problem.get("input"))
    brief = value if len(value) <= _LONGEST_VALUE else value[:_LONGEST_VALUE] + "..."
    return f"{place}={brief}: {problem['msg']}"
