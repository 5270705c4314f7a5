"""The ASGI application: the API and the page, behind access checks."""

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toposcope.server import page
from toposcope.server.alerts import alert_files
from toposcope.server.alerts.alert_files import AlertFiles
from toposcope.server.alerts.alerts import Alerts
from toposcope.server.alerts.recorded import RecordedAlerts
from toposcope.server.api import health, notes, updates
from toposcope.server.api.listings import overview, run_columns, run_search, runs, tags
from toposcope.server.api.saved import views
from toposcope.server.api.series import scalars
from toposcope.server.budget.budget import MEMORY_LIMIT, Budget
from toposcope.server.data_files.data_folder import data_files, default_data_folder
from toposcope.server.deferred_routes import DeferredRoutes
from toposcope.server.http.cancelled_requests import CancelledRequests
from toposcope.server.http.compression import Compression
from toposcope.server.http.connections import LimitedConnection
from toposcope.server.http.exposure import Exposure, Guard
from toposcope.server.http.request_bodies import BodyLimit
from toposcope.server.loading.publishing.snapshot import Update
from toposcope.server.loading.run_source import RunSource
from toposcope.server.metrics import routes as probes
from toposcope.server.metrics.counted_requests import CountedRequests, Template
from toposcope.server.notes import notes_folder, run_colours
from toposcope.server.notes.no_notes import NoNotes
from toposcope.server.notes.notes import Notes
from toposcope.server.notes.notes_folder import NotesFolder
from toposcope.server.notes.run_colours import RunColours
from toposcope.server.places.addresses import is_remote
from toposcope.server.places.place import reason_of
from toposcope.server.places.private_folders import make_private
from toposcope.server.process.version import VERSION
from toposcope.server.questions.opening.opened import Opened
from toposcope.server.reports.process_report import own_report
from toposcope.server.reports.request_counts import RequestCounts
from toposcope.server.runs.families import Families
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.prefetch import Prefetcher
from toposcope.server.search.search import RunSearch
from toposcope.server.views.links import Links
from toposcope.server.views.no_views import NoViews
from toposcope.server.views.view import LARGEST_FILE
from toposcope.server.views.views import Views
from toposcope.server.views.views_folder import ViewsFolder

log = logging.getLogger(__name__)
_PAGE = Template("/")
"""The route of the page's files."""
# Limits of an error message about an invalid request.
_MAX_PROBLEMS, _LONGEST_VALUE = 10, 1000


def make_app(
    logdir: RunSource,
    streams: updates.Streams,
    exposure: Exposure,
    path_prefix: str = "",
    data_folder: Path | str | None = None,
    *,
    read_only: bool = False,
    started: float | None = None,
    memory_limit: int = MEMORY_LIMIT,
    has_tools: bool = False,
    index_folder: str | None = None,
) -> ASGIApp:
    """Return the ASGI application that serves a logdir.

    Args:
        logdir: started and stopped with the application.
        streams: the open event streams.
        exposure: which requests to answer.
        path_prefix: "" or a path such as "/topo" below which everything is served.
        data_folder: directory for notes and views, or address of an object store; None for the user's data directory.
        read_only: whether there are no notes and views, so that no request can change anything.
        started: when the server was started, in seconds of time.monotonic(); None: now.
        memory_limit: bytes that all heavy requests may take together.
        has_tools: whether to answer agents at /mcp.
        index_folder: where projections of embeddings are stored; None: nowhere.

    Raises:
        ModuleNotFoundError: agents are to be answered, and the package mcp is not installed.
    """
    budget = Budget(memory_limit)
    counts = RequestCounts()
    logdir.own_report = lambda: own_report(counts, LimitedConnection.present, streams.count)
    api = make_api(logdir, streams, path_prefix, data_folder, read_only=read_only, started=started, budget=budget)
    api.state.index_folder = index_folder
    files = page.Page(page.FOLDER, path_prefix)

    async def api_or_page(scope: Scope, receive: Receive, send: Send) -> None:
        reply = files.reply(scope) if scope["type"] == "http" else None
        if reply is not None:
            scope["route"] = _PAGE
        if reply is None and scope["type"] == "http" and scope["method"] == "HEAD":
            await _answer_head(api, scope, receive, send)
        else:
            await (reply or api)(scope, receive, send)

    answering: ASGIApp = api_or_page
    if has_tools:
        from toposcope.server.agents.http_route import McpRoute

        answering = McpRoute(api_or_page, path_prefix, api.state.opened)
    guarded = Guard(answering, exposure, page.CONTENT_SECURITY_POLICY, path_prefix)
    return CountedRequests(CancelledRequests(guarded), counts)


def make_api(
    logdir: RunSource,
    streams: updates.Streams,
    path_prefix: str,
    data_folder: Path | str | None = None,
    *,
    read_only: bool = False,
    started: float | None = None,
    budget: Budget | None = None,
) -> FastAPI:
    """Return the application that serves the API alone; see make_app."""
    overview_cache = Overview()
    search = RunSearch(overview_cache)

    def prepare() -> None:
        is_loaded = not logdir.snapshot.loading
        search.prepare(lambda: (logdir.snapshot.runs, notes_store.current().runs), is_loaded=is_loaded)
        if is_loaded:
            run_columns.prepare(search, logdir.snapshot.runs, notes_store.current().runs)

    prefetcher = Prefetcher(overview_cache, lambda: logdir.snapshot.runs, prepare)
    data_folder = data_folder or default_data_folder()
    if not read_only and not is_remote(str(data_folder)) and Path(data_folder).exists():
        make_private(Path(data_folder))
    note_files = data_files(data_folder, "notes", logdir.path, notes_folder.LARGEST_FILE)
    colour_files = data_files(data_folder, "colours", logdir.path, run_colours.LARGEST_FILE)
    view_files, link_files = (data_files(data_folder, kind, logdir.path, LARGEST_FILE) for kind in ("views", "links"))
    notes_store = NoNotes() if read_only else Notes(NotesFolder(note_files), lambda: logdir.snapshot.revision)
    alerts_store = Alerts(AlertFiles(data_files(data_folder, "alerts", logdir.path, alert_files.LARGEST_FILE)))
    views_store = NoViews() if read_only else Views(ViewsFolder(view_files))

    def publish(update: Update) -> None:
        streams.send(update)
        runs = logdir.snapshot.runs
        if any(name in runs and "alert" in runs[name].plugins for name in (*update.added, *update.changed)):
            publish_alerts()
        prefetcher.add([*update.added, *update.changed])

    def publish_notes(names: list[str]) -> None:
        """Report runs whose notes changed as changed."""
        snapshot = logdir.snapshot
        if changed := [name for name in names if name in snapshot.runs]:
            streams.send(Update(snapshot.revision, [], changed, [], []))

    def publish_views() -> None:
        streams.send(updates.OtherChange(logdir.snapshot.revision, "views"))

    def publish_alerts() -> None:
        streams.send(updates.OtherChange(logdir.snapshot.revision, "alerts"))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        unsubscribe = logdir.subscribe(publish)
        prefetcher.start()
        logdir.start()
        prefetcher.add(logdir.snapshot.runs)  # Those loaded before it subscribed.
        notes_store.start(publish_notes)
        views_store.start(publish_views)
        alerts_store.start(publish_alerts)
        completion = asyncio.create_task(app.complete_when_idle())
        yield
        app.state.budget.stop()
        completion.cancel()
        alerts_store.stop()
        views_store.stop()
        notes_store.stop()
        unsubscribe()
        logdir.stop()
        prefetcher.stop()

    first = (runs, run_columns, run_search, overview, notes, tags, scalars, updates, views, health, probes)
    app = DeferredRoutes(
        path_prefix,
        [module.router for module in first],
        title="Toposcope",
        version=VERSION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{path_prefix}/api/openapi.json",
    )
    app.state.logdir, app.state.streams, app.state.budget = logdir, streams, budget or Budget()
    app.state.started = time.monotonic() if started is None else started
    app.state.notes, app.state.overview, app.state.search = notes_store, overview_cache, search
    app.state.views = views_store
    app.state.alerts, app.state.recorded_alerts = alerts_store, RecordedAlerts()
    app.state.colours = RunColours(None if read_only else colour_files)
    app.state.links = None if read_only else Links(link_files)
    app.state.data_files = () if read_only else (note_files, view_files, link_files)
    app.state.opened = Opened(lambda: logdir.snapshot.runs, lambda: notes_store.current().runs, overview_cache, search)
    app.state.tag_counts = app.state.opened.tag_counts
    app.state.index_folder = None
    app.state.families = Families(overview_cache)
    app.exception_handler(RequestValidationError)(_validation_error)
    app.exception_handler(405)(_method_not_allowed)
    app.exception_handler(MemoryError)(_busy)
    app.exception_handler(OSError)(_unreadable)
    app.add_middleware(BodyLimit)
    app.add_middleware(Compression)
    return app


async def _busy(_: Request, error: Exception) -> JSONResponse:
    """Reply 503 to a request that cannot be answered at present."""
    detail = str(error) or "the server has not enough memory for this request at present"
    return JSONResponse({"detail": detail}, 503, {"Retry-After": "2"})


async def _unreadable(_: Request, error: Exception) -> JSONResponse:
    """Reply 503 to a request for what cannot be read at present."""
    log.warning("a request failed: %s", error)
    return JSONResponse({"detail": f"what was requested cannot be read at present: {reason_of(error)}"}, 503)


async def _answer_head(api: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Send only the head of the reply to GET, including that of an event stream."""
    get = {**scope, "method": "GET"}

    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            scope["route"] = get.get("route")
            await send(message)
            await send({"type": "http.response.body"})

    await api(get, receive, wrapped)


async def _method_not_allowed(request: Request, _: Exception) -> JSONResponse:
    """Reply 405 with all methods of the path; Starlette lists those of one route only."""
    app: DeferredRoutes = request.app
    await app.complete_in_background()
    # The first time, this takes a third of a second.
    path, described = request.scope["path"], (await asyncio.to_thread(app.openapi))["paths"]
    methods = {method.upper() for template in described if _matches(template, path) for method in described[template]}
    methods = methods or {"GET"}
    allowed = ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
    return JSONResponse(
        {"detail": f"method {request.method} is not allowed: expected one of {allowed}"}, 405, {"Allow": allowed}
    )


def _matches(template: str, path: str) -> bool:
    """Return whether a path matches the template of a route, whose parameters may contain slashes."""
    return bool(re.fullmatch(re.sub(r"\\\{\w+\\\}", ".+", re.escape(template)), path, re.DOTALL))


async def _validation_error(_: Request, error: Exception) -> JSONResponse:
    """Reply 422 with one sentence that contains the invalid values and what was expected."""
    assert isinstance(error, RequestValidationError)
    return JSONResponse({"detail": "; ".join(map(_sentence, error.errors()[:_MAX_PROBLEMS]))}, 422)


def _sentence(problem: dict[str, Any]) -> str:
    place = ".".join(str(part) for part in problem["loc"][1:]) or "request"
    value = repr(problem.get("input"))
    brief = value if len(value) <= _LONGEST_VALUE else value[:_LONGEST_VALUE] + "..."
    return f"{place}={brief}: {problem['msg'].removeprefix('Value error, ')}"
