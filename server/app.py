"""The application: the API beside the page, and the guard in front of both."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from toposcope.server import page
from toposcope.server.api import (
    graphs,
    health,
    histograms,
    hparams,
    images,
    landscapes,
    lineage,
    runs,
    scalars,
    tags,
    tensors,
    text,
    updates,
)
from toposcope.server.exposure import Exposure, Guard
from toposcope.server.loading.logdir import Logdir
from toposcope.server.version import VERSION

_GZIP_BYTES = 4096
# Of what was wrong with a request, as much as is told.
_MOST_PROBLEMS, _LONGEST_VALUE = 10, 1000
# Arrays hardly shrink: to try takes ten times as long as to send them.
_NOT_ZIPPED = (*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/octet-stream")


def make_app(logdir: Logdir, streams: updates.Streams, exposure: Exposure, path_prefix: str = "") -> ASGIApp:
    """Return the ASGI application that serves a logdir.

    Args:
        logdir: is started and stopped with the application.
        streams: the open event streams.
        exposure: whom to answer.
        path_prefix: "" or a path like "/topo", below which everything is served.
    """
    api = make_api(logdir, streams, path_prefix)
    files = page.Page(page.FOLDER, path_prefix)

    async def api_or_page(scope: Scope, receive: Receive, send: Send) -> None:
        reply = files.reply(scope) if scope["type"] == "http" else None
        await (reply or api)(scope, receive, send)

    return Guard(api_or_page, exposure, page.content_security_policy(page.FOLDER), path_prefix)


def make_api(logdir: Logdir, streams: updates.Streams, path_prefix: str) -> FastAPI:
    """Return the API alone."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        unsubscribe = logdir.subscribe(streams.send)
        logdir.start()
        yield
        unsubscribe()
        logdir.stop()

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
    app.exception_handler(RequestValidationError)(_explain)
    router = APIRouter(prefix=root)
    plugins = (scalars, histograms, images, tensors, text, graphs, lineage, hparams, landscapes)
    for module in (runs, tags, *plugins, updates, health):
        router.include_router(module.router)
    app.include_router(router)
    app.add_middleware(GZipMiddleware, minimum_size=_GZIP_BYTES, compresslevel=1, exclude_content_types=_NOT_ZIPPED)
    return app


async def _explain(_: Request, error: Exception) -> JSONResponse:
    """Answer a malformed request with one sentence that names the value and what was expected."""
    assert isinstance(error, RequestValidationError)
    return JSONResponse({"detail": "; ".join(map(_sentence, error.errors()[:_MOST_PROBLEMS]))}, 422)


def _sentence(problem: dict[str, Any]) -> str:
    place = ".".join(str(part) for part in problem["loc"][1:]) or "request"
    value = repr(problem.get("input"))
    brief = value if len(value) <= _LONGEST_VALUE else value[:_LONGEST_VALUE] + "..."
    return f"{place}={brief}: {problem['msg']}"
