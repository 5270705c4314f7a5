"""The server in the process of the tests: the real application, loader and HTTP, without a process that starts."""

import asyncio
import signal
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx
from anyio.from_thread import start_blocking_portal

from support.servers import FOLDER, SLOW_SECONDS, new_client
from toposcope.server.commands import serve
from toposcope.server.commands.serve_options import parse
from toposcope.server.commands.token import Token
from toposcope.server.http.http_server import Server, make_server
from toposcope.server.loading.publishing.snapshot import Update
from toposcope.server.workers.worker import make_requests_app


@contextmanager
def served(logdir: Path | str, *arguments: str) -> Iterator[httpx.Client]:
    """Serve a logdir, with more arguments of summary-server; return a client when it is loaded."""
    options = parse(["--logdir", str(logdir), *arguments])
    assert options.workers == 1, "workers are processes"
    options.index_dir = options.index_dir or f"{FOLDER}/index"
    options.data_dir = options.data_dir or f"{FOLDER}/data"
    source = serve.make_logdir(options)
    loaded = threading.Event()

    def note_loaded(_: Update) -> None:
        if not source.snapshot.loading:
            loaded.set()

    source.subscribe(note_loaded)
    with serve.bind(options.host, 0) as listener, start_blocking_portal() as portal:
        settings = serve.make_settings(options, listener, Token(None, is_printed=False), None)
        streams, app = make_requests_app(source, settings)
        url = serve.page_url(options.host, listener.getsockname()[1], options.path_prefix, is_encrypted=False)
        with (
            portal.wrap_async_context_manager(_serving(make_server(app, streams), listener)),
            new_client(url) as client,
        ):
            assert loaded.wait(SLOW_SECONDS), "the logdir was not loaded in time"
            yield client


@asynccontextmanager
async def _serving(server: Server, listener: socket.socket) -> AsyncIterator[None]:
    """Serve meanwhile. Unlike server.run() this ends at once: uvicorn pauses twice for a tenth of a second."""
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    await server.startup([listener])
    await server.on_tick(0)  # It makes the header Date.
    yield
    server.handle_exit(signal.SIGTERM, None)  # It ends the event streams.
    for connection in list(server.server_state.connections):
        connection.shutdown()
    if server.server_state.tasks:
        await asyncio.wait(server.server_state.tasks, timeout=server.config.timeout_graceful_shutdown)
    for each in server.servers:
        each.close()
    await server.lifespan.shutdown()
