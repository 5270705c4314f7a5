"""Serves the application over HTTP or HTTPS until a signal stops the process."""

import asyncio
import contextlib
import logging
import signal
import socket
import time
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from toposcope.server.api.updates import Streams
from toposcope.server.http.connections import LimitedConnection, connection_limit, raise_descriptor_limit
from toposcope.server.http.handshakes import Handshake, Handshakes
from toposcope.server.process.ending import end_soon

_WAITING_CONNECTIONS = 128
"""That the system keeps until they are accepted."""
_ACCEPT_SECONDS = 0.001
"""How long a process that shares its listening socket pauses after it has accepted a connection."""


class Server(uvicorn.Server):
    """A server that closes its event streams on a signal, so that shutdown does not wait for open pages."""

    def __init__(self, config: uvicorn.Config, streams: Streams) -> None:
        super().__init__(config)
        self.ends_process = False
        self._streams = streams

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_WAITING_CONNECTIONS)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Close the event streams, then shut down; end the process anyway if something hangs."""
        if self.ends_process:
            end_soon()
        self._streams.send(None)
        super().handle_exit(sig, frame)


def serve_http(
    app: ASGIApp,
    streams: Streams,
    listener: socket.socket,
    certfile: str | None,
    keyfile: str | None,
    *,
    is_shared: bool = False,
) -> None:
    """Serve until a signal stops the process.

    Args:
        app: answers the requests.
        streams: its open event streams, which are closed at shutdown.
        listener: a listening socket.
        certfile: of a certificate; None: connections are not encrypted.
        keyfile: of its private key; None: it is in `certfile`.
        is_shared: whether other processes accept connections from the listener too.
    """
    LimitedConnection.most = connection_limit(raise_descriptor_limit())
    logging.getLogger("uvicorn.error").addFilter(_is_relevant)
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises the signal again after shutdown.
        server = make_server(app, streams, certfile, keyfile, is_shared=is_shared)
        server.ends_process = True
        for number in uvicorn.server.HANDLED_SIGNALS:  # Until uvicorn does so: it has to start an event loop first.
            signal.signal(number, server.handle_exit)
        server.run(sockets=[listener])


def make_server(
    app: ASGIApp,
    streams: Streams,
    certfile: str | None = None,
    keyfile: str | None = None,
    *,
    is_shared: bool = False,
) -> Server:
    """Return a server that does not listen yet; see serve_http."""
    connection: Any = partial(Handshake, Handshakes(certfile, keyfile)) if certfile else LimitedConnection
    if is_shared:
        connection = partial(_after_a_pause, connection)
    config = uvicorn.Config(
        app,
        http=connection,
        ws="none",
        log_config=None,
        # asyncio accepts so many connections at once.
        backlog=1,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=1,
        lifespan="on",
        server_header=False,
    )
    return Server(config, streams)


def _after_a_pause(connection: Callable[..., asyncio.Protocol], **options: Any) -> asyncio.Protocol:
    """Return a connection that was accepted just now.

    Connections that arrive together wake all processes. Without the pause, the one that runs first accepts all of them
    before another one runs, and answers alone as long as they are open.
    """
    time.sleep(_ACCEPT_SECONDS)
    return connection(**options)


def _is_relevant(record: logging.LogRecord) -> bool:
    """Return whether a record of uvicorn's log is more than a request cancelled by the shutdown."""
    is_cancelled = record.exc_info is not None and record.exc_info[0] is asyncio.CancelledError
    return not is_cancelled and "timeout graceful shutdown exceeded" not in record.msg
