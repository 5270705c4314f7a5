"""Real writers and a real server: no point is lost or duplicated, and the server logs nothing."""

import itertools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.event_files import landscape_event, loss_run, scalar_event, version_event, write_run
from support.servers import SLOW_SECONDS, start, stop, wait_until

from toposcope.proto import framing, summary_pb2

RECORDER = """
import sys, time
import numpy as np
from toposcope.recorder import SummaryRecord
folder, first, last, size, is_endless = sys.argv[1], *map(int, sys.argv[2:6])
with SummaryRecord(folder, max_file_size=size or None, flush_seconds=0.05) as recorder:
    for step in range(first, last):
        recorder.add_value("scalar", "loss", 1 / step)
        if step % 20 == 0:
            recorder.add_value("tensor", "weights", np.full(3000, step, np.float32))
        recorder.record(step)
    recorder.flush()
    print("flushed", flush=True)
    while is_endless:
        time.sleep(1)
"""
RAW = """
import sys
for line in sys.stdin:
    path, _, content = line.strip().partition(" ")
    with open(path, "ab", buffering=0) as grows:
        grows.write(bytes.fromhex(content))
    print("written", flush=True)
"""

Write = Callable[[Path, bytes], None]
"""Appends bytes to a file."""


@pytest.fixture(params=["watching", "polling"])
def logdir(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return an empty logdir; if it contains a link to a directory, changes are not reported and the server polls."""
    folder = tmp_path / "runs"
    folder.mkdir()
    if request.param == "polling":
        (tmp_path / "elsewhere").mkdir()
        (folder / "linked").symlink_to(tmp_path / "elsewhere")
    return folder


@pytest.fixture
def client(logdir: Path, tmp_path: Path) -> Iterator[httpx.Client]:
    """Serve the logdir; check at the end that nothing was logged."""
    process, url = start(logdir, "--reload-interval", "0.2", "--index-dir", str(tmp_path / "index"))
    with httpx.Client(base_url=url, timeout=SLOW_SECONDS) as client:
        yield client
    assert stop(process)[1] == ""


@pytest.fixture
def write() -> Iterator[Write]:
    """Return a function that makes another process append bytes to a file."""
    process = subprocess.Popen([sys.executable, "-c", RAW], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin
    assert process.stdout
    stdin, stdout = process.stdin, process.stdout

    def append(path: Path, content: bytes) -> None:
        stdin.write(f"{path} {content.hex()}\n")
        stdin.flush()
        assert stdout.readline() == "written\n"

    yield append
    process.communicate(timeout=SLOW_SECONDS)


def record(folder: Path, first: int, last: int, size: int = 0, is_endless: bool = False) -> subprocess.Popen[str]:
    """Start a training in a separate process; return when what it recorded was flushed."""
    arguments = [str(folder), str(first), str(last), str(size), str(int(is_endless))]
    process = subprocess.Popen([sys.executable, "-c", RECORDER, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "flushed\n"
    return process


def steps(client: httpx.Client, run: str, attempt: str | None = None) -> list[int]:
    """Return the steps of loss; none if there is no such run yet."""
    query: dict[str, str | int] = {"tag": "loss", "run": run, "points": 0}
    if attempt:
        query["attempt"] = attempt
    series: list[dict[str, Any]] = client.get("api/scalars", params=query).json().get("series", [])
    return series[0]["step"] if series else []


def described(client: httpx.Client, run: str) -> dict[str, Any]:
    """Return the entry of a run in /api/runs; empty if there is none."""
    return next((row for row in client.get("api/runs").json()["runs"] if row["run"] == run), {})


def test_rotated_files_are_read(logdir: Path, client: httpx.Client) -> None:
    """Scalars and tensors in many small files are read once and in order."""
    process = record(logdir / "a", 1, 1001, size=30_000)
    process.communicate(timeout=SLOW_SECONDS)
    assert len(list((logdir / "a").iterdir())) > 5

    wait_until(lambda: steps(client, "a") == list(range(1, 1001)))

    query: dict[str, str | int] = {"run": "a", "tag": "weights", "limit": 1000}
    tensors = wait_until(lambda: client.get("api/tensors", params=query).json()["tensors"])
    assert [tensor["step"] for tensor in tensors] == list(range(20, 1001, 20))
    assert [tensor["mean"] for tensor in tensors] == [float(step) for step in range(20, 1001, 20)]
    assert (described(client, "a")["attempts"], described(client, "a")["damaged_records"]) == (1, 0)


def test_restart_is_a_new_attempt(logdir: Path, client: httpx.Client) -> None:
    """A training that was killed and resumed from a checkpoint is stitched; all points of both are kept."""
    killed = record(logdir / "a", 1, 101, is_endless=True)
    wait_until(lambda: steps(client, "a") == list(range(1, 101)))
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=SLOW_SECONDS)
    record(logdir / "a", 81, 151).communicate(timeout=SLOW_SECONDS)

    wait_until(lambda: steps(client, "a") == list(range(1, 151)))

    assert steps(client, "a", "all") == [*range(1, 101), *range(81, 151)]
    assert steps(client, "a", "1") == list(range(1, 101))
    assert described(client, "a")["attempts"] == 2
    weights = client.get("api/tensors", params={"run": "a", "tag": "weights", "attempt": "all"}).json()["tensors"]
    stitched = client.get("api/tensors", params={"run": "a", "tag": "weights"}).json()["tensors"]
    assert [tensor["step"] for tensor in weights] == [20, 40, 60, 80, 100, 100, 120, 140]
    assert [tensor["step"] for tensor in stitched] == [20, 40, 60, 80, 100, 120, 140]


def test_records_written_in_pieces_are_read_when_complete(logdir: Path, client: httpx.Client, write: Write) -> None:
    """However a writer splits its records, each is read as soon as it is complete, small or large."""
    path = loss_run(logdir / "a", range(3))
    event = summary_pb2.Event(wall_time=50.0, step=3)
    event.summary.value.add(tag="loss", scalar_value=1.0)
    event.summary.value.add(tag="picture").image.encoded_image = b"x" * 20_000
    large = framing.frame(event.SerializeToString())
    wait_until(lambda: steps(client, "a") == [0, 1, 2])
    for first, last in itertools.pairwise([0, 5, 12, 13, 40, 5000, len(large) - 1]):
        write(path, large[first:last])
    assert steps(client, "a") == [0, 1, 2]
    write(path, large[-1:])
    wait_until(lambda: steps(client, "a") == [0, 1, 2, 3])
    write(path, scalar_event(60.0, 4, {"loss": 1.0}))
    wait_until(lambda: steps(client, "a") == [0, 1, 2, 3, 4])

    assert described(client, "a")["damaged_records"] == 0


@pytest.mark.parametrize("logdir", ["watching"], indirect=True)
def test_incomplete_record_of_a_killed_writer_is_not_damage(logdir: Path, client: httpx.Client, write: Write) -> None:
    """The file of the writer that follows is read too."""
    path = loss_run(logdir / "a", range(10))
    write(path, scalar_event(50.0, 10, {"loss": 1.0})[:30])
    wait_until(lambda: steps(client, "a") == list(range(10)))

    loss_run(logdir / "a", range(10, 20), seconds=100)

    wait_until(lambda: steps(client, "a") == list(range(20)))
    assert described(client, "a")["damaged_records"] == 0


@pytest.mark.parametrize("logdir", ["watching"], indirect=True)
def test_two_live_writers_in_one_directory_are_both_shown(logdir: Path, client: httpx.Client, write: Write) -> None:
    """Two processes that write the same tag at the same time hide no points of each other; equal steps are counted."""
    paths = [loss_run(logdir / "a", range(3), seconds=seconds) for seconds in (1, 2)]
    for step in range(3, 30):
        for number, path in enumerate(paths):
            write(path, scalar_event(5.0 + step + number / 2, step, {"loss": float(number)}))

    wait_until(lambda: len(steps(client, "a")) == 60)

    query: dict[str, str | int] = {"tag": "loss", "run": "a", "points": 1000}
    (drawn,) = client.get("api/scalars", params=query).json()["series"]
    assert (drawn["total"], drawn["duplicates"], drawn["step"]) == (60, 30, list(range(30)))
    assert described(client, "a")["attempts"] == 1


@pytest.mark.parametrize("left", [0, 30])
def test_truncated_file_is_read_again(logdir: Path, client: httpx.Client, write: Write, left: int) -> None:
    """A file that is truncated and continued has only its current points."""
    path = loss_run(logdir / "a", range(50))
    wait_until(lambda: steps(client, "a") == list(range(50)))

    os.truncate(path, left)
    content = version_event(1.0) + b"".join(scalar_event(200.0 + step, step, {"loss": 1.0}) for step in range(7, 10))
    write(path, content[left:])

    wait_until(lambda: steps(client, "a") == [7, 8, 9])
    assert described(client, "a")["damaged_records"] == 0


@pytest.mark.parametrize("logdir", ["watching"], indirect=True)
def test_file_replaced_by_rename_is_read_again(logdir: Path, client: httpx.Client, tmp_path: Path) -> None:
    """As written by rsync and editors: to a temporary file, which is then renamed."""
    path = loss_run(logdir / "a", range(50))
    wait_until(lambda: steps(client, "a") == list(range(50)))

    os.replace(loss_run(tmp_path / "new", range(100, 300)), path)

    wait_until(lambda: steps(client, "a") == list(range(100, 300)))


def test_directories_are_renamed_and_removed(logdir: Path, client: httpx.Client, write: Write) -> None:
    """A run that is renamed, removed and created again is listed with its current name and points."""
    path = loss_run(logdir / "a", range(50))
    wait_until(lambda: steps(client, "a") == list(range(50)))
    (logdir / "a").rename(logdir / "b")
    wait_until(lambda: not described(client, "a") and steps(client, "b") == list(range(50)))
    write(logdir / "b" / path.name, scalar_event(200.0, 50, {"loss": 1.0}))
    wait_until(lambda: steps(client, "b") == list(range(51)))
    shutil.rmtree(logdir / "b")
    wait_until(lambda: client.get("api/runs").json()["runs"] == [])
    loss_run(logdir / "a", range(5))
    wait_until(lambda: steps(client, "a") == list(range(5)))


@pytest.mark.parametrize("logdir", ["watching"], indirect=True)
def test_by_products_of_landscapes_hide_no_points(logdir: Path, client: httpx.Client) -> None:
    """A second file with landscapes and scalars at step 0 is not a restart."""
    loss_run(logdir / "a", range(1, 50))
    write_run(logdir / "a", [landscape_event(100.0, "landscape", {"loss": 9.0})], seconds=90)

    wait_until(lambda: described(client, "a").get("plugins") == {"scalar": 1, "landscape": 1})

    assert steps(client, "a") == list(range(1, 50))
    assert steps(client, "a", "all") == [*range(1, 50), 0]
    assert described(client, "a")["attempts"] == 1


@pytest.mark.parametrize("logdir", ["watching"], indirect=True)
def test_ranks_have_separate_series_of_payloads(logdir: Path, client: httpx.Client) -> None:
    """Each rank has its own series of texts."""
    for rank in (0, 3):
        event = summary_pb2.Event(wall_time=5.0, step=1 + rank)
        event.summary.value.add(tag="note").text = f"rank {rank}"
        write_run(logdir / "a", [framing.frame(event.SerializeToString())], rank=rank)

    wait_until(lambda: described(client, "a").get("ranks") == [0, 3])

    for rank in (0, 3):
        reply = client.get("api/text", params={"run": "a", "tag": "note", "rank": rank}).json()
        assert [text["step"] for text in reply["texts"]] == [1 + rank]
