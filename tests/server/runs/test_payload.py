"""Payloads read on demand: the bytes that were recorded, or an error with the reason."""

import errno
import os
import threading
from pathlib import Path

import pytest
from support.event_files import write_run
from support.faulty_place import FaultyPlace, Operation

from toposcope.proto import framing, lineage_pb2, summary_pb2
from toposcope.proto.file_name import parse_file_name
from toposcope.server.places.local_disk import UNCHECKED, LocalDisk
from toposcope.server.places.place import Place
from toposcope.server.reading.event_file import EventFile
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.payload import PayloadError, read_payload, read_payloads
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView

PICTURE = Tag("image", "picture")
BUDGET = 1 << 30


def picture(step: int, size: int) -> bytes:
    """Return the record of an image."""
    event = summary_pb2.Event(wall_time=2.0 + step, step=step)
    event.summary.value.add(tag="picture").image.encoded_image = bytes([step]) * size
    return framing.frame(event.SerializeToString())


def load(path: Path, is_verified: bool = False, place: Place = UNCHECKED) -> RunView:
    """Return the run of one event file."""
    name = parse_file_name(path.name)
    assert name is not None
    file = EventFile(str(path), name, place=place)
    while file.read(BUDGET):
        pass
    while is_verified and file.verify(BUDGET):
        pass
    view = file.view()
    assert view is not None
    return RunView("run", [view], 1, False)


def read(run: RunView, row: int) -> bytes:
    """Return the image of a row."""
    content = read_payload(run, run.payloads(PICTURE, 0), row)
    return summary_pb2.Summary.Image.FromString(content).encoded_image


@pytest.mark.parametrize("size", [10, 20_000, 5_000_000], ids=["small", "large", "larger than a window"])
@pytest.mark.parametrize("is_verified", [True, False])
def test_payload_is_what_was_recorded(tmp_path: Path, size: int, is_verified: bool) -> None:
    """Each row returns its own bytes."""
    run = load(write_run(tmp_path, [picture(step, size) for step in (1, 2, 3)]), is_verified)

    assert [read(run, row) for row in range(3)] == [bytes([step]) * size for step in (1, 2, 3)]


def test_only_the_damaged_large_payload_is_rejected(tmp_path: Path) -> None:
    """A payload that does not match its checksum is never served; its neighbours are."""
    path = write_run(tmp_path, [picture(step, 20_000) for step in (1, 2, 3)])
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    run = load(path)

    with pytest.raises(PayloadError, match=r"step 2 of run 'run'.*damaged"):
        read(run, 1)
    assert read(run, 0) == b"\x01" * 20_000
    assert read(run, 2) == b"\x03" * 20_000


@pytest.mark.parametrize("size", [10, 20_000])
@pytest.mark.parametrize("change", ["gone", "shorter", "replaced", "cut to nothing", "garbage"])
def test_changed_file_raises_an_error(tmp_path: Path, change: str, size: int) -> None:
    """A file that was changed since it was read never yields wrong bytes."""
    path = write_run(tmp_path / "a", [picture(step, size) for step in (1, 2, 3)])
    run = load(path)
    match change:
        case "gone":
            path.unlink()
        case "shorter":
            os.truncate(path, path.stat().st_size - size // 2)
        case "replaced":
            os.replace(write_run(tmp_path / "b", [picture(4, size)] * 3), path)
        case "cut to nothing":
            os.truncate(path, 0)
        case "garbage":
            path.write_bytes(b"\xa5" * path.stat().st_size)

    with pytest.raises(PayloadError, match="step 3 of run 'run'"):
        read(run, 2)


@pytest.mark.parametrize("size", [10, 20_000])
def test_file_rewritten_in_place_yields_no_bytes_of_other_records(tmp_path: Path, size: int) -> None:
    """If there is another record at the offset now, its content is not returned."""
    path = write_run(tmp_path / "a", [picture(step, size) for step in (1, 2, 3)])
    run = load(path)
    event = summary_pb2.Event(wall_time=2.0, step=9)
    event.summary.value.add(tag="other", scalar_value=1.0)
    small = framing.frame(event.SerializeToString())
    start = path.stat().st_size - len(picture(3, size))
    with path.open("r+b") as file:
        file.seek(start)
        file.write((small * (size // len(small) + 2))[: len(picture(3, size))])

    with pytest.raises(PayloadError):
        read(run, 2)


class Failing:
    """Makes reads fail while it is switched on."""

    is_on = False

    def __call__(self, operation: Operation) -> BaseException | None:
        """Return the error of an operation."""
        return (
            OSError(errno.EMFILE, "Too many open files") if self.is_on and operation.name in {"open", "read"} else None
        )


def test_payload_that_cannot_be_read_at_present_is_not_lost(tmp_path: Path) -> None:
    """It raises OSError, which is answered 503, and not the error of a damaged record; later it is read."""
    fails = Failing()
    run = load(write_run(tmp_path, [picture(step, 10) for step in (1, 2)]), place=FaultyPlace(LocalDisk(), fails))
    payloads = run.payloads(PICTURE, 0)

    fails.is_on = True
    with pytest.raises(OSError, match=r"step 1 of run 'run'.* cannot be read: Too many open files"):
        read_payload(run, payloads, 0)
    with pytest.raises(OSError, match="Too many open files"):
        list(read_payloads(run, payloads, [0, 1]))
    fails.is_on = False

    assert len([each for each in read_payloads(run, payloads, [0, 1]) if isinstance(each, bytes)]) == 2


def test_hyper_parameters_stay_while_they_cannot_be_read(tmp_path: Path) -> None:
    """Those that were read before are returned, with the reason; none are kept as if the run had none."""
    event = lineage_pb2.LineageEvent(wall_time=1.0)
    event.train_lineage.hyper_parameters.learning_rate = 0.5
    path = tmp_path / "events.out.events.summary.1.0.host_MS_lineage"
    path.write_bytes(framing.frame(event.SerializeToString()))
    fails, overview = Failing(), Overview()
    place = FaultyPlace(LocalDisk(), fails)
    run, again = load(path, place=place), load(path, place=place)

    fails.is_on = True
    first = overview.settings(run, [])
    assert (first.hyper_parameters, len(first.problems), overview.unread) == ({}, 1, {"run"})
    fails.is_on = False
    read_later = overview.settings(run, [])
    assert read_later.hyper_parameters["learning_rate"] == 0.5
    assert (read_later.problems, overview.unread) == ([], set())
    with path.open("ab") as file:
        file.write(framing.frame(event.SerializeToString()))
    again = load(path, place=place)
    fails.is_on = True
    assert overview.settings(again, []).hyper_parameters == read_later.hyper_parameters
    assert len(overview.settings(again, []).problems) == 2


def test_disk_that_does_not_answer_blocks_few_threads(tmp_path: Path) -> None:
    """Further reads fail soon, and are made again when the disk answers."""
    answers, waiting = threading.Event(), threading.Semaphore(0)

    def wait(operation: Operation) -> None:
        if operation.name == "open":
            waiting.release()
            answers.wait(30)

    path = write_run(tmp_path, [picture(1, 10)])
    run = load(path)
    run = RunView("run", [run.files[0]._replace(place=FaultyPlace(LocalDisk(), wait))], 1, False)
    threads = [threading.Thread(target=read, args=(run, 0)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert waiting.acquire(timeout=30)

    with pytest.raises(OSError, match="the disk does not answer 16 other reads"):
        read(run, 0)
    answers.set()
    for thread in threads:
        thread.join()

    assert read(run, 0) == b"\x01" * 10
