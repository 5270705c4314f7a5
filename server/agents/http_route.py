"""The path /mcp: the tools of agents over streamable HTTP, behind the same checks as every other path."""

from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from toposcope.server.agents.mcp_server import make_mcp_server
from toposcope.server.metrics.counted_requests import Template
from toposcope.server.questions.opening.opened import Opened


class McpRoute:
    """Answers requests for the path, and forwards all others. Each request stands alone: any worker can answer it.

    Args:
        app: answers the other requests.
        path_prefix: "" or the path below which everything is served.
        opened: the logdir.
    """

    def __init__(self, app: ASGIApp, path_prefix: str, opened: Opened) -> None:
        self._app = app
        self._path = f"{path_prefix}/mcp"
        server = make_mcp_server(opened)
        self._tools = server.streamable_http_app(
            streamable_http_path=self._path,
            json_response=True,
            stateless_http=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # Guard has checked.
        )
        self._manager = server.session_manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or forward a request."""
        if scope["type"] == "lifespan":
            async with self._manager.run():
                await self._app(scope, receive, send)
        elif scope["type"] == "http" and scope["path"] == self._path:
            await self._tools({**scope}, receive, send)
            scope["route"] = Template("/mcp")
        else:
            await self._app(scope, receive, send)
