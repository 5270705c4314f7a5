"""A worker: a process that answers requests from what another one loads."""

import os
import socket
from typing import Any

import numpy.typing as npt
from starlette.types import ASGIApp

from toposcope.server.api.updates import Streams
from toposcope.server.app import make_app
from toposcope.server.http.http_server import serve_http
from toposcope.server.loading.run_source import RunSource
from toposcope.server.process.freed_memory import limit_arenas
from toposcope.server.process.log_limit import limit_log
from toposcope.server.process.switching import switch_quickly
from toposcope.server.workers.messages import SETTINGS, decode, receive_frame
from toposcope.server.workers.replica import Replica
from toposcope.server.workers.settings import Settings
from toposcope.server.workers.shared_memory import ArrayReference


def main(channel_descriptor: int, listener_descriptor: int) -> None:
    """Serve until a signal or the end of the loading process.

    Args:
        channel_descriptor: of a socket that is connected to the loading process.
        listener_descriptor: of the listening socket that all workers share.
    """
    limit_arenas()
    switch_quickly()
    channel = socket.socket(fileno=channel_descriptor)
    listener = socket.socket(fileno=listener_descriptor)
    frame = receive_frame(channel)
    if frame is None or frame.kind != SETTINGS:
        return
    settings: Settings = decode(frame.content, _no_array)
    limit_log(settings.log_format)
    replica = Replica(settings.logdir, channel)
    if not replica.receive_first():
        return
    streams, app = make_requests_app(replica, settings)
    serve_http(app, streams, listener, settings.certfile, settings.keyfile, is_shared=True)
    os._exit(0)  # Requests that are still computed are not waited for.


def make_requests_app(runs: RunSource, settings: Settings) -> tuple[Streams, ASGIApp]:
    """Return the application that answers requests, and its event streams."""
    streams = Streams()
    app = make_app(
        runs,
        streams,
        settings.exposure,
        settings.path_prefix,
        settings.data_folder,
        read_only=settings.read_only,
        started=settings.started,
        memory_limit=settings.memory_limit,
        has_tools=settings.has_tools,
        index_folder=settings.index_folder,
    )
    return streams, app


def _no_array(_: ArrayReference) -> npt.NDArray[Any]:
    raise AssertionError("settings contain no arrays")
