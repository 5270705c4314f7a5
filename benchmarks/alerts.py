"""What rules of alerts cost while many runs are live, and how soon an alert is delivered.

alerts.py [--runs 1000] [--seconds 60] [--alerts 50]

Each run records two tags once a second. The server is measured without rules and with 20, of which one raises
alerts, as values are not finite, in one run after the other. The delay is from the record to the request at a webhook.
"""

import argparse
import json
import multiprocessing
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path

from process_stats import cpu_ms
from report import report
from server_process import serve

from toposcope.proto import framing, summary_pb2

INTERVAL, HEARTBEAT_SECONDS = 1.0, 30.0
POINTS = 100
NAME = "events.out.events.summary.1700000000.0.host_MS"
CONDITIONS = (
    *(f"loss > {factor} * min(loss) for {steps} steps" for factor in (100, 200, 300) for steps in (10, 100, 1000)),
    *(f"gap - loss > {least}" for least in (10, 20, 30)),
    *("rate(loss) > 10", "nan(loss)", "nan(gap)", "stalled", "failed", "state:lost", "min(loss)<-1", "last(gap)>1000"),
)


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--alerts", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        logdir = Path(folder, "runs")
        paths = [write_run(logdir / f"run-{number:05}") for number in range(options.runs)]
        receiver = Receiver()
        rules = Path(folder, "alerts.toml")
        rules.write_text(
            f'[destination.hook]\nkind = "webhook"\nurl = "http://127.0.0.1:{receiver.port}/"\n'
            + "".join(f'[[rule]]\nname = "{each}"\nwhen = "{each}"\n' for each in CONDITIONS)
        )
        ours, theirs = multiprocessing.Pipe()
        writer = multiprocessing.Process(target=write_points, args=(paths, theirs), daemon=True)
        writer.start()
        for arguments in ((), ("--alerts", str(rules))):
            with serve(logdir, Path(folder, "index"), "--data-dir", f"{folder}/data", *arguments) as server:
                server.wait_loaded(options.runs)
                time.sleep(10.0)  # It reads the runs that were recorded meanwhile, and writes the index.
                before, since = cpu_ms(server.process.pid), time.monotonic()
                time.sleep(options.seconds)
                share = (cpu_ms(server.process.pid) - before) / (time.monotonic() - since) / 10
                print(f"CPU with {len(CONDITIONS) if arguments else 0:2} rules: {share:6.1f} % of a core", flush=True)
                if arguments:
                    delays = receiver.measure(ours, min(options.alerts, options.runs))
                    report("from recorded to delivered", "-", delays)
        writer.terminate()
        writer.join()


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


def write_points(paths: list[Path], orders: Connection) -> None:
    """Append a point to every file in turn, evenly; one that is not finite to those that are ordered by number."""
    due, step = time.monotonic(), 1000
    while True:
        step += 2  # Another point is between two of them.
        for number, path in enumerate(paths):
            due += INTERVAL / len(paths)
            time.sleep(max(0.0, due - time.monotonic()))
            append(path, step, 1 / step)
            if number % 10 == 0 and orders.poll():
                ordered = orders.recv()
                append(paths[ordered], step + 1, float("nan"))
                orders.send(time.time())


def append(path: Path, step: int, loss: float) -> None:
    """Append an event with two scalars."""
    event = summary_pb2.Event(wall_time=time.time(), step=step)
    event.summary.value.add(tag="loss", scalar_value=loss)
    event.summary.value.add(tag="gap", scalar_value=loss / 2)
    with path.open("ab", buffering=0) as file:
        file.write(framing.frame(event.SerializeToString()))


class Receiver:
    """A webhook that notes when alerts arrive."""

    def __init__(self) -> None:
        self._arrived: dict[str, float] = {}
        """The times of the first alerts of runs, in seconds since 1970."""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                receiver._arrived.setdefault(content["run"], time.time())
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def measure(self, orders: Connection, count: int) -> list[float]:
        """Return the milliseconds after which the alerts of so many runs arrived, one after the other."""
        delays = []
        for number in range(count):
            orders.send(number)
            recorded = orders.recv()
            while (arrived := self._arrived.get(f"run-{number:05}")) is None:
                time.sleep(0.005)
            delays.append(1000 * (arrived - recorded))
        return delays


if __name__ == "__main__":
    main()
