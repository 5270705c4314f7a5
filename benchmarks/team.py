"""The requests of several pages, answered by a server with workers and by as many servers that share an index."""

import asyncio
import random
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode

import event_logs
import psutil
from process_stats import cpu_ms
from server_process import Server, index_logdir, serve

RUNS, TAGS, STEPS = 100, [f"train/metric-{number}" for number in range(10)], 10_000
CONNECTIONS, SECONDS, WARM_SECONDS = 6, 8.0, 2.0
WIDE_SHARE = 0.1
"""How many of the requests are for all runs; the others are for one."""
Figures = dict[str, float]


def measure_team(folder: Path, workers: int) -> Figures:
    """Request series of ten million points over six connections that are never idle."""
    for number in range(RUNS):
        event_logs.write_scalars(folder / "logs" / f"run-{number:03}", "own", TAGS, STEPS)
    index_logdir(folder / "logs", folder / "index", RUNS)
    figures = _measure(folder, 1, f"--workers={workers}")
    if workers > 1:
        servers = _measure(folder, workers)
        figures |= {f"{workers} servers: {name}": value for name, value in servers.items()}
    return figures


def _measure(folder: Path, count: int, *arguments: str) -> Figures:
    with ExitStack() as stack:
        servers = [stack.enter_context(serve(folder / "logs", folder / "index", *arguments)) for _ in range(count)]
        for server in servers:
            server.wait_loaded(RUNS)
        asyncio.run(_send_requests(servers, WARM_SECONDS))
        before, start = _cpu_ms(servers), time.perf_counter()
        waits = asyncio.run(_send_requests(servers, SECONDS))
        seconds, used = time.perf_counter() - start, _cpu_ms(servers) - before
        memory = sum(process.memory_full_info().pss for process in _processes(servers))
    narrow, wide = (sorted(wait for is_wide, wait in waits if is_wide == each) for each in (False, True))
    return {
        "requests a second": len(waits) / seconds,
        "CPU ms a request": used / len(waits),
        "ms of a request for one run, 95th percentile": narrow[int(0.95 * len(narrow))],
        "ms of a request for all runs, 95th percentile": wide[int(0.95 * len(wide))],
        "MB": memory / 1e6,
    }


def _processes(servers: Sequence[Server]) -> list[psutil.Process]:
    parents = [psutil.Process(server.process.pid) for server in servers]
    return [each for parent in parents for each in (parent, *parent.children(recursive=True))]


def _cpu_ms(servers: Sequence[Server]) -> int:
    return sum(cpu_ms(process.pid) for process in _processes(servers))


async def _send_requests(servers: Sequence[Server], seconds: float) -> list[tuple[bool, float]]:
    """Send requests for so many seconds; return of each whether it was for all runs, and how many ms it took."""
    deadline = time.monotonic() + seconds
    waits: list[tuple[bool, float]] = []

    async def connection(number: int) -> None:
        chosen, server = random.Random(number), servers[number % len(servers)].connection
        reader, writer = await asyncio.open_connection(server.host, server.port, limit=1 << 26)
        while time.monotonic() < deadline:
            is_wide = chosen.random() < WIDE_SHARE
            query = {"tag": chosen.choice(TAGS), "points": "300"}
            if not is_wide:
                query |= {"run": f"run-{chosen.randrange(RUNS):03}", "points": "1000"}
            request = f"GET /api/scalars?{urlencode(query)} HTTP/1.1\r\nHost: {server.host}\r\n\r\n"
            start = time.perf_counter()
            writer.write(request.encode())
            head = await reader.readuntil(b"\r\n\r\n")
            # While others are already complete, a worker may not have all runs yet.
            assert seconds == WARM_SECONDS or head.startswith(b"HTTP/1.1 200"), head
            fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:-2])
            await reader.readexactly(int(fields[b"content-length"]))
            waits.append((is_wide, 1000 * (time.perf_counter() - start)))
        writer.close()

    await asyncio.gather(*map(connection, range(CONNECTIONS)))
    return waits
