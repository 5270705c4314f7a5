"""Replies are compressed in the best way that the client accepts."""

from pathlib import Path

import httpx
import pytest
from support.event_files import loss_run
from support.servers import Serve


@pytest.fixture
def client(serve: Serve, tmp_path: Path) -> httpx.Client:
    """Serve a run with many points."""
    loss_run(tmp_path, range(30_000))
    return serve(tmp_path)


SCALARS = "/api/scalars?tag=loss&points=0"


@pytest.mark.parametrize(
    ("accepted", "used"),
    [
        ("gzip, deflate, br, zstd", "zstd"),
        ("zstd;q=0.5, gzip", "zstd"),
        ("zstd", "zstd"),
        ("gzip, zstd;q=0", "gzip"),
        ("gzip, zstd; q=0.0", "gzip"),
        ("gzip", "gzip"),
        ("identity", None),
    ],
)
@pytest.mark.parametrize("path", [SCALARS, "/api/scalars.csv?tag=loss"])
def test_zstd_is_preferred_to_gzip(client: httpx.Client, accepted: str, used: str | None, path: str) -> None:
    """Of a reply at once and of one in parts; the content is the same."""
    expected = client.get(path, headers={"Accept-Encoding": "identity"})
    reply = client.get(path, headers={"Accept-Encoding": accepted})
    assert reply.headers.get("content-encoding") == used
    assert reply.content == expected.content
    assert "Accept-Encoding" in reply.headers["vary"]


def test_small_replies_and_streams_are_not_compressed(client: httpx.Client) -> None:
    """Neither would gain by it."""
    headers = {"Accept-Encoding": "zstd"}
    assert "content-encoding" not in client.get("/api/health", headers=headers).headers
    with client.stream("GET", "/api/updates", headers=headers) as stream:
        assert "content-encoding" not in stream.headers
