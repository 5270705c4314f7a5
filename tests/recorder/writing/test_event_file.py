"""One event file: its name, and what of appended bytes is in it."""

import os
import platform
import stat
import time
from pathlib import Path

import pytest

from toposcope.recorder.writing.event_file import EventFile, Naming, create_event_file, seconds_of


def create(directory: Path, rank: int = 0) -> EventFile:
    """Create an event file with the default prefix and suffix."""
    return create_event_file(Naming(str(directory), "events", rank, "_MS"))


def test_name_holds_now_rank_and_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of the first file of a directory says when, which rank and where."""
    monkeypatch.setattr(platform, "node", lambda: "box-1.lan")
    before = int(time.time())

    file = create(tmp_path, rank=3)

    file.close()
    assert before <= seconds_of(file.path) <= time.time()
    assert os.listdir(tmp_path) == [f"events.out.events.summary.{seconds_of(file.path)}.3.box-1.lan_MS"]


@pytest.mark.parametrize(
    ("node", "host"), [("a/b c\n", "a-b-c-"), ("../x", "..-x"), ("", "localhost"), ("é", "-"), ("n" * 99, "n" * 64)]
)
def test_host_is_part_of_one_file_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, node: str, host: str) -> None:
    """Whatever the machine calls itself, the name stays in the directory."""
    monkeypatch.setattr(platform, "node", lambda: node)

    file = create(tmp_path)

    file.close()
    assert os.path.dirname(file.path) == str(tmp_path)
    assert file.path.endswith(f".0.{host}_MS")


def test_names_of_one_directory_sort_in_order(tmp_path: Path) -> None:
    """Files begun within one second have names of their own, later ones sort later."""
    files = [create(tmp_path) for _ in range(4)]

    for file in files:
        file.close()
    assert [file.path for file in files] == sorted({file.path for file in files})
    assert [seconds_of(file.path) for file in files] == list(
        range(seconds_of(files[0].path), seconds_of(files[0].path) + 4)
    )


def test_name_follows_the_largest_of_the_directory(tmp_path: Path) -> None:
    """A file from the future, lineage included, is followed, not preceded."""
    (tmp_path / "events.out.events.summary.99999999999.7.elsewhere_lineage").touch()

    file = create(tmp_path)

    file.close()
    assert seconds_of(file.path) == 100000000000


def test_name_taken_in_between_is_left_to_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two writers that look at the same moment choose the same name; one of them chooses again."""
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


def test_mode_of_the_file_is_the_umasks(tmp_path: Path) -> None:
    """The user's umask decides who may read."""
    umask = os.umask(0o027)
    try:
        file = create(tmp_path)
    finally:
        os.umask(umask)

    file.close()
    assert stat.S_IMODE(os.stat(file.path).st_mode) == 0o640


def test_seconds_can_be_chosen(tmp_path: Path) -> None:
    """The file of lineage takes the seconds of the summaries; when that name is taken, it sorts last as any other."""
    naming = Naming(str(tmp_path), "events", 0, "_lineage")

    files = [create_event_file(naming, 1234) for _ in range(2)]

    for file in files:
        file.close()
    assert seconds_of(files[0].path) == 1234
    assert seconds_of(files[1].path) >= int(time.time()) - 1


def test_directory_is_created_anew(tmp_path: Path) -> None:
    """A directory that somebody removed does not keep the next file from being created."""
    file = create(tmp_path / "gone" / "run")

    file.close()
    assert os.path.exists(file.path)


def test_buffers_are_written_one_after_the_other(tmp_path: Path) -> None:
    """However many buffers of whatever size: each write takes some of the first bytes."""
    buffers = [os.urandom(size) for size in [1, 0, 70_000, *range(3000), 9 << 20]]
    content = b"".join(buffers)
    file = create(tmp_path)

    written = 0
    while written < len(content):
        taken = file.write([memoryview(content)[written:]] if written > 1 << 20 else buffers)
        written, buffers = written + taken, [content[written + taken :]]

    file.close()
    assert Path(file.path).read_bytes() == content


def test_deleted_file_is_noticed(tmp_path: Path) -> None:
    """A file without a name is deleted; one that was moved is not."""
    moved, deleted = create(tmp_path), create(tmp_path)
    os.rename(moved.path, tmp_path / "elsewhere")
    os.unlink(deleted.path)

    assert (moved.is_deleted(), deleted.is_deleted()) == (False, True)
    moved.close()
    deleted.close()


def test_file_is_closed_once(tmp_path: Path) -> None:
    """Closing again does not close whatever has the descriptor by now."""
    file = create(tmp_path)
    file.abandon()
    with open(tmp_path / "other", "wb") as other:
        file.abandon()

        other.write(b"still open")
    assert (tmp_path / "other").read_bytes() == b"still open"
