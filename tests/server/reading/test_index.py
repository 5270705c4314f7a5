"""The index: a restart reads only what was appended, and nothing in the folder causes wrong points or a failure."""

import errno
import logging
import os
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from support import http
from support.event_files import loss_run, scalar_event, version_event, write_run
from support.servers import start, stop, wait_until

from toposcope.proto import framing, summary_pb2
from toposcope.proto.file_name import parse_file_name
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.reading.event_file import EventFile
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.index.index import Index
from toposcope.server.reading.series.series import Points
from toposcope.server.reading.tag_table import Tag

LOSS = Tag("scalar", "loss")
PICTURE = Tag("image", "picture")
BUDGET = 1 << 30


def open_file(path: Path, folder: Path, limit: int = 1 << 30) -> EventFile:
    """Return a reader like that of a server which has just started."""
    name = parse_file_name(path.name)
    assert name is not None
    return EventFile(str(path), name, Index(folder, limit))


def read_all(file: EventFile) -> FileView:
    """Read to the end of the file."""
    while file.read(BUDGET):
        pass
    view = file.view()
    assert view is not None
    return view


def restart(path: Path, folder: Path) -> FileView:
    """Return the view of a file in a new server, with large records verified."""
    file = open_file(path, folder)
    read_all(file)
    while file.verify(BUDGET):
        pass
    return read_all(file)


def save(path: Path, folder: Path) -> EventFile:
    """Read a file and bring the index up to date."""
    file = open_file(path, folder)
    read_all(file)
    file.save(is_quiet=True)
    return file


def segments(folder: Path) -> list[Path]:
    """List the segments in a folder."""
    return sorted(folder.rglob("*-*-*"))


def picture(step: int, size: int = 20_000, is_intact: bool = True) -> bytes:
    """Return a large record, which is not verified when it is loaded."""
    event = summary_pb2.Event(wall_time=2.0 + step, step=step)
    event.summary.value.add(tag="picture").image.encoded_image = b"x" * size
    record = bytearray(framing.frame(event.SerializeToString()))
    if not is_intact:
        record[size // 2] ^= 1
    return bytes(record)


def test_restart_reads_only_what_was_appended(tmp_path: Path) -> None:
    """Bytes that the index covers are not read again: garbage among them is not noticed."""
    path, folder = loss_run(tmp_path / "run", range(2000)), tmp_path / "index"
    before = save(path, folder).view()
    assert before is not None
    with path.open("r+b") as file:
        file.seek(10_000)
        file.write(b"\xa5" * 20_000)
        file.seek(0, os.SEEK_END)
        file.write(scalar_event(9000.0, 2000, {"loss": 5.0}))

    after = restart(path, folder)

    assert after.series[LOSS].step.tolist() == list(range(2001))
    after_points, before_points = after.series[LOSS], before.series[LOSS]
    assert isinstance(after_points, Points)
    assert isinstance(before_points, Points)
    assert np.array_equal(after_points.value[:2000], before_points.value)
    assert not after.damage


@pytest.mark.parametrize("change", ["replaced", "shortened", "regrown", "other head", "other tail"])
def test_changed_file_is_read_again(tmp_path: Path, change: str) -> None:
    """The index is not used for a file that was changed."""
    path, folder = loss_run(tmp_path / "run", range(100)), tmp_path / "index"
    save(path, folder)
    other = loss_run(tmp_path / "other", range(1000, 1200))
    content = bytearray(path.read_bytes())
    match change:
        case "replaced":
            os.replace(other, path)
        case "shortened":
            os.truncate(path, len(content) // 2)
        case "regrown":
            os.truncate(path, 0)
            path.write_bytes(other.read_bytes())
        case "other head":
            content[100] ^= 1
            path.write_bytes(content)
        case "other tail":
            content[-100] ^= 1
            path.write_bytes(content)
    expected = read_all(open_file(path, tmp_path / "no index"))

    seen = restart(path, folder)

    assert seen.series[LOSS].step.tolist() == expected.series[LOSS].step.tolist()
    assert seen.damage == expected.damage


def test_damaged_segment_is_replaced(tmp_path: Path) -> None:
    """Whichever byte of a segment is changed or missing, the points are right and the next segment is intact."""
    path, folder = loss_run(tmp_path / "run", range(5)), tmp_path / "index"
    save(path, folder)
    (segment,) = segments(folder)
    whole = segment.read_bytes()
    for at in range(0, len(whole), 3):
        flipped = bytearray(whole)
        flipped[at] ^= 0xFF
        segment.write_bytes(flipped if at % 2 else whole[:at])
        file = open_file(path, folder)
        assert read_all(file).series[LOSS].step.tolist() == list(range(5)), f"byte {at}"
        file.save(is_quiet=True)
        assert [segment.read_bytes() for segment in segments(folder)] == [whole]


def test_many_segments_become_one(tmp_path: Path) -> None:
    """A file that grew and was saved many times has few segments, and all of its points."""
    path, folder = loss_run(tmp_path / "run", range(10)), tmp_path / "index"
    file = save(path, folder)
    for step in range(10, 50):
        with path.open("ab") as grows:
            grows.write(scalar_event(2.0 + step, step, {"loss": 1.0, f"new/{step}": 2.0}))
        read_all(file)
        file.save(is_quiet=True)
        assert len(segments(folder)) <= 9

    seen = restart(path, folder)

    assert seen.series[LOSS].step.tolist() == list(range(50))
    assert [seen.series[Tag("scalar", f"new/{step}")].step.tolist() for step in range(10, 50)] == [
        [step] for step in range(10, 50)
    ]


def test_damage_and_verified_records_are_indexed(tmp_path: Path) -> None:
    """A restart has the damage, of small and large records, and verifies no record twice."""
    broken = bytearray(scalar_event(3.0, 1, {"loss": 1.0}))
    broken[-1] ^= 1
    records = [picture(1), picture(2, is_intact=False), bytes(broken), scalar_event(4.0, 2, {"loss": 1.0}), picture(3)]
    path, folder = write_run(tmp_path / "run", records), tmp_path / "index"
    file = open_file(path, folder)
    read_all(file)
    while file.verify(BUDGET):
        pass
    expected = read_all(file)
    while file.verify(BUDGET):
        pass
    file.save(is_quiet=True)

    seen = read_all(open_file(path, folder))

    assert seen.series[PICTURE].step.tolist() == [1, 3]
    assert [damage.reason for damage in seen.damage] == ["payload", "payload"]
    assert seen.damage == expected.damage
    assert (seen.large_records, seen.verified_large_records) == (2, 2)


def test_half_verified_file_is_verified_after_a_restart(tmp_path: Path) -> None:
    """Damage found by a server that stopped before it had verified all records is found again by the next."""
    records = [picture(1), picture(2, is_intact=False), picture(3), picture(4)]
    path, folder = write_run(tmp_path / "run", records), tmp_path / "index"
    file = open_file(path, folder)
    read_all(file)
    file.verify(1)
    file.verify(1)
    file.save(is_quiet=True)

    seen = restart(path, folder)

    assert seen.series[PICTURE].step.tolist() == [1, 3, 4]
    assert len(seen.damage) == 1


def test_half_read_file_leaves_no_points_of_damaged_records(tmp_path: Path) -> None:
    """A server that stops while reading a record whose end is malformed saves no points of it."""
    event = summary_pb2.Event(wall_time=2.0, step=1)
    for content in (b"x", b"y"):
        event.summary.value.add(tag="picture").image.encoded_image = content * 300_000
    whole = event.SerializeToString()
    second = whole.rindex(b"\x0a\x07picture")
    malformed = whole[:second] + b"\x07" + whole[second + 1 :]  # There is no field number 0.
    records = [picture(1, 300_000), framing.frame(malformed), picture(2, 300_000), scalar_event(9.0, 9, {"loss": 1.0})]
    path = write_run(tmp_path / "run", records)
    folder = tmp_path / "index"
    expected = read_all(open_file(path, tmp_path / "no index"))
    file = open_file(path, folder)
    for _ in range(20):
        file.read(1)
        file.save(is_quiet=True)
        seen = read_all(open_file(path, folder))
        assert seen.series[PICTURE].total == expected.series[PICTURE].total == 2
        assert seen.damage == expected.damage


def test_least_recently_used_segments_are_evicted(tmp_path: Path) -> None:
    """The size of the index stays below its limit."""
    folder = tmp_path / "index"
    paths = [loss_run(tmp_path / str(number), range(100)) for number in range(20)]
    save(paths[0], folder)
    size = sum(segment.stat().st_size for segment in segments(folder))
    segments_of = {paths[0]: set(segments(folder))}
    for age, path in enumerate(paths[1:]):
        before = set(segments(folder))
        file = open_file(path, folder, 8 * size)
        read_all(file)
        file.save(is_quiet=True)
        segments_of[path] = set(segments(folder)) - before
        for segment in segments_of[path]:
            os.utime(segment, (time.time() - 100 + age,) * 2)
        assert sum(segment.stat().st_size for segment in segments(folder)) <= 8 * size

    left = set(segments(folder))

    assert segments_of[paths[-1]] <= left
    assert not segments_of[paths[1]] & left


@pytest.mark.parametrize("kind", ["file", "full"])
def test_folder_that_cannot_be_written_is_logged_once(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Without a writable folder everything works as if there were no index, after one warning."""
    folder = tmp_path / "index"
    if kind == "file":
        folder.touch()
    else:
        folder = Path("/dev/full/index")
    with caplog.at_level(logging.WARNING):
        index = Index(folder)
        for number in range(3):
            path = loss_run(tmp_path / str(number), range(5))
            name = parse_file_name(path.name)
            assert name is not None
            file = EventFile(str(path), name, index)
            assert read_all(file).series[LOSS].total == 5
            file.save(is_quiet=True)
    assert len(caplog.records) == 1
    assert str(folder) in caplog.text


def test_other_files_in_the_folder_are_ignored(tmp_path: Path) -> None:
    """Files that are not the index's cause no failure and are not deleted."""
    path, folder = loss_run(tmp_path / "run", range(5)), tmp_path / "index"
    save(path, folder)
    parent = segments(folder)[0].parent
    foreign = [parent / "thesis.txt", parent / "a-b-c", parent / "0-0-9"]
    for other in foreign:
        other.write_text("keep me")
        os.utime(other, (1, 1))
    (parent / "folder").mkdir()
    os.utime(parent / "folder", (1, 1))

    seen = restart(path, folder)

    assert seen.series[LOSS].total == 5
    assert [other.read_text() for other in foreign] == ["keep me"] * 3


def test_old_part_files_are_deleted(tmp_path: Path) -> None:
    """What a server left half written long ago is deleted, but not what another one is writing now."""
    folder = tmp_path / "index"
    (folder / "ab").mkdir(parents=True)
    old, fresh = folder / "ab/0123456789abcdef.part", folder / "ab/fedcba9876543210.part"
    old.touch()
    fresh.touch()
    os.utime(old, (1, 1))

    Index(folder)

    assert (old.exists(), fresh.exists()) == (False, True)


def test_two_servers_share_a_folder(tmp_path: Path) -> None:
    """Two processes that index the same growing file in the same folder both have all of its points."""
    path, folder = loss_run(tmp_path / "runs/a", range(3000)), tmp_path / "index"

    def has_all(url: str) -> bool:
        return total(url) == 3050

    servers = [start(tmp_path / "runs", "--index-dir", str(folder)) for _ in range(2)]
    try:
        for step in range(3000, 3050):
            with path.open("ab") as grows:
                grows.write(scalar_event(2.0 + step, step, {"loss": 1.0}))
        for _, url in servers:
            wait_until(partial(has_all, url))
    finally:
        errors = [stop(process)[1] for process, _ in servers]
    assert errors == ["", ""]
    assert restart(path, folder).series[LOSS].step.tolist() == list(range(3050))


def test_logdir_is_never_modified(tmp_path: Path) -> None:
    """After a server ran, the logdir contains the same files with the same content and times."""
    loss_run(tmp_path / "runs/a", range(10))
    write_run(tmp_path / "runs/b", [picture(1), picture(2, is_intact=False), b"garbage"])
    before = listing(tmp_path / "runs")

    process, url = start(tmp_path / "runs", "--index-dir", str(tmp_path / "index"))
    wait_until(lambda: total(url) == 10)
    stop(process)

    assert listing(tmp_path / "runs") == before
    assert segments(tmp_path / "index")


def test_indexed_file_continues_with_an_incomplete_record(tmp_path: Path) -> None:
    """A file saved with half a record at its end continues with that record."""
    path, folder = loss_run(tmp_path / "run", range(10)), tmp_path / "index"
    record = scalar_event(50.0, 10, {"loss": 1.0})
    with path.open("ab") as grows:
        grows.write(record[:20])
    save(path, folder)
    with path.open("ab") as grows:
        grows.write(record[20:])

    seen = restart(path, folder)

    assert seen.series[LOSS].step.tolist() == list(range(11))
    assert not seen.damage


def total(url: str) -> int:
    """Return how many points of loss a server has; 0 if it has none yet."""
    reply = http.get(f"{url}api/scalars", params={"tag": "loss"})
    return sum(series["total"] for series in reply.json().get("series", []))


def listing(folder: Path) -> list[tuple[str, int, int, int]]:
    """Return (name, inode, size, time of the last modification) of everything below a folder."""
    paths = sorted(folder.rglob("*"))
    return [(str(path), path.stat().st_ino, path.stat().st_size, path.stat().st_mtime_ns) for path in paths]


def test_file_without_points_is_indexed(tmp_path: Path) -> None:
    """A file with only its version event can be saved and continued."""
    path, folder = tmp_path / "events.out.events.summary.1.0.host_MS", tmp_path / "index"
    path.write_bytes(version_event())
    save(path, folder)
    with path.open("ab") as grows:
        grows.write(scalar_event(2.0, 1, {"loss": 1.0}))

    assert restart(path, folder).series[LOSS].step.tolist() == [1]


def test_segment_that_is_shortened_does_not_end_the_process(tmp_path: Path) -> None:
    """Another host may shorten or delete a large segment while a server uses it: points that were read stay."""
    path, folder = loss_run(tmp_path / "run", range(120_000)), tmp_path / "index"
    save(path, folder)
    (segment,) = segments(folder)
    assert segment.stat().st_size > 1 << 20
    file = open_file(path, folder)
    view = read_all(file)

    os.truncate(segment, 100)

    assert int(view.series[LOSS].step.sum()) == sum(range(120_000))
    with path.open("ab") as grows:
        grows.write(scalar_event(1e6, 120_000, {"loss": 1.0}))
    assert read_all(file).series[LOSS].total == 120_001
    assert restart(path, folder).series[LOSS].total == 120_001


@pytest.mark.parametrize("change", ["unreadable", "missing"])
def test_unreadable_segment_is_kept(tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A segment that cannot be opened at present is not deleted, as a damaged one is; the file itself is read."""
    path, folder = loss_run(tmp_path / "run", range(10)), tmp_path / "index"
    save(path, folder)
    (segment,) = segments(folder)
    opened = UNCHECKED.open

    def fail(name: str) -> object:
        if name == str(segment):
            raise OSError(errno.EMFILE if change == "unreadable" else errno.ENOENT, "fails")
        return opened(name)

    monkeypatch.setattr(UNCHECKED, "open", fail)
    assert read_all(open_file(path, folder)).series[LOSS].total == 10
    assert segment.exists() == (change == "unreadable")
