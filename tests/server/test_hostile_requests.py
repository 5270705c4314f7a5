"""Requests that try to break the server: each gets a clear answer, and the next request is answered."""

import json
from pathlib import Path

import httpx
import pytest
from support.event_files import loss_run
from support.servers import Serve

SEARCHES = [
    "(" * 1000 + "a" + ")" * 1000,
    "NOT " * 400 + "a",
    "-" * 1000 + "a",
    "a " * 999,
    " ".join(f"p{number}:1" for number in range(300)),
    "a" * 50_000,
    '"a',
    "started>99999-01-01",
    "duration>" + "9" * 400 + "d",
    "step<a",
]
HARMLESS = [
    "lr<1" + "0" * 400,
    "step<1e400",
    "lr=nan",
    "a\0b",
    "\u202ea",
    "*" * 1999,
    "started>9999-12-31T23:59:59-23:59",
]


@pytest.fixture
def client(tmp_path: Path, serve: Serve) -> httpx.Client:
    """Serve one run."""
    loss_run(tmp_path / "run", range(3))
    return serve(tmp_path)


@pytest.mark.parametrize("route", ["api/runs", "api/overview"])
def test_searches_that_are_too_much_are_refused(client: httpx.Client, route: str) -> None:
    """With a sentence that says why; numbers beyond the range of doubles and odd characters are no problem."""
    for search in SEARCHES:
        reply = client.get(route, params={"search": search})
        assert (reply.status_code, len(reply.json()["detail"]) < 3000) == (422, True), search[:50]
    for search in HARMLESS:
        assert client.get(route, params={"search": search}).status_code == 200, search[:50]
    for raw in ("%ED%A0%80", "%FF", "%00"):  # An unpaired surrogate, a byte that is not UTF-8, and NUL.
        assert client.get(f"{route}?search={raw}").status_code == 200, raw
    assert client.get(route).json()["runs"]


def test_malformed_bodies_are_refused(client: httpx.Client) -> None:
    """Nesting, unpaired surrogates, and what is no JSON."""
    for route in ("api/overview", "api/scalars"):
        for body in (b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe", b"{", b"1" * 5000):
            assert client.post(route, content=body).status_code in (400, 422), body[:10]
        surrogate = client.post(route, content=b'{"tag": ["\\ud800"], "run": ["\\ud800"]}')
        assert surrogate.status_code in (404, 422)
        assert json.loads(surrogate.content)
    assert client.get("api/runs").json()["runs"]


def test_heads_that_are_too_long_are_refused(client: httpx.Client) -> None:
    """A megabyte of a URL or a header is not collected."""
    for url, headers in (("api/runs?search=" + "a" * 65_000, {}), ("api/runs", {"X-Long": "a" * 1_000_000})):
        try:
            status = client.get(url, headers=headers).status_code
        except httpx.TransportError:  # It is closed while it is sent.
            status = 400
        assert status in (400, 422, 431)
    assert client.get("api/runs").json()["runs"]
