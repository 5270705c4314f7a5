"""Damaged event files: what can be read is read, as the slow reader does, and the rest is counted with its place."""

import random
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from support.event_files import read_slowly, scalar_event, version_event
from support.servers import wait_until

from toposcope.proto import framing, summary_pb2
from toposcope.proto.file_name import parse_file_name
from toposcope.server.reading.event_file import EventFile
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.series import Payloads

NAME = "events.out.events.summary.1.0.host_MS"
BUDGET = 1 << 30
Places = dict[str, list[int]]
"""Steps by tag."""


def picture(step: int, size: int = 20_000) -> bytes:
    """Return a record too heavy to be verified when it is loaded."""
    event = summary_pb2.Event(wall_time=2.0 + step, step=step)
    event.summary.value.add(tag="picture").image.encoded_image = bytes(random.Random(step).randbytes(size))
    event.summary.value.add(tag="beside", scalar_value=step)
    return framing.frame(event.SerializeToString())


RECORDS = [version_event()] + [
    record for step in range(1, 9) for record in (scalar_event(1.0 + step, step, {"loss": 1 / step}), picture(step))
]
STARTS = [sum(map(len, RECORDS[:number])) for number in range(len(RECORDS))]
LIGHT, HEAVY = STARTS[5], STARTS[8]


def flip(*places: int) -> bytes:
    """Return the file with a bit flipped at each place."""
    content = bytearray(b"".join(RECORDS))
    for place in places:
        content[place] ^= 1
    return bytes(content)


def overwrite(at: int, more: bytes) -> bytes:
    """Return the file with other bytes from a place on."""
    content = b"".join(RECORDS)
    return content[:at] + more + content[at + len(more) :]


def bogus_length(at: int, length: int) -> bytes:
    """Return the file with another length, whose crc does not fit, in a record."""
    return overwrite(at, length.to_bytes(8, "little"))


DAMAGED: dict[str, bytes] = {
    "light payload": flip(LIGHT + 20),
    "light crc": flip(STARTS[6] - 1),
    "heavy payload": flip(HEAVY + 10_000),
    "heavy payload at its first byte": flip(HEAVY + 12),
    "heavy crc": flip(STARTS[9] - 1),
    "several heavy": flip(*(start + 9000 for start in STARTS[2::4])),
    "all heavy": flip(*(start + 9000 for start in STARTS[2::2])),
    "light length": flip(LIGHT),
    "heavy length": flip(HEAVY + 2),
    "crc of a length": flip(LIGHT + 9),
    "first record": flip(14),
    "first length": flip(1),
    "huge length": bogus_length(HEAVY, 1 << 62),
    "largest length": bogus_length(LIGHT, (1 << 64) - 1),
    "hole of zeros": overwrite(HEAVY - 100, bytes(30_000)),
    "garbage": overwrite(LIGHT + 3, b"\xa5" * 50_000),
    "block of zeros at the end": overwrite(STARTS[-1] + 4096, bytes(4096)),
    "truncated in a heavy record": b"".join(RECORDS)[: STARTS[-1] + 9000],
    "truncated in a light record": b"".join(RECORDS)[: STARTS[-2] + 20],
    "truncated in a header": b"".join(RECORDS)[: STARTS[-2] + 7],
    "record within a record": b"".join([*RECORDS[:5], framing.frame(b"\x2a" + b"\x05" + b"hello"), *RECORDS[5:]]),
    "a record twice": b"".join([*RECORDS[:5], RECORDS[4], RECORDS[3], *RECORDS[5:]]),
    "only zeros": bytes(100_000),
    "zeros behind the end": b"".join(RECORDS) + bytes(50_000),
}


def open_file(path: Path) -> EventFile:
    """Return a reader of an event file."""
    name = parse_file_name(path.name)
    assert name is not None
    return EventFile(str(path), name)


def read_and_verify(file: EventFile, read: Callable[[EventFile], bool]) -> FileView:
    """Read to the end, verify, and read again what that asks for."""
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


def steps_of(view: FileView) -> Places:
    """Return the steps of every series."""
    return {tag.name: points.step.tolist() for tag, points in view.series.items() if points.total}


def expected_of(content: bytes) -> tuple[Places, list[int]]:
    """Return the slow reader's answer."""
    points, damage = read_slowly(content, "mindspore")
    places: Places = {}
    for point in points:
        places.setdefault(point.tag, []).append(point.step)
    return places, damage


@pytest.mark.parametrize("budget", [BUDGET, 1], ids=["at once", "in small bites"])
@pytest.mark.parametrize("content", DAMAGED.values(), ids=list(DAMAGED))
def test_what_is_sound_is_read_and_the_rest_is_counted(tmp_path: Path, content: bytes, budget: int) -> None:
    """Points and damaged places are the slow reader's once the heavy records are verified."""
    path = tmp_path / NAME
    path.write_bytes(content)

    view = read_and_verify(open_file(path), lambda file: file.read(budget))

    assert (steps_of(view), [damage.offset for damage in view.damage]) == expected_of(content)
    assert view.verified_large_records == view.large_records


def test_random_damage_is_seen_as_the_slow_reader_sees_it(tmp_path: Path) -> None:
    """Hundreds of files with bytes changed, taken out, put in or zeroed at random places."""
    chance = random.Random(20261121)
    path = tmp_path / NAME
    small = [version_event()] + [
        record
        for step in range(1, 9)
        for record in (scalar_event(1.0 + step, step, {"loss": 1 / step}), picture(step, 4200))
    ]
    for number in range(300):
        content = bytearray(b"".join(small))
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(content))
            match chance.randrange(4):
                case 0:
                    content[at] ^= 1 << chance.randrange(8)
                case 1:
                    del content[at : at + chance.randint(1, 5000)]
                case 2:
                    content[at:at] = chance.randbytes(chance.randint(1, 300))
                case 3:
                    content[at : at + 512] = bytes(512)
        path.write_bytes(content)
        points, damage = read_slowly(bytes(content), "mindspore")
        view = read_and_verify(open_file(path), lambda file: file.read(BUDGET))
        seen = sum(series.total for series in view.series.values())
        assert (seen, [each.offset for each in view.damage]) == (len(points), damage), f"file {number}"


def test_header_that_breaks_after_it_was_read_is_no_error(tmp_path: Path) -> None:
    """A heavy record whose length is overwritten before it was verified is damaged, and reading goes on behind it."""
    path = tmp_path / NAME
    path.write_bytes(b"".join(RECORDS))
    file = open_file(path)
    while file.read(BUDGET):
        pass
    content = overwrite(HEAVY, b"\xff" * 8)
    with path.open("r+b") as opened:
        opened.write(content)

    view = read_and_verify(file, lambda file: file.read(BUDGET))

    assert (steps_of(view), [damage.offset for damage in view.damage]) == expected_of(content)


def test_file_rewritten_while_it_is_verified_loses_nothing(tmp_path: Path) -> None:
    """Damage found in a file that was cut short meanwhile says nothing about the one written in its place."""
    path = tmp_path / NAME
    path.write_bytes(b"".join(RECORDS))
    file = open_file(path)
    while file.read(BUDGET):
        pass
    with path.open("r+b") as opened:
        opened.truncate(HEAVY)
        while file.verify(BUDGET):
            pass
        opened.write(b"".join(RECORDS))

    view = read_and_verify(file, lambda file: file.read(BUDGET))

    assert steps_of(view)["picture"] == list(range(1, 9))
    assert not view.damage


def test_places_of_payloads_are_those_of_sound_records(tmp_path: Path) -> None:
    """After damage the rows of payloads still say where their bytes are."""
    content = flip(LIGHT, HEAVY + 9000)
    path = tmp_path / NAME
    path.write_bytes(content)

    view = read_and_verify(open_file(path), lambda file: file.read(BUDGET))

    (pictures,) = (series for tag, series in view.series.items() if tag.name == "picture")
    assert isinstance(pictures, Payloads)
    for step, _, record, start, length, *_ in zip(*(column.tolist() for column in pictures), strict=True):
        image = summary_pb2.Summary.Image.FromString(content[record + start : record + start + length])
        assert image.encoded_image == random.Random(step).randbytes(20_000)


def test_damage_is_listed_with_file_and_offset(tmp_path: Path, serve) -> None:
    """The API says how many records are damaged and where, heavy ones once they were verified in the background."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / NAME).write_bytes(flip(LIGHT + 20, HEAVY + 9000, STARTS[11] + 2))
    client: httpx.Client = serve(tmp_path)

    def verified() -> dict | None:
        (run,) = client.get("api/runs").json()["runs"]
        return run if run["damaged_records"] == 3 and not run["pending_records"] else None

    run = wait_until(verified)

    assert run["damage"] == [
        {"file": NAME, "offset": LIGHT, "reason": "payload"},
        {"file": NAME, "offset": HEAVY, "reason": "payload"},
        {"file": NAME, "offset": STARTS[11], "reason": "length"},
    ]
    images = client.get("api/images", params={"run": "run", "tag": "picture"}).json()["images"]
    assert [image["step"] for image in images] == [1, 2, 3, 5, 6, 7, 8]
