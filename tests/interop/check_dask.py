"""Indexing on a real cluster of Dask: a scheduler and two worker processes, with the runs on a disk and in a store."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.bowl_network import bowl_callback, copy_trained_bowl
from support.clusters import DaskCluster, dask_cluster
from support.event_files import GOLDEN, loss_run
from support.indexed_runs import assert_equal_to_a_first_load, described, start
from support.lakes import content
from support.landscape_command import measure_by_command
from support.landscape_events import journals
from support.s3_server import BUCKET, S3Server, s3_server
from support.servers import wait_until
from support.store_proxy import store_proxy

from toposcope.executors import workers_on
from toposcope.recorder.landscapes import SummaryLandscape
from toposcope.server.indexing.indexing import Progress, index_logdir
from toposcope.server.indexing.lake import write_lake_of
from toposcope.server.lake.compaction import Limits, compact
from toposcope.server.lake.folder import LocalFolder
from toposcope.server.loading.load_once import load_logdir
from toposcope.server.loading.logdir import Logdir
from toposcope.server.places.stores.object_store import ObjectStore
from toposcope.server.reading.index.index import open_index


@pytest.fixture(scope="module")
def store() -> Iterator[S3Server]:
    """Return a server of the S3 protocol, to which the variables of the environment lead."""
    with s3_server() as store, pytest.MonkeyPatch.context() as patch:
        for name, value in store.environment.items():
            patch.setenv(name, value)
        yield store


@pytest.fixture
def cluster(store: S3Server, tmp_path: Path) -> Iterator[DaskCluster]:
    """Return a scheduler and two workers."""
    with dask_cluster(tmp_path, 2) as cluster:
        yield cluster


def test_worker_killed_in_the_middle(tmp_path: Path, cluster: DaskCluster) -> None:
    """The other worker does its tasks; the index is equal to a first load, and nothing else is read."""
    for number in range(200):
        loss_run(tmp_path / f"runs/{number}", range(500))
    shutil.copytree(GOLDEN, tmp_path / "runs/golden")

    def kill(progress: Progress) -> None:
        if progress.files >= 10:
            cluster.workers[0].send_signal(signal.SIGKILL)

    with workers_on(f"dask://{cluster.address}") as workers:
        summary = index_logdir(str(tmp_path / "runs"), str(tmp_path / "index"), workers, progress=kill, task_runs=5)
    assert cluster.workers[0].wait(10) == -signal.SIGKILL
    assert (summary.indexed, summary.problems) == (summary.files, {})
    runs, opened = start(tmp_path / "runs", tmp_path / "index")
    assert opened == []
    assert_equal_to_a_first_load(runs, tmp_path / "runs")


def test_worker_killed_while_a_lake_is_written(tmp_path: Path, cluster: DaskCluster) -> None:
    """The other worker writes its parts; the rows are those of one process, and the next call has nothing to write."""
    for number in range(60):
        loss_run(tmp_path / f"runs/{number}", range(1000))
    logdir, index, lake = (str(tmp_path / name) for name in ("runs", "index", "lake"))
    limits = Limits(points=2000, runs=2)
    with workers_on(f"dask://{cluster.address}") as workers, ThreadPoolExecutor(1) as thread:
        index_logdir(logdir, index, workers)
        writing = thread.submit(write_lake_of, logdir, index, lake, workers, limits=limits)
        wait_until(lambda: len(list(Path(lake, "scalars").glob("*.parquet"))) >= 3)
        cluster.workers[0].send_signal(signal.SIGKILL)
        assert not writing.done()
        assert writing.result().written_parts == 30
        assert write_lake_of(logdir, index, lake, workers, limits=limits).written_parts == 0
    compact(LocalFolder(str(tmp_path / "expected")), load_logdir(logdir).runs)
    assert content(tmp_path / "lake") == content(tmp_path / "expected")


def test_workers_without_toposcope_are_refused(tmp_path: Path) -> None:
    """With one error, before any task."""
    loss_run(tmp_path / "runs/a", range(5))
    with (
        dask_cluster(tmp_path, 1, {"PYTHONPATH": ""}) as cluster,
        workers_on(f"dask://{cluster.address}") as workers,
        pytest.raises(ModuleNotFoundError, match="the workers cannot run Toposcope"),
    ):
        index_logdir(str(tmp_path / "runs"), str(tmp_path / "index"), workers)


def test_index_in_a_store(
    tmp_path: Path, store: S3Server, cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers read runs from the store and write packs there; a server reads these and no event file."""
    for number in range(100):
        loss_run(tmp_path / f"runs/{number}", range(50))
    shutil.copytree(GOLDEN, tmp_path / "runs/golden")
    store.put_tree(tmp_path / "runs", "runs")
    logdir, index = f"s3://{BUCKET}/runs", f"s3://{BUCKET}/index"
    command = [sys.executable, "-m", "toposcope.server.cli", "index", logdir]
    command += ["--on", f"dask://{cluster.address}", "--index-dir", index]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "files indexed, 0 were up to date" in done.stdout

    with store_proxy(store.url) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
        loading = Logdir(logdir, 0, open_index(index), ObjectStore(logdir))
        loading.step()
        loading.stop_loading()
        read = [request.path for request in proxy.reads()]
        assert [path for path in read if not path.startswith(f"/{BUCKET}/index/shared/")] == []
        assert len(read) <= 3
    monkeypatch.setenv("AWS_ENDPOINT_URL", store.url)
    runs = loading.snapshot.runs
    expected = load_logdir(logdir, verify=True).runs
    assert list(runs) == list(expected)
    for name, run in runs.items():
        assert [described(file) for file in run.files] == [described(file) for file in expected[name].files]

    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ": 0 files indexed" in again.stdout


def test_landscapes_of_checkpoints_in_a_bucket(tmp_path: Path, store: S3Server, cluster: DaskCluster) -> None:
    """The workers of a cluster measure the same bits as this process; the landscapes are written to the bucket."""
    (tmp_path / "here").mkdir()
    copy_trained_bowl(tmp_path / "here")
    store.put_tree(tmp_path / "here", "bowl")
    SummaryLandscape(tmp_path / "here").gen_landscapes_with_multi_process(bowl_callback())
    options = ("--on", f"dask://{cluster.address}", "--checkpoints", "fetched")
    measure_by_command(tmp_path, f"s3://{BUCKET}/bowl", *options, TOPOSCOPE_SPOOL=str(tmp_path / "spool"))

    assert journals(tmp_path / "fetched") == journals(tmp_path / "here")
    assert load_logdir(f"s3://{BUCKET}/bowl").runs["."].tags == load_logdir(str(tmp_path / "here")).runs["."].tags
