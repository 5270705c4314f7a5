"""Access checks: hosts, origins and tokens."""

from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import httpx
import pytest
from support import http
from support.event_files import loss_run
from support.servers import start, stop

TOKEN = "a-token-for-tests"


@pytest.fixture(scope="module")
def urls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Serve a run without and with a token."""
    logdir = tmp_path_factory.mktemp("logdir")
    loss_run(logdir / "a", range(3))
    open_process, open_url = start(logdir)
    closed_process, closed_url = start(logdir, "--host", "127.0.0.1", "--token", TOKEN, "--path-prefix", "/topo")
    yield open_url, closed_url
    stop(open_process)
    stop(closed_process)


def status(url: str, path: str, headers: dict[str, str]) -> int:
    """Return the status of a GET request with exactly these headers."""
    address = httpx.URL(url)
    connection = HTTPConnection(address.host, address.port)
    connection.putrequest("GET", path, skip_host=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse().status
    connection.close()
    return answer


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1:6006", 200),
        ("localhost:6006", 200),
        ("LOCALHOST", 200),
        ("toposcope.localhost:6006", 200),
        ("[::1]:6006", 200),
        ("10.1.2.3", 200),
        ("evil.example", 421),
        ("localhost.evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("evil.example/localhost", 421),
        ("localhost@evil.example", 421),
        ("[::1", 421),
        ("[localhost]", 421),
        ("", 421),
    ],
)
def test_only_allowed_hosts_are_answered(urls: tuple[str, str], host: str, expected: int) -> None:
    """Other names, which DNS rebinding could use, are rejected; addresses cannot be rebound."""
    assert status(urls[0], "/api/runs", {"Host": host}) == expected


def test_allowed_hosts_of_proxies_are_answered(tmp_path: Path) -> None:
    """--allowed-host is the name of a reverse proxy."""
    process, url = start(tmp_path, "--allowed-host", "runs.example", "--allowed-host", "b.example")

    assert status(url, "/api/runs", {"Host": "runs.example"}) == 200
    assert status(url, "/api/runs", {"Host": "b.example:8443"}) == 200
    assert status(url, "/api/runs", {"Host": "c.example"}) == 421
    stop(process)


def test_other_origins_are_rejected(urls: tuple[str, str]) -> None:
    """A page of another site cannot use the API; a page of this one can, also behind a TLS proxy."""
    host = {"Host": "localhost:6006"}

    assert status(urls[0], "/api/runs", host | {"Origin": "http://localhost:6006"}) == 200
    assert status(urls[0], "/api/runs", host | {"Origin": "https://localhost:6006"}) == 200
    assert status(urls[0], "/api/runs", host | {"Origin": "http://localhost:7007"}) == 403
    assert status(urls[0], "/api/runs", host | {"Origin": "null"}) == 403
    assert status(urls[0], "/api/runs", host | {"Origin": "http://["}) == 403
    assert status(urls[0], "/api/runs", host | {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}) == 403
    assert status(urls[0], "/", host | {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}) == 200


def test_every_reply_has_strict_headers(urls: tuple[str, str]) -> None:
    """The page, the API and errors forbid foreign scripts and content sniffing."""
    for path, headers in (("/", {}), ("/api/runs", {}), ("/nothing", {}), ("/", {"Host": "evil.example"})):
        reply = http.get(urls[0].rstrip("/") + path, headers=headers)
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
        assert reply.headers["x-content-type-options"] == "nosniff"


def test_token_is_required(urls: tuple[str, str]) -> None:
    """Nothing is served without the token or with a wrong one."""
    base = urls[1].split("?")[0]

    for path in ("", "api/runs", "built/main.js"):
        assert http.get(base + path).status_code == 401
        assert http.get(base + path, params={"token": "wrong"}).status_code == 401
        assert http.get(base + path, headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_token_moves_from_the_url_to_a_cookie(urls: tuple[str, str]) -> None:
    """The printed URL sets an HttpOnly cookie and redirects to the URL without the token."""
    with http.client() as client:
        reply = client.get(urls[1] + "&x=1")
        cookie = reply.headers["set-cookie"]
        target = reply.url.join(reply.headers["location"])

        assert reply.status_code == 303
        assert (target.path, target.query) == ("/topo/", b"x=1")
        assert "httponly" in cookie.lower()
        assert "samesite=lax" in cookie.lower()
        assert f"toposcope_{reply.url.port}=" in cookie
        assert TOKEN not in cookie  # Servers on other ports of the host receive it.
        assert client.get(target).status_code == 200
        assert client.get(target.join("api/runs")).json()["runs"]


@pytest.mark.parametrize(
    "other", ['session={"user": 1}', "a[b]=1", 'x="unbalanced', "é=1", "$Path=1; expires=foo", "no equals sign", ";;"]
)
def test_cookies_of_other_applications_do_not_matter(urls: tuple[str, str], other: str) -> None:
    """Browsers send those of every port of the host, whatever their syntax is."""
    url = httpx.URL(urls[1])
    value = http.get(url).cookies[f"toposcope_{url.port}"]
    cookies = [f"{other}; toposcope_{url.port}={each}; {other}".encode() for each in (value, TOKEN, "0" * 64)]

    for content, expected in zip([*cookies, other.encode()], (200, 401, 401, 401), strict=True):
        assert (
            http.get(url.copy_with(query=None).join("api/runs"), headers={b"Cookie": content}).status_code == expected
        )


def test_other_addresses_require_a_token(tmp_path: Path) -> None:
    """A server that is not on loopback requires a random token by default."""
    process, url = start(tmp_path, "--bind-all")
    port = httpx.URL(url).port
    assert len(httpx.URL(url).params["token"]) >= 24
    assert http.get(f"http://127.0.0.1:{port}/api/runs").status_code == 401
    stop(process)

    process, url = start(tmp_path, "--host", "0.0.0.0", "--no-token")
    assert "token" not in url
    assert http.get(f"http://127.0.0.1:{httpx.URL(url).port}/api/runs").status_code == 200
    stop(process)
