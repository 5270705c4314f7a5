"""Damaged event files: intact records are read as by the slow reader; damage is counted and located."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.event_files import read_slowly, scalar_event, version_event
from support.servers import Serve, wait_until

from toposcope.proto import framing, summary_pb2
from toposcope.proto.file_name import parse_file_name
from toposcope.server.reading.event_file import EventFile
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.series.series import Payloads

NAME = "events.out.events.summary.1.0.host_MS"
BUDGET = 1 << 30
Steps = dict[str, list[int]]
"""By tag."""


def picture(step: int, size: int = 20_000) -> bytes:
    """Return a large record, which is not verified when it is loaded."""
    event = summary_pb2.Event(wall_time=2.0 + step, step=step)
    event.summary.value.add(tag="picture").image.encoded_image = bytes(random.Random(step).randbytes(size))
    event.summary.value.add(tag="beside", scalar_value=step)
    return framing.frame(event.SerializeToString())


RECORDS = [version_event()] + [
    record for step in range(1, 9) for record in (scalar_event(1.0 + step, step, {"loss": 1 / step}), picture(step))
]
STARTS = [sum(map(len, RECORDS[:number])) for number in range(len(RECORDS))]
SMALL, LARGE = STARTS[5], STARTS[8]


def flip(*offsets: int) -> bytes:
    """Return the file with a bit flipped at each offset."""
    content = bytearray(b"".join(RECORDS))
    for offset in offsets:
        content[offset] ^= 1
    return bytes(content)


def overwrite(at: int, more: bytes) -> bytes:
    """Return the file with other bytes from an offset on."""
    content = b"".join(RECORDS)
    return content[:at] + more + content[at + len(more) :]


def bogus_length(at: int, length: int) -> bytes:
    """Return the file with another length in a record, which does not match its crc."""
    return overwrite(at, length.to_bytes(8, "little"))


DAMAGED: dict[str, bytes] = {
    "small payload": flip(SMALL + 20),
    "small crc": flip(STARTS[6] - 1),
    "large payload": flip(LARGE + 10_000),
    "large payload at its first byte": flip(LARGE + 12),
    "large crc": flip(STARTS[9] - 1),
    "several large": flip(*(start + 9000 for start in STARTS[2::4])),
    "all large": flip(*(start + 9000 for start in STARTS[2::2])),
    "small length": flip(SMALL),
    "large length": flip(LARGE + 2),
    "crc of a length": flip(SMALL + 9),
    "first record": flip(14),
    "first length": flip(1),
    "huge length": bogus_length(LARGE, 1 << 62),
    "largest length": bogus_length(SMALL, (1 << 64) - 1),
    "hole of zeros": overwrite(LARGE - 100, bytes(30_000)),
    "garbage": overwrite(SMALL + 3, b"\xa5" * 50_000),
    "block of zeros at the end": overwrite(STARTS[-1] + 4096, bytes(4096)),
    "truncated in a large record": b"".join(RECORDS)[: STARTS[-1] + 9000],
    "truncated in a small record": b"".join(RECORDS)[: STARTS[-2] + 20],
    "truncated in a header": b"".join(RECORDS)[: STARTS[-2] + 7],
    "record within a record": b"".join([*RECORDS[:5], framing.frame(b"\x2a" + b"\x05" + b"hello"), *RECORDS[5:]]),
    "a record twice": b"".join([*RECORDS[:5], RECORDS[4], RECORDS[3], *RECORDS[5:]]),
    "only zeros": bytes(100_000),
    "zeros after the end": b"".join(RECORDS) + bytes(50_000),
}


def open_file(path: Path) -> EventFile:
    """Return a reader of an event file."""
    name = parse_file_name(path.name)
    assert name is not None
    return EventFile(str(path), name)


def read_and_verify(file: EventFile, read: Callable[[EventFile], bool]) -> FileView:
    """Read to the end, verify, and read again if that found damage."""
    is_done = False
    while not is_done:
        while read(file):
            pass
        while file.verify(1):
            pass
        is_done = file.view() is not None
    view = file.view()
    assert view is not None
    return view


def steps_of(view: FileView) -> Steps:
    """Return the steps of every series."""
    return {tag.name: points.step.tolist() for tag, points in view.series.items() if points.total}


def expected_of(content: bytes) -> tuple[Steps, list[int]]:
    """Return what the slow reader returns."""
    points, damage = read_slowly(content, "mindspore")
    steps: Steps = {}
    for point in points:
        steps.setdefault(point.tag, []).append(point.step)
    return steps, damage


@pytest.mark.parametrize("budget", [BUDGET, 1], ids=["in one read", "in many reads"])
@pytest.mark.parametrize("content", DAMAGED.values(), ids=list(DAMAGED))
def test_intact_records_are_read_and_damage_is_counted(tmp_path: Path, content: bytes, budget: int) -> None:
    """Points and damage are those of the slow reader once the large records are verified."""
    path = tmp_path / NAME
    path.write_bytes(content)

    view = read_and_verify(open_file(path), lambda file: file.read(budget))

    assert (steps_of(view), [damage.offset for damage in view.damage]) == expected_of(content)
    assert view.verified_large_records == view.large_records


def test_random_damage_is_found_as_by_the_slow_reader(tmp_path: Path) -> None:
    """Hundreds of files with bytes changed, removed, inserted or zeroed at random offsets."""
    generator = random.Random(20261121)
    path = tmp_path / NAME
    small = [version_event()] + [
        record
        for step in range(1, 9)
        for record in (scalar_event(1.0 + step, step, {"loss": 1 / step}), picture(step, 4200))
    ]
    for number in range(300):
        content = bytearray(b"".join(small))
        for _ in range(generator.randint(1, 3)):
            at = generator.randrange(len(content))
            match generator.randrange(4):
                case 0:
                    content[at] ^= 1 << generator.randrange(8)
                case 1:
                    del content[at : at + generator.randint(1, 5000)]
                case 2:
                    content[at:at] = generator.randbytes(generator.randint(1, 300))
                case 3:
                    content[at : at + 512] = bytes(512)
        path.write_bytes(content)
        points, damage = read_slowly(bytes(content), "mindspore")
        view = read_and_verify(open_file(path), lambda file: file.read(BUDGET))
        total = sum(series.total for series in view.series.values())
        assert (total, [found.offset for found in view.damage]) == (len(points), damage), f"file {number}"


def test_hole_is_skipped_unread(tmp_path: Path) -> None:
    """A hole of a terabyte costs as much as one of a block: records before and after it are read."""
    path = tmp_path / NAME
    hole = 1 << 40
    with path.open("wb") as file_on_disk:
        file_on_disk.write(b"".join(RECORDS[:5]))
        file_on_disk.seek(hole)
        file_on_disk.write(b"".join(RECORDS[5:]))

    view = read_and_verify(open_file(path), lambda file: file.read(BUDGET))

    assert steps_of(view)["loss"] == list(range(1, 9))
    assert [damage.offset for damage in view.damage] == [STARTS[5]]


def test_header_damaged_after_it_was_read_is_not_an_error(tmp_path: Path) -> None:
    """A large record whose length is overwritten before it is verified is damaged, and reading continues after it."""
    path = tmp_path / NAME
    path.write_bytes(b"".join(RECORDS))
    file = open_file(path)
    while file.read(BUDGET):
        pass
    content = overwrite(LARGE, b"\xff" * 8)
    with path.open("r+b") as file_on_disk:
        file_on_disk.write(content)

    view = read_and_verify(file, lambda file: file.read(BUDGET))

    assert (steps_of(view), [damage.offset for damage in view.damage]) == expected_of(content)


def test_file_rewritten_while_it_is_verified_loses_nothing(tmp_path: Path) -> None:
    """Damage found in a file that was truncated meanwhile does not affect the file that replaces it."""
    path = tmp_path / NAME
    path.write_bytes(b"".join(RECORDS))
    file = open_file(path)
    while file.read(BUDGET):
        pass
    with path.open("r+b") as file_on_disk:
        file_on_disk.truncate(LARGE)
        while file.verify(BUDGET):
            pass
        file_on_disk.write(b"".join(RECORDS))

    view = read_and_verify(file, lambda file: file.read(BUDGET))

    assert steps_of(view)["picture"] == list(range(1, 9))
    assert not view.damage


def test_locations_of_payloads_are_those_of_intact_records(tmp_path: Path) -> None:
    """After damage the rows of payloads still contain the locations of their bytes."""
    content = flip(SMALL, LARGE + 9000)
    path = tmp_path / NAME
    path.write_bytes(content)

    view = read_and_verify(open_file(path), lambda file: file.read(BUDGET))

    (pictures,) = (series for tag, series in view.series.items() if tag.name == "picture")
    assert isinstance(pictures, Payloads)
    for step, _, record, start, length, *_ in zip(*(column.tolist() for column in pictures), strict=True):
        image = summary_pb2.Summary.Image.FromString(content[record + start : record + start + length])
        assert image.encoded_image == random.Random(step).randbytes(20_000)


def test_damage_is_listed_with_file_and_offset(tmp_path: Path, serve: Serve) -> None:
    """The API lists damaged records with their offsets; large ones once they are verified in the background."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / NAME).write_bytes(flip(SMALL + 20, LARGE + 9000, STARTS[11] + 2))
    client: httpx.Client = serve(tmp_path)

    def verified() -> dict[str, Any] | None:
        (run,) = client.get("api/runs").json()["runs"]
        return run if run["damaged_records"] == 3 and not run["pending_records"] else None

    run = wait_until(verified)

    assert run["damage"] == [
        {"file": NAME, "offset": SMALL, "reason": "payload"},
        {"file": NAME, "offset": LARGE, "reason": "payload"},
        {"file": NAME, "offset": STARTS[11], "reason": "length"},
    ]
    images = client.get("api/images", params={"run": "run", "tag": "picture"}).json()["images"]
    assert [image["step"] for image in images] == [1, 2, 3, 5, 6, 7, 8]
