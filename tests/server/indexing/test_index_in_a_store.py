"""An index in an object store: how many requests a server needs to start with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.event_files import loss_run
from support.indexed_runs import assert_equal_to_a_first_load
from support.s3_server import BUCKET, S3Server, s3_server
from support.store_proxy import StoreProxy, store_proxy

from toposcope.executors import workers_on
from toposcope.server.indexing.indexing import index_logdir
from toposcope.server.loading.logdir import Logdir
from toposcope.server.reading.index.index import open_index
from toposcope.server.reading.index.packs.pack_contents import NAME
from toposcope.server.runs.run import RunView

RUNS = 12
LISTING, CONTENTS = 1, 1


@pytest.fixture(scope="module")
def store() -> Iterator[tuple[S3Server, StoreProxy]]:
    """Return a server with an empty bucket, and a proxy in front of it to which the environment leads."""
    with s3_server() as server, store_proxy(server.url) as proxy, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        patch.setenv("AWS_ENDPOINT_URL", proxy.url)
        yield server, proxy


def start(logdir: Path, own: Path, index: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, RunView]:
    """Return the runs that a new server loads whose own index is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(own))
    loading = Logdir(str(logdir), 0, open_index(index))
    loading.step()
    loading.stop_loading()
    return dict(loading.snapshot.runs)


def test_packs_take_one_request(
    store: tuple[S3Server, StoreProxy], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many packs there are; those that are newer than the object of contents take requests of their own."""
    server, proxy = store
    logdir, index = tmp_path / "runs", f"s3://{BUCKET}/index"
    for number in range(RUNS):
        loss_run(logdir / str(number), range(5))
    with workers_on("processes:1") as workers:
        assert index_logdir(str(logdir), index, workers, task_runs=1).indexed == RUNS
        proxy.requests.clear()
        runs = start(logdir, tmp_path / "own", index, monkeypatch)
        assert len(proxy.requests) == LISTING + CONTENTS
        assert_equal_to_a_first_load(runs, logdir)

        server.put(f"index/shared/{NAME}", b"damaged")
        runs = start(logdir, tmp_path / "second", index, monkeypatch)
        assert_equal_to_a_first_load(runs, logdir)

        # Contents of before: the pack of the new run is read, and the contents are written again.
        loss_run(logdir / "new", range(5))
        assert index_logdir(str(logdir), index, workers).indexed == 1
        proxy.requests.clear()
        assert len(start(logdir, tmp_path / "third", index, monkeypatch)) == RUNS + 1
        assert len(proxy.requests) == LISTING + CONTENTS
