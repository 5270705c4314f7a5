"""The log of a server: time and level of each line, one object a line with --log-format json, and no forged lines."""

import json
import logging
import os
import re
import socket
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from support import http
from support.servers import start, stop, wait_until

from toposcope.server.process.log_format import formatter

HOSTILE = "a\n\x1b[31mroot logged in\u202e"


def make_link(logdir: Path) -> Path:
    """Make a link of another user that leads out of a logdir and whose name is hostile; return its path."""
    logdir.mkdir()
    link = logdir / HOSTILE
    link.symlink_to(logdir.parent)
    os.lchown(link, 12345, 12345)
    return link


def log_of(logdir: Path, *arguments: str) -> list[str]:
    """Serve a logdir, send a request that is none, and return the lines of the log."""
    process, url = start(logdir, *arguments)
    if any(logdir.iterdir()):
        wait_until(lambda: http.get(f"{url}api/health").json()["problems"])
    address = httpx.URL(url)
    with socket.create_connection((address.host, address.port or 80)) as connection:
        connection.sendall(b"no request\r\n\r\n")
        assert b" 400 " in connection.makefile("rb").readline()
    return stop(process)[1].splitlines()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_lines_have_a_time_and_a_level(tmp_path: Path, workers: str) -> None:
    """Those of uvicorn too, in every process."""
    (line,) = log_of(tmp_path, "--workers", workers)

    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d WARNING Invalid HTTP request received\.", line)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_json_has_an_object_a_line(tmp_path: Path, workers: str) -> None:
    """Time in UTC, level, logger and message; of uvicorn's lines too, in every process."""
    (line,) = log_of(tmp_path, "--log-format", "json", "--workers", workers)

    content = json.loads(line)
    assert content.pop("time").endswith("Z")
    assert datetime.now(UTC) - datetime.fromisoformat(json.loads(line)["time"]) < timedelta(minutes=5)
    assert content == {"level": "WARNING", "logger": "uvicorn.error", "message": "Invalid HTTP request received."}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a link of another user")
@pytest.mark.parametrize("log_format", ["text", "json"])
def test_names_cannot_forge_lines(tmp_path: Path, log_format: str) -> None:
    """Line breaks, direction marks and commands of a terminal in the name of a directory are escaped."""
    link = make_link(tmp_path / "runs")

    line, _ = log_of(tmp_path / "runs", "--log-format", log_format)

    assert "not following" in line
    assert line.isprintable()
    if log_format == "json":
        assert str(link) in json.loads(line)["message"]
    else:
        assert r"a\n\x1b[31mroot logged in\u202e" in line


def test_an_exception_is_part_of_its_object() -> None:
    """A traceback, whose lines may quote anything, is one string; as text it is indented."""
    record = _failed_record()
    (line,) = formatter("json").format(record).splitlines()
    content = json.loads(line)
    assert (content["message"], content["exception"].splitlines()[-2:]) == ("loading", ["ValueError: a", "forged"])

    first, *others = formatter("text").format(record).splitlines()
    assert first.endswith(" ERROR loading")
    assert all(line.startswith("  ") for line in others)


def _failed_record() -> logging.LogRecord:
    try:
        raise ValueError("a\nforged")
    except ValueError:
        return logging.LogRecord("name", logging.ERROR, "", 0, "loading", (), sys.exc_info())
