"""ASGI middleware that answers the requests that the end of the server cancels."""

import asyncio

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class CancelledRequests:
    """Middleware that replies 503 to a request that is cancelled before its reply has started: uvicorn would reply 500.

    Args:
        app: answers the requests.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request to the application."""
        has_started = False

        async def noting(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except asyncio.CancelledError:
            if has_started or scope["type"] != "http":
                raise
            await JSONResponse({"detail": "the server stops"}, 503)(scope, receive, send)
