"""Attack a server as a review did, and print what it does meanwhile.

python tests/faults/attacks.py [RUNS]

Each attack is on a server of its own, whose process may open 1,024 files: idle connections, half-sent requests, regular
expressions that backtrack, segments of the index that are shortened, and event streams that are not read. Takes a few
minutes; needs Linux.
"""

import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import httpx
from support.event_files import loss_run, scalar_event

DESCRIPTORS = 1024
IDLE, HALF_SENT, EXPRESSIONS = 1080, 600, 60
IDLE_SECONDS = 66.0
QUIET_REQUESTS = 100
"""Before the attack, as other programs on the machine delay replies too."""
_START = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({DESCRIPTORS}, {DESCRIPTORS}))
from toposcope.server.cli import main
sys.exit(main(sys.argv[1:]))
"""


class Server(NamedTuple):
    """A process of summary-server."""

    process: subprocess.Popen[str]
    url: httpx.URL
    log: Path

    def connect(self) -> socket.socket:
        """Open a connection that sends nothing."""
        return socket.create_connection((self.url.host, self.url.port or 80))

    def get(self, path: str) -> httpx.Response:
        """Request a path, again if the server is busy."""
        for _ in range(30):
            try:
                reply = httpx.get(self.url.join(path), timeout=60)
            except httpx.TransportError:
                continue
            if reply.status_code != 503:
                return reply
            time.sleep(0.1)
        raise AssertionError("busy for too long")

    def runs(self) -> int:
        """Return how many runs are listed."""
        return len(self.get("api/runs").json()["runs"])


@contextmanager
def serve(logdir: Path, folder: Path) -> Iterator[Server]:
    """Serve a logdir that is loaded."""
    log = folder / "log"
    command = [
        sys.executable,
        "-c",
        _START,
        "--logdir",
        str(logdir),
        "--port",
        "0",
        "--index-dir",
        str(folder / "index"),
    ]
    variables = {**os.environ, "XDG_DATA_HOME": str(folder / "data")}
    with log.open("wb") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=variables, text=True)
    assert process.stdout is not None
    try:
        server = Server(process, httpx.URL(process.stdout.readline().split()[3]), log)
        while server.get("api/health").json()["loading"]:
            time.sleep(0.1)
        yield server
    finally:
        process.terminate()
        process.communicate()


def idle_connections(logdir: Path, folder: Path) -> str:
    """H1, H2: more idle connections than descriptors, for a minute; meanwhile runs are listed."""
    with serve(logdir, folder) as server:
        expected = lowest = server.runs()
        with ExitStack() as stack:
            for _ in range(IDLE):
                stack.enter_context(server.connect())
            ends = time.monotonic() + IDLE_SECONDS
            while time.monotonic() < ends:
                lowest = min(lowest, server.runs())
                time.sleep(0.2)
        for _ in range(25):
            lowest = min(lowest, server.runs())
            time.sleep(0.2)
        lost = f"{expected - lowest} of {expected} runs lost"
        return f"{IDLE} idle connections for {IDLE_SECONDS:g} s: {lost}, {_log(server)}"


def half_sent_requests(logdir: Path, folder: Path) -> str:
    """H2: requests whose heads never end."""
    with serve(logdir, folder) as server, ExitStack() as stack:
        half = [stack.enter_context(server.connect()) for _ in range(HALF_SENT)]
        for connection in half:
            connection.sendall(b"GET /api/runs HTTP/1.1\r\nHost: loc")
        start = time.monotonic()
        answers = []
        for connection in half:
            connection.settimeout(60)
            try:
                answers.append(connection.recv(100)[9:12].decode() or "closed")
            except ConnectionError:
                answers.append("closed")
        seconds = time.monotonic() - start
        counts = ", ".join(f"{answers.count(answer)} {answer}" for answer in sorted(set(answers)))
        return f"{HALF_SENT} half-sent requests: {counts} within {seconds:.1f} s, {_log(server)}"


def shortened_segments(logdir: Path, folder: Path) -> str:
    """H3: segments of the index are truncated while a server uses them."""
    (logdir / "long").mkdir()
    record = scalar_event(1.0, 1, {"loss": 1.0})
    (logdir / "long/events.out.events.summary.1.0.host_MS").write_bytes(record * 200_000)
    with serve(logdir, folder):
        pass
    with serve(logdir, folder) as server:
        segments = [path for path in (folder / "index").rglob("*-*-*") if path.stat().st_size > 1 << 20]
        for path in segments:
            os.truncate(path, 100)
        reply = server.get("api/scalars?tag=loss&run=long&points=1000&attempt=all")
        state = "alive" if server.process.poll() is None else "dead"
        total = reply.json()["series"][0]["total"]
        return f"{len(segments)} segments over 1 MiB shortened: {state}, {total} of 200000 points"


def backtracking_expressions(logdir: Path, folder: Path) -> str:
    """H4: requests to group runs by expressions that backtrack; meanwhile other routes are requested."""
    loss_run(logdir / ("x" * 250), range(3))
    with serve(logdir, folder) as server:
        statuses: list[int] = []

        def group(number: int) -> None:
            pattern = f"regex:(x+x+)+y{number}"
            path = f"/api/scalars/groups?{urlencode({'tag': 'loss', 'by': pattern})}"
            # Not httpx, which takes longer to make a client than the server to answer.
            connection = HTTPConnection(server.url.host, server.url.port, timeout=120)
            connection.request("GET", path)
            statuses.append(connection.getresponse().status)
            connection.close()

        threads = [threading.Thread(target=group, args=(number,)) for number in range(EXPRESSIONS)]
        before = [_milliseconds(server) for _ in range(QUIET_REQUESTS)]
        for thread in threads:
            thread.start()
        times = []
        while any(thread.is_alive() for thread in threads):
            times.append(_milliseconds(server))
        for thread in threads:
            thread.join()
        counts = ", ".join(f"{statuses.count(status)} x {status}" for status in sorted(set(statuses)))
        return f"{EXPRESSIONS} expressions: {counts}; /api/tags before {_spread(before)}, meanwhile {_spread(times)}"


def _milliseconds(server: Server) -> float:
    """Request the tags; return how long the reply took."""
    connection = HTTPConnection(server.url.host, server.url.port, timeout=60)
    start = time.monotonic()
    connection.request("GET", "/api/tags")
    reply = connection.getresponse()
    reply.read()
    seconds = time.monotonic() - start
    connection.close()
    assert reply.status == 200
    time.sleep(0.05)
    return 1000 * seconds


def _spread(times: list[float]) -> str:
    times = sorted(times)
    return (
        f"{times[len(times) // 2]:.0f} ms, 95th percentile {times[len(times) * 95 // 100]:.0f} ms, "
        f"at most {times[-1]:.0f} ms of {len(times)}"
    )


def unread_streams(logdir: Path, folder: Path) -> str:
    """L5: event streams that are not read while a run grows; then the server is stopped with streams open."""
    path = loss_run(logdir / "growing", range(3))
    with serve(logdir, folder) as server, ExitStack() as stack:
        for _ in range(200):
            stream = stack.enter_context(server.connect())
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stream.sendall(b"GET /api/updates HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(1.0)
        before = _resident(server)
        for step in range(3, 153):
            with path.open("ab") as file:
                file.write(scalar_event(1.0 + step, step, {"loss": 1.0}))
            time.sleep(0.1)
        after = _resident(server)
        start = time.monotonic()
        server.process.terminate()
        server.process.wait()
        seconds = time.monotonic() - start
        return (
            f"200 unread event streams: {(after - before) / 2**20:.1f} MiB more memory; stopped within {seconds:.2f} s"
        )


def _resident(server: Server) -> int:
    pages = int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def _log(server: Server) -> str:
    return f"{server.log.stat().st_size / 1e6:.3f} MB of log"


ATTACKS: list[Callable[[Path, Path], str]] = [
    idle_connections,
    half_sent_requests,
    shortened_segments,
    backtracking_expressions,
    unread_streams,
]


def main(runs: str = "1001") -> None:
    """Make all attacks."""
    for attack in ATTACKS:
        with tempfile.TemporaryDirectory(prefix="toposcope-attacks-") as name:
            folder = Path(name)
            for number in range(int(runs)):
                loss_run(folder / "runs" / f"run_{number}", range(3))
            print(f"{(attack.__doc__ or '').partition(':')[0]}  {attack(folder / 'runs', folder)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
