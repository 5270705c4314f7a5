"""Measure the memory of a server while a run grows, compared with that of servers that are started afterwards.

python benchmarks/live_memory.py [--seconds N] [--rate POINTS]    (make bench-memory)

A run of 10 tags grows by `rate` points a second, written every tenth of a second, while a client requests the chart of
a tag every second, as an open page does. Prints the resident memory of the server when the growth ends and that of two
servers started then, one with the index and one without, after they have loaded the same files and replied to the same
request; and the bytes a point beyond a server with an empty logdir.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import event_logs
import server_process
from process_stats import memory

BUILD = Path(__file__).resolve().parent.parent / "build" / "bench"
TAGS = [f"train/metric-{number}" for number in range(10)]
INTERVAL, POLL_SECONDS = 0.1, 1.0
GOAL = 1.2


def grow(path: Path, seconds: float, rate: int) -> Iterator[int]:
    """Append to an event file for so many seconds; yield the number of steps after each second."""
    steps, start = 0, time.monotonic()
    with path.open("ab", buffering=0) as file:
        while (elapsed := time.monotonic() - start) < seconds:
            end = int(elapsed * rate / len(TAGS))
            file.write(b"".join(event_logs.scalar_events("tensorboard", TAGS, steps, end)))
            if int(elapsed / POLL_SECONDS) > int((elapsed - INTERVAL) / POLL_SECONDS):
                yield end
            steps = end
            time.sleep(INTERVAL)
        yield steps


def request_chart(server: server_process.Server, steps: int) -> None:
    """Request the chart of a tag until it contains at least so many steps."""
    while True:
        reply = server.get("scalars", tag=TAGS[0], points=1000)
        if reply and reply["series"] and reply["series"][0]["total"] >= steps:
            return
        time.sleep(0.05)


def fresh_memory(logdir: Path, index: Path, steps: int) -> int:
    """Return the resident bytes of a server that is started now, after its first chart."""
    with server_process.serve(logdir, index) as server:
        if steps:
            server.wait_loaded()
            request_chart(server, steps)
        time.sleep(3)  # It writes its index, and imports what no first chart needs.
        server.get("lineage")
        return memory(server.process.pid)[0]


def main() -> None:
    """Run the measurement."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=600, help="how long the run grows (default 600)")
    parser.add_argument("--rate", type=int, default=10_000, help="points a second (default 10,000)")
    options = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before")
    print(f"growth of {options.rate:,} points a second for {options.seconds:.0f} s")
    with tempfile.TemporaryDirectory(prefix="logs-", dir=BUILD) as text:
        folder = Path(text)
        logdir, index = folder / "logs", folder / "index"
        path = event_logs.create_file(logdir / "run", "tensorboard")
        with server_process.serve(logdir, index) as server:
            server.get("lineage")
            steps = 0
            for end in grow(path, options.seconds, options.rate):
                request_chart(server, 0)
                steps = end
            request_chart(server, steps)
            live, peak = memory(server.process.pid)
        (folder / "empty").mkdir()
        empty = fresh_memory(folder / "empty", folder / "none", 0)
        fresh = {
            "started afterwards, with the index": fresh_memory(logdir, index, steps),
            "started afterwards, without it": fresh_memory(logdir, folder / "other", steps),
        }
    points = steps * len(TAGS)
    print(f"\n{points:,} points; goal: the live server at most {GOAL} times a fresh one")
    print(f"  {'empty logdir':36}{empty / 2**20:8.1f} MiB")
    beyond = (live - empty) / points
    print(f"  {'live':36}{live / 2**20:8.1f} MiB{beyond:8.1f} bytes a point, peak {peak / 2**20:.1f} MiB")
    for name, used in fresh.items():
        ratio, bytes_a_point = live / used, (used - empty) / points
        print(f"  {name:36}{used / 2**20:8.1f} MiB{bytes_a_point:8.1f} bytes a point; live: {ratio:.2f} times that")


if __name__ == "__main__":
    main()
