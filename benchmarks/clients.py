"""Many clients of one server at once, while the runs that they watch grow.

A writer in a process of its own appends to every run; the clients, in this process, each ask again as soon as they
have an answer, or listen to the changes. Anything but a complete answer is an error, and so is a series that is
shorter than the same client has seen it. Afterwards the server must have every point that was written.
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

CLIENTS, SECONDS = 200, 30.0
RUNS = [f"run-{number:02}" for number in range(20)]
TAGS = [f"train/metric-{number}" for number in range(10)]
STEPS = 10_000
"""How many each run has to begin with."""
LISTENERS = 0.25
"""The share of the clients that listen to changes."""
BURST_STEPS, BURST_SECONDS = 10, 0.1
"""How many steps are appended to every run, and how often."""


class Crowd:
    """All clients of a server: what they were answered, heard, and complained of."""

    def __init__(self, address: tuple[str, int], ends: float) -> None:
        self.waits: list[float] = []
        """Milliseconds that each answer took."""
        self.errors: Counter[str] = Counter()
        self._address = address
        self._ends = ends

    async def gather(self, clients: int) -> None:
        """Let the clients ask and listen until the end."""
        listeners = round(LISTENERS * clients)
        asking = [self._complain(self._ask(random.Random(number))) for number in range(clients - listeners)]
        listening = [self._complain(self._listen()) for _ in range(listeners)]
        await asyncio.gather(*asking, *listening)

    async def _complain(self, client: Any) -> None:
        """Count the error that ends a client."""
        try:
            await client
        except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError) as error:
            self.errors[f"{type(error).__name__}: {error}"] += 1

    async def _ask(self, chance: random.Random) -> None:
        """Ask over one connection, again and again, in turns for what a page asks."""
        reader, writer = await asyncio.open_connection(*self._address)
        seen: dict[str, int] = {}
        while time.monotonic() < self._ends:
            run, tag = chance.choice(RUNS), chance.choice(TAGS)
            route, query = chance.choice([("runs", ""), ("tags", ""), ("scalars", f"?run={run}&tag={tag}&points=1000")])
            began = time.perf_counter()
            writer.write(f"GET /api/{route}{query} HTTP/1.1\r\nHost: {self._address[0]}\r\n\r\n".encode())
            content = orjson.loads(await asyncio.wait_for(_body(reader), 30))
            self.waits.append(1000 * (time.perf_counter() - began))
            for series in content.get("series", ()):
                known = f"{tag} of {series['run']}"
                if series["total"] < seen.get(known, STEPS):
                    raise ValueError(f"{known} has lost points")
                seen[known] = series["total"]
        writer.close()

    async def _listen(self) -> None:
        """Take every change of the runs as it comes; a stream that ends or tells of no change is an error."""
        reader, writer = await asyncio.open_connection(*self._address)
        writer.write(f"GET /api/updates HTTP/1.1\r\nHost: {self._address[0]}\r\n\r\n".encode())
        await _headers(reader)
        heard = 0
        while time.monotonic() < self._ends:
            line = await asyncio.wait_for(reader.readline(), 30)
            if not line:
                raise ValueError("the stream of updates ended")
            heard += line.startswith(b"data:")
        if heard < 2:  # The first one only says where things stand.
            raise ValueError("no update was told")
        writer.close()


async def _headers(reader: asyncio.StreamReader) -> dict[str, str]:
    """Read the status, which must be 200, and the headers."""
    status = await reader.readline()
    if b" 200 " not in status:
        raise ValueError(status.decode().strip() or "no answer")
    headers = {}
    while line := (await reader.readline()).strip().decode():
        name, _, value = line.partition(": ")
        headers[name.lower()] = value
    return headers


async def _body(reader: asyncio.StreamReader) -> bytes:
    """Read an answer whose length is told."""
    headers = await _headers(reader)
    return await reader.readexactly(int(headers["content-length"]))


def write(paths: list[Path], is_over: Event, steps: Any) -> None:
    """Append to every run until it is over; leave in steps how many each has then."""
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
    server.connection.close()  # The server has closed it, too: it was idle. The next request opens it again.
    expected = [steps] * (len(RUNS) * len(TAGS))
    end = time.monotonic() + 10
    totals: list[int] = []
    while totals != expected:
        assert time.monotonic() < end, f"{steps} steps were written, but there are {Counter(totals)}"
        time.sleep(0.1)
        totals = [series["total"] for series in server.get("scalars", tag=TAGS, points=4)["series"]]


def crowd(folder: Path) -> dict[str, float]:
    """Serve growing runs to many clients; return their errors, requests a second and waits in milliseconds."""
    logdir = folder / "logs"
    paths = [event_logs.write_scalars(logdir / run, "own", TAGS, STEPS) for run in RUNS]
    context = multiprocessing.get_context("spawn")
    is_over, steps = context.Event(), context.Value("q", 0)
    writer = context.Process(target=write, args=(paths, is_over, steps), daemon=True)
    with serve(logdir, folder / "index") as server:
        server.wait_loaded(len(RUNS))
        writer.start()
        clients = Crowd((server.connection.host, server.connection.port), time.monotonic() + SECONDS)
        asyncio.run(clients.gather(CLIENTS))
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
