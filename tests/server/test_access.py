"""Who has access: tokens from files and the environment, HTTPS, embedding pages, and servers without notes."""

import ssl
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from support import http
from support.certificates import write_certificate
from support.event_files import loss_run
from support.servers import Process, run, start, stop

TOKEN = "a-token-for-tests"


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Return a logdir with one run."""
    loss_run(tmp_path / "runs" / "a", range(3))
    return tmp_path / "runs"


@pytest.fixture
def serve_url() -> Iterator[object]:
    """Return a function that starts a server and returns its URL."""
    processes: list[Process] = []

    def serve(logdir: Path, *arguments: str, **variables: str) -> str:
        process, url = start(logdir, *arguments, **variables)
        processes.append(process)
        return url

    yield serve
    for process in processes:
        stop(process)


def statuses(url: str, **headers: str) -> tuple[int, int]:
    """Return the statuses of a request without and with headers."""
    return http.get(f"{url}api/runs").status_code, http.get(f"{url}api/runs", headers=headers).status_code


def test_a_token_file_is_created_and_used_again(logdir: Path, tmp_path: Path, serve_url) -> None:
    """On loopback too: the file has a random token that only the user can read; the printed URL does not contain it."""
    file = tmp_path / "token"
    url = serve_url(logdir, "--token-file", str(file))
    token = file.read_text().strip()

    assert len(token) >= 24
    assert file.stat().st_mode & 0o777 == 0o600
    assert "token" not in url
    assert statuses(url, authorization=f"Bearer {token}") == (401, 200)

    again = serve_url(logdir, "--token-file", str(file))
    assert file.read_text().strip() == token
    assert statuses(again, authorization=f"Bearer {token}") == (401, 200)


def test_the_environment_may_contain_the_token(logdir: Path, tmp_path: Path, serve_url) -> None:
    """The command line takes precedence over TOPOSCOPE_TOKEN."""
    (tmp_path / "token").write_text("another-token\n")
    (tmp_path / "token").chmod(0o600)
    url = serve_url(logdir, TOPOSCOPE_TOKEN=TOKEN)
    assert TOKEN not in url
    assert statuses(url, authorization=f"Bearer {TOKEN}") == (401, 200)

    url = serve_url(logdir, "--no-token", TOPOSCOPE_TOKEN=TOKEN)
    assert statuses(url) == (200, 200)

    url = serve_url(logdir, "--token-file", str(tmp_path / "token"), TOPOSCOPE_TOKEN=TOKEN)
    assert statuses(url, authorization=f"Bearer {TOKEN}") == (401, 401)
    assert statuses(url, authorization="Bearer another-token") == (401, 200)

    process = Process("--logdir", str(logdir), TOPOSCOPE_TOKEN="")
    assert "TOPOSCOPE_TOKEN" in process.ended()[1]
    assert process.returncode == 2


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER ", "bEaReR   "])
def test_bearer_is_accepted_in_any_case(logdir: Path, serve_url, scheme: str) -> None:
    """As RFC 9110 requires of the names of authentication schemes; no other scheme is accepted."""
    url = serve_url(logdir, TOPOSCOPE_TOKEN=TOKEN)

    assert statuses(url, authorization=scheme + TOKEN) == (401, 200)
    assert statuses(url, authorization=f"Basic {TOKEN}") == (401, 401)
    assert statuses(url, authorization=TOKEN) == (401, 401)


def test_https_is_served_with_a_certificate(logdir: Path, tmp_path: Path, serve_url) -> None:
    """The page, the API and the token's cookie are encrypted; a client without the certificate refuses it."""
    certfile, keyfile = write_certificate(tmp_path)
    arguments = ("--certfile", str(certfile), "--keyfile", str(keyfile))
    url = serve_url(logdir, *arguments, TOPOSCOPE_TOKEN=TOKEN)
    assert url.startswith("https://127.0.0.1:")

    with http.client(verify=ssl.create_default_context(cafile=str(certfile))) as client:
        assert client.get(url).status_code == 401
        reply = client.get(url, params={"token": TOKEN})
        assert "secure" in reply.headers["set-cookie"].lower().split("; ")
        assert "samesite=lax" in reply.headers["set-cookie"].lower()
        assert client.get(f"{url}api/runs").json()["runs"]
        assert "main.js" in client.get(url).text
    with pytest.raises(httpx.ConnectError):
        http.get(url)


def test_certificate_and_key_may_be_one_file(logdir: Path, tmp_path: Path, serve_url) -> None:
    """--keyfile may be omitted."""
    certfile, keyfile = write_certificate(tmp_path)
    both = tmp_path / "both.pem"
    both.write_bytes(certfile.read_bytes() + keyfile.read_bytes())
    url = serve_url(logdir, "--certfile", str(both))

    context = ssl.create_default_context(cafile=str(certfile))
    assert http.get(f"{url}api/runs", verify=context).status_code == 200


def test_bad_combinations_are_one_line_and_status_2(logdir: Path, tmp_path: Path) -> None:
    """The line names the argument and what was expected; the server does not start."""
    certfile, keyfile = map(str, write_certificate(tmp_path))
    _, other_key = map(str, write_certificate(tmp_path, "other"))
    encrypted, encrypted_key = map(str, write_certificate(tmp_path, "encrypted", b"secret"))
    missing = str(tmp_path / "missing")
    text, readable = tmp_path / "text", tmp_path / "readable"
    text.write_text("no token")
    text.chmod(0o600)
    readable.write_text(TOKEN)
    readable.chmod(0o644)
    refused = [
        (["--keyfile", keyfile], "needs --certfile"),
        (["--certfile", missing], f"--certfile '{missing}' cannot be read: No such file"),
        (["--certfile", certfile, "--keyfile", missing], f"--keyfile '{missing}' cannot be read"),
        (["--certfile", certfile], "expected a certificate and its private key"),
        (["--certfile", certfile, "--keyfile", other_key], "not that of the certificate"),
        (["--certfile", encrypted, "--keyfile", encrypted_key], "without a passphrase"),
        (["--token-file", str(text)], "contains no valid token"),
        (["--token-file", str(readable)], "chmod 600"),
        (["--token-file", f"{missing}/token"], "cannot be created"),
        (["--token-file", str(tmp_path)], "cannot be read: Is a directory"),
        (["--token-file", f"{logdir}/token"], "inside the logdir"),
        (["--token-file", str(text), "--no-token"], "not allowed with"),
        (["--token", TOKEN, "--token-file", str(text)], "not allowed with"),
        (["--allowed-host", "*"], "needs a token"),
        (["--read-only", "--data-dir", missing], "--read-only"),
        (["--allow-embed", "*"], "invalid origin '*'"),
        (["--allow-embed", "lab.example.org"], "invalid origin 'lab.example.org'"),
        (["--allow-embed", "https://lab.example.org/path"], "invalid origin"),
        (["--allow-embed", "https://a.org; script-src *"], "invalid origin"),
    ]
    for arguments, message in refused:
        done = run("--logdir", logdir, *arguments)
        (line,) = done.stderr.splitlines()
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert message in line, arguments


def test_allowed_origins_may_embed_the_page(logdir: Path, serve_url) -> None:
    """Others may not: the policy of every reply lists them."""
    policy = http.get(serve_url(logdir)).headers["content-security-policy"]
    assert policy.endswith("; frame-ancestors 'self'")

    origins = ("--allow-embed", "https://Lab.example.org/", "--allow-embed", "http://localhost:*")
    policy = http.get(serve_url(logdir, *origins)).headers["content-security-policy"]
    assert policy.endswith("; frame-ancestors 'self' https://lab.example.org http://localhost:*")


def test_embedded_pages_have_a_cookie_over_https(logdir: Path, tmp_path: Path, serve_url) -> None:
    """Browsers send a cookie to a page embedded in one of another site only if it says so and is encrypted."""
    certfile, keyfile = map(str, write_certificate(tmp_path))
    embed = ("--allow-embed", "https://lab.example.org")
    url = serve_url(logdir, *embed, "--certfile", certfile, "--keyfile", keyfile, TOPOSCOPE_TOKEN=TOKEN)

    reply = http.get(url, params={"token": TOKEN}, verify=ssl.create_default_context(cafile=certfile))
    assert {"secure", "samesite=none", "httponly"} <= set(reply.headers["set-cookie"].lower().split("; "))


def test_cookie_is_secure_behind_a_proxy_that_speaks_tls(logdir: Path, serve_url) -> None:
    """The proxy names the protocol of the browser; without it the cookie would not be sent back over HTTP."""
    url = serve_url(logdir, "--allow-embed", "https://lab.example.org", TOPOSCOPE_TOKEN=TOKEN)
    for protocol, expected in (("https", {"secure", "samesite=none"}), ("https, http", {"secure"}), ("http", set())):
        reply = http.get(url, params={"token": TOKEN}, headers={"X-Forwarded-Proto": protocol})
        parts = set(reply.headers["set-cookie"].lower().split("; "))
        assert expected <= parts
        assert ("secure" in parts) == bool(expected)


@pytest.mark.parametrize("header", ["X-Forwarded-Prefix", "X-Forwarded-Context"])
def test_cookie_is_limited_to_the_path_of_a_proxy(logdir: Path, serve_url, header: str) -> None:
    """A proxy that removes a path from requests names it in a header."""
    url = serve_url(logdir, TOPOSCOPE_TOKEN=TOKEN)

    def path(value: str) -> str:
        reply = http.get(url, params={"token": TOKEN}, headers={header: value})
        return next(part for part in reply.headers["set-cookie"].split("; ") if part.startswith("Path="))

    assert path("/user/ada/proxy/6006") == "Path=/user/ada/proxy/6006/"
    assert path("/user/ada/proxy/6006/") == "Path=/user/ada/proxy/6006/"
    assert path("/; Domain=example.org") == "Path=/"


def test_any_host_is_answered_if_a_token_is_required(logdir: Path, serve_url) -> None:
    """Behind the proxy of a hub, whose name is not known: a rebound name has no cookie."""
    url = serve_url(logdir, "--allowed-host", "*", TOPOSCOPE_TOKEN=TOKEN)

    host = {"Host": "hub.example.org"}
    assert http.get(url, headers=host).status_code == 401
    assert http.get(url, headers=host | {"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert http.get(url, headers={"Host": "a/b"}).status_code == 421


def test_read_only_server_has_no_notes(logdir: Path, tmp_path: Path, serve_url) -> None:
    """Neither shown nor stored: what another server stored is not read, and a change is refused."""
    data = tmp_path / "data"
    url = serve_url(logdir, "--data-dir", str(data))
    assert http.put(f"{url}api/notes", params={"run": "a"}, json={"alias": "A"}).status_code == 200
    assert http.get(f"{url}api/notes").json()["read_only"] is False

    url = serve_url(logdir, "--read-only", XDG_DATA_HOME=str(data))
    assert http.get(f"{url}api/notes").json() == {"revision": 0, "runs": {}, "problems": [], "read_only": True}
    for path, parameters in (("api/notes", {"run": "a"}), ("api/runs/a/notes", {})):
        reply = http.put(f"{url}{path}", params=parameters, json={"alias": "B"})
        assert (reply.status_code, "read-only" in reply.json()["detail"]) == (403, True)
    assert http.get(f"{url}api/overview").json()["runs"][0]["notes"]["alias"] is None
