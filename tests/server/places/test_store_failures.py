"""Stores that fail, are slow, or are gone for a while; and how many requests are made."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support import http
from support.event_files import GOLDEN, loss_run
from support.s3_server import BUCKET, S3Server, s3_server
from support.servers import start, stop, wait_until
from support.store_proxy import StoreProxy, store_proxy

from toposcope import server


@contextlib.contextmanager
def proxied(store: S3Server) -> Iterator[tuple[StoreProxy, dict[str, str]]]:
    """Start a proxy in front of a store; return it and the variables that lead clients to it."""
    with store_proxy(store.url) as proxy:
        yield proxy, store.environment | {"AWS_ENDPOINT_URL": proxy.url}


def points(url: str) -> int:
    """Return the number of points of the loss of the run."""
    reply = http.get(f"{url}api/scalars", params={"run": "run", "tag": "loss"})
    return sum(series["total"] for series in reply.json()["series"]) if reply.status_code == 200 else 0


def test_runs_are_equal_if_every_tenth_request_fails_and_all_are_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed requests are repeated: nothing is missing and no problem is left."""
    with s3_server() as store, proxied(store) as (proxy, environment):
        store.put_tree(GOLDEN, "golden")
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        proxy.fail_every, proxy.delay = 10, 0.02
        remote, local = server.open(f"s3://{BUCKET}/golden"), server.open(GOLDEN)
        assert proxy.failed == len(proxy.requests) // 10 > 1
    assert remote.problems == local.problems
    assert remote.runs.keys() == local.runs.keys()
    for name, expected in local.runs.items():
        assert remote.runs[name].tags() == expected.tags()
        for tag in expected.tags("scalar"):
            for column, other in zip(remote.runs[name].scalars(tag), expected.scalars(tag), strict=True):
                np.testing.assert_array_equal(column, other)


def test_server_goes_on_when_the_store_is_back(tmp_path: Path) -> None:
    """The store is killed, and another one with more points takes its place: they appear, and no problem is left."""
    path = loss_run(tmp_path / "run", range(5))
    key = f"live/run/{path.name}"
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(s3_server())
        proxy, environment = stack.enter_context(proxied(store))
        store.put(key, path.read_bytes())
        process, url = start(f"s3://{BUCKET}/live", "--reload-interval", "0.2", **environment)
        wait_until(lambda: points(url) == 5)
        store.process.kill()
        store.process.wait()
        wait_until(lambda: http.get(f"{url}api/health").json()["problems"])
        stale = [run["run"] for run in http.get(f"{url}api/runs").json()["runs"] if run["stale"]]
        assert (points(url), stale) == (5, ["run"])
        other = stack.enter_context(s3_server())
        other.put(key, loss_run(tmp_path / "run", range(9), seconds=2).read_bytes())
        proxy.target = other.url
        wait_until(lambda: points(url) == 9, 60)
        wait_until(lambda: not http.get(f"{url}api/health").json()["problems"])
        stop(process)


def test_a_slow_store_is_listed_as_often_as_another_one(tmp_path: Path) -> None:
    """Waiting for it takes no processor time, which is what limits how often directories are listed."""
    with s3_server() as store, proxied(store) as (proxy, environment):
        store.put("slow/run/events.out.events.summary.1.0.host_MS", loss_run(tmp_path / "run", range(5)).read_bytes())
        process, url = start(f"s3://{BUCKET}/slow", "--reload-interval", "0.2", **environment)
        wait_until(lambda: points(url) == 5)
        proxy.delay = 1.0
        proxy.requests.clear()
        wait_until(lambda: len(proxy.requests) > 4)
        assert proxy.reads() == []
        stop(process)


def test_objects_that_did_not_change_are_not_requested(tmp_path: Path) -> None:
    """An idle server only lists; of an object that grew, one request reads what is new."""
    content = loss_run(tmp_path / "run", range(5000)).read_bytes()
    with s3_server() as store, proxied(store) as (proxy, environment):
        for number in range(6):
            store.put(f"many/other-{number}/events.out.events.summary.1.0.host_MS", content)
        store.put("many/run/events.out.events.summary.1.0.host_MS", content[:200_000])
        arguments = ["--reload-interval", "0.2", "--index-dir", str(tmp_path / "index")]
        process, url = start(f"s3://{BUCKET}/many", *arguments, **environment)
        wait_until(lambda: not http.get(f"{url}api/runs").json()["loading"])
        before = points(url)
        proxy.requests.clear()
        wait_until(lambda: len(proxy.requests) > 5)
        assert proxy.reads() == []
        store.put("many/run/events.out.events.summary.1.0.host_MS", content)
        wait_until(lambda: points(url) == 5000 > before)
        assert len(proxy.reads()) == 1
        stop(process)
        assert os.listdir(tmp_path / "index")
        proxy.requests.clear()
        process, url = start(f"s3://{BUCKET}/many", *arguments, **environment)
        wait_until(lambda: not http.get(f"{url}api/runs").json()["loading"])
        assert points(url) == 5000
        assert len(proxy.reads()) <= 7
        stop(process)


def test_many_objects_are_requested_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first bytes of objects are requested before these are opened: one after the other would take too long."""
    content = loss_run(tmp_path / "run", range(5)).read_bytes()
    with s3_server() as store, proxied(store) as (proxy, environment):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        for number in range(40):
            store.put(f"many/run-{number}/events.out.events.summary.1.0.host_MS", content)
        proxy.delay = 0.05
        logdir = server.open(f"s3://{BUCKET}/many")
        assert len(logdir.runs) == 40
        assert all(run.scalars("loss").step.tolist() == list(range(5)) for run in logdir.runs.values())
        assert len(proxy.reads()) == 40
        assert proxy.most_at_once >= 4


def test_an_object_that_was_replaced_by_another_recording_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only its end is compared with the index; a longer object with another end is read from its start."""
    with s3_server() as store:
        for name, value in store.environment.items():
            monkeypatch.setenv(name, value)
        key = "replaced/events.out.events.summary.1.0.host_MS"
        for steps in (range(500), range(300, 1200)):
            store.put(key, loss_run(tmp_path / f"run-{steps.start}", steps).read_bytes())
            logdir = server.open(f"s3://{BUCKET}/replaced", index_dir=tmp_path / "index")
            assert list(logdir.runs["."].scalars("loss").step) == list(steps)
