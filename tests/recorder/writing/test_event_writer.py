"""The queue and its writer: order, timing, faults. A pipe simulates a disk that is slow or full."""

import logging
import os
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from support.written_events import ReadEvents

from toposcope.proto import framing
from toposcope.proto.summary_pb2 import Event
from toposcope.recorder.writing.encoding.event_encoder import EventEncoder, RecordedEvent
from toposcope.recorder.writing.event_queue import EventQueue
from toposcope.recorder.writing.event_writer import EventWriter
from toposcope.recorder.writing.files.event_file import EventFile, Naming, create_event_file
from toposcope.recorder.writing.files.rotating_file import RotatingFile
from toposcope.recorder.writing.heartbeat import Heartbeat

HEAD = framing.frame(Event(wall_time=0, version="head").SerializeToString())
NEVER = 1e6
PIPE_BYTES = 1 << 16
LARGE = 5 << 20


class Pipe:
    """A file that accepts 64 KiB, and more only after a read."""

    def __init__(self) -> None:
        self.reading, writing = os.pipe()
        self.file = EventFile("pipe", writing)
        self.descriptor = writing

    def read_event(self) -> Event:
        """Wait for the next record and return its event."""
        header = framing.read_header(self._read(framing.HEADER_BYTES))
        payload = self._read(header.length)
        assert self._read(framing.FOOTER_BYTES) == struct.pack("<I", framing.masked_crc(payload))
        return Event.FromString(payload)

    def _read(self, length: int) -> bytes:
        content = b""
        while len(content) < length:
            content += os.read(self.reading, length - len(content))
        return content


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    """Yield a pipe whose read end is closed after the test."""
    pipe = Pipe()
    yield pipe
    os.close(pipe.reading)


class Recording:
    """A queue, and the writer of its events to one file."""

    def __init__(self, file: EventFile, flush_seconds: float = NEVER, stall_seconds: float = 30) -> None:
        summaries = RotatingFile(lambda _: file, lambda _: HEAD)
        lineage = RotatingFile(lambda _: file, lambda _: b"")
        summaries.open_next()
        self.queue = EventQueue(file.path, flush_seconds, stall_seconds)
        self.writer = EventWriter(self.queue, EventEncoder(file.path), summaries, lineage, Heartbeat(NEVER))
        self.put, self.put_large, self.flush = self.queue.put, self.queue.put_large, self.queue.flush
        self.close = self.writer.close


def event_file(directory: Path) -> EventFile:
    """Create an event file."""
    return create_event_file(Naming(str(directory), "events", 0, "_MS"))


def full_disk() -> EventFile:
    """Open a file to which nothing can be written."""
    return EventFile("/dev/full", os.open("/dev/full", os.O_WRONLY))


def event(step: int, tag: str = "loss") -> RecordedEvent:
    """Return an event with one scalar."""
    return (1.0, step, {tag: 0.5}, None)


def test_head_and_events_are_written_in_order(tmp_path: Path, read_events: ReadEvents) -> None:
    """The file contains the head and then all events, in the order of put()."""
    file = event_file(tmp_path)
    recording = Recording(file)
    for step in range(1000):
        assert recording.put(event(step))

    assert recording.close()
    head, *events = read_events(file.path)
    assert head.version == "head"
    assert [event.step for event in events] == list(range(1000))


def test_events_are_written_after_flush_seconds(pipe: Pipe) -> None:
    """An event is written after flush_seconds, without a flush()."""
    recording = Recording(pipe.file, 0.01)
    pipe.read_event()
    for step in (1, 2):
        recording.put(event(step))

        assert pipe.read_event().step == step
    recording.close()


def test_large_queue_is_written_immediately(pipe: Pipe) -> None:
    """Above the high-water mark the writer does not wait for flush_seconds."""
    recording = Recording(pipe.file)
    recording.put_large(event(1), LARGE)

    assert (pipe.read_event().version, pipe.read_event().step) == ("head", 1)
    recording.close()


def test_every_event_wakes_the_writer(pipe: Pipe) -> None:
    """An event that is put while the writer is about to sleep wakes it: all are written without a flush()."""
    recording = Recording(pipe.file, 0.0005)
    barrier = threading.Barrier(4)

    def put(number: int) -> None:
        barrier.wait()
        for step in range(300):
            recording.put(event(step, str(number)))
            threading.Event().wait(0.0004)  # About flush_seconds, so that put() and the wait of the writer coincide.

    threads = [threading.Thread(target=put, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    _, *events = [pipe.read_event() for _ in range(1 + 4 * 300)]
    for thread in threads:
        thread.join()

    for number in range(4):
        steps = [event.step for event in events if event.summary.value[0].tag == str(number)]
        assert steps == list(range(300))
    recording.close()


def test_very_long_flush_seconds(pipe: Pipe) -> None:
    """If flush_seconds exceeds the longest wait of the platform, events are written by flush()."""
    recording = Recording(pipe.file, 1e300)
    pipe.read_event()
    recording.put(event(1))

    assert recording.flush()
    assert pipe.read_event().step == 1
    recording.close()


def test_flush_waits_until_events_are_written(pipe: Pipe) -> None:
    """After each flush() the file contains all events that were put before."""
    recording = Recording(pipe.file)
    os.set_blocking(pipe.reading, False)
    for step in range(3):
        recording.put(event(step))
        assert recording.flush()
    assert recording.flush()

    assert [pipe.read_event().step for _ in range(4)] == [0, 0, 1, 2]
    recording.close()


def test_flush_inside_a_call_of_the_same_thread(tmp_path: Path) -> None:
    """A signal handler may flush while the interrupted thread holds the writer's lock."""
    recording = Recording(event_file(tmp_path))
    with recording.queue._lock:
        recording.put(event(1))

        assert recording.flush()
    assert recording.close()


def test_closed_writer_accepts_no_events(tmp_path: Path) -> None:
    """After close() no event can be put; further calls of close() and flush() have no effect."""
    recording = Recording(event_file(tmp_path))
    assert recording.close()

    assert not recording.put(event(1))
    assert recording.queue.closed
    assert recording.close()
    assert recording.flush()


def test_accepted_events_are_written_even_if_close_is_concurrent(tmp_path: Path, read_events: ReadEvents) -> None:
    """While another thread closes the writer, put() returns True only for events that will be in the file."""
    for number in range(3):
        file = event_file(tmp_path / str(number))
        recording = Recording(file)
        accepted: list[int] = []
        is_busy = threading.Event()

        def put_all(recording: Recording, accepted: list[int], is_busy: threading.Event, first: int) -> None:
            step = first
            while recording.put(event(step)):
                accepted.append(step)
                step += 4
                if step > 200:
                    is_busy.set()

        arguments = (recording, accepted, is_busy)
        threads = [threading.Thread(target=put_all, args=(*arguments, first)) for first in range(4)]
        for thread in threads:
            thread.start()
        is_busy.wait()
        assert recording.close()
        for thread in threads:
            thread.join()

        assert set(accepted) <= {written.step for written in read_events(file.path)[1:]}


def test_full_disk_is_reported_without_blocking(caplog: pytest.LogCaptureFixture) -> None:
    """If nothing can be written, put, flush and close return False, one error is logged, the queue stays bounded."""
    recording = Recording(full_disk())

    assert not recording.flush()
    assert not recording.queue.is_healthy
    assert [recording.put_large(event(step), 100 << 20) for step in range(4)] == [False] * 4
    assert isinstance(recording.queue.take_unraised_fault(), OSError)
    assert recording.queue.take_unraised_fault() is None
    assert not recording.close()
    assert caplog.text.count("No space left") == 1
    assert "4 recorded events are lost" in caplog.text  # Two queued, two for which there was no room.


def test_writing_continues_after_a_full_disk(pipe: Pipe, caplog: pytest.LogCaptureFixture) -> None:
    """After a fault all kept bytes are written once, in order, from where the write was interrupted."""
    os.set_blocking(pipe.descriptor, False)
    recording = Recording(pipe.file)
    recording.put(event(1, "x" * 3 * PIPE_BYTES))
    assert not recording.flush()
    assert not recording.put(event(2))

    events: list[Event] = []
    reader = threading.Thread(target=lambda: events.extend(pipe.read_event() for _ in range(3)))
    reader.start()
    while reader.is_alive():
        recording.flush()
        reader.join(0.01)

    assert [event.step for event in events] == [0, 1, 2]
    assert recording.put(event(3))
    assert "is written again" in caplog.text
    recording.close()


def test_stalled_disk_blocks_the_caller_for_a_bounded_time(pipe: Pipe, caplog: pytest.LogCaptureFixture) -> None:
    """A write that does not return is a fault; after it returns, everything that was kept is written."""
    recording = Recording(pipe.file, stall_seconds=0.05)
    recording.put(event(1, "x" * 3 * PIPE_BYTES))
    assert not recording.flush()
    assert isinstance(recording.queue.take_unraised_fault(), TimeoutError)
    assert [recording.put_large(event(step), 200 << 20) for step in (2, 3)] == [False, False]
    assert not recording.flush()

    assert [pipe.read_event().step for _ in range(3)] == [0, 1, 2]
    recording.close()
    assert caplog.text.count("no progress for 0.05 seconds") == 1
    assert "1 recorded events are lost" in caplog.text


def test_full_queue_waits_for_a_writer_that_makes_progress(pipe: Pipe) -> None:
    """The caller is slowed down to the speed of the disk, and no event is lost."""
    recording = Recording(pipe.file)
    events: list[Event] = []
    reader = threading.Thread(target=lambda: events.extend(pipe.read_event() for _ in range(41)))
    reader.start()

    assert all(recording.put_large(event(step, "x" * PIPE_BYTES), 128 << 20) for step in range(40))
    assert recording.close()
    reader.join()
    assert [event.step for event in events[1:]] == list(range(40))


def test_events_that_cannot_be_encoded_do_not_stop_the_thread(
    tmp_path: Path, read_events: ReadEvents, caplog: pytest.LogCaptureFixture
) -> None:
    """The batch is reported as lost, and the next one is written."""
    file = event_file(tmp_path)
    recording = Recording(file)
    recording.put((1.0, 1, cast(dict[str, float], {"loss": "no number"}), None))
    assert not recording.flush()
    recording.put(event(2))

    assert recording.close()
    assert [event.step for event in read_events(file.path)] == [0, 2]
    assert "1 recorded events are lost" in caplog.text


def test_log_handler_may_flush_the_writer_that_logs(caplog: pytest.LogCaptureFixture) -> None:
    """A handler that flushes on an error is also called in the writer's thread, and does not wait for itself there."""
    recording = Recording(full_disk())

    class FlushingHandler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            recording.flush()

    handler = FlushingHandler()
    logger = logging.getLogger("toposcope.recorder")
    logger.addHandler(handler)
    try:
        recording.put(event(1))
        assert not recording.flush()
        assert not recording.close()
    finally:
        logger.removeHandler(handler)
