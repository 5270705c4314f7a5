"""A real server process, measured from outside: response times and idle cost."""

import http.client
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from process_stats import count_descriptors, idle_ms

_LOAD_TIMEOUT = 300.0


class Server(NamedTuple):
    """A server, and a persistent connection to it."""

    process: "subprocess.Popen[str]"
    connection: http.client.HTTPConnection

    def get(self, route: str, **query: Any) -> Any:
        """Request /api/ROUTE; return the reply, or None if the resource does not exist yet."""
        self.connection.request("GET", f"/api/{route}?{urlencode(query, doseq=True)}")
        reply = self.connection.getresponse()
        content = reply.read()
        assert reply.status in (200, 404), content
        return json.loads(content) if reply.status == 200 else None

    def wait_loaded(self, runs: int = 1) -> int:
        """Wait until the given number of runs is loaded; return the maximum number of descriptors meanwhile."""
        descriptors = 0
        deadline = time.monotonic() + _LOAD_TIMEOUT
        while (health := self.get("health"))["loading"] or health["runs"] < runs:
            assert time.monotonic() < deadline, health
            descriptors = max(descriptors, count_descriptors(self.process.pid))
            time.sleep(0.05)
        return max(descriptors, count_descriptors(self.process.pid))


@contextmanager
def serve(logdir: Path | str, index: Path | str, *arguments: str) -> Iterator[Server]:
    """Run summary-server on a free port; at the end it is terminated and has written its index."""
    command = [sys.executable, "-m", "toposcope.server.cli", "--logdir", str(logdir), "--index-dir", str(index)]
    command += ["--no-token", "--port", "0", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        match = re.search(r"http://\S+", process.stdout.readline())
        assert match is not None
        address = urlsplit(match[0])
        assert address.hostname is not None
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        yield Server(process, connection)
        connection.close()
    finally:
        process.terminate()
        process.communicate(timeout=300)


def index_logdir(logdir: Path, index: Path, runs: int = 1) -> None:
    """Run a server until it has loaded a logdir and written its index."""
    with serve(logdir, index) as server:
        server.wait_loaded(runs)


def open_chart(logdir: Path, index: Path, tag: str, points: int) -> dict[str, float]:
    """Start a server and request a chart until the reply contains all points."""
    start = time.perf_counter()
    with serve(logdir, index) as server:
        while True:
            reply = server.get("scalars", tag=tag, points=1000)
            if reply and reply["series"] and reply["series"][0]["total"] == points:
                return {"ms": 1000 * (time.perf_counter() - start)}
            time.sleep(0.005)


def zoom(logdir: Path, index: Path, tag: str, windows: list[tuple[int, int]]) -> dict[str, float]:
    """Request windows of a series from a loaded server; return the median and the longest wait."""
    waits = []
    with serve(logdir, index) as server:
        server.wait_loaded()
        for lo, hi in windows:
            start = time.perf_counter()
            reply = server.get("scalars", tag=tag, lo=lo, hi=hi, points=1000)
            waits.append(1000 * (time.perf_counter() - start))
            assert reply["series"][0]["total"] == hi - lo + 1
    waits.sort()
    return {"median": waits[len(waits) // 2], "longest": waits[-1]}


def list_runs(logdir: Path, index: Path, runs: int) -> dict[str, float]:
    """Start a server, list its runs, then leave it idle."""
    start = time.perf_counter()
    with serve(logdir, index) as server:
        descriptors = server.wait_loaded(runs)
        listed = server.get("runs")["runs"]
        ms = 1000 * (time.perf_counter() - start)
        assert len(listed) == runs
        return {"ms": ms, "descriptors": descriptors, "idle": idle_ms(server.process.pid)}
