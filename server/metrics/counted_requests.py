"""ASGI middleware that counts the requests of a process."""

import time
from typing import NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toposcope.server.reports.request_counts import Kind, RequestCounts

_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_OTHER = "other"
"""The route of requests that were refused or match none, and any other method: clients can send what they like."""


class Template(NamedTuple):
    """Stands in for a route in the scope of a request that no route answers."""

    path: str


class CountedRequests:
    """Middleware that counts requests when their replies begin: an event stream does not end for hours.

    Args:
        app: answers the requests.
        counts: what they are added to.
    """

    def __init__(self, app: ASGIApp, counts: RequestCounts) -> None:
        self._app = app
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request to the application."""
        started = time.perf_counter()

        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                method = scope["method"] if scope["method"] in _METHODS else _OTHER
                route = scope.get("route")
                kind = Kind(str(route.path) if route else _OTHER, method, message["status"])
                self._counts.add(kind, time.perf_counter() - started)
            await send(message)

        await self._app(scope, receive, counting)
