"""Runs in an object store, behind a real server of the S3 protocol."""

import os
import random
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import http
from support.event_files import GOLDEN, loss_run
from support.s3_server import BUCKET, S3Server, s3_server
from support.servers import run, start, stop, wait_until

from toposcope import server
from toposcope.server.places.stores.object_store import ObjectStore
from toposcope.server.values.image import Image

CONTENT = random.Random(0).randbytes(3_000_000)


@pytest.fixture(scope="module")
def store() -> Iterator[S3Server]:
    """Return a server of the S3 protocol, to which the variables of the environment lead."""
    with s3_server() as store, pytest.MonkeyPatch.context() as patch:
        for name, value in store.environment.items():
            patch.setenv(name, value)
        store.put("blob/content", CONTENT)
        yield store


def encoded(series: Iterable[list[Image]]) -> list[list[bytes]]:
    """Return the recorded bytes of images, by step."""
    return [[bytes(image.encoded) for image in images] for images in series]


def test_golden_runs_equal_those_on_disk(store: S3Server) -> None:
    """Runs, tags, points and recorded values are the same as those that are read from a local disk."""
    store.put_tree(GOLDEN, "golden")
    remote, local = server.open(f"s3://{BUCKET}/golden"), server.open(GOLDEN)

    assert remote.runs.keys() == local.runs.keys()
    assert len(local.runs) > 5
    for name, expected in local.runs.items():
        found = remote.runs[name]
        assert found.tags() == expected.tags()
        for tag in expected.tags("scalar"):
            for column, other in zip(found.scalars(tag), expected.scalars(tag), strict=True):
                np.testing.assert_array_equal(column, other)
        for tag in expected.tags("image"):
            assert encoded(found.images(tag)) == encoded(expected.images(tag))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
@given(st.lists(st.tuples(st.integers(0, 3_100_000), st.integers(0, 700_000)), max_size=8))
def test_reads_equal_slices(store: S3Server, ranges: list[tuple[int, int]]) -> None:
    """Any ranges in any order, also beyond the end, and the whole object in windows."""
    del store
    place = ObjectStore(f"s3://{BUCKET}")
    file = place.open(f"s3://{BUCKET}/blob/content")
    for offset, length in ranges:
        assert file.read(offset, length) == CONTENT[offset : offset + length]
    windows = [file.read(offset, 512 << 10) for offset in range(0, len(CONTENT), 512 << 10)]
    assert b"".join(windows) == CONTENT


def test_server_follows_growth_and_keeps_what_it_read(store: S3Server, tmp_path: Path) -> None:
    """New points appear within the reload interval; without the store the runs stay, and the problem is reported."""
    del store
    path = loss_run(tmp_path / "run", range(5))
    key = f"live/run/{path.name}"
    with s3_server() as other:
        other.put(key, path.read_bytes())
        arguments = ["--reload-interval", "0.2", "--workers", "2"]
        process, url = start(f"s3://{BUCKET}/live", *arguments, **(dict(os.environ) | other.environment))

        def steps() -> list[int]:
            reply = http.get(f"{url}api/scalars", params={"run": "run", "tag": "loss"}).json()
            return [step for series in reply["series"] for step in series["step"]]

        wait_until(lambda: steps() == [0, 1, 2, 3, 4])
        other.put(key, loss_run(tmp_path / "run", range(8), seconds=2).read_bytes())
        wait_until(lambda: len(steps()) == 8)
        other.process.send_signal(signal.SIGKILL)
        problems = wait_until(lambda: http.get(f"{url}api/health").json()["problems"], 60)
    assert f"s3://{BUCKET}/live" in problems
    assert len(steps()) == 8
    stop(process)


def test_invalid_addresses_are_one_line(store: S3Server) -> None:
    """The error names the address."""
    del store
    ended = run("--logdir", "s3://", "--port", "0")
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "'s3://" in ended.stderr
