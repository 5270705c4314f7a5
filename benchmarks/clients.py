"""Many concurrent clients of one server, while the runs grow.

A writer in a separate process appends to every run. The clients, in this process, either send the next request as soon
as they have received a reply, or subscribe to updates. An incomplete reply is an error, and so is a series that is
shorter than in an earlier reply to the same client. At the end the server must have every point that was written.
"""

import asyncio
import multiprocessing
import random
import statistics
import sys
import time
from collections import Counter
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import event_logs
import orjson
from server_process import Server, serve

CLIENTS, SECONDS = 200, 60.0
RUNS = [f"run-{number:02}" for number in range(20)]
TAGS = [f"train/metric-{number}" for number in range(10)]
STEPS = 10_000
"""Number of steps of each run at the start."""
SUBSCRIBERS = 0.25
"""Fraction of the clients that subscribe to updates."""
BURST_STEPS, BURST_SECONDS = 10, 0.1
"""Number of steps that are appended to every run, and the interval."""


class Clients:
    """All clients of a server, with their waits and errors."""

    def __init__(self, address: tuple[str, int], deadline: float) -> None:
        self.waits: list[float] = []
        """Milliseconds until each reply."""
        self.errors: Counter[str] = Counter()
        self._address = address
        self._deadline = deadline

    async def run(self, clients: int) -> None:
        """Run the clients until the deadline."""
        subscribers = round(SUBSCRIBERS * clients)
        requesting = [
            self._count_error(self._request(random.Random(number))) for number in range(clients - subscribers)
        ]
        subscribed = [self._count_error(self._subscribe()) for _ in range(subscribers)]
        await asyncio.gather(*requesting, *subscribed)

    async def _count_error(self, client: Any) -> None:
        """Count the error that ends a client."""
        try:
            await client
        except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError) as error:
            self.errors[f"{type(error).__name__}: {error}"] += 1

    async def _request(self, chance: random.Random) -> None:
        """Send the requests of a page repeatedly over one connection."""
        reader, writer = await asyncio.open_connection(*self._address)
        totals: dict[str, int] = {}
        while time.monotonic() < self._deadline:
            run, tag = chance.choice(RUNS), chance.choice(TAGS)
            route, query = chance.choice([("runs", ""), ("tags", ""), ("scalars", f"?run={run}&tag={tag}&points=1000")])
            start = time.perf_counter()
            writer.write(f"GET /api/{route}{query} HTTP/1.1\r\nHost: {self._address[0]}\r\n\r\n".encode())
            content = orjson.loads(await asyncio.wait_for(_body(reader), 30))
            self.waits.append(1000 * (time.perf_counter() - start))
            for series in content.get("series", ()):
                name = f"{tag} of {series['run']}"
                if series["total"] < totals.get(name, STEPS):
                    raise ValueError(f"{name} has lost points")
                totals[name] = series["total"]
        writer.close()

    async def _subscribe(self) -> None:
        """Receive updates until the deadline; a stream that ends or contains no update is an error."""
        reader, writer = await asyncio.open_connection(*self._address)
        writer.write(f"GET /api/updates HTTP/1.1\r\nHost: {self._address[0]}\r\n\r\n".encode())
        await _headers(reader)
        updates = 0
        while time.monotonic() < self._deadline:
            line = await asyncio.wait_for(reader.readline(), 30)
            if not line:
                raise ValueError("the stream of updates has ended")
            updates += line.startswith(b"data:")
        if updates < 2:  # The first one contains the initial state.
            raise ValueError("no update was received")
        writer.close()


async def _headers(reader: asyncio.StreamReader) -> dict[str, str]:
    """Read the status, which must be 200, and the headers."""
    status = await reader.readline()
    if b" 200 " not in status:
        raise ValueError(status.decode().strip() or "no reply")
    headers = {}
    while line := (await reader.readline()).strip().decode():
        name, _, value = line.partition(": ")
        headers[name.lower()] = value
    return headers


async def _body(reader: asyncio.StreamReader) -> bytes:
    """Read a reply with a content-length."""
    headers = await _headers(reader)
    return await reader.readexactly(int(headers["content-length"]))


def write(paths: list[Path], is_over: Event, steps: Any) -> None:
    """Append to every run until is_over is set; store the final number of steps in steps."""
    written = STEPS
    while not is_over.wait(BURST_SECONDS):
        burst = b"".join(event_logs.scalar_events("own", TAGS, written, written + BURST_STEPS))
        written += BURST_STEPS
        for path in paths:
            with path.open("ab") as file:
                file.write(burst)
    steps.value = written


def check_totals(server: Server, steps: int) -> None:
    """Wait until the server has every point that was written."""
    server.connection.close()  # The server has closed the idle connection; the next request opens a new one.
    expected = [steps] * (len(RUNS) * len(TAGS))
    deadline = time.monotonic() + 10
    totals: list[int] = []
    while totals != expected:
        assert time.monotonic() < deadline, f"{steps} steps were written, but the server has {Counter(totals)}"
        time.sleep(0.1)
        totals = [series["total"] for series in server.get("scalars", tag=TAGS, points=4)["series"]]


def measure_clients(folder: Path, *arguments: str) -> dict[str, float]:
    """Serve growing runs to many clients; return the number of errors, requests per second and waits in ms.

    Args:
        folder: where the runs are written.
        arguments: of summary-server.
    """
    logdir = folder / "logs"
    paths = [event_logs.write_scalars(logdir / run, "own", TAGS, STEPS) for run in RUNS]
    context = multiprocessing.get_context("spawn")
    is_over, steps = context.Event(), context.Value("q", 0)
    writer = context.Process(target=write, args=(paths, is_over, steps), daemon=True)
    with serve(logdir, folder / "index", *arguments) as server:
        server.wait_loaded(len(RUNS))
        writer.start()
        clients = Clients((server.connection.host, server.connection.port), time.monotonic() + SECONDS)
        asyncio.run(clients.run(CLIENTS))
        is_over.set()
        writer.join(10)
        check_totals(server, steps.value)
    for error, count in clients.errors.items():
        print(f"{count} x {error}", file=sys.stderr)
    waits = sorted(clients.waits)
    return {
        "errors": sum(clients.errors.values()),
        "rate": len(waits) / SECONDS,
        "p50": statistics.median(waits),
        "p99": waits[int(0.99 * len(waits))],
    }
