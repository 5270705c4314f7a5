"""flush(durable=True): everything recorded before survives a failure of the machine."""

import os
import stat
import threading
from pathlib import Path

import pytest

from toposcope.recorder import SummaryRecord, custom_lineage


class Syncs:
    """The paths that were synced and their sizes at that time, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[tuple[str, int]] = []
        self._fsync = os.fsync
        monkeypatch.setattr(os, "fsync", self)

    def __call__(self, descriptor: int) -> None:
        status = os.fstat(descriptor)
        size = -1 if stat.S_ISDIR(status.st_mode) else status.st_size
        self._fsync(descriptor)
        self.calls.append((os.readlink(f"/proc/self/fd/{descriptor}"), size))


@pytest.fixture
def syncs(monkeypatch: pytest.MonkeyPatch) -> Syncs:
    """Observe fsync."""
    if not os.path.exists("/proc/self/fd"):
        pytest.skip("requires /proc")
    return Syncs(monkeypatch)


def test_durable_flush_syncs_before_it_returns(tmp_path: Path, syncs: Syncs) -> None:
    """The files of summaries and lineage are synced with all their bytes, and their directory once for each file."""
    recorder = SummaryRecord(tmp_path)
    for step in (1, 2):
        recorder.add_value("scalar", "loss", 1.0)
        recorder.add_value("custom_lineage_data", "settings", custom_lineage({"step": step}))
        recorder.record(step)
        assert recorder.flush(durable=True)

        files = sorted(path for path in map(str, tmp_path.iterdir()))
        sizes = {path: os.path.getsize(path) for path in files}
        assert [call for call in syncs.calls if call[1] >= 0] == [*sizes.items()]
        assert [path for path, size in syncs.calls if size < 0] == [str(tmp_path)] * (2 if step == 1 else 0)
        syncs.calls.clear()
    assert recorder.close()


def test_durable_flush_syncs_what_was_flushed_before(tmp_path: Path, syncs: Syncs) -> None:
    """Without new events the file is synced nevertheless; other flushes sync nothing."""
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("scalar", "loss", 1.0)
        recorder.record(1)
        assert recorder.flush()
        assert syncs.calls == []

        assert recorder.flush(durable=True)
        assert syncs.calls[0] == (recorder.log_dir, os.path.getsize(recorder.log_dir))


def test_failed_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """flush() returns or raises the error of fsync, and succeeds when the disk does."""
    recorder = SummaryRecord(tmp_path)
    fsync = os.fsync

    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    recorder.add_value("scalar", "loss", 1.0)
    recorder.record(1)
    monkeypatch.setattr(os, "fsync", fail)
    assert not recorder.flush(durable=True)
    monkeypatch.setattr(os, "fsync", fsync)
    assert recorder.flush(durable=True)
    assert recorder.close()


def test_durable_flushes_of_several_threads(tmp_path: Path, syncs: Syncs) -> None:
    """Every durable flush returns after a sync that began after it."""
    recorder, results = SummaryRecord(tmp_path), []

    def record(number: int) -> None:
        for step in range(20):
            recorder.add_value("scalar", str(number), 1.0)
            recorder.record(step)
            before = os.path.getsize(recorder.log_dir)
            results.append(recorder.flush(durable=True) and max(size for _, size in syncs.calls) >= before)

    threads = [threading.Thread(target=record, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == [True] * 80
    assert recorder.close()


def test_durable_must_be_a_bool(tmp_path: Path) -> None:
    """An invalid argument raises an error and loses nothing."""
    with SummaryRecord(tmp_path) as recorder:
        with pytest.raises(TypeError, match="durable must be True or False"):
            recorder.flush(durable=1)  # type: ignore[arg-type]
        assert recorder.flush(durable=True)
