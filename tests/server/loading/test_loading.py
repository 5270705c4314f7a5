"""Hostile files, and files that change while they are read, do not affect other files."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from support.event_files import loss_run, scalar_event, tensorboard_event, version_event, write_run
from support.servers import Serve

from toposcope.proto import framing, summary_pb2, tensorboard_pb2
from toposcope.proto.file_name import parse_file_name
from toposcope.server.reading.event_file import EventFile
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.tag_table import Tag
from toposcope.server.reading.windows.scan_buffers import WINDOW_BYTES, ScanBuffers
from toposcope.server.reading.windows.scanner import Scanner

LOSS = Tag("scalar", "loss")
BUDGET = 1 << 30
NOT_UTF8 = b"\xff\xfe\xfd\xfc"
TENSORBOARD = "events.out.tfevents.1.host"


@contextlib.contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Fail if the block takes longer, as an endless loop would never return."""

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


def plugin_that_is_not_utf8() -> bytes:
    """Return a TensorBoard file with a plugin name that is not UTF-8."""
    return framing.frame(tagged(1, "AAAA").SerializeToString().replace(b"AAAA", NOT_UTF8))


def version_that_is_not_utf8() -> bytes:
    """Return a file with a version that is not UTF-8."""
    event = summary_pb2.Event(wall_time=1.0, version="AAAA")
    return framing.frame(event.SerializeToString().replace(b"AAAA", NOT_UTF8))


def tag_that_is_not_utf8() -> bytes:
    """Return a file with a tag that is not UTF-8."""
    event = tensorboard_pb2.Event(wall_time=1.0)
    event.summary.value.add(tag="AAAA", simple_value=1.0)
    return framing.frame(event.SerializeToString().replace(b"AAAA", NOT_UTF8))


def length_of_a_petabyte() -> bytes:
    """Return a file with a valid header for a record that does not follow."""
    length = (1 << 46).to_bytes(8, "little")
    return version_event() + length + framing.masked_crc(length).to_bytes(4, "little") + b"x" * 100


def tag_that_changes_its_plugin() -> bytes:
    """Return a file in which values several windows apart assign the same tag to different plugins."""
    record = tensorboard_event(1.0, 1, {"loss": 1.0})
    records = [record] * (7 * WINDOW_BYTES // len(record))
    for share, plugin in ((2, "scalars"), (3, "text"), (4, "text"), (5, "hparams")):
        records[share * len(records) // 7 + 500] = framing.frame(tagged(share, plugin).SerializeToString())
    return b"".join(records)


HOSTILE = [
    plugin_that_is_not_utf8,
    version_that_is_not_utf8,
    tag_that_is_not_utf8,
    length_of_a_petabyte,
    tag_that_changes_its_plugin,
]


@pytest.mark.parametrize("make", HOSTILE, ids=lambda make: make.__name__)
def test_hostile_file_does_not_stop_the_others(tmp_path: Path, make: Callable[[], bytes], serve: Serve) -> None:
    """Whatever one file contains, all runs are listed and other runs are served."""
    loss_run(tmp_path / "intact", range(10))
    (tmp_path / "hostile").mkdir()
    (tmp_path / "hostile" / TENSORBOARD).write_bytes(make())

    client: httpx.Client = serve(tmp_path)

    assert client.get("api/runs").status_code == 200
    assert client.get("api/tags").status_code == 200
    assert client.get("api/scalars?tag=loss&run=intact").json()["series"][0]["total"] == 10
    assert client.get("api/health").json()["problems"] == {}


def test_tag_keeps_the_plugin_of_its_first_value(tmp_path: Path) -> None:
    """Windows that are read in parallel do not change the plugin of a tag."""
    path = tmp_path / TENSORBOARD
    path.write_bytes(tag_that_changes_its_plugin())

    view = read_all(open_file(path))

    assert view.series[Tag("scalar", "x")].step.tolist() == [2, 3, 4, 5]


@pytest.mark.parametrize("left", [0, 3, 5, 100])
def test_file_truncated_inside_a_record_does_not_block(tmp_path: Path, left: int) -> None:
    """A reader inside a large record whose end was cut off returns, and starts over when the file is complete."""
    event = summary_pb2.Event(wall_time=2.0, step=1)
    for _ in range(5):
        event.summary.value.add(tag="picture").image.encoded_image = b"x" * 300_000
    path = write_run(tmp_path, [framing.frame(event.SerializeToString()), scalar_event(9.0, 9, {"loss": 1.0})])
    whole = path.read_bytes()
    file = open_file(path)
    at = len(version_event(1.0)) + framing.HEADER_BYTES + 300_000
    while (view := file.view()) is None or view.read_bytes < at:
        assert file.read(1)
    assert view.read_bytes < len(whole) - 400_000, "the reader is inside the record"

    os.truncate(path, view.read_bytes + left)
    with at_most(2):
        file.read(1 << 20)
    path.write_bytes(whole)

    view = read_all(file)
    assert view.series[LOSS].step.tolist() == [9]
    assert view.series[Tag("image", "picture")].total == 5


def test_file_overwritten_in_place_is_read_again(tmp_path: Path) -> None:
    """A file overwritten between two reads with at least as many bytes (cp, rsync --inplace) is read again."""
    path = loss_run(tmp_path / "a", range(10))
    other = loss_run(tmp_path / "b", range(100, 150))
    file = open_file(path)
    read_all(file)

    path.write_bytes(other.read_bytes())

    assert read_all(file).series[LOSS].step.tolist() == list(range(100, 150))


def test_hostile_value_does_not_cause_a_huge_read() -> None:
    """A value whose tag follows gigabytes of something else counts as damaged and is not read completely."""
    length = 3 << 30
    field = framing.frame(b"")  # Arbitrary bytes: the window below ends long before the value.
    head = summary_pb2.Event(wall_time=1.0).SerializeToString()
    value = b"\xa2\x06" + _varint(length) + field  # Field 100, unknown.
    summary = b"\x0a" + _varint(len(value) + length) + value
    payload = head + b"\x2a" + _varint(len(summary) + length) + summary
    size = len(payload) + length
    header = size.to_bytes(8, "little")
    content = header + framing.masked_crc(header).to_bytes(4, "little") + payload + bytes(1 << 20)
    scanner = Scanner("mindspore", lambda at, count: content[at : at + count])
    offset, min_bytes = 0, 0
    for _ in range(6):
        arrays = ScanBuffers(1 << 20)
        read = content[offset : offset + (1 << 20)]
        arrays.window[: len(read)] = memoryview(read)
        offset, min_bytes, *_ = scanner.read(arrays, len(read), offset, 4 << 30)
        assert min_bytes <= 64 << 20


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])
