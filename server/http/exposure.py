"""Access checks: Host, Origin and token of every request, and security headers of every reply, as ASGI middleware.

A browser may be made to send requests by pages of other sites, and DNS rebinding makes the name of another site resolve
to this server. A request must therefore name an allowed host, and must not come from a page of another origin.
"""

import hmac
import ipaddress
import re
import secrets
import socket
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toposcope.server.http.host_names import ANY_HOST, is_loopback

_TOKEN_PARAMETERS = ("token", "toposcope_token")
"""Parameters of URLs. Behind a proxy with a token of its own, as of a notebook server, the first is the proxy's."""
_FORWARDED_PREFIXES = ("x-forwarded-prefix", "x-forwarded-context")
"""Headers in which a proxy names the path that it removed from requests; the latter is that of jupyter-server-proxy."""


class Exposure(NamedTuple):
    """Which requests the server answers."""

    hosts: frozenset[str]
    """Allowed host names, in lower case; IP addresses are always allowed, as they cannot be rebound."""
    token: str | None
    """Required of every request, as a bearer token or once in the URL, which sets a cookie; None: none is required."""
    cookie: str
    """Name of the cookie; contains the port, as cookies are shared by all ports of a host."""
    embedding: tuple[str, ...]
    """Origins of pages that may embed the dashboard, beside its own."""
    is_encrypted: bool
    """Whether the server itself serves HTTPS."""
    public_paths: frozenset[str] = frozenset()
    """Paths below the prefix that need no token."""

    @property
    def cookie_value(self) -> str:
        """The value of the cookie. Servers on other ports of the host receive it: it is of no use to them."""
        return hmac.digest((self.token or "").encode(), self.cookie.encode(), "sha256").hex()


def make_exposure(
    host: str,
    port: int,
    allowed_hosts: Iterable[str],
    token: str | None,
    embedding: Iterable[str] = (),
    *,
    is_encrypted: bool = False,
    public_paths: Iterable[str] = (),
) -> Exposure:
    """Return the exposure of a server bound to a host and port."""
    names = {"localhost", host, *allowed_hosts}
    if not is_loopback(host):
        names |= {socket.gethostname(), socket.getfqdn()}
    hosts = frozenset(name.lower().rstrip(".") for name in names)
    origins = tuple(dict.fromkeys(embedding))
    return Exposure(hosts, token, f"toposcope_{port}", origins, is_encrypted, frozenset(public_paths))


class Guard:
    """Middleware that rejects requests without access and sets the security headers of all replies.

    Args:
        app: answers the other requests.
        exposure: which requests to answer.
        content_security_policy: of all replies; ends with the directive frame-ancestors.
        path_prefix: "" or the path below which everything is served.
    """

    def __init__(self, app: ASGIApp, exposure: Exposure, content_security_policy: str, path_prefix: str) -> None:
        self._app = app
        self._exposure = exposure
        self._cookie_value = exposure.cookie_value.encode()
        self._prefix = path_prefix
        self._headers = {
            "Content-Security-Policy": " ".join([content_security_policy, *exposure.embedding]),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request to the application, or reject it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        rejection = self._reject(scope)
        await (rejection or self._app)(scope, receive, self._with_headers(send))

    def _with_headers(self, send: Send) -> Send:
        async def wrapped(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        return wrapped

    def _reject(self, scope: Scope) -> Response | None:
        """Return the reply to a request without access; None if it has access."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_allowed_host(host):
            return PlainTextResponse(f"Host {host!r} is not allowed. Allow it with --allowed-host.", 421)
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2].lower() != host.lower():
            return PlainTextResponse(f"Origin {origin!r} is not allowed.", 403)
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return PlainTextResponse("Cross-site requests are not allowed.", 403)
        is_public = scope["path"].removeprefix(self._prefix) in self._exposure.public_paths
        return self._check_token(scope, headers) if self._exposure.token and not is_public else None

    def _is_allowed_host(self, host: str) -> bool:
        name = _host_name(host)
        if name and ANY_HOST in self._exposure.hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name.rstrip(".") in self._exposure.hosts or name.endswith(".localhost")
        return True

    def _check_token(self, scope: Scope, headers: Headers) -> Response | None:
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        tokens = [value for name, value in query if name in _TOKEN_PARAMETERS]
        if any(map(self._is_token, tokens)):
            return self._remember_token(scope, headers, [pair for pair in query if not self._is_token(pair[1])])
        cookie = _cookie(headers, self._exposure.cookie)
        if self._is_token(_bearer(headers)) or secrets.compare_digest(cookie.encode(), self._cookie_value):
            return None
        text = (
            "A token is required. Use the URL that the server printed when it started, or add ?token=TOKEN to this one."
        )
        return PlainTextResponse(text, 401, {"WWW-Authenticate": "Bearer"})

    def _is_token(self, candidate: str) -> bool:
        return secrets.compare_digest(candidate.encode(), (self._exposure.token or "").encode())

    def _remember_token(self, scope: Scope, headers: Headers, query: list[tuple[str, str]]) -> Response:
        """Redirect to the URL without the token, which would be shared and logged, and set the cookie."""
        # Relative, so that it is valid behind any proxy; a path beginning with "//" would name another host.
        path = "./" + scope["path"].rpartition("/")[2]
        reply = RedirectResponse(path + ("?" + urlencode(query) if query else ""), 303)
        is_encrypted = self._exposure.is_encrypted or _is_forwarded_encrypted(headers)
        reply.set_cookie(
            self._exposure.cookie,
            self._exposure.cookie_value,
            httponly=True,
            # A page of another site embeds this one: browsers send the cookie there only over HTTPS.
            samesite="none" if self._exposure.embedding and is_encrypted else "lax",
            secure=is_encrypted,
            path=self._public_prefix(headers) + "/",
        )
        return reply

    def _public_prefix(self, headers: Headers) -> str:
        """Return the path below which browsers see the dashboard."""
        forwarded = _forwarded_prefix(headers)
        return forwarded if forwarded.endswith(self._prefix) else forwarded + self._prefix


def _host_name(host: str) -> str:
    """Return the host of a Host header, in lower case, without port and brackets; "" if it is malformed."""
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:  # Unbalanced brackets, or no address in them.
        return ""
    return "" if name is None or any(character in host for character in "/@?#\\ ") else name


def _is_forwarded_encrypted(headers: Headers) -> bool:
    """Return whether a proxy says that it received the request over HTTPS; of several proxies the first one counts."""
    return headers.get("x-forwarded-proto", "").partition(",")[0].strip().lower() == "https"


def _forwarded_prefix(headers: Headers) -> str:
    """Return the path that a proxy removed from the request; "" if it removed none, or names it in no known header."""
    named = (headers.get(name, "").rstrip("/") for name in _FORWARDED_PREFIXES)
    return next((path for path in named if re.fullmatch(r"(/[\w.~@%+-]+)+", path, re.ASCII)), "")


def _bearer(headers: Headers) -> str:
    """Return the bearer token of a request; "" if it has none. The scheme's name is not case-sensitive (RFC 9110)."""
    scheme, _, token = headers.get("authorization", "").strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _cookie(headers: Headers, name: str) -> str:
    # Not http.cookies, which reads none if another application of this host has set one that is not in its syntax.
    return cookie_parser(headers.get("cookie", "")).get(name, "")
