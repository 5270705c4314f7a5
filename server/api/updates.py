"""GET /api/updates: server-sent events that report changes of runs."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Literal, NamedTuple

import orjson
from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from toposcope.server.api.requests.snapshot import logdir_of
from toposcope.server.loading.publishing.snapshot import Update
from toposcope.server.loading.run_source import RunSource
from toposcope.server.text.json_values import json_value

router = APIRouter(prefix="/api")
_HEARTBEAT_SECONDS = 15.0
"""Interval of comments that keep proxies from closing the stream."""
_MAX_WAITING = 100
"""Updates that one stream may have to send; a page that opens it again requests what has changed."""


class OtherChange(NamedTuple):
    """Something else than runs changed."""

    revision: int
    """The revision of the logdir."""
    what: Literal["views", "alerts"]


Event = Update | OtherChange


class Streams:
    """The open event streams; they are closed at shutdown, which would otherwise wait for open pages."""

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[Event | None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._queues)

    def open(self) -> asyncio.Queue[Event | None]:
        """Return a queue that receives every update, and None at shutdown or when too many updates wait in it."""
        self._loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Event | None] = asyncio.Queue(_MAX_WAITING)
        self._queues.add(queue)
        return queue

    def drop(self, queue: asyncio.Queue[Event | None]) -> None:
        """Remove a queue."""
        self._queues.discard(queue)

    def send(self, update: Event | None) -> None:
        """Put an update, or None for shutdown, into every queue; may be called from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._put, update)

    def _put(self, update: Event | None) -> None:
        for queue in self._queues:
            if queue.full():  # Its client does not receive: the stream ends, and the page opens it again.
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(None)
            else:
                queue.put_nowait(update)


@router.get("/updates", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def stream_updates(request: Request) -> StreamingResponse:
    """Send `{"revision", "added", "changed", "removed", "states"}` initially, with empty lists, and after each change.

    The lists contain names of runs. Of those in `states` only the state changed, or whether they are live: no value.
    Heartbeats of recordings are no change. `"views": true` is added after a change of the saved views.
    """
    streams: Streams = request.app.state.streams
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_events(streams, logdir_of(request)), media_type="text/event-stream", headers=headers)


async def _events(streams: Streams, logdir: RunSource) -> AsyncIterator[bytes]:
    queue = streams.open()
    try:
        yield b"retry: 1000\n" + _event(Update(logdir.snapshot.revision, [], [], [], []))
        while True:
            try:
                update = await asyncio.wait_for(queue.get(), _HEARTBEAT_SECONDS)
            except TimeoutError:
                yield b": alive\n\n"
                continue
            if update is None:
                return
            yield _event(update)
    finally:
        streams.drop(queue)


def _event(update: Event) -> bytes:
    runs = Update(update.revision, [], [], [], []) if isinstance(update, OtherChange) else update
    content: dict[str, Any] = json_value(runs)
    if isinstance(update, OtherChange):
        content[update.what] = True
    return b"data: " + orjson.dumps(content) + b"\n\n"
