"""Asks a running server a question, over HTTP."""

import time
from collections.abc import Sequence
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, NamedTuple
from urllib.parse import SplitResult, parse_qs, urlencode, urlsplit

import orjson

from toposcope.server.process.version import VERSION
from toposcope.server.questions.asking.question import Reply
from toposcope.server.questions.opening.opened import UnknownNameError

_CONNECTING_SECONDS, _ANSWERING_SECONDS = 10.0, 300.0
_BUSY_SECONDS, _PAUSE_SECONDS = 60.0, 1.0
"""How long a server that is busy, as it still reads the runs, is asked again, and how often."""
_LONGEST_DETAIL = 300
"""Characters of a reply that is no answer."""


class _Received(NamedTuple):
    """A reply of HTTP."""

    status: int
    is_busy: bool
    location: str
    content: dict[str, Any]
    """The JSON object; empty if it is none."""
    text: str
    """The beginning of its first line."""


def ask_server(url: str, token: str | None, name: str, arguments: Sequence[str]) -> Reply:
    """Return the reply of a server to a question.

    Args:
        url: of its page, as the server prints it; a token in it takes precedence.
        token: what the server requires of requests; None: nothing.
        name: of the question.
        arguments: of the question.

    Raises:
        UnknownNameError: no run or tag has the name.
        OSError: the server cannot be reached, or does not answer.
        ValueError: the URL or an argument is invalid.
    """
    address = _parsed(url)
    page = address._replace(query="", fragment="").geturl()
    tokens = parse_qs(address.query).get("token", [token])
    query = urlencode([("argument", each) for each in arguments], errors="replace")
    path = f"{address.path.rstrip('/')}/api/questions/{name}?{query}"
    headers = {"User-Agent": f"toposcope/{VERSION}"} | ({"Authorization": f"Bearer {tokens[-1]}"} if tokens[-1] else {})
    ends = time.monotonic() + _BUSY_SECONDS
    while (received := _get(page, address, path, headers)).is_busy and time.monotonic() < ends:
        time.sleep(_PAUSE_SECONDS)
    return _reply(page, received)


def _parsed(url: str) -> SplitResult:
    try:
        address = urlsplit(url)
        is_valid = address.scheme in ("http", "https") and address.hostname and address.port != 0
    except ValueError:
        is_valid = False
    if not is_valid or address.username is not None:
        raise ValueError(f"--server {url.partition('?')[0]!r}: expected a URL such as http://localhost:6006/")
    return address


def _get(page: str, address: SplitResult, path: str, headers: dict[str, str]) -> _Received:
    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    try:
        with closing(kind(address.hostname or "", address.port, timeout=_CONNECTING_SECONDS)) as connection:
            connection.connect()
            connection.sock.settimeout(_ANSWERING_SECONDS)
            connection.request("GET", path, headers=headers)
            return _received(connection.getresponse())
    except HTTPException as error:
        raise OSError(f"{page} does not answer in HTTP: {type(error).__name__}") from None
    except OSError as error:
        reason = getattr(error, "verify_message", None) or error.strerror or str(error)
        raise OSError(f"no server answers at {page}: {reason}") from None


def _received(reply: HTTPResponse) -> _Received:
    body = reply.read()
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:
        content = None
    text = body[: 4 * _LONGEST_DETAIL].decode("utf-8", "replace").partition("\n")[0][:_LONGEST_DETAIL]
    is_busy = reply.status == 503 and "Retry-After" in reply.headers
    location = reply.headers.get("Location", "")[:_LONGEST_DETAIL]
    return _Received(reply.status, is_busy, location, content if isinstance(content, dict) else {}, text)


def _reply(page: str, received: _Received) -> Reply:
    status, detail = received.status, received.content.get("detail")
    if status == 200 and received.content.keys() >= set(Reply._fields):
        return Reply(*(received.content[name] for name in Reply._fields))
    if 300 <= status < 400:
        raise OSError(f"{page} redirects to {received.location!r}, as to a page to log in: expected that of a server")
    if status == 401:
        raise OSError(
            f"{page} requires a token: expected the URL that the server printed, or --token-file with its token"
        )
    if status in (400, 422) and detail:
        raise ValueError(detail)
    if status == 404 and detail not in (None, "Not Found"):
        raise UnknownNameError(detail)
    if status in (200, 404):
        raise OSError(f"{page} is not the address of a Toposcope server that answers questions; it may be an older one")
    raise OSError(f"{page} replies with status {status}: {detail or received.text}")
