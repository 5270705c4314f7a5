"""A sequence of event files: what goes into which."""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toposcope.proto.framing import Buffer
from toposcope.recorder.writing.event_encoder import Record
from toposcope.recorder.writing.event_file import EventFile, Naming, create_event_file
from toposcope.recorder.writing.rotating_file import RotatingFile

HEAD = b"head %d;"
HEAD_BYTES = 7


def files_in(directory: Path, limit: int | None = None) -> RotatingFile:
    """Return files in directory whose heads say their number; the first has begun."""
    naming = Naming(str(directory), "events", 0, "_MS")
    files = RotatingFile(lambda _: create_event_file(naming), lambda rotation: HEAD % rotation, limit)
    files.open_next()
    return files


def write_all(files: RotatingFile) -> None:
    """Write until nothing is owed."""
    while files.has_pending:
        files.write_some()


def contents(directory: Path) -> list[bytes]:
    """Return the contents of the files in the order of their names."""
    return [path.read_bytes() for path in sorted(directory.iterdir())]


def test_without_a_limit_there_is_one_file(tmp_path: Path) -> None:
    """Records follow the head, in their order, in one piece or in many."""
    files = files_in(tmp_path)
    files.append([b"one;", [b"t", memoryview(b"wo"), b";"], b"three;"])

    write_all(files)
    files.close()
    assert contents(tmp_path) == [b"head 0;one;two;three;"]


def test_next_file_begins_where_a_record_would_pass_the_limit(tmp_path: Path) -> None:
    """A file may be as large as the limit, and not a byte larger."""
    files = files_in(tmp_path, HEAD_BYTES + 8)
    files.append([b"1234", b"5678", b"9", b"0"])

    write_all(files)
    files.close()
    assert contents(tmp_path) == [b"head 0;12345678", b"head 1;90"]
    assert files.path == str(sorted(tmp_path.iterdir())[-1])


def test_larger_record_has_a_file_of_its_own(tmp_path: Path) -> None:
    """Nothing is dropped because of its size, not even where the head alone is too large."""
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
    """Whatever the sizes and however writes are cut short: all records are there, whole, in order, under the limit."""
    directory = tmp_path_factory.mktemp("run")
    naming = Naming(str(directory), "events", 0, "_MS")
    files = RotatingFile(lambda _: create_event_file(naming), lambda rotation: b"%06d;" % rotation, limit)
    files.open_next()
    pieces: list[Record] = []
    for batch in batches:
        files.append(batch)
        pieces += batch
        if data.draw(st.booleans()):
            write_all(files)
    write_all(files)
    files.close()

    expected, room = [b""], limit - HEAD_BYTES
    for record in pieces:
        assert isinstance(record, bytes)
        if expected[-1] and len(expected[-1]) + len(record) > room:
            expected.append(b"")
        expected[-1] += record
    assert contents(directory) == [b"%06d;" % rotation + records for rotation, records in enumerate(expected)]


class ShortFile(EventFile):
    """A file that takes a byte at a time, as a slow pipe may."""

    def write(self, buffers: Iterable[Buffer]) -> int:
        """Write one byte."""
        first = next(bytes(buffer) for buffer in buffers if len(buffer))
        return os.write(self._descriptor, first[:1])


def test_short_writes_go_on_where_they_ended(tmp_path: Path) -> None:
    """A write that places a part leaves the rest for the next one: nothing is torn, nothing written twice."""
    path = tmp_path / "file"
    file = ShortFile(str(path), os.open(path, os.O_WRONLY | os.O_CREAT))
    files = RotatingFile(lambda _: file, lambda _: b"head;")
    files.open_next()
    files.append([b"one;", [b"two", b"", b";"]])

    write_all(files)
    files.close()
    assert path.read_bytes() == b"head;one;two;"


def test_failing_rotation_changes_nothing(tmp_path: Path) -> None:
    """While the next file cannot be created the records stay owed; then they follow."""
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


def test_deleted_file_is_followed_by_another(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The deletion is an error once; what is written afterwards is in the next file."""
    files = files_in(tmp_path)
    files.append([b"1"])
    write_all(files)
    os.unlink(files.path)
    files.append([b"2"])

    write_all(files)
    files.close()
    assert contents(tmp_path) == [b"head 1;2"]
    assert caplog.text.count("was deleted while it was written") == 1


def test_record_that_was_being_written_into_a_deleted_file_is_written_again(tmp_path: Path) -> None:
    """What was torn by the deletion is whole in the next file."""
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
