"""A real server process, measured from outside: how soon it answers, and what it costs to keep."""

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

_LONGEST_LOAD = 300.0


class Server(NamedTuple):
    """A server and one connection to it, which is kept."""

    process: "subprocess.Popen[str]"
    connection: http.client.HTTPConnection

    def get(self, route: str, **query: Any) -> Any:
        """Ask for /api/ROUTE; return the reply, or None where there is no such thing yet."""
        self.connection.request("GET", f"/api/{route}?{urlencode(query, doseq=True)}")
        reply = self.connection.getresponse()
        content = reply.read()
        assert reply.status in (200, 404), content
        return json.loads(content) if reply.status == 200 else None

    def wait_loaded(self, runs: int = 1) -> int:
        """Return when so many runs are loaded, and then the most descriptors it held at any time."""
        descriptors = 0
        end = time.monotonic() + _LONGEST_LOAD
        while (health := self.get("health"))["loading"] or health["runs"] < runs:
            assert time.monotonic() < end, health
            descriptors = max(descriptors, count_descriptors(self.process.pid))
            time.sleep(0.05)
        return max(descriptors, count_descriptors(self.process.pid))


@contextmanager
def serve(logdir: Path, index: Path, *arguments: str) -> Iterator[Server]:
    """Run summary-server on a free port; it ends as at Ctrl-C, with its index up to date."""
    command = [sys.executable, "-m", "toposcope.server.cli", "--logdir", str(logdir), "--index-dir", str(index)]
    command += ["--no-token", "--port", "0", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        address = urlsplit(found[0])
        assert address.hostname is not None
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        yield Server(process, connection)
        connection.close()
    finally:
        process.terminate()
        process.communicate(timeout=60)


def index_logdir(logdir: Path, index: Path, runs: int = 1) -> None:
    """Let a server load a logdir into its index and end."""
    with serve(logdir, index) as server:
        server.wait_loaded(runs)


def open_chart(logdir: Path, index: Path, tag: str, points: int) -> dict[str, float]:
    """Start a server and ask for a chart until it comes with all its points."""
    began = time.perf_counter()
    with serve(logdir, index) as server:
        while True:
            reply = server.get("scalars", tag=tag, points=1000)
            if reply and reply["series"] and reply["series"][0]["total"] == points:
                return {"ms": 1000 * (time.perf_counter() - began)}
            time.sleep(0.005)


def zoom(logdir: Path, index: Path, tag: str, windows: list[tuple[int, int]]) -> dict[str, float]:
    """Ask a loaded server for windows of a series; return the median and the longest wait."""
    waits = []
    with serve(logdir, index) as server:
        server.wait_loaded()
        for lo, hi in windows:
            began = time.perf_counter()
            reply = server.get("scalars", tag=tag, lo=lo, hi=hi, points=1000)
            waits.append(1000 * (time.perf_counter() - began))
            assert reply["series"][0]["total"] == hi - lo + 1
    waits.sort()
    return {"median": waits[len(waits) // 2], "longest": waits[-1]}


def list_runs(logdir: Path, index: Path, runs: int) -> dict[str, float]:
    """Start a server, list its runs, then let it alone."""
    began = time.perf_counter()
    with serve(logdir, index) as server:
        descriptors = server.wait_loaded(runs)
        listed = server.get("runs")["runs"]
        ms = 1000 * (time.perf_counter() - began)
        assert len(listed) == runs
        return {"ms": ms, "descriptors": descriptors, "idle": idle_ms(server.process.pid)}
