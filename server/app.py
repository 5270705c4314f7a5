"""The application: the API, the page, and what surrounds every request."""

import base64
import hashlib
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from toposcope.server.api import health, runs, scalars, tags, updates
from toposcope.server.exposure import Exposure, Guard
from toposcope.server.logdir import Logdir
from toposcope.server.version import VERSION

PAGE = Path(__file__).parent.parent / "web"
"""The page's folder: beside this package in the repository and where it is installed."""
_SERVED = {".js", ".css", ".svg", ".html"}
_GZIP_BYTES = 4096


def make_app(logdir: Logdir, streams: updates.Streams, exposure: Exposure, path_prefix: str = "") -> ASGIApp:
    """Return the ASGI application that serves a logdir.

    Args:
        logdir: is started and stopped with the application.
        streams: the open event streams.
        exposure: whom to answer.
        path_prefix: "" or a path like "/topo", below which everything is served.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        unsubscribe = logdir.subscribe(streams.send)
        logdir.start()
        yield
        unsubscribe()
        logdir.stop()

    app = FastAPI(
        title="Toposcope", version=VERSION, lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None
    )
    app.state.logdir, app.state.streams, app.state.began = logdir, streams, time.monotonic()
    app.exception_handler(RequestValidationError)(_explain)
    _add_routes(app, path_prefix)
    app.add_middleware(GZipMiddleware, minimum_size=_GZIP_BYTES, compresslevel=1)
    guarded = Guard(app, exposure, content_security_policy(PAGE / "index.html"), path_prefix)
    return guarded


def _add_routes(app: FastAPI, path_prefix: str) -> None:
    api = APIRouter(prefix=f"{path_prefix}/api")
    for module in (runs, tags, scalars, updates, health):
        api.include_router(module.router)
    app.include_router(api)

    @app.get(f"{path_prefix}/api/openapi.json", include_in_schema=False)
    def openapi(_: Request) -> JSONResponse:
        return JSONResponse(app.openapi())

    if path_prefix:

        @app.get(path_prefix, include_in_schema=False)
        def slash(_: Request) -> RedirectResponse:
            return RedirectResponse("." + path_prefix[path_prefix.rindex("/") :] + "/")

    @app.get(f"{path_prefix}/", include_in_schema=False)
    def index(_: Request) -> FileResponse:
        return FileResponse(PAGE / "index.html")

    app.mount(f"{path_prefix}/", PageFiles(directory=PAGE), name="page")


class PageFiles(StaticFiles):
    """The page's files and no others of its folder."""

    def lookup_path(self, path: str) -> Any:
        """Find a file that the browser may load."""
        return super().lookup_path(path) if Path(path).suffix in _SERVED else ("", None)


def content_security_policy(index: Path) -> str:
    """Return the policy of the page: scripts of our own only, and the one import map that the index holds."""
    import_map = re.search(r'<script type="importmap">(.*?)</script>', index.read_text(encoding="utf-8"), re.DOTALL)
    digest = hashlib.sha256((import_map[1] if import_map else "").encode()).digest()
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src 'self' 'sha256-{base64.b64encode(digest).decode()}'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "connect-src 'self'",
            "font-src 'self'",
            "worker-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'self'",
        ]
    )


async def _explain(_: Request, error: Exception) -> JSONResponse:
    """Answer a malformed request with one sentence that names the value and what was expected."""
    assert isinstance(error, RequestValidationError)
    sentences = [
        f"{'.'.join(str(part) for part in problem['loc'][1:]) or 'request'}={problem.get('input')!r}: {problem['msg']}"
        for problem in error.errors()
    ]
    return JSONResponse({"detail": "; ".join(sentences)}, 422)
