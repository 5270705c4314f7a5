"""The background thread: order, promptness, faults. A pipe stands in for a disk that is slow or full."""

import logging
import os
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from toposcope.proto import framing
from toposcope.proto.summary_pb2 import Event
from toposcope.recorder.event_file import EventFile, create_event_file
from toposcope.recorder.event_writer import EventWriter

HEAD = framing.frame(Event(wall_time=0, version="head").SerializeToString())
NEVER = 1e6
PIPE_BYTES = 1 << 16
LARGE = 5 << 20


class Pipe:
    """A file that takes 64 KiB and then no more, until somebody reads."""

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
    """Return a pipe whose reading end is closed after the test."""
    pipe = Pipe()
    yield pipe
    os.close(pipe.reading)


def event(step: int, tag: str = "loss") -> tuple[float, int, dict[str, float]]:
    """Return an event of one scalar."""
    return (1.0, step, {tag: 0.5})


def test_head_and_events_are_in_order(tmp_path: Path, read_events) -> None:
    """The file holds the head and then every event, in the order in which they were put."""
    file = create_event_file(str(tmp_path), "events", 0, "_MS")
    writer = EventWriter(file, HEAD, NEVER)
    for step in range(1000):
        assert writer.put(event(step), 1)

    assert writer.close()
    head, *events = read_events(file.path)
    assert head.version == "head"
    assert [event.step for event in events] == list(range(1000))


def test_events_are_written_after_flush_seconds(pipe: Pipe) -> None:
    """Nobody has to ask: an event is written when it has waited long enough."""
    writer = EventWriter(pipe.file, HEAD, 0.01)
    pipe.read_event()
    for step in (1, 2):
        writer.put(event(step), 1)

        assert pipe.read_event().step == step
    writer.close()


def test_many_events_are_written_at_once(pipe: Pipe) -> None:
    """A queue that grows large does not wait for its time."""
    writer = EventWriter(pipe.file, HEAD, NEVER)
    writer.put(event(1), LARGE)

    assert (pipe.read_event().version, pipe.read_event().step) == ("head", 1)
    writer.close()


def test_time_that_never_comes(pipe: Pipe) -> None:
    """A wait longer than the platform can wait is a wait for flush()."""
    writer = EventWriter(pipe.file, HEAD, 1e300)
    pipe.read_event()
    writer.put(event(1), 1)

    assert writer.flush()
    assert pipe.read_event().step == 1
    writer.close()


def test_flush_returns_when_events_are_written(pipe: Pipe) -> None:
    """After flush() the file has everything, also what is put and flushed again."""
    writer = EventWriter(pipe.file, HEAD, NEVER)
    os.set_blocking(pipe.reading, False)
    for step in range(3):
        writer.put(event(step), 1)
        assert writer.flush()
    assert writer.flush()

    assert [pipe.read_event().step for _ in range(4)] == [0, 0, 1, 2]
    writer.close()


def test_flush_inside_a_call_of_the_same_thread(tmp_path: Path) -> None:
    """A signal handler may flush while the thread that it interrupted holds the writer's lock."""
    writer = EventWriter(create_event_file(str(tmp_path), "events", 0, "_MS"), HEAD, NEVER)
    with writer._lock:
        writer.put(event(1), 1)

        assert writer.flush()
    assert writer.close()


def test_closed_writer_takes_nothing(tmp_path: Path) -> None:
    """After close() nothing can be put; closing and flushing again are harmless."""
    writer = EventWriter(create_event_file(str(tmp_path), "events", 0, "_MS"), HEAD, NEVER)
    assert writer.close()

    assert not writer.put(event(1), 1)
    assert writer.closed
    assert writer.close()
    assert writer.flush()


def test_full_disk_is_reported_and_nothing_hangs(caplog: pytest.LogCaptureFixture) -> None:
    """When nothing can be written put, flush and close say so, the log once, and the queue stays bounded."""
    writer = EventWriter(EventFile("/dev/full", os.open("/dev/full", os.O_WRONLY)), HEAD, NEVER)

    assert not writer.flush()
    assert not writer.works
    assert [writer.put(event(step), 100 << 20) for step in range(4)] == [False] * 4
    assert isinstance(writer.take_unraised_fault(), OSError)
    assert writer.take_unraised_fault() is None
    assert not writer.close()
    assert caplog.text.count("No space left") == 1
    assert "5 recorded events are lost" in caplog.text  # The head, two queued, two for which there was no room.


def test_writing_goes_on_when_there_is_room_again(pipe: Pipe, caplog: pytest.LogCaptureFixture) -> None:
    """After a fault every byte that was kept is written once, in order, from where the write broke off."""
    os.set_blocking(pipe.descriptor, False)
    writer = EventWriter(pipe.file, HEAD, NEVER)
    writer.put(event(1, "x" * 3 * PIPE_BYTES), 1)
    assert not writer.flush()
    assert not writer.put(event(2), 1)

    events: list[Event] = []
    reader = threading.Thread(target=lambda: events.extend(pipe.read_event() for _ in range(3)))
    reader.start()
    while reader.is_alive():
        writer.flush()
        reader.join(0.01)

    assert [event.step for event in events] == [0, 1, 2]
    assert writer.put(event(3), 1)
    assert "is written again" in caplog.text
    writer.close()


def test_stalled_disk_costs_the_caller_a_bounded_time(pipe: Pipe, caplog: pytest.LogCaptureFixture) -> None:
    """A write that does not return is a fault; once it returns everything that was kept is written."""
    writer = EventWriter(pipe.file, HEAD, NEVER, stall_seconds=0.05)
    writer.put(event(1, "x" * 3 * PIPE_BYTES), 1)
    assert not writer.flush()
    assert isinstance(writer.take_unraised_fault(), TimeoutError)
    assert [writer.put(event(step), 200 << 20) for step in (2, 3)] == [False, False]
    assert not writer.flush()

    assert [pipe.read_event().step for _ in range(3)] == [0, 1, 2]
    writer.close()
    assert caplog.text.count("no progress for 0.05 seconds") == 1
    assert "1 recorded events are lost" in caplog.text


def test_full_queue_waits_for_a_writer_that_gets_on(pipe: Pipe) -> None:
    """The caller is slowed down to the disk's pace, and loses nothing."""
    writer = EventWriter(pipe.file, HEAD, NEVER)
    events: list[Event] = []
    reader = threading.Thread(target=lambda: events.extend(pipe.read_event() for _ in range(41)))
    reader.start()

    assert all(writer.put(event(step, "x" * PIPE_BYTES), 128 << 20) for step in range(40))
    assert writer.close()
    reader.join()
    assert [event.step for event in events[1:]] == list(range(40))


def test_events_that_cannot_be_encoded_do_not_stop_the_thread(
    tmp_path: Path, read_events, caplog: pytest.LogCaptureFixture
) -> None:
    """The batch is reported as lost, the next one is written."""
    file = create_event_file(str(tmp_path), "events", 0, "_MS")
    writer = EventWriter(file, HEAD, NEVER)
    writer.put((1.0, 1, {"loss": "no number"}), 1)  # type: ignore[dict-item]
    assert not writer.flush()
    writer.put(event(2), 1)

    assert writer.close()
    assert [event.step for event in read_events(file.path)] == [0, 2]
    assert "1 recorded events are lost" in caplog.text


def test_log_handler_may_use_the_writer_it_is_told_about(caplog: pytest.LogCaptureFixture) -> None:
    """A handler that flushes when an error is logged runs in the writer's thread too, and does not wait for itself."""
    writer = EventWriter(EventFile("/dev/full", os.open("/dev/full", os.O_WRONLY)), HEAD, NEVER)
    handler = logging.Handler()
    handler.emit = lambda _: writer.flush()  # type: ignore[assignment, method-assign, return-value]
    logger = logging.getLogger("toposcope.recorder.faults")
    logger.addHandler(handler)
    try:
        writer.put(event(1), 1)
        assert not writer.flush()
        assert not writer.close()
    finally:
        logger.removeHandler(handler)
