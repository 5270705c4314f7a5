"""A logdir in an object store: waits and requests, with a delay between the server and the store.

python benchmarks/object_store.py [--delay 0.05]    (make bench-store)

The store is moto's server in a process of its own; a proxy delays every request and counts them. Python serves
every byte of it, so that its throughput is below that of a real store.
"""

import argparse
import asyncio
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import event_logs
from report import report
from server_process import serve
from support.s3_server import BUCKET, S3Server, s3_server

from toposcope.executors import workers_on
from toposcope.server.indexing.indexing import index_logdir

TAGS = [f"train/metric-{number}" for number in range(10)]
STEPS = 170_000
"""About 50 MB in one file."""
OBJECTS = 1000


class Proxy:
    """Forwards connections to a port of this machine; delays and counts requests."""

    def __init__(self, port: int, delay: float) -> None:
        self.requests: list[str] = []
        """Their first lines."""
        self.received = 0
        """Bytes from the store."""
        self._port, self._delay = port, delay

    async def serve(self, started: threading.Event) -> None:
        """Accept connections until the task is cancelled."""
        server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port: int = server.sockets[0].getsockname()[1]
        started.set()
        await server.serve_forever()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        store_reader, store_writer = await asyncio.open_connection("127.0.0.1", self._port)
        await asyncio.gather(self._forward(reader, store_writer), self._return(store_reader, writer))

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while content := await reader.read(1 << 16):
            if content.startswith((b"GET", b"HEAD")):
                self.requests.append(content.partition(b"\r\n")[0].decode())
                await asyncio.sleep(self._delay)
            writer.write(content)
            await writer.drain()
        writer.close()

    async def _return(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while content := await reader.read(1 << 20):
            self.received += len(content)
            writer.write(content)
            await writer.drain()
        writer.close()


@contextmanager
def delayed(store: S3Server, delay: float) -> Iterator[Proxy]:
    """Start a proxy in a thread, and lead the variables of the environment to it."""
    proxy, started = Proxy(int(store.url.rpartition(":")[2]), delay), threading.Event()
    threading.Thread(target=lambda: asyncio.run(proxy.serve(started)), daemon=True).start()
    started.wait()
    os.environ.update(store.environment | {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}"})
    yield proxy


def first_chart(index: Path, prefix: str) -> float:
    """Return milliseconds from starting a server to its first reply with the points of a series."""
    start = time.perf_counter()
    with serve(f"s3://{BUCKET}/{prefix}", index) as server:
        while not (reply := server.get("scalars", run="run", tag=TAGS[0])) or not reply["series"][0]["total"]:
            time.sleep(0.01)
        return 1000 * (time.perf_counter() - start)


def listed(index: str) -> float:
    """Return milliseconds from starting a server to all small runs being loaded."""
    start = time.perf_counter()
    with serve(f"s3://{BUCKET}/many", index) as server:
        server.wait_loaded(OBJECTS)
        return 1000 * (time.perf_counter() - start)


def make_index() -> None:
    """Index the small runs, each in a pack of its own."""
    with workers_on("processes:2") as workers:
        index_logdir(f"s3://{BUCKET}/many", f"s3://{BUCKET}/index", workers, task_runs=1)


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--delay", type=float, default=0.05, help="seconds before every request")
    delay = parser.parse_args().delay
    with tempfile.TemporaryDirectory() as temporary, s3_server() as store:
        folder = Path(temporary)
        content = event_logs.write_scalars(folder / "run", "tensorboard", TAGS, STEPS).read_bytes()
        store.put("large/run/events.out.tfevents.1.host", content)
        small = event_logs.write_scalars(folder / "small", "tensorboard", TAGS, 20).read_bytes()
        for number in range(OBJECTS):
            store.put(f"many/run-{number:04}/events.out.tfevents.1.host", small)
        with delayed(store, delay) as proxy:
            cold = [first_chart(folder / f"index{number}", "large") for number in range(3)]
            report(f"{len(content) / 1e6:.0f} MB in a store: start to first chart", "<= 1500 ms", cold)
            report("bytes received over the size of the object", "", [proxy.received / 3 / len(content)], "x")
            warm = [first_chart(folder / "index0", "large") for _ in range(3)]
            report("the same at the second start", "<= 500 ms", warm)
            report(f"{OBJECTS} runs, no index: start until all are listed", "", [listed(str(folder / "many"))])
            make_index()
            proxy.requests.clear()
            shared = [listed(f"s3://{BUCKET}/index") for _ in range(3)]
            report(f"the same with an index of {OBJECTS} packs in the store", "", shared)
            report("requests of that start", "", [len(proxy.requests) / 3], "")
            with serve(f"s3://{BUCKET}/many", folder / "many") as server:
                server.wait_loaded(OBJECTS)
                time.sleep(5)
                proxy.requests.clear()
                time.sleep(60)
                report(f"idle server on {OBJECTS} objects: requests a minute", "", [float(len(proxy.requests))], "")


if __name__ == "__main__":
    main()
