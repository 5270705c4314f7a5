"""One event file: its name, and what of appended bytes is in it."""

import os
import platform
import stat
import time
from pathlib import Path

import pytest

from toposcope.proto.file_name import parse_file_name
from toposcope.recorder.event_file import EventFile, create_event_file


def create(directory: Path, rank: int = 0) -> EventFile:
    """Create an event file with the default prefix and suffix."""
    return create_event_file(str(directory), "events", rank, "_MS")


def seconds_of(file: EventFile) -> int:
    """Return the seconds in the file's name."""
    name = parse_file_name(os.path.basename(file.path))
    assert name is not None
    return name.seconds


def test_name_holds_now_rank_and_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of the first file of a directory says when, which rank and where."""
    monkeypatch.setattr(platform, "node", lambda: "box-1.lan")
    before = int(time.time())

    file = create(tmp_path, rank=3)

    file.close()
    assert before <= seconds_of(file) <= time.time()
    assert os.listdir(tmp_path) == [f"events.out.events.summary.{seconds_of(file)}.3.box-1.lan_MS"]


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
    assert [seconds_of(file) for file in files] == list(range(seconds_of(files[0]), seconds_of(files[0]) + 4))


def test_name_follows_the_largest_of_the_directory(tmp_path: Path) -> None:
    """A file from the future, lineage included, is followed, not preceded."""
    (tmp_path / "events.out.events.summary.99999999999.7.elsewhere_lineage").touch()

    file = create(tmp_path)

    file.close()
    assert seconds_of(file) == 100000000000


def test_name_taken_in_between_is_left_to_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two writers that look at the same moment choose the same name; one of them chooses again."""
    first = create(tmp_path)
    list_directory = os.listdir
    answers = [[], list_directory(tmp_path)]
    monkeypatch.setattr(os, "listdir", lambda _: answers.pop(0))
    monkeypatch.setattr(time, "time", lambda: float(seconds_of(first)))

    second = create(tmp_path)

    first.close()
    second.close()
    assert answers == []
    assert seconds_of(second) == seconds_of(first) + 1


def test_mode_of_the_file_is_the_umasks(tmp_path: Path) -> None:
    """The user's umask decides who may read."""
    umask = os.umask(0o027)
    try:
        file = create(tmp_path)
    finally:
        os.umask(umask)

    file.close()
    assert stat.S_IMODE(os.stat(file.path).st_mode) == 0o640


def test_what_a_write_could_not_place_stays_owed(tmp_path: Path) -> None:
    """A short write leaves the rest for the next one: nothing is torn out of the middle, nothing written twice."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    file = EventFile("pipe", writing)
    records = os.urandom(300_000)
    file.append(records)

    received = b""
    while file.owes:
        file.write_some()
        received += os.read(reading, 1 << 20)
    file.abandon()
    with open(reading, "rb") as rest:
        received += rest.read()

    assert received == records


def test_file_is_closed_once(tmp_path: Path) -> None:
    """Closing again does not close whatever has the descriptor by now."""
    file = create(tmp_path)
    file.abandon()
    with open(tmp_path / "other", "wb") as other:
        file.abandon()

        other.write(b"still open")
    assert (tmp_path / "other").read_bytes() == b"still open"
