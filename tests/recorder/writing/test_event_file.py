"""Creating event files and appending to them."""

import os
import platform
import stat
import time
from pathlib import Path

import pytest

from toposcope.recorder.writing.files.event_file import EventFile, Naming, create_event_file, seconds_of


def create(directory: Path, rank: int = 0) -> EventFile:
    """Create an event file with the default prefix and suffix."""
    return create_event_file(Naming(str(directory), "events", rank, "_MS"))


def test_name_contains_time_rank_and_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of the first file in a directory contains the current time, the rank and the host."""
    monkeypatch.setattr(platform, "node", lambda: "box-1.lan")
    before = int(time.time())

    file = create(tmp_path, rank=3)

    file.close()
    assert before <= seconds_of(file.path) <= time.time()
    assert os.listdir(tmp_path) == [f"events.out.events.summary.{seconds_of(file.path)}.3.box-1.lan_MS"]


@pytest.mark.parametrize(
    ("node", "host"), [("a/b c\n", "a-b-c-"), ("../x", "..-x"), ("", "localhost"), ("é", "-"), ("n" * 99, "n" * 64)]
)
def test_host_name_is_restricted_to_file_name_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, node: str, host: str
) -> None:
    """No host name can place the file outside the directory."""
    monkeypatch.setattr(platform, "node", lambda: node)

    file = create(tmp_path)

    file.close()
    assert os.path.dirname(file.path) == str(tmp_path)
    assert file.path.endswith(f".0.{host}_MS")


def test_names_in_a_directory_sort_in_order_of_creation(tmp_path: Path) -> None:
    """Files created within one second have different names, and later files sort later."""
    files = [create(tmp_path) for _ in range(4)]

    for file in files:
        file.close()
    assert [file.path for file in files] == sorted({file.path for file in files})
    assert [seconds_of(file.path) for file in files] == list(
        range(seconds_of(files[0].path), seconds_of(files[0].path) + 4)
    )


def test_name_sorts_after_the_largest_in_the_directory(tmp_path: Path) -> None:
    """A new file sorts after existing ones, even after a lineage file with a time in the future."""
    (tmp_path / "events.out.events.summary.99999999999.7.elsewhere_lineage").touch()

    file = create(tmp_path)

    file.close()
    assert seconds_of(file.path) == 100000000000


def test_another_name_is_chosen_if_a_file_was_created_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If two writers choose the same name at the same time, one of them chooses another one."""
    first = create(tmp_path)
    list_directory = os.listdir
    answers = [[], list_directory(tmp_path)]
    monkeypatch.setattr(os, "listdir", lambda _: answers.pop(0))
    monkeypatch.setattr(time, "time", lambda: float(seconds_of(first.path)))

    second = create(tmp_path)

    first.close()
    second.close()
    assert answers == []
    assert seconds_of(second.path) == seconds_of(first.path) + 1


def test_mode_of_the_file_follows_the_umask(tmp_path: Path) -> None:
    """The umask of the user determines who may read the file."""
    umask = os.umask(0o027)
    try:
        file = create(tmp_path)
    finally:
        os.umask(umask)

    file.close()
    assert stat.S_IMODE(os.stat(file.path).st_mode) == 0o640


def test_seconds_can_be_passed(tmp_path: Path) -> None:
    """A lineage file uses the seconds of the summaries; if that name exists, it sorts last like any other file."""
    naming = Naming(str(tmp_path), "events", 0, "_lineage")

    files = [create_event_file(naming, 1234) for _ in range(2)]

    for file in files:
        file.close()
    assert seconds_of(files[0].path) == 1234
    assert seconds_of(files[1].path) >= int(time.time()) - 1


def test_deleted_directory_is_created_again(tmp_path: Path) -> None:
    """The next file is created even if the directory has been deleted."""
    file = create(tmp_path / "gone" / "run")

    file.close()
    assert os.path.exists(file.path)


def test_buffers_are_written_in_order(tmp_path: Path) -> None:
    """Each write consumes some of the first bytes, for any number and size of buffers."""
    buffers = [os.urandom(size) for size in [1, 0, 70_000, *range(3000), 9 << 20]]
    content = b"".join(buffers)
    file = create(tmp_path)

    written = 0
    while written < len(content):
        count = file.write([memoryview(content)[written:]] if written > 1 << 20 else buffers)
        written, buffers = written + count, [content[written + count :]]

    file.close()
    assert Path(file.path).read_bytes() == content


def test_deletion_is_detected(tmp_path: Path) -> None:
    """A file without a name is deleted; a file that was moved is not."""
    moved, deleted = create(tmp_path), create(tmp_path)
    os.rename(moved.path, tmp_path / "elsewhere")
    os.unlink(deleted.path)

    assert (moved.is_deleted(), deleted.is_deleted()) == (False, True)
    moved.close()
    deleted.close()


def test_file_is_closed_once(tmp_path: Path) -> None:
    """Closing twice does not close another file that has reused the descriptor."""
    file = create(tmp_path)
    file.abandon()
    with open(tmp_path / "other", "wb") as other:
        file.abandon()

        other.write(b"still open")
    assert (tmp_path / "other").read_bytes() == b"still open"
