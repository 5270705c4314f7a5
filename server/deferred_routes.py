"""An application whose later routes are imported when the first request for one arrives, or when the server is idle."""

import asyncio
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.types import Receive, Scope, Send

_LATER_ROUTES = "toposcope.server.later_routes"
_IDLE_SECONDS = 1.0
"""How long after the start the server counts as idle: a page that was waiting for it has its first charts by then."""


class DeferredRoutes(FastAPI):
    """A FastAPI application to which the later routes are added while it runs.

    Args:
        prefix: "" or the path below which all routes are.
        routers: of the routes that are there from the beginning.
        settings: of FastAPI.
    """

    def __init__(self, prefix: str, routers: Sequence[APIRouter], **settings: Any) -> None:
        super().__init__(**settings)
        self._prefix = prefix
        self._is_complete = False
        self._include(routers)
        self.router.default = self._complete_and_route  # Called if no route matches.

    def _include(self, routers: Sequence[APIRouter]) -> None:
        for router in routers:
            if self._prefix:
                self.include_router(router, prefix=self._prefix)
            else:  # Included, every route would be built again, which takes the first requests 0.1 seconds.
                self.router.routes.extend(router.routes)

    def complete(self) -> None:
        """Add the later routes, unless that was done before; importing them blocks for a fraction of a second."""
        if not self._is_complete:
            self._include(import_module(_LATER_ROUTES).ROUTERS)
            self._is_complete = True
            self.router.default = self.router.not_found

    async def complete_in_background(self) -> None:
        """Add the later routes; they are imported in another thread."""
        await asyncio.to_thread(import_module, _LATER_ROUTES)
        self.complete()

    async def complete_when_idle(self) -> None:
        """Add the later routes when the first requests have been answered."""
        await asyncio.sleep(_IDLE_SECONDS)
        await self.complete_in_background()

    async def _complete_and_route(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.complete_in_background()
        await self.router(scope, receive, send)

    def openapi(self) -> dict[str, Any]:
        """Return the description of all routes."""
        self.complete()
        return super().openapi()
