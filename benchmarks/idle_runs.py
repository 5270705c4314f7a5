"""What runs that record nothing cost: their heartbeats, a server that follows them, and a page that is open.

Every run has a file with points, a start mark and no end mark, and a process that appends a heartbeat every 30 seconds.
A page has listed the runs, and lists them again at every update. Nothing changes, so nothing should be sent.

idle_runs.py [--runs 1000] [--seconds 600] [--phase evaluating]

In the phase `training` all runs become stalled after a minute, at about the same time: the page is notified then.
"""

import argparse
import gzip
import http.client
import json
import multiprocessing
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from process_stats import cpu_ms, idle_ms
from server_process import Server, serve

from toposcope.proto import framing, summary_pb2

HEARTBEAT_SECONDS = 30.0
POINTS = 100
NAME = "events.out.events.summary.1700000000.0.host_MS"


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--phase", choices=("training", "evaluating", "saving"), default="evaluating")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        logdir = Path(folder, "runs")
        paths = [write_run(logdir / f"run-{number:05}") for number in range(options.runs)]
        phase = f"PHASE_{options.phase.upper()}"
        writer = multiprocessing.Process(target=write_heartbeats, args=(paths, phase), daemon=True)
        with serve(logdir, Path(folder, "index")) as server:
            server.wait_loaded(options.runs)
            time.sleep(10.0)  # It writes the index.
            print(f"CPU of the server without heartbeats    {idle_ms(server.process.pid):6d} ms in 10 s", flush=True)
            writer.start()
            measure(server, options.seconds)
            writer.terminate()
            writer.join()
        sizes = sum(path.stat().st_size for path in paths)
        segments = sum(1 for _ in Path(folder, "index").rglob("*-*-*"))
        print(f"files of the index                      {segments:6d}, {sizes:,} bytes of event files")


def write_run(folder: Path) -> Path:
    """Write the file of a run, without an end mark; return its path."""
    folder.mkdir(parents=True)
    start = summary_pb2.RecordingStart(host="host", process_id=1, rank=0, heartbeat_seconds=HEARTBEAT_SECONDS)
    now = time.time() - POINTS
    events = [
        summary_pb2.Event(wall_time=now, version="MindSpore.Event:1", session_id=folder.name.encode(), start=start)
    ]
    for step in range(POINTS):
        event = summary_pb2.Event(wall_time=now + step, step=step)
        event.summary.value.add(tag="loss", scalar_value=1 / (1 + step))
        events.append(event)
    path = folder / NAME
    path.write_bytes(b"".join(framing.frame(event.SerializeToString()) for event in events))
    return path


def write_heartbeats(paths: list[Path], phase: str) -> None:
    """Append a heartbeat to every file in turn, evenly."""
    due = time.monotonic()
    while True:
        for path in paths:
            due += HEARTBEAT_SECONDS / len(paths)
            time.sleep(max(0.0, due - time.monotonic()))
            record = framing.frame(summary_pb2.Event(wall_time=time.time(), heartbeat=phase).SerializeToString())
            with path.open("ab", buffering=0) as file:
                file.write(record)


def measure(server: Server, seconds: float) -> None:
    """Print what the server does for a page that is open for so many seconds, while the runs are idle."""
    page = Page(server)
    page.list_runs()
    page.requests = page.received = 0
    before, since = cpu_ms(server.process.pid), time.monotonic()
    while time.monotonic() - since < seconds:
        time.sleep(0.1)
        if page.take_updates():
            page.list_runs()
    cpu = cpu_ms(server.process.pid) - before
    elapsed = time.monotonic() - since
    requests, received = page.requests, page.received + page.streamed
    states = sorted({row["state"] for row in page.list_runs()})
    print(
        f"CPU of the server with heartbeats       {cpu:6d} ms in {elapsed:.0f} s: {cpu / elapsed / 10:.2f} % of a core"
    )
    print(f"updates                                 {page.updates:6d}")
    print(f"requests of the page                    {requests:6d}")
    print(f"bytes received, stream and replies      {received:6d}")
    print(f"states                                  {', '.join(states)}")


class Page:
    """What an open page receives."""

    def __init__(self, server: Server) -> None:
        self.requests = 0
        self.received = 0
        """Bytes of replies."""
        self.streamed = 0
        """Bytes of the event stream."""
        self.updates = 0
        self._unseen = threading.Event()
        self._server = server
        self._revision = 0
        opened = threading.Event()
        threading.Thread(target=self._follow, args=(opened,), daemon=True).start()
        opened.wait()

    def _follow(self, opened: threading.Event) -> None:
        address = self._server.connection
        connection = http.client.HTTPConnection(address.host, address.port)
        connection.request("GET", "/api/updates")
        reply = connection.getresponse()
        while line := reply.readline():
            if not opened.is_set():  # The first event has the revision.
                if line.startswith(b"data"):
                    opened.set()
                continue
            self.streamed += len(line)
            if line.startswith(b"data"):
                self.updates += 1
                self._unseen.set()

    def take_updates(self) -> bool:
        """Return whether there were updates since the last call."""
        is_new = self._unseen.is_set()
        self._unseen.clear()
        return is_new

    def list_runs(self) -> list[dict[str, Any]]:
        """Request the list of runs, and the table as it has changed since the last one."""
        self._server.connection.close()  # The server has closed it after some idle seconds.
        runs = json.loads(self._get("/api/runs"))
        since = f"&since={self._revision}" if self._revision else ""
        self._get(f"/api/overview?metric=loss{since}")
        self._revision = runs["revision"]
        rows: list[dict[str, Any]] = runs["runs"]
        return rows

    def _get(self, address: str) -> bytes:
        self._server.connection.request("GET", address, headers={"Accept-Encoding": "gzip"})
        reply = self._server.connection.getresponse()
        content = reply.read()
        self.requests += 1
        self.received += len(content)
        if reply.getheader("Content-Encoding") == "gzip":
            content = gzip.decompress(content)
        return content


if __name__ == "__main__":
    main()
