"""Recording to object stores as users do, with both servers of the S3 protocol, and the traffic that it takes."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import obstore
import pytest
from support import http
from support.event_files import GOLDEN
from support.s3_server import BUCKET, S3Server, s3_server, s3rver
from support.servers import start, stop, wait_until
from support.store_proxy import StoreProxy, store_proxy

from toposcope import server

SECONDS = 45
"""How long the recording takes of which the traffic is counted."""
RECORDER = """
import sys, time
from toposcope.recorder import SummaryRecord

with SummaryRecord(sys.argv[1]) as recorder:
    end, step = time.monotonic() + float(sys.argv[2]), 0
    while time.monotonic() < end:
        step += 1
        for number in range(40):
            recorder.add_value("scalar", f"metric-{number}", step / 3)
        begin = time.perf_counter()
        recorder.record(step)
        assert time.perf_counter() - begin < 1
        time.sleep(0.01)
    recorder.flush()
    print(step, flush=True)
"""
WRITERS = """
import sys
import torch
from toposcope.recorder.callbacks import CheckpointConfig, ModelCheckpoint, SummaryCollector
from toposcope.recorder.tensorboard.summary_writer import SummaryWriter
from toposcope.recorder.training import Model

address = sys.argv[1]
with SummaryWriter(f"{address}/writer") as writer:
    for step in range(20):
        writer.add_scalar("loss", step, step)
    writer.add_scalars("both", {"a": 1.0, "b": 2.0}, 0)
data = [(torch.ones(4, 3), torch.ones(4, 1))] * 8
network = torch.nn.Linear(3, 1)
model = Model(network, torch.nn.MSELoss(), torch.optim.SGD(network.parameters(), 0.01))
checkpoints = ModelCheckpoint("net", f"{address}/checkpoints", CheckpointConfig(save_checkpoint_steps=4))
model.train(1, data, callbacks=[SummaryCollector(f"{address}/collector", collect_freq=1), checkpoints])
"""


@pytest.fixture(params=[s3_server, s3rver])
def store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[S3Server]:
    """Return a server of each kind, to which the environment of this process leads."""
    start_server: Callable[[], contextlib.AbstractContextManager[S3Server]] = request.param
    with start_server() as running:
        for name, value in running.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("TOPOSCOPE_SPOOL", str(tmp_path / "spool"))
        yield running


@pytest.fixture
def proxy(store: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[StoreProxy]:
    """Return a proxy to which the environment of this process leads."""
    with store_proxy(store.url) as running:
        monkeypatch.setenv("AWS_ENDPOINT_URL", running.url)
        yield running


def record(address: str, seconds: float) -> "subprocess.Popen[str]":
    """Start a program that records for some seconds."""
    command = [sys.executable, "-c", RECORDER, address, str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def steps_of(process: "subprocess.Popen[str]") -> int:
    """Wait for the end of a program; return how many steps it recorded."""
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return int(output)


def objects(store: S3Server) -> dict[str, int]:
    """Return the sizes of all objects, by key."""
    return {found["path"]: found["size"] for page in obstore.list(store.client) for found in page}


def test_traffic_is_within_the_bounds(store: S3Server, proxy: StoreProxy, capsys: pytest.CaptureFixture[str]) -> None:
    """At most 2.1 times the recorded bytes, and one PUT in ten seconds besides those of complete files."""
    steps = steps_of(record(f"s3://{BUCKET}/run", SECONDS))
    size = sum(objects(store).values())
    puts = [request for request in proxy.requests if request.method == "PUT"]
    pieces = sum(".piece-" in request.path for request in puts)
    sent = sum(request.sent for request in puts)
    with capsys.disabled():
        print(
            f"\n{size} bytes in {len(objects(store))} objects, {sent / size:.3f} sent for one; {pieces} pieces", end=""
        )
    assert sent <= 2.1 * size
    assert pieces <= SECONDS / 10 + 1
    assert server.open(f"s3://{BUCKET}/run").runs["."].scalars("metric-0").step.tolist() == list(range(1, steps + 1))


def test_a_store_that_is_gone_delays_nothing(store: S3Server, proxy: StoreProxy, tmp_path: Path) -> None:
    """Training goes on at its pace; what it recorded is uploaded when the store is back."""
    proxy.fail_every = 1
    begin = time.monotonic()
    with record(f"s3://{BUCKET}/run", 3) as process:
        assert process.stdout is not None
        steps = int(process.stdout.readline())
        assert time.monotonic() - begin < 10
        assert objects(store) == {}
        proxy.fail_every = 0
        assert process.wait(60) == 0
    wait_until(lambda: not any((tmp_path / "spool").iterdir()), 90)
    assert len(server.open(f"s3://{BUCKET}/run").runs["."].scalars("metric-0").step) == steps


def test_a_slow_store_that_fails_gets_everything(store: S3Server, proxy: StoreProxy) -> None:
    """With 100 ms before each request, of which every tenth fails."""
    proxy.delay, proxy.fail_every = 0.1, 10
    steps = steps_of(record(f"s3://{BUCKET}/run", 5))
    proxy.fail_every = 0
    assert len(server.open(f"s3://{BUCKET}/run").runs["."].scalars("metric-0").step) == steps
    assert len(objects(store)) == 1


def test_a_live_run_is_shown(store: S3Server) -> None:
    """While it is recorded, from its pieces, and with its state; then from the whole file."""
    process = record(f"s3://{BUCKET}/live/run", 25)
    shown, url = start(f"s3://{BUCKET}/live", "--reload-interval", "1", **store.environment)
    counts: list[int] = []

    def has_grown_twice() -> bool:
        reply = http.get(f"{url}api/scalars", params={"run": "run", "tag": "metric-0"})
        count = sum(series["total"] for series in reply.json()["series"]) if reply.status_code == 200 else 0
        if count and count not in counts:
            counts.append(count)
        return len(counts) > 2

    wait_until(has_grown_twice, 40)
    steps = steps_of(process)
    wait_until(lambda: has_grown_twice() and counts[-1] == steps)
    assert counts == sorted(counts)
    stop(shown)


def test_all_writers_record_to_a_store(store: S3Server, tmp_path: Path) -> None:
    """SummaryWriter, SummaryCollector, and checkpoints beside them."""
    subprocess.run([sys.executable, "-c", WRITERS, f"s3://{BUCKET}/all"], check=True, timeout=120)
    wait_until(lambda: not any((tmp_path / "spool").iterdir()))
    runs = server.open(f"s3://{BUCKET}/all").runs
    assert runs["writer"].scalars("loss").step.tolist() == list(range(20))
    assert len(runs["collector"].scalars("loss/auto").step) == 8
    assert sum(key.startswith("all/checkpoints/") and key.endswith(".ckpt") for key in objects(store)) == 2


def test_golden_files_in_pieces_are_equal(store: S3Server) -> None:
    """Whatever the bounds of the pieces are."""
    for path in sorted(path for path in GOLDEN.rglob("*") if path.is_file() and "events" in path.name):
        content, key = path.read_bytes(), f"golden/{path.relative_to(GOLDEN)}"
        for offset in range(0, len(content), 1000):
            store.put(f"{key}.piece-{offset:016}", content[offset : offset + 1000])
    remote, local = server.open(f"s3://{BUCKET}/golden"), server.open(GOLDEN)
    for name, expected in local.runs.items():
        assert remote.runs[name].tags() == expected.tags()
        for tag in expected.tags("scalar"):
            assert remote.runs[name].scalars(tag).value.tobytes() == expected.scalars(tag).value.tobytes()
