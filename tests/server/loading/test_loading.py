"""Loading many files: one that is hostile, or changes in the midst, costs itself and nothing else."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from support.event_files import loss_run, scalar_event, tensorboard_event, version_event, write_run

from toposcope.proto import framing, summary_pb2, tensorboard_pb2
from toposcope.proto.file_name import parse_file_name
from toposcope.server.reading.event_file import EventFile
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.scan_buffers import WINDOW_BYTES, ScanBuffers
from toposcope.server.reading.scanner import Scanner
from toposcope.server.reading.tag_table import Tag

LOSS = Tag("scalar", "loss")
BUDGET = 1 << 30
NO_TEXT = b"\xff\xfe\xfd\xfc"
TENSORBOARD = "events.out.tfevents.1.host"


@contextlib.contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Fail when the block takes longer; a thread that is waited for in vain would go on for ever."""

    def fail(*_: object) -> None:
        raise AssertionError(f"takes longer than {seconds} s")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def open_file(path: Path) -> EventFile:
    """Return a reader of an event file."""
    name = parse_file_name(path.name)
    assert name is not None
    return EventFile(str(path), name)


def read_all(file: EventFile) -> FileView:
    """Read to the end of the file."""
    while file.read(BUDGET):
        pass
    view = file.view()
    assert view is not None
    return view


def tagged(step: int, plugin: str, number: float = 1.0) -> tensorboard_pb2.Event:
    """Return an event with one scalar tensor under a plugin's name."""
    event = tensorboard_pb2.Event(wall_time=1.0 + step, step=step)
    value = event.summary.value.add(tag="x")
    value.metadata.plugin_data.plugin_name = plugin
    value.tensor.dtype = 1
    value.tensor.float_val.append(number)
    return event


def plugin_that_is_no_text() -> bytes:
    """Return a TensorBoard file whose plugin's name is no UTF-8."""
    return framing.frame(tagged(1, "AAAA").SerializeToString().replace(b"AAAA", NO_TEXT))


def version_that_is_no_text() -> bytes:
    """Return a file whose version is no UTF-8."""
    event = summary_pb2.Event(wall_time=1.0, version="AAAA")
    return framing.frame(event.SerializeToString().replace(b"AAAA", NO_TEXT))


def tag_that_is_no_text() -> bytes:
    """Return a file whose tag is no UTF-8."""
    event = tensorboard_pb2.Event(wall_time=1.0)
    event.summary.value.add(tag="AAAA", simple_value=1.0)
    return framing.frame(event.SerializeToString().replace(b"AAAA", NO_TEXT))


def length_of_a_petabyte() -> bytes:
    """Return a file with a sound header that no record follows."""
    length = (1 << 46).to_bytes(8, "little")
    return version_event() + length + framing.masked_crc(length).to_bytes(4, "little") + b"x" * 100


def tag_that_changes_its_plugin() -> bytes:
    """Return a file in which values some windows apart call the same tag a scalar and a text."""
    record = tensorboard_event(1.0, 1, {"loss": 1.0})
    records = [record] * (7 * WINDOW_BYTES // len(record))
    for share, plugin in ((2, "scalars"), (3, "text"), (4, "text"), (5, "hparams")):
        records[share * len(records) // 7 + 500] = framing.frame(tagged(share, plugin).SerializeToString())
    return b"".join(records)


HOSTILE = [
    plugin_that_is_no_text,
    version_that_is_no_text,
    tag_that_is_no_text,
    length_of_a_petabyte,
    tag_that_changes_its_plugin,
]


@pytest.mark.parametrize("make", HOSTILE, ids=lambda make: make.__name__)
def test_hostile_file_does_not_stop_the_others(tmp_path: Path, make, serve) -> None:
    """Whatever one file holds, the runs are listed and another run is served."""
    loss_run(tmp_path / "sound", range(10))
    (tmp_path / "hostile").mkdir()
    (tmp_path / "hostile" / TENSORBOARD).write_bytes(make())

    client: httpx.Client = serve(tmp_path)

    assert client.get("api/runs").status_code == 200
    assert client.get("api/tags").status_code == 200
    assert client.get("api/scalars?tag=loss&run=sound").json()["series"][0]["total"] == 10
    assert client.get("api/health").json()["problems"] == {}


def test_tag_keeps_the_plugin_of_its_first_value(tmp_path: Path) -> None:
    """Windows read ahead of their turn do not decide what a tag is."""
    path = tmp_path / TENSORBOARD
    path.write_bytes(tag_that_changes_its_plugin())

    view = read_all(open_file(path))

    assert view.series[Tag("scalar", "x")].step.tolist() == [2, 3, 4, 5]


@pytest.mark.parametrize("left", [0, 3, 5, 100])
def test_file_that_shrinks_inside_a_record_is_no_endless_loop(tmp_path: Path, left: int) -> None:
    """A reader that stands inside a heavy record whose end was cut off waits for more, or starts over."""
    event = summary_pb2.Event(wall_time=2.0, step=1)
    for _ in range(5):
        event.summary.value.add(tag="picture").image.encoded_image = b"x" * 300_000
    path = write_run(tmp_path, [framing.frame(event.SerializeToString()), scalar_event(9.0, 9, {"loss": 1.0})])
    whole = path.read_bytes()
    file = open_file(path)
    at = len(version_event(1.0)) + framing.HEADER_BYTES + 300_000
    while (view := file.view()) is None or view.read_bytes < at:
        assert file.read(1)
    assert view.read_bytes < len(whole) - 400_000, "the reader stands inside the record"

    os.truncate(path, view.read_bytes + left)
    with at_most(2):
        file.read(1 << 20)
    path.write_bytes(whole)

    view = read_all(file)
    assert view.series[LOSS].step.tolist() == [9]
    assert view.series[Tag("image", "picture")].total == 5


def test_file_overwritten_in_place_is_read_again(tmp_path: Path) -> None:
    """A file whose bytes are replaced between two looks by as many and more (cp, rsync --inplace) is another file."""
    path = loss_run(tmp_path / "a", range(10))
    other = loss_run(tmp_path / "b", range(100, 150))
    file = open_file(path)
    read_all(file)

    path.write_bytes(other.read_bytes())

    assert read_all(file).series[LOSS].step.tolist() == list(range(100, 150))


def test_hostile_value_asks_for_no_window_of_gigabytes() -> None:
    """A value that names itself behind a gigabyte of something else is damaged; it is not read whole."""
    length = 3 << 30
    field = framing.frame(b"")  # Any bytes: the window below ends long before the value does.
    head = summary_pb2.Event(wall_time=1.0).SerializeToString()
    value = b"\xa2\x06" + _varint(length) + field  # Field 100, unknown.
    summary = b"\x0a" + _varint(len(value) + length) + value
    payload = head + b"\x2a" + _varint(len(summary) + length) + summary
    size = len(payload) + length
    header = size.to_bytes(8, "little")
    content = header + framing.masked_crc(header).to_bytes(4, "little") + payload + bytes(1 << 20)
    scanner = Scanner("mindspore", lambda at, count: content[at : at + count])
    offset, wanted = 0, 0
    for _ in range(6):
        arrays = ScanBuffers(1 << 20)
        read = content[offset : offset + (1 << 20)]
        arrays.window[: len(read)] = memoryview(read)
        offset, wanted, *_ = scanner.read(arrays, len(read), offset, 4 << 30)
        assert wanted <= 64 << 20


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])
