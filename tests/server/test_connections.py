"""Connections have limits: however many there are, and whatever they send, runs stay listed and the log stays small."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import psutil
import pytest
from support.certificates import write_certificate
from support.event_files import loss_run, write_run
from support.loops import run_alone
from support.servers import ENVIRONMENT, Serve, wait_until

from toposcope.proto import framing, summary_pb2
from toposcope.server.api.updates import Event, Streams
from toposcope.server.http import connections, request_bodies
from toposcope.server.http.connections import connection_limit
from toposcope.server.loading.publishing.snapshot import Update
from toposcope.server.process.log_limit import LogLimit

DESCRIPTORS = 256
PATIENCE = 300.0
"""Seconds: on a busy machine patterns are matched slowly, as their processes are nice."""
UNSENT = 64 << 20
REPLY = 24 << 20
"""Bytes; the system keeps less than that for a client that does not read."""
_START = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({DESCRIPTORS}, {DESCRIPTORS}))
from toposcope.server.cli import main
sys.exit(main(sys.argv[1:]))
"""


@contextmanager
def server_with_few_descriptors(logdir: Path, log: Path, *options: str) -> Iterator[httpx.URL]:
    """Serve a logdir in a process that can open few files."""
    command = [
        sys.executable,
        "-c",
        _START,
        "--logdir",
        str(logdir),
        "--port",
        "0",
        "--reload-interval",
        "0.1",
        *options,
    ]
    with log.open("wb") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=ENVIRONMENT, text=True)
        try:
            assert process.stdout is not None
            yield httpx.URL(process.stdout.readline().split()[3])
        finally:
            process.terminate()
            process.communicate()


def connect(url: httpx.URL) -> socket.socket:
    """Open a connection that sends nothing."""
    return socket.create_connection((url.host, url.port or 80))


def get(url: httpx.URL, path: str) -> httpx.Response:
    """Request a path, from a server that may have just started on a busy machine."""
    return httpx.get(url.join(path), timeout=PATIENCE, verify=False)


def count_runs(url: httpx.URL) -> int:
    """Return how many runs are listed."""
    reply = get(url, "api/runs")
    return len(reply.json()["runs"]) if reply.status_code == 200 else 0


def test_idle_connections_hide_no_run(tmp_path: Path) -> None:
    """More connections than descriptors: runs stay listed, and the log is short."""
    for number in range(20):
        loss_run(tmp_path / "runs" / str(number), range(3))
    with server_with_few_descriptors(tmp_path / "runs", tmp_path / "log") as url, ExitStack() as stack:
        wait_until(lambda: count_runs(url) == 20)
        for _ in range(2 * DESCRIPTORS):
            stack.enter_context(connect(url))
        listed = wait_until(lambda: count_runs(url))
        assert listed == 20
        loss_run(tmp_path / "runs/later", range(3))
        wait_until(lambda: count_runs(url) == 21)

    assert (tmp_path / "log").stat().st_size < 10_000


def test_unfinished_handshakes_hide_no_run(tmp_path: Path) -> None:
    """They count as connections, and are closed: the server answers, and reads new runs."""
    certificate = tuple(map(str, write_certificate(tmp_path)))
    options = ("--certfile", certificate[0], "--keyfile", certificate[1])
    loss_run(tmp_path / "runs" / "first", range(3))
    with server_with_few_descriptors(tmp_path / "runs", tmp_path / "log", *options) as url, ExitStack() as stack:
        wait_until(lambda: count_runs(url) == 1)
        for _ in range(2 * DESCRIPTORS):
            stack.enter_context(connect(url))
        loss_run(tmp_path / "runs" / "second", range(3))

        def has_both() -> bool:
            with suppress(httpx.TransportError):  # Closed, as all handshakes were too young to give way.
                return count_runs(url) == 2
            return False

        wait_until(has_both)
        with connect(url) as silent:
            silent.settimeout(PATIENCE)
            assert silent.recv(1) == b""  # Closed by the server.
    assert (tmp_path / "log").stat().st_size < 10_000


def test_half_sent_request_is_answered_408(tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request whose head does not arrive in time is closed with a reply."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.1)
    with connect(serve(tmp_path).base_url) as half:
        half.sendall(b"GET /api/runs HTTP/1.1\r\nHost: loc")
        half.settimeout(30)
        reply = half.makefile("rb").read()

    assert reply.startswith(b"HTTP/1.1 408 ")


def test_too_many_requests_are_answered_503(tmp_path: Path) -> None:
    """When every connection is answered, another one is refused; the process keeps descriptors in reserve."""
    most = connection_limit(DESCRIPTORS)
    assert most < DESCRIPTORS
    with server_with_few_descriptors(tmp_path, tmp_path / "log") as url, ExitStack() as stack:
        wait_until(lambda: get(url, "api/health").status_code == 200)
        for _ in range(most):
            stream = stack.enter_context(connect(url))
            stream.sendall(b"GET /api/updates HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert stream.recv(12) == b"HTTP/1.1 200"

        reply = get(url, "api/runs")

    assert (reply.status_code, reply.headers["retry-after"]) == (503, "2")


def test_half_sent_body_is_closed(tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request whose body does not arrive in time gets no answer that another one could be taken for."""
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.1)
    with connect(serve(tmp_path).base_url) as half:
        half.sendall(b"POST /api/scalars HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        half.settimeout(30)
        assert half.makefile("rb").read() == b""


def test_bodies_together_are_limited(tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients that send large bodies slowly cannot use up the memory: another one is answered 503, and later 200."""
    monkeypatch.setattr(request_bodies, "MAX_BYTES", 1 << 20)
    body = b'{"tag": ["' + b"x" * 700_000 + b'"]}'
    url = serve(tmp_path).base_url
    with connect(url) as slow:
        head = f"POST /api/scalars HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body) + 1}\r\n\r\n"
        slow.sendall(head.encode() + body)
        assert wait_until(lambda: _status_of(url, body) == 503)
    wait_until(lambda: _status_of(url, body) == 422)  # The name of the tag is too long.


def _status_of(url: httpx.URL, body: bytes) -> int:
    return httpx.post(url.join("api/scalars"), content=body, timeout=30).status_code


def write_image(logdir: Path) -> None:
    """Write a run with a large image."""
    event = summary_pb2.Event(wall_time=1.0, step=1)
    event.summary.value.add(tag="picture").image.encoded_image = b"x" * REPLY
    write_run(logdir / "run", [framing.frame(event.SerializeToString())])


def request_image(url: httpx.URL) -> socket.socket:
    """Request the image on a connection that does not receive it."""

    def images() -> list[dict[str, str]]:
        reply = httpx.get(url.join("api/images"), params={"run": "run", "tag": "picture"}, timeout=30)
        found: list[dict[str, str]] = reply.json().get("images", [])
        return found

    path = url.join(wait_until(images)[0]["url"]).raw_path
    connection = connect(url)
    connection.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return connection


def received_all(connection: socket.socket) -> bool:
    """Receive until the server sends no more; return whether that was the whole reply."""
    connection.settimeout(5)
    size = 0
    try:
        while size < REPLY and (part := connection.recv(1 << 20)):
            size += len(part)
    except ConnectionError:
        return False
    return size >= REPLY


def count_connections(url: httpx.URL) -> int:
    """Return how many connections the server in this process has."""
    sockets = psutil.Process().net_connections("tcp")
    return sum(each.laddr.port == url.port and bool(each.raddr) for each in sockets)


def test_reply_that_is_not_received_is_given_up(tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its connection is closed, although the server has already sent the whole reply."""
    monkeypatch.setattr(connections, "WRITE_SECONDS", 0.1)
    write_image(tmp_path)
    client = serve(tmp_path)
    url = client.base_url
    request_image(url).close()
    client.close()
    wait_until(lambda: count_connections(url) == 0)
    with request_image(url) as unread:
        wait_until(lambda: count_connections(url) == 1)
        wait_until(lambda: count_connections(url) == 0)
        assert not received_all(unread)


def test_replies_that_are_not_received_are_limited_together(
    tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of too many clients that do not read are given up at once; one that reads gets its reply."""
    monkeypatch.setattr(connections, "MAX_UNSENT_BYTES", UNSENT)
    write_image(tmp_path)
    url = serve(tmp_path).base_url
    with ExitStack() as stack:
        unread = [stack.enter_context(request_image(url)) for _ in range(4)]
        with request_image(url) as reading:
            assert received_all(reading)
        given_up = [not received_all(connection) for connection in unread]

    assert any(given_up)
    assert not all(given_up)


def test_stream_that_is_not_received_ends() -> None:
    """Its client opens it again and asks for everything; the streams of others go on."""

    async def updates() -> tuple[list[Event | None], list[Event | None]]:
        streams = Streams()
        unread, read = streams.open(), streams.open()
        received = []
        for revision in range(150):
            streams.send(Update(revision, [], [], [], []))
            received.append(await read.get())
        return [unread.get_nowait() for _ in range(unread.qsize())], received

    left, received = run_alone(updates())
    assert None in left
    assert len(left) < 100
    assert [update.revision for update in received if update] == list(range(150))


def test_descriptor_limit_leaves_a_reserve() -> None:
    """However many descriptors there are, the loader can open files."""
    assert connection_limit(1 << 20) == 4096
    assert connection_limit(1024) == 768
    assert connection_limit(64) == 32


def test_one_line_of_a_kind_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """The first message of a kind passes, and the next one after the interval, with the number of those in between."""
    import logging

    limit = LogLimit(seconds=0.05)

    def passes(message: str, *arguments: object) -> str | None:
        record = logging.LogRecord("name", logging.WARNING, "", 0, message, arguments, None)
        return record.getMessage() if limit.filter(record) else None

    assert passes("cannot read %s", "a") == "cannot read a"
    assert passes("cannot read %s", "b") is None
    assert passes("something else") == "something else"
    assert passes("cannot read %s", "c") is None
    time.sleep(0.06)
    assert passes("cannot read %s", "d") == "cannot read d (2 more like this were not logged)"
    assert len(passes("x" * 10_000) or "") < 5000
