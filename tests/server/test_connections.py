"""Connections have limits: however many there are, and whatever they send, runs stay listed and the log stays small."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from support.event_files import loss_run
from support.servers import ENVIRONMENT, wait_until

from toposcope.server.connections import connection_limit
from toposcope.server.log_limit import LogLimit

DESCRIPTORS = 256
_START = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({DESCRIPTORS}, {DESCRIPTORS}))
from toposcope.server import connections
connections.HEAD_SECONDS = 0.5
from toposcope.server.cli import main
sys.exit(main(sys.argv[1:]))
"""


@contextmanager
def server(logdir: Path, log: Path) -> Iterator[httpx.URL]:
    """Serve a logdir in a process with few descriptors, which waits half a second for the head of a request."""
    command = [sys.executable, "-c", _START, "--logdir", str(logdir), "--port", "0", "--reload-interval", "0.1"]
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


def count_runs(url: httpx.URL) -> int:
    """Return how many runs are listed."""
    reply = httpx.get(url.join("api/runs"), timeout=30)
    return len(reply.json()["runs"]) if reply.status_code == 200 else 0


def test_idle_connections_hide_no_run(tmp_path: Path) -> None:
    """More connections than descriptors: runs stay listed, and the log is short."""
    for number in range(20):
        loss_run(tmp_path / "runs" / str(number), range(3))
    with server(tmp_path / "runs", tmp_path / "log") as url, ExitStack() as stack:
        wait_until(lambda: count_runs(url) == 20)
        for _ in range(2 * DESCRIPTORS):
            stack.enter_context(connect(url))
        listed = wait_until(lambda: count_runs(url))
        assert listed == 20
        loss_run(tmp_path / "runs/later", range(3))
        wait_until(lambda: count_runs(url) == 21)

    assert (tmp_path / "log").stat().st_size < 10_000


def test_half_sent_request_is_answered_408(tmp_path: Path) -> None:
    """A request whose head does not arrive in time is closed with a reply."""
    with server(tmp_path, tmp_path / "log") as url, connect(url) as half:
        half.sendall(b"GET /api/runs HTTP/1.1\r\nHost: loc")
        half.settimeout(30)
        reply = half.makefile("rb").read()

    assert reply.startswith(b"HTTP/1.1 408 ")


def test_too_many_requests_are_answered_503(tmp_path: Path) -> None:
    """When every connection is answered, another one is refused; the process keeps descriptors in reserve."""
    most = connection_limit(DESCRIPTORS)
    assert most < DESCRIPTORS
    with server(tmp_path, tmp_path / "log") as url, ExitStack() as stack:
        wait_until(lambda: httpx.get(url.join("api/health")).status_code == 200)
        for _ in range(most):
            stream = stack.enter_context(connect(url))
            stream.sendall(b"GET /api/updates HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert stream.recv(12) == b"HTTP/1.1 200"

        reply = httpx.get(url.join("api/runs"))

    assert (reply.status_code, reply.headers["retry-after"]) == (503, "2")


def test_descriptor_limit_leaves_a_reserve() -> None:
    """However many descriptors there are, the loader can open files."""
    assert connection_limit(1 << 20) == 4096
    assert connection_limit(1024) == 768
    assert connection_limit(64) == 32


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a link of another user")
def test_names_cannot_forge_lines_of_the_log(tmp_path: Path) -> None:
    """Line breaks and commands of a terminal in the name of a directory are escaped."""
    (tmp_path / "runs").mkdir()
    link = tmp_path / "runs/a\n\x1b[31mroot logged in\u202e"
    link.symlink_to(tmp_path)
    os.lchown(link, 12345, 12345)
    with server(tmp_path / "runs", tmp_path / "log") as url:
        wait_until(lambda: httpx.get(url.join("api/health")).json()["problems"])
        wait_until(lambda: b"not following" in (tmp_path / "log").read_bytes())

    (line,) = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert r"a\n\x1b[31mroot logged in\u202e" in line
    assert line.isprintable()


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
