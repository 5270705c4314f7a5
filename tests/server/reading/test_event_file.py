"""Reading event files that grow, are incomplete or damaged, and are replaced."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from support.event_files import GOLDEN, loss_run, read_slowly, scalar_event, tensorboard_event, version_event
from support.open_files import files_open_in

from toposcope.proto import framing, tensorboard_pb2
from toposcope.proto.file_name import parse_file_name
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.reading.event_file import EventFile
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.series.series import Points
from toposcope.server.reading.tag_table import Tag

LOSS = Tag("scalar", "loss")
BUDGET = 1 << 30


def open_file(path: Path) -> EventFile:
    """Return a reader of an event file."""
    name = parse_file_name(path.name)
    assert name is not None
    return EventFile(str(path), name)


def view_of(file: EventFile) -> FileView:
    """Return the view of a file that is not empty."""
    view = file.view()
    assert view is not None
    return view


def test_file_is_read_while_it_grows_byte_by_byte(tmp_path: Path) -> None:
    """After each byte a reader has every complete record, and does not read before the next one may be complete."""
    content = version_event() + b"".join(scalar_event(2.0 + step, step, {"loss": step / 4}) for step in range(5))
    path = tmp_path / "events.out.events.summary.1.0.host_MS"
    path.touch()
    file = open_file(path)
    reads = 0
    with path.open("ab", buffering=0) as grows:
        for size in range(1, len(content) + 1):
            grows.write(content[size - 1 : size])
            if file.has_news(UNCHECKED.stat(str(path))):
                reads += 1
                file.read(BUDGET)
            expected, _ = read_slowly(content[:size], "mindspore")
            view = file.view()
            seen = view.series[LOSS].step.tolist() if view and LOSS in view.series else []
            assert seen == [point.step for point in expected]
    # One read when a header or a record should be complete, and none in between.
    assert reads <= 2 * 6 + 2


def test_incomplete_record_is_neither_damage_nor_news(tmp_path: Path) -> None:
    """An incomplete record at the end is not damage, and there is nothing to read until the file grows."""
    path = loss_run(tmp_path, range(10))
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    file = open_file(path)

    assert file.read(BUDGET) is False
    assert view_of(file).series[LOSS].total == 9
    assert not view_of(file).damage
    assert not file.has_news(UNCHECKED.stat(str(path)))

    path.write_bytes(whole)
    assert file.has_news(UNCHECKED.stat(str(path)))
    file.read(BUDGET)
    assert view_of(file).series[LOSS].total == 10


def test_wrong_payload_is_skipped_and_counted(tmp_path: Path) -> None:
    """A wrong payload crc affects that record only."""
    records = [scalar_event(2.0, step, {"loss": 1.0}) for step in range(5)]
    damaged = bytearray(records[2])
    damaged[20] ^= 0xFF
    path = tmp_path / "events.out.events.summary.1.0.host_MS"
    path.write_bytes(version_event() + b"".join(records[:2]) + damaged + b"".join(records[3:]))
    file = open_file(path)

    file.read(BUDGET)

    view = view_of(file)
    assert view.series[LOSS].step.tolist() == [0, 1, 3, 4]
    assert [(damage.offset, damage.reason) for damage in view.damage] == [
        (len(version_event()) + len(records[0]) + len(records[1]), "payload")
    ]


@pytest.mark.parametrize("hole", [b"\0" * 64, b"garbage" * 9, b"\0" * 5_000_000], ids=["zeros", "garbage", "5 MB"])
def test_reading_continues_after_a_damaged_length(tmp_path: Path, hole: bytes) -> None:
    """Bytes that are not a record are damage, counted once; reading continues at the next valid header."""
    before, after = scalar_event(2.0, 1, {"loss": 1.0}), scalar_event(3.0, 2, {"loss": 0.5})
    path = tmp_path / "events.out.events.summary.1.0.host_MS"
    path.write_bytes(version_event() + before + hole + after)
    file = open_file(path)

    while file.read(BUDGET):
        pass

    assert view_of(file).series[LOSS].step.tolist() == [1, 2]
    assert [damage.reason for damage in view_of(file).damage] == ["length"]


def test_replaced_and_truncated_files_are_read_again(tmp_path: Path) -> None:
    """A file that was replaced or has shrunk is read from its start."""
    path = loss_run(tmp_path, range(10))
    file = open_file(path)
    file.read(BUDGET)

    other = loss_run(tmp_path / "other", range(100, 150))
    os.replace(other, path)
    assert file.has_news(UNCHECKED.stat(str(path)))
    file.read(BUDGET)
    assert view_of(file).series[LOSS].step.tolist() == list(range(100, 150))

    with path.open("r+b") as appended:
        appended.truncate(len(version_event(1.0)) + len(scalar_event(2.0, 100, {"loss": 1 / 101})))
    assert file.has_news(UNCHECKED.stat(str(path)))
    file.read(BUDGET)
    assert view_of(file).series[LOSS].step.tolist() == [100]


def test_views_do_not_change(tmp_path: Path) -> None:
    """A view that was returned does not change when the file grows."""
    path = loss_run(tmp_path, range(10))
    file = open_file(path)
    file.read(BUDGET)
    before = view_of(file).series[LOSS]
    assert isinstance(before, Points)
    kept = before.value.copy()
    for start in range(10, 400, 10):
        with path.open("ab") as appended:
            appended.write(b"".join(scalar_event(start, step, {"loss": -1.0}) for step in range(start, start + 10)))
        file.read(BUDGET)

    assert before.total == 10
    assert np.array_equal(before.value, kept)
    assert view_of(file).series[LOSS].total == 400


def test_record_larger_than_a_window_is_read(tmp_path: Path) -> None:
    """A record of any size is skipped or read, and the records after it are read too."""
    event = tensorboard_pb2.Event(wall_time=2.0, step=1)
    event.summary.value.add(tag="huge", image=b"x" * 9_000_000)
    path = tmp_path / "events.out.tfevents.1.host"
    path.write_bytes(framing.frame(event.SerializeToString()) + tensorboard_event(3.0, 2, {"loss": 1.0}))
    file = open_file(path)

    while file.read(BUDGET):
        pass

    assert view_of(file).series[LOSS].step.tolist() == [2]
    assert Tag("image", "huge") in view_of(file).series
    assert not view_of(file).damage


def test_version_event_determines_the_dialect(tmp_path: Path) -> None:
    """A TensorBoard file with a name like MindSpore's is read as TensorBoard's."""
    source = GOLDEN / "tensorboard/torch/both_a/events.out.tfevents.1795230800.vm.26977.1"
    path = tmp_path / "events.out.events.summary.1.0.host_MS"
    shutil.copy(source, path)
    file = open_file(path)

    file.read(BUDGET)

    assert view_of(file).version.dialect == "tensorboard"
    assert view_of(file).series[Tag("scalar", "both")].step.tolist() == [0, 20, 40]


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    """Between two reads a file needs no descriptor, however many files there are."""
    files = [open_file(loss_run(tmp_path / str(i), range(3))) for i in range(50)]

    for file in files:
        file.read(BUDGET)

    assert files_open_in(tmp_path) == []
