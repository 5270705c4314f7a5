"""A sequence of event files: which records are written to which file."""

import math
import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toposcope.proto.framing import Buffer
from toposcope.recorder.writing.encoding.event_encoder import Record
from toposcope.recorder.writing.files.event_file import EventFile, Naming, create_event_file
from toposcope.recorder.writing.files.rotating_file import RotatingFile

HEAD = b"head %d;"
HEAD_BYTES = 7


def files_in(directory: Path, limit: int | None = None, seconds: float = math.inf) -> RotatingFile:
    """Return a rotating file in directory, with the first file open; the heads contain the number of the file."""
    naming = Naming(str(directory), "events", 0, "_MS")
    files = RotatingFile(lambda _: create_event_file(naming), lambda rotation: HEAD % rotation, limit, seconds)
    files.open_next()
    return files


def write_all(files: RotatingFile) -> None:
    """Write until nothing is pending."""
    while files.has_pending:
        files.write_some()


def contents(directory: Path) -> list[bytes]:
    """Return the contents of the files in order of name."""
    return [path.read_bytes() for path in sorted(directory.iterdir())]


def test_without_a_limit_there_is_one_file(tmp_path: Path) -> None:
    """Records follow the head in order, whether they consist of one buffer or of several."""
    files = files_in(tmp_path)
    files.append([b"one;", [b"t", memoryview(b"wo"), b";"], b"three;"])

    write_all(files)
    files.close()
    assert contents(tmp_path) == [b"head 0;one;two;three;"]


def test_next_file_is_opened_before_the_limit_is_exceeded(tmp_path: Path) -> None:
    """A file may be exactly as large as the limit, but not larger."""
    files = files_in(tmp_path, HEAD_BYTES + 8)
    files.append([b"1234", b"5678", b"9", b"0"])

    write_all(files)
    files.close()
    assert contents(tmp_path) == [b"head 0;12345678", b"head 1;90"]
    assert files.path == str(sorted(tmp_path.iterdir())[-1])


def test_a_record_after_the_time_of_a_file_is_in_the_next_one(tmp_path: Path) -> None:
    """A file gets its first record at any time; marks do not begin a file."""
    files = files_in(tmp_path, 1000, seconds=-1.0)
    for record in (b"1;", b"2;"):
        files.append([record])
        write_all(files)
        files.write_mark(b"mark;")
    files.close()
    assert contents(tmp_path) == [b"head 0;1;mark;", b"head 1;2;mark;"]


def test_record_larger_than_the_limit_is_in_a_separate_file(tmp_path: Path) -> None:
    """Nothing is dropped because of its size, even if the head alone exceeds the limit."""
    for limit, expected in ((12, [b"head 0;1", b"head 1;large record", b"head 2;2"]), (1, None)):
        directory = tmp_path / str(limit)
        files = files_in(directory, limit)
        files.append([b"1", b"large record", b"2"])

        write_all(files)
        files.close()
        assert contents(directory) == (expected or [b"head 0;1", b"head 1;large record", b"head 2;2"])


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.binary(min_size=1, max_size=40), max_size=6), max_size=20),
    st.integers(1, 100),
    st.data(),
)
def test_rotation_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[bytes]], limit: int, data: st.DataObject
) -> None:
    """For all sizes and limits, the files contain all records, complete and in order, and respect the limit."""
    directory = tmp_path_factory.mktemp("run")
    naming = Naming(str(directory), "events", 0, "_MS")
    files = RotatingFile(lambda _: create_event_file(naming), lambda rotation: b"%06d;" % rotation, limit)
    files.open_next()
    records: list[Record] = []
    for batch in batches:
        files.append(batch)
        records += batch
        if data.draw(st.booleans()):
            write_all(files)
    write_all(files)
    files.close()

    expected, limit_without_head = [b""], limit - HEAD_BYTES
    for record in records:
        assert isinstance(record, bytes)
        if expected[-1] and len(expected[-1]) + len(record) > limit_without_head:
            expected.append(b"")
        expected[-1] += record
    assert contents(directory) == [b"%06d;" % rotation + content for rotation, content in enumerate(expected)]


class ShortFile(EventFile):
    """A file that accepts one byte per write, as a pipe may."""

    def write(self, buffers: Iterable[Buffer]) -> int:
        """Write one byte."""
        first = next(bytes(buffer) for buffer in buffers if len(buffer))
        return os.write(self._descriptor, first[:1])


def test_short_writes_are_continued(tmp_path: Path) -> None:
    """The next write starts with the bytes that the last one did not write: none is lost or written twice."""
    path = tmp_path / "file"
    file = ShortFile(str(path), os.open(path, os.O_WRONLY | os.O_CREAT))
    files = RotatingFile(lambda _: file, lambda _: b"head;")
    files.open_next()
    files.append([b"one;", [b"two", b"", b";"]])

    write_all(files)
    files.close()
    assert path.read_bytes() == b"head;one;two;"


def test_failed_rotation_is_retried(tmp_path: Path) -> None:
    """While the next file cannot be created, the records stay pending; then they are written."""
    naming = Naming(str(tmp_path), "events", 0, "_MS")
    errors: list[OSError] = []

    def create(_: int) -> EventFile:
        if errors:
            raise errors.pop()
        return create_event_file(naming)

    files = RotatingFile(create, lambda rotation: HEAD % rotation, HEAD_BYTES + 1)
    files.open_next()
    files.append([b"1"])
    write_all(files)
    errors.append(OSError("no descriptor left"))
    files.append([b"2"])

    with pytest.raises(OSError, match="no descriptor left"):
        files.write_some()
    assert files.pending_records == 1
    write_all(files)
    files.close()
    assert contents(tmp_path) == [b"head 0;1", b"head 1;2"]


def test_deleted_file_is_replaced_by_the_next_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The deletion is logged once; later records are in the next file."""
    files = files_in(tmp_path)
    files.append([b"1"])
    write_all(files)
    os.unlink(files.path)
    files.append([b"2"])

    write_all(files)
    files.close()
    assert contents(tmp_path) == [b"head 1;2"]
    assert caplog.text.count("was deleted while it was written") == 1


def test_record_partially_written_to_a_deleted_file_is_written_again(tmp_path: Path) -> None:
    """A record that was being written at the deletion is complete in the next file."""
    paths = iter((tmp_path / "first", tmp_path / "second"))

    def create(_: int) -> EventFile:
        path = next(paths)
        return ShortFile(str(path), os.open(path, os.O_WRONLY | os.O_CREAT))

    files = RotatingFile(create, lambda rotation: HEAD % rotation)
    files.open_next()
    files.append([b"one;", b"two;"])
    for _ in range(HEAD_BYTES + 2):
        files.write_some()
    os.unlink(files.path)

    write_all(files)
    files.close()
    assert contents(tmp_path) == [b"head 1;one;two;"]
