"""Recording to disks that are slow or stop responding."""

import functools
import os
import threading
from io import BufferedReader
from pathlib import Path

import numpy as np
import pytest
from support.servers import wait_until
from support.trainings import (
    NEVER,
    SLOW_SECONDS,
    lost_in,
    run_training,
)

from toposcope.proto import framing
from toposcope.proto.summary_pb2 import Event
from toposcope.recorder import SummaryRecord
from toposcope.recorder.writing import recording
from toposcope.recorder.writing.event_queue import EventQueue


class Pipe:
    """A pipe in place of a recorder's file: a disk that accepts 64 KiB, and more only after a read."""

    def __init__(self, recorder: SummaryRecord) -> None:
        recorder.flush()
        reading, writing = os.pipe()
        os.dup2(writing, descriptor_of(recorder.log_dir))
        os.close(writing)
        self._stream: BufferedReader = os.fdopen(reading, "rb")
        self.steps: list[int] = []
        self._reader = threading.Thread(target=self._read_all)

    def start_reading(self) -> None:
        """Start to read everything that is written, in a thread."""
        self._reader.start()

    def wait_until_closed(self) -> None:
        """Wait until everything has been read and the pipe is closed."""
        self._reader.join(SLOW_SECONDS)
        assert not self._reader.is_alive()
        self._stream.close()

    def _read_all(self) -> None:
        while head := self._stream.read(framing.HEADER_BYTES):
            payload = self._stream.read(framing.read_header(head).length)
            assert head + payload + self._stream.read(framing.FOOTER_BYTES) == framing.frame(payload)
            if (event := Event.FromString(payload)).HasField("summary"):
                self.steps.append(event.step)


def descriptor_of(path: str) -> int:
    """Return the descriptor of an open file of this process."""
    opened = Path("/proc/self/fd")
    if not opened.exists():
        pytest.skip("requires /proc")
    return next(int(entry.name) for entry in opened.iterdir() if os.path.realpath(entry) == path)


@pytest.mark.parametrize(("plugin", "total"), [("scalar", 10_000), ("tensor", 12)])
def test_slow_disk_slows_the_training_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plugin: str, total: int
) -> None:
    """A caller that is faster than the disk has to wait at some point, and all events are written."""
    monkeypatch.setattr(recording, "EventQueue", functools.partial(EventQueue, max_events=2048))
    value = 1.0 if plugin == "scalar" else np.ones(4 << 20, np.float32)
    recorder = SummaryRecord(tmp_path, flush_seconds=NEVER)
    pipe = Pipe(recorder)
    outcomes = []

    def record() -> None:
        for step in range(total):
            recorder.add_value(plugin, "x", value)
            outcomes.append(recorder.record(step))

    training = threading.Thread(target=record)
    training.start()
    wait_until(lambda: is_blocked(outcomes), SLOW_SECONDS)
    assert 0 < len(outcomes) < total
    pipe.start_reading()
    training.join(SLOW_SECONDS)
    recorder.close()
    pipe.wait_until_closed()

    assert outcomes == [True] * total
    assert pipe.steps == list(range(total))


def is_blocked(outcomes: list[bool]) -> bool:
    """Return whether the list is not empty and has stopped growing."""
    before = len(outcomes)
    threading.Event().wait(0.25)
    return before > 0 and len(outcomes) == before


def test_disk_that_stops_responding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A training waits a bounded time for a stalled disk; when it responds again, the kept events are written."""
    monkeypatch.setattr(recording, "EventQueue", functools.partial(EventQueue, stall_seconds=0.2))
    recorder = SummaryRecord(tmp_path, flush_seconds=NEVER)
    pipe = Pipe(recorder)
    outcomes = []
    for step in range(12):
        recorder.add_value("tensor", "x", np.ones(4 << 20, np.float32))
        outcomes.append(recorder.record(step))
    recorder.flush()
    pipe.start_reading()
    recorder.add_value("scalar", "loss", 1.0)

    def record_last() -> bool:
        recorder.flush()
        return recorder.record(12)

    wait_until(record_last, SLOW_SECONDS)
    recorder.close()
    pipe.wait_until_closed()

    assert outcomes == sorted(outcomes, reverse=True)
    assert set(outcomes) == {True, False}
    assert caplog.text.count("no progress for 0.2 seconds") == caplog.text.count("is written again") >= 1
    assert pipe.steps == sorted(pipe.steps)
    assert lost_in(caplog.text) == len({*range(13)} - set(pipe.steps)) > 0


def test_disk_that_stops_responding_does_not_block_the_exit(tmp_path: Path) -> None:
    """The process of a recorder whose disk has stalled exits nevertheless."""
    script = """
        import functools
        from toposcope.recorder.writing import recording
        from toposcope.recorder.writing.event_queue import EventQueue
        recording.EventQueue = functools.partial(EventQueue, stall_seconds=0.2)
        recorder = SummaryRecord(sys.argv[1], flush_seconds=1e6)
        recorder.flush()
        reading, writing = os.pipe()
        opened, = (n for n in os.listdir("/proc/self/fd") if os.path.realpath("/proc/self/fd/" + n) == recorder.log_dir)
        os.dup2(writing, int(opened))
        train(recorder, range(1000), "tensor")
    """
    ended = run_training(tmp_path, script, tmp_path / "run")

    assert ended.stderr.count("no progress for 0.2 seconds") == 1


@pytest.mark.parametrize(("plugin", "total"), [("scalar", 10_000), ("tensor", 24)])
def test_backlog_that_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, plugin: str, total: int
) -> None:
    """With on_backlog="drop" no call waits for a disk that accepts nothing; the log contains the number of dropped."""
    monkeypatch.setattr(recording, "EventQueue", functools.partial(EventQueue, max_events=2048))
    value = 1.0 if plugin == "scalar" else np.ones(4 << 20, np.float32)
    recorder = SummaryRecord(tmp_path, flush_seconds=NEVER, on_backlog="drop", raise_exception=True)
    pipe = Pipe(recorder)
    outcomes = []
    for step in range(total):  # Would wait for ever: nothing is read.
        recorder.add_value(plugin, "x", value)
        outcomes.append(recorder.record(step))
    pipe.start_reading()
    assert not recorder.flush()
    assert not recorder.close()
    pipe.wait_until_closed()

    recorded = [step for step, outcome in enumerate(outcomes) if outcome]
    assert pipe.steps == recorded
    assert 0 < len(recorded) < total
    assert f"{total - len(recorded)} events were dropped" in caplog.text
    assert "waited" not in caplog.text
    assert lost_in(caplog.text) == 0


def test_waits_are_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The time that calls have waited for a slow disk is logged at the end, as one line."""
    recorder = SummaryRecord(tmp_path, flush_seconds=NEVER)
    pipe = Pipe(recorder)
    outcomes: list[bool] = []

    def record() -> None:
        for step in range(12):
            recorder.add_value("tensor", "x", np.ones(4 << 20, np.float32))
            outcomes.append(recorder.record(step))

    training = threading.Thread(target=record)
    training.start()
    wait_until(lambda: is_blocked(outcomes), SLOW_SECONDS)
    pipe.start_reading()
    training.join(SLOW_SECONDS)
    assert recorder.close()
    pipe.wait_until_closed()

    assert outcomes == [True] * 12
    assert caplog.text.count("seconds for the disk, which is too slow") == 1
