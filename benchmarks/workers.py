"""What --workers costs and brings: CPU time a request, requests a second, and the way of a new point to a page.

workers.py [requests] [team] [live] [drawn] [clients] [--workers 1 2] [--rounds 5]

The numbers of workers take turns, five rounds by default. The client of `requests` is a process that is pinned to one
core, with eight connections that are never idle; CPU time is that of all processes of the server.
`team` compares workers with as many servers on one index too.
"""

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import clients
import event_logs
import httpx
import psutil
from process_stats import cpu_ms
from server_process import Server, serve
from team import measure_team

RUNS, TAGS, STEPS = 20, [f"train/metric-{number}" for number in range(10)], 10_000
CONNECTIONS, SECONDS, WARM_SECONDS = 8, 6.0, 2.0
POINTS, PAUSE_SECONDS = 40, 0.3
Figures = dict[str, float]


def main() -> None:
    """Measure, and print the median of each figure for each number of workers."""
    measurements: dict[str, Callable[[Path, int], Figures]] = {
        "requests": measure_requests,
        "team": measure_team,
        "live": measure_live,
        "drawn": measure_drawn,
        "clients": measure_clients,
    }
    parser = argparse.ArgumentParser()
    parser.add_argument("measurements", nargs="*", choices=[*measurements, []], default=list(measurements))
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    for name in options.measurements:
        results: dict[int, list[Figures]] = defaultdict(list)
        for number in range(1 if name == "clients" else options.rounds):
            for workers in options.workers[:: -1 if number % 2 else 1]:
                with tempfile.TemporaryDirectory() as folder:
                    results[workers].append(measurements[name](Path(folder), workers))
        for workers, rounds in results.items():
            for figure in rounds[0]:
                values = sorted(each[figure] for each in rounds)
                median, spread = statistics.median(values), f"{values[0]:.2f} to {values[-1]:.2f}"
                print(f"{name}, {workers} workers: {figure:46} {median:10.2f}   ({spread})", flush=True)


def server_cpu_ms(server: Server) -> int:
    """Return the CPU time of all processes of a server so far."""
    children = psutil.Process(server.process.pid).children(recursive=True)
    return sum(cpu_ms(process) for process in (server.process.pid, *(child.pid for child in children)))


def measure_requests(folder: Path, workers: int) -> Figures:
    """Request series of static runs from a client on the first core."""
    for number in range(RUNS):
        event_logs.write_scalars(folder / "logs" / f"run-{number:02}", "own", TAGS, STEPS)
    with serve(folder / "logs", folder / "index", f"--workers={workers}") as server:
        server.wait_loaded(RUNS)
        address = server.connection.host, server.connection.port
        query = urlencode({"tag": TAGS[0], "run": "run-07", "points": 1000})
        asyncio.run(_send_requests(address, query, WARM_SECONDS))
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(cores)})
        try:
            before, own_before = server_cpu_ms(server), cpu_ms("self")
            start = time.perf_counter()
            count = asyncio.run(_send_requests(address, query, SECONDS))
            seconds = time.perf_counter() - start
            used, own = server_cpu_ms(server) - before, cpu_ms("self") - own_before
        finally:
            os.sched_setaffinity(0, cores)
    return {
        "CPU ms of the server a request": used / count,
        "requests a second": count / seconds,
        "CPU ms of the client a request": own / count,
    }


async def _send_requests(address: tuple[str, int], query: str, seconds: float) -> int:
    """Send requests over all connections for so many seconds; return how many were answered."""
    deadline = time.monotonic() + seconds
    request = f"GET /api/scalars?{query} HTTP/1.1\r\nHost: {address[0]}\r\nAccept-Encoding: gzip\r\n\r\n".encode()

    async def connection() -> int:
        reader, writer = await asyncio.open_connection(*address)
        count = 0
        while time.monotonic() < deadline:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:-2])
            await reader.readexactly(int(fields[b"content-length"]))
            count += 1
        writer.close()
        return count

    return sum(await asyncio.gather(*(connection() for _ in range(CONNECTIONS))))


def measure_live(folder: Path, workers: int) -> Figures:
    """Append points one by one; measure until an event stream announces each and a new connection gets it."""
    path = event_logs.write_scalars(folder / "logs" / "run", "own", TAGS, STEPS)
    announced, received = [], []
    with serve(folder / "logs", folder / "index", f"--workers={workers}") as server:
        server.wait_loaded()
        base = f"http://{server.connection.host}:{server.connection.port}/api/"
        with httpx.stream("GET", f"{base}updates", timeout=60.0) as stream:
            lines = stream.iter_lines()
            next(line for line in lines if line.startswith("data:"))
            time.sleep(1.0)  # The system's watch is set up.
            for step in range(STEPS, STEPS + POINTS):
                event = b"".join(event_logs.scalar_events("own", TAGS, step, step + 1))
                start = time.perf_counter()
                with path.open("ab") as file:
                    file.write(event)
                next(line for line in lines if line.startswith("data:") and '"run"' in line)
                announced.append(1000 * (time.perf_counter() - start))
                server.connection.close()  # The next one may reach another worker.
                reply = server.get("scalars", tag=TAGS[0], points=1000)
                received.append(1000 * (time.perf_counter() - start))
                assert reply["series"][0]["total"] == step + 1, "a worker lacks what was announced"
                time.sleep(PAUSE_SECONDS)
    return {
        "ms from the write to the announcement, median": statistics.median(announced),
        "the same, 95th percentile": sorted(announced)[int(0.95 * POINTS)],
        "ms from the write to the reply, median": statistics.median(received),
        "the same, 95th percentile ": sorted(received)[int(0.95 * POINTS)],
    }


def measure_drawn(folder: Path, workers: int) -> Figures:
    """Record points one by one; measure until a page in Chromium has drawn each."""
    import page
    from browsing import chromium

    with chromium() as browser:
        waits = sorted(page.recorded_to_drawn(browser, folder, arguments=[f"--workers={workers}"]))
    return {
        "ms from recorded to drawn, median": statistics.median(waits),
        "the same, 95th percentile": waits[int(0.95 * len(waits))],
    }


def measure_clients(folder: Path, workers: int) -> Figures:
    """Serve 20 growing runs to 200 clients for a minute."""
    return clients.measure_clients(folder, f"--workers={workers}")


if __name__ == "__main__":
    main()
