"""Who may talk to the server: Host, Origin and token checks and the headers of every reply, as one ASGI layer.

Browsers send requests that other sites make them send, and DNS rebinding makes another site's name point here:
so a request must name a host we answer for, and must not come from a page of another origin.
"""

import ipaddress
import secrets
import socket
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Exposure(NamedTuple):
    """What the server lets in."""

    hosts: frozenset[str]
    """Host names, lower case, that requests may name; addresses are always allowed, they cannot be rebound."""
    token: str | None
    """What every request must show, as a cookie, as a bearer or once in the URL; None: nothing."""
    cookie: str
    """Name of the token's cookie. Cookies do not tell ports apart, so the name does."""


def make_exposure(host: str, port: int, allowed_hosts: Iterable[str], token: str | None) -> Exposure:
    """Return what a server bound to host and port lets in."""
    names = {"localhost", host, *allowed_hosts}
    if not is_loopback(host):
        names |= {socket.gethostname(), socket.getfqdn()}
    return Exposure(frozenset(name.lower().rstrip(".") for name in names), token, f"toposcope_{port}")


def is_loopback(host: str) -> bool:
    """Say whether only this machine reaches a server bound to host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Guard:
    """Refuses requests from strangers and sets the security headers of all replies."""

    def __init__(self, app: ASGIApp, exposure: Exposure, content_security_policy: str, path_prefix: str) -> None:
        self._app = app
        self._exposure = exposure
        self._prefix = path_prefix
        self._headers = {
            "Content-Security-Policy": content_security_policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self._refuse(scope)
        await (refused or self._app)(scope, receive, self._with_headers(send))

    def _with_headers(self, send: Send) -> Send:
        async def wrapped(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        return wrapped

    def _refuse(self, scope: Scope) -> Response | None:
        """Return the answer to a request that must not pass; None lets it pass."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_allowed_host(host):
            return PlainTextResponse(f"Host {host!r} is not allowed; start the server with --allowed-host.", 421)
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2].lower() != host.lower():
            return PlainTextResponse(f"Origin {origin!r} is not this server.", 403)
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return PlainTextResponse("Requests from other sites are not answered.", 403)
        return self._check_token(scope, headers) if self._exposure.token else None

    def _is_allowed_host(self, host: str) -> bool:
        name = _host_name(host)
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name.rstrip(".") in self._exposure.hosts or name.endswith(".localhost")
        return True

    def _check_token(self, scope: Scope, headers: Headers) -> Response | None:
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        shown = dict(query).get("token")
        if shown is not None and self._is_token(shown):
            return self._remember_token(scope, [pair for pair in query if pair[0] != "token"])
        if self._is_token(headers.get("authorization", "").removeprefix("Bearer ")):
            return None
        if self._is_token(_cookie(headers, self._exposure.cookie)):
            return None
        return PlainTextResponse("This server needs the token of the URL that it printed when it started.", 401)

    def _is_token(self, shown: str) -> bool:
        return secrets.compare_digest(shown.encode(), (self._exposure.token or "").encode())

    def _remember_token(self, scope: Scope, query: list[tuple[str, str]]) -> Response:
        """Move the token from the URL, where it would be shared and logged, into a cookie."""
        # Relative and without the host, so that it holds behind any proxy; "//" would name another host.
        path = "./" + scope["path"].rpartition("/")[2]
        reply = RedirectResponse(path + ("?" + urlencode(query) if query else ""), 303)
        token = self._exposure.token or ""
        reply.set_cookie(self._exposure.cookie, token, httponly=True, samesite="lax", path=self._prefix + "/")
        return reply


def _host_name(host: str) -> str:
    """Return the name or address in a Host header, lower case, without port and brackets; "" when it is malformed."""
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:  # Brackets that do not match, or hold no address.
        return ""
    return "" if name is None or any(character in host for character in "/@?#\\ ") else name


def _cookie(headers: Headers, name: str) -> str:
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(headers.get("cookie", ""))
    except CookieError:
        return ""
    return jar[name].value if name in jar else ""
