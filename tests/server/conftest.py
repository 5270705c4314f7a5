"""Fixtures of the server tests: real server processes."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from support.servers import SLOW_SECONDS, Process, Serve, start, stop, wait_until


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Return a function that serves a logdir, waits until it is loaded, and returns a client."""
    processes: list[Process] = []
    clients: list[httpx.Client] = []

    def serve_logdir(logdir: Path | str, *arguments: str) -> httpx.Client:
        process, url = start(logdir, *arguments)
        processes.append(process)
        client = httpx.Client(base_url=url, timeout=SLOW_SECONDS)
        clients.append(client)
        wait_until(lambda: not client.get("api/health").json()["loading"])
        return client

    yield serve_logdir
    for client in clients:
        client.close()
    for process in processes:
        stop(process)
