"""Sweeps: many losses measured by workers, some of which fail."""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.bowl_network import Bowl, bowl_callback, copy_trained_bowl
from support.landscape_events import journals, newest, published
from support.small_files import small_files

from toposcope.recorder.landscapes import Progress, SummaryLandscape
from toposcope.recorder.landscapes.sweep import workers
from toposcope.recorder.landscapes.sweep.measuring import ModelError
from toposcope.recorder.training import Model

TAG = "landscape_[1, 12]"
INTERVAL: dict[str, Any] = {"collect_landscape": {"create_landscape": {"result": False}}}
LARGE: dict[str, Any] = {
    "collect_landscape": {"create_landscape": {"result": False}, "landscape_size": 200},
    "levels": 2,
}


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    """Two processes, which are shared by tests."""
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        yield pool


def compute(directory: Path, network: Any = Bowl, **options: Any) -> dict[str, Any]:
    """Compute the landscapes of a bowl, and return the journals."""
    if not (directory / "ckpt_dir").exists():
        copy_trained_bowl(directory)
    SummaryLandscape(directory).gen_landscapes_with_multi_process(bowl_callback(network), **options)
    return journals(directory)


def test_any_workers_give_the_same_bits(tmp_path: Path, processes: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, in two others, in two threads, and in this one with the processes that are worth starting."""
    here = compute(tmp_path / "here")
    with ThreadPoolExecutor(2) as threads:
        assert compute(tmp_path / "threads", executor=threads) == here
    assert compute(tmp_path / "processes", executor=processes) == here
    monkeypatch.setattr(workers, "_MIN_SECONDS_FOR_PROCESSES", 0)
    assert compute(tmp_path / "ours") == here
    assert sum(map(len, here.values())) == 12 + 12 + 81 + 1 + 81
    for name in ("threads", "processes", "ours"):
        assert published(tmp_path / name) == published(tmp_path / "here")


def test_another_seed_gives_another_random_plane(tmp_path: Path) -> None:
    """And the same interval."""
    first, second = compute(tmp_path / "0"), compute(tmp_path / "1", seed=1)
    same = [losses for losses in first.values() if losses in second.values()]
    assert [len(losses) for losses in same] == [12 + 12 + 81]


class Mortal(Bowl):
    """Ends its process unless that is the test's: at one node always, at another one once."""

    def __init__(self, marker: Path) -> None:
        super().__init__()
        self._marker = marker

    def eval_step(self, samples: Any) -> tuple[float, Any, Any]:
        """Return the mean loss, or die."""
        weight = float(self._weights["body.weight"][0, 0])
        if multiprocessing.parent_process() is not None and weight < -0.32:
            is_first = not self._marker.exists()
            self._marker.touch()
            if weight < -0.34 or is_first:
                os.kill(os.getpid(), signal.SIGKILL)
        return super().eval_step(samples)


def test_place_that_kills_its_workers_is_a_hole_and_no_other_loss_is_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """After three workers; a worker that dies elsewhere is replaced. The next call tries again."""
    copy_trained_bowl(tmp_path)
    (disturbed,) = compute(tmp_path, lambda: Mortal(tmp_path / "mark"), device_ids=[0, 1], **INTERVAL).values()
    assert len(disturbed) == 12 + 12 + 80
    assert caplog.text.count("has died") in (3, 4)
    assert caplog.text.count("3 attempts failed") == 1
    details = newest(tmp_path)[TAG].details
    assert details is not None
    assert (int(details.measured.known.sum()), int(np.isnan(details.measured.z).sum())) == (81, 1)

    (complete,) = compute(tmp_path, **INTERVAL).values()
    (undisturbed,) = compute(tmp_path / "undisturbed", **INTERVAL).values()
    assert complete == undisturbed
    assert disturbed.items() <= undisturbed.items()
    details = newest(tmp_path)[TAG].details
    assert details is not None
    assert not np.isnan(details.measured.z).any()


def test_worker_without_a_model_is_reported_with_its_traceback(tmp_path: Path) -> None:
    """The exception of callback_fn in the worker."""

    def network() -> Bowl:
        if multiprocessing.parent_process() is not None:
            raise RuntimeError("no data on this machine")
        return Bowl()

    with pytest.raises(ModelError, match="no data on this machine"):
        compute(tmp_path, network, device_ids=[0, 1])


def test_worker_with_other_samples_is_reported(tmp_path: Path, processes: Executor) -> None:
    """With a shuffled dataset, losses of different samples would be mixed unnoticed."""
    copy_trained_bowl(tmp_path)

    def shuffled() -> Any:
        network = Bowl()
        return Model(network), network, [(np.random.default_rng().uniform(size=32),)], {"Loss"}

    with pytest.raises(ModelError, match="other samples than in the process"):
        SummaryLandscape(tmp_path).gen_landscapes_with_multi_process(shuffled, executor=processes)


def test_broken_executor_is_reported(tmp_path: Path) -> None:
    """The user must replace it; measured losses are stored."""
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(RuntimeError, match="shutdown"):
        compute(tmp_path, executor=pool)
    assert journals(tmp_path)


def test_interruption_keeps_measured_losses(tmp_path: Path) -> None:
    """Ctrl-C: the next call resumes, and nothing is measured twice."""
    known: list[int] = []

    def interrupt(progress: Progress) -> None:
        known.append(progress.done)
        if len(known) == 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compute(tmp_path, progress=interrupt)
    assert known == list(range(1, 41))
    resumed = compute(tmp_path, progress=interrupt)
    assert known == list(range(1, 188))
    assert resumed == compute(tmp_path / "undisturbed")


def test_full_disk_is_reported_and_the_next_call_resumes(tmp_path: Path) -> None:
    """No measured loss is lost, and nothing is measured twice."""
    known: list[int] = []
    full = ExitStack()

    def fill(progress: Progress) -> None:
        known.append(progress.done)
        if len(known) == 40:
            longest = max(path.stat().st_size for path in tmp_path.rglob("journal"))
            full.enter_context(small_files(longest + 10))

    with full, pytest.raises(OSError, match=r"File too large: '.*journal'"):
        compute(tmp_path, progress=fill)
    assert sum(map(len, journals(tmp_path).values())) == 40
    resumed = compute(tmp_path, progress=fill)
    assert known == list(range(1, 188))
    assert resumed == compute(tmp_path / "undisturbed")


def test_landscape_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    """Its losses are stored: the next call publishes it and measures nothing."""
    copy_trained_bowl(tmp_path)
    measured: list[Progress] = []
    full = ExitStack()

    def fill(progress: Progress) -> None:
        measured.append(progress)
        if progress.done == progress.total:
            full.enter_context(small_files(100_000))  # More than journals need.

    with full, pytest.raises(OSError, match="File too large"):
        compute(tmp_path, progress=fill, **LARGE)
    (losses,) = journals(tmp_path).values()
    assert len(losses) == len(measured)
    assert compute(tmp_path, progress=fill, output=tmp_path / "again", **LARGE) == journals(tmp_path)
    assert len(losses) == len(measured)
    assert newest(tmp_path / "again")[TAG].z.shape == (200, 200)
