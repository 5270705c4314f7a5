"""Limits the bodies of requests that are received or answered, all together: ASGI middleware."""

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BYTES = 256 << 20
"""The size of all bodies; each is limited by its route."""


class BodyLimit:
    """Middleware that answers 503 to a request whose body would exceed the limit together with those of others.

    Args:
        app: answers the requests; an exception handler is part of it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request to the application."""
        held = 0

        async def counted() -> Message:
            nonlocal held
            message = await receive()
            size = len(message.get("body", b""))
            held += size
            self._held += size
            if self._held > MAX_BYTES:
                detail = "the server receives too many large requests at present: try again soon"
                raise HTTPException(503, detail, {"Retry-After": "2"})
            return message

        try:
            await self._app(scope, counted, send)
        finally:
            self._held -= held
