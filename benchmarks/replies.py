"""Measure what replies with many scalar series cost the server and the network, in each form, compressed, and in parts.

python benchmarks/replies.py [--rounds N]    (make bench-replies)

1,000 series (100 runs of 10 tags) of 200 points, float32 losses or doubles, are requested as JSON and as CBOR, with the
columns step and value, or all. The forms alternate. Prints the median milliseconds from the request to the end of its
reply, those of the server's CPU time (of repeated requests, as it is counted in 10 ms), and the bytes on the wire.

Then 300 series of 1,100 points get one more point a second, and are requested as the page does: in three requests of a
hundred series, whole or with the cursors of the series before.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import event_logs
import numpy as np
import server_process
from process_stats import cpu_ms

from toposcope.proto import framing, tensorboard_pb2

BUILD = Path(__file__).resolve().parent.parent / "build" / "bench"
RUNS, TAGS, STEPS = 100, 10, 200
REQUESTS = 5
"""Requests of a round in each form."""
GOAL_MS, GOAL_BYTES = 100, 1_500_000
LIVE_RUNS, LIVE_STEPS, LIVE_SECONDS = 30, 1100, 20
RUNS_AT_ONCE = 10
"""Of which the page requests the series together."""
SHORT = "&column=step&column=value"


class Form(NamedTuple):
    """What is asked for, and how."""

    name: str
    columns: str
    headers: dict[str, str]


FORMS = [
    Form(f"{kind}, {columns}{compressed}", text, accept | encoding)
    for columns, text in (("step and value", SHORT), ("all columns", ""))
    for kind, accept in (("CBOR", {"Accept": "application/cbor"}), ("JSON", {}))
    for compressed, encoding in (
        ("", {}),
        (", gzip", {"Accept-Encoding": "gzip"}),
        (", zstd", {"Accept-Encoding": "zstd"}),
    )
]


def write_runs(logdir: Path, are_doubles: bool, runs: int = RUNS, steps: int = STEPS) -> None:
    """Write runs whose curves all differ; doubles are recorded as tensors, as tf.summary does."""
    random = np.random.default_rng(0)
    for run in range(runs):
        noise = 1 + 0.1 * random.random((steps, TAGS))
        losses = noise * np.exp(-np.arange(steps) / 100)[:, None] * random.uniform(0.5, 2, TAGS)
        times = event_logs.START + np.cumsum(random.uniform(0.1, 0.2, steps))
        path = event_logs.create_file(logdir / f"sweep/lr-{run:03}", "tensorboard")
        with path.open("ab") as file:
            for step, (values, wall_time) in enumerate(zip(losses.tolist(), times.tolist(), strict=True)):
                file.write(_event(step * 50, wall_time, values, are_doubles))


def _event(step: int, wall_time: float, values: list[float], are_doubles: bool) -> bytes:
    event = tensorboard_pb2.Event(step=step, wall_time=wall_time)
    for tag, value in enumerate(values):
        item = event.summary.value.add(tag=f"train/metric-{tag}")
        if are_doubles:
            item.metadata.plugin_data.plugin_name = "scalars"
            item.tensor.dtype = 2
            item.tensor.double_val.append(value)
        else:
            item.simple_value = value
    return framing.frame(event.SerializeToString())


def measure(server: server_process.Server, form: Form) -> tuple[float, float, int]:
    """Return (milliseconds a request, the server's milliseconds of CPU time, bytes of the reply)."""
    tags = "&".join(f"tag=train/metric-{tag}" for tag in range(TAGS))
    before, walls = cpu_ms(server.process.pid), []
    for _ in range(REQUESTS):
        start = time.perf_counter()
        server.connection.request("GET", f"/api/scalars?{tags}{form.columns}", headers=form.headers)
        reply = server.connection.getresponse()
        content = reply.read()
        walls.append(1000 * (time.perf_counter() - start))
        assert reply.status == 200, content
    return statistics.median(walls), (cpu_ms(server.process.pid) - before) / REQUESTS, len(content)


class Live:
    """The growing series of a page."""

    def __init__(self, server: server_process.Server, logdir: Path, name: str, are_parts: bool) -> None:
        self.name, self.are_parts = name, are_parts
        self.sent: list[int] = []
        self.received: list[int] = []
        self.cpu_ms: list[float] = []
        self._server = server
        self._cursors: dict[int, list[str]] = {}
        self._runs = sorted(str(path.parent.relative_to(logdir)) for path in logdir.rglob("*tfevents*"))

    def request(self) -> None:
        """Request all series."""
        before, sent, received = cpu_ms(self._server.process.pid), 0, 0
        for start in range(0, len(self._runs), RUNS_AT_ONCE):
            body = self._body(start)
            received += len(self._post(body, {"Accept": "application/cbor"}))
            sent += len(body)
        self.cpu_ms.append(cpu_ms(self._server.process.pid) - before)
        self.sent.append(sent)
        self.received.append(received)

    def remember(self) -> None:
        """Read the cursors that the next request sends; not measured, as the page finds them in the replies."""
        for start in range(0, len(self._runs), RUNS_AT_ONCE):
            reply: dict[str, Any] = json.loads(self._post(self._body(start), {}))
            self._cursors[start] = [series["cursor"] for series in reply["series"]]

    def _post(self, body: str, headers: dict[str, str]) -> bytes:
        headers = {"Content-Type": "application/json", **headers}
        self._server.connection.request("POST", "/api/scalars", body, headers)
        return self._server.connection.getresponse().read()

    def _body(self, start: int) -> str:
        runs = self._runs[start : start + RUNS_AT_ONCE]
        cursors = self._cursors.get(start, []) if self.are_parts else []
        tags = [f"train/metric-{tag}" for tag in range(TAGS)]
        return json.dumps({"tag": tags, "run": runs, "cursor": cursors, "points": 1000})


def measure_live(server: server_process.Server, logdir: Path) -> list[Live]:
    """Append points, and request them after each, whole and in parts alternately."""
    random = np.random.default_rng(1)
    ways = [Live(server, logdir, "whole", False), Live(server, logdir, "in parts", True)]
    paths = list(logdir.rglob("*tfevents*"))
    revision = server.get("health")["revision"]
    for second in range(LIVE_SECONDS + 1):
        step = (LIVE_STEPS + second) * 50
        for path in paths:
            with path.open("ab") as file:
                file.write(_event(step, event_logs.START + step, random.random(TAGS).tolist(), False))
        time.sleep(1)
        assert server.get("health")["revision"] > revision
        for way in ways:
            if second:
                way.request()
            way.remember()
    return ways


def main() -> None:
    """Run the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="rounds of all forms (default 5)")
    options = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before, {options.rounds} rounds")
    for what, are_doubles in (("float32 losses", False), ("doubles", True)):
        goal = "" if are_doubles else f"; goal: {GOAL_MS} ms, {GOAL_BYTES:,} bytes with step and value"
        print(f"\n{RUNS * TAGS:,} series of {STEPS} points, {what}{goal}")
        print(f"  {'':32}{'wall ms':>9}{'CPU ms':>9}{'bytes':>13}")
        with tempfile.TemporaryDirectory(prefix="logs-", dir=BUILD) as folder:
            write_runs(Path(folder, "logs"), are_doubles)
            with server_process.serve(Path(folder, "logs"), Path(folder, "index")) as server:
                server.wait_loaded(RUNS)
                for form in FORMS:
                    measure(server, form)  # The first request of a series takes longer.
                rounds = [[measure(server, form) for form in FORMS] for _ in range(options.rounds)]
        for form, figures in zip(FORMS, zip(*rounds, strict=True), strict=True):
            wall, cpu, size = (statistics.median(column) for column in zip(*figures, strict=True))
            print(f"  {form.name:32}{wall:9.0f}{cpu:9.0f}{size:13,.0f}", flush=True)
    print(f"\n{LIVE_RUNS * TAGS} series of {LIVE_STEPS:,} points and one more each second, a second")
    print(f"  {'':32}{'CPU ms':>9}{'sent':>13}{'received':>13}")
    with tempfile.TemporaryDirectory(prefix="logs-", dir=BUILD) as folder:
        logs = Path(folder, "logs")
        write_runs(logs, False, LIVE_RUNS, LIVE_STEPS)
        with server_process.serve(logs, Path(folder, "index")) as server:
            server.wait_loaded(LIVE_RUNS)
            for way in measure_live(server, logs):
                cpu, sent, received = (statistics.mean(column) for column in (way.cpu_ms, way.sent, way.received))
                print(f"  {way.name:32}{cpu:9.1f}{sent:13,.0f}{received:13,.0f}")


if __name__ == "__main__":
    main()
