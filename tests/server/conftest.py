"""Fixtures of the server tests: what the API answers is asked of servers in this process."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from support.event_files import GOLDEN
from support.server_in_process import served
from support.servers import Serve, new_client, start, stop, wait_until


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Return a function that serves a logdir, waits until it is loaded, and returns a client."""
    with ExitStack() as stack:

        def serve_logdir(logdir: Path | str, *arguments: str) -> httpx.Client:
            return stack.enter_context(served(logdir, *arguments))

        yield serve_logdir


@pytest.fixture
def serve_process() -> Iterator[Serve]:
    """Return the same function, which starts a process: for what a process has, as its workers and environment."""
    with ExitStack() as stack:

        def serve_logdir(logdir: Path | str, *arguments: str) -> httpx.Client:
            process, url = start(logdir, *arguments)
            stack.callback(stop, process)
            client = stack.enter_context(new_client(url))
            wait_until(lambda: not client.get("api/health").json()["loading"])
            return client

        yield serve_logdir


@pytest.fixture(scope="session")
def golden() -> Iterator[httpx.Client]:
    """Serve all golden runs, to tests that only read."""
    with served(GOLDEN) as client:
        yield client
