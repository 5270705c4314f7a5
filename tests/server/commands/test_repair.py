"""summary-server repair: the intact records of a damaged event file in a new one."""

import contextlib
import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.event_files import GOLDEN, loss_run, read_slowly, scalar_event, version_event, write_run
from support.summary_values import MindSporeValue, record

from toposcope.proto import framing
from toposcope.proto.file_name import parse_file_name
from toposcope.proto.summary_pb2 import Summary
from toposcope.server.commands.repair import repair
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.reading.file_check import check_file

Command = Callable[..., subprocess.CompletedProcess[str]]
GOLDEN_FILES = sorted(GOLDEN.rglob("events.*"))
LARGER = [path for path in GOLDEN_FILES if path.stat().st_size > 10_000]


def records_of(content: bytes) -> Iterator[bytes]:
    """Yield the records of an undamaged event file."""
    start = 0
    while start < len(content):
        header = framing.read_header(content[start : start + framing.HEADER_BYTES])
        end = start + framing.HEADER_BYTES + header.length + framing.FOOTER_BYTES
        yield content[start:end]
        start = end


@pytest.mark.parametrize("path", GOLDEN_FILES, ids=lambda path: path.name)
def test_intact_file_is_copied_byte_for_byte(tmp_path: Path, path: Path) -> None:
    """Nothing is left out of an undamaged file of either dialect."""
    out = tmp_path / path.name

    check = repair(str(path), str(out))

    assert out.read_bytes() == path.read_bytes()
    assert (check.records, check.damage) == (len(list(records_of(path.read_bytes()))), [])


def test_damaged_records_are_left_out_and_reported(tmp_path: Path, command: Command) -> None:
    """A damaged payload costs its record, a damaged length everything up to the next header; a torn tail is dropped."""
    image = MindSporeValue(tag="picture", image=Summary.Image(encoded_image=bytes(10_000)))
    records = [
        version_event(),
        *(scalar_event(2.0 + step, step, {"loss": 1 / (1 + step)}) for step in range(4)),
        record(7.0, 5, image),
        scalar_event(8.0, 6, {"loss": 0.1}),
    ]
    damaged = [bytearray(each) for each in records]
    damaged[1][20] ^= 1
    damaged[3][3] ^= 1
    damaged[5][5000] ^= 1
    path, out = tmp_path / "events.out.events.summary.1.0.host_MS", tmp_path / "good" / "x.out.events.summary.1.0.h"
    path.write_bytes(b"".join(damaged) + records[1][:-1])
    out.parent.mkdir()

    done = command("repair", path, "--out", out)

    before, after = path.stat().st_size, out.stat().st_size
    starts = [sum(map(len, records[:i])) for i in range(len(records) + 1)]
    assert (done.returncode, done.stderr) == (0, "")
    assert out.read_bytes() == b"".join(records[i] for i in (0, 2, 4, 6))
    assert done.stdout.splitlines() == [
        f"{out}: 4 records kept, {after:,} bytes",
        f"skipped: {len(records[1])} bytes at {starts[1]}, damaged payload",
        f"skipped: {len(records[3])} bytes at {starts[3]}, damaged length",
        f"skipped: {len(records[5]):,} bytes at {starts[5]}, damaged payload",
        f"skipped: {len(records[1]) - 1} bytes at {starts[7]}, an incomplete record",
        f"3 damaged places, {before - after:,} of {before:,} bytes skipped",
    ]
    assert list(out.parent.iterdir()) == [out]
    assert command("inspect", out).returncode == 0


@pytest.mark.parametrize("seed", range(40))
def test_records_of_the_reference_reader_are_kept_and_the_result_is_undamaged(tmp_path: Path, seed: int) -> None:
    """Bytes are flipped, deleted, inserted and cut off: the records that a byte-by-byte reader finds are kept."""
    dice = random.Random(seed)
    path = LARGER[seed % len(LARGER)]
    content = bytearray(path.read_bytes())
    for _ in range(dice.randint(1, 8)):
        at = dice.randrange(len(content))
        change = dice.choice(["flip", "cut", "insert", "tear", "zeros"])
        if change == "flip":
            content[at] ^= 1 << dice.randrange(8)
        elif change == "cut":
            del content[at : at + dice.randint(1, 50)]
        elif change == "insert":
            content[at:at] = dice.randbytes(dice.randint(1, 50))
        elif change == "zeros":
            content += bytes(dice.randint(1, 100))
        else:
            del content[max(at, len(content) - 1000) :]
    damaged, out = tmp_path / path.name, tmp_path / "out" / path.name
    damaged.write_bytes(content)
    out.parent.mkdir()
    name = parse_file_name(path.name)
    assert name is not None

    check = repair(str(damaged), str(out))

    with contextlib.closing(UNCHECKED.open(str(out))) as opened:
        again = check_file(opened, name)
    assert (again.records, again.damage, again.end) == (check.records, [], out.stat().st_size)
    points, places = read_slowly(bytes(content), name.dialect)
    assert repr(read_slowly(out.read_bytes(), name.dialect)) == repr((points, []))  # A NaN equals nothing.
    assert [damaged.start for damaged in check.damage] == places


def test_large_file_is_repaired_across_windows(tmp_path: Path) -> None:
    """Damage anywhere in a file of many windows costs only the records it hits; heavy records are verified too."""
    heavy = record(3.0, 1, MindSporeValue(tag="picture", image=Summary.Image(encoded_image=bytes(1 << 20))))
    lights = b"".join(scalar_event(2.0, step, {"loss": 1.0}) for step in range(2000))
    bad = bytearray(heavy)
    bad[-10] ^= 1
    lost = bytearray(heavy)
    lost[0] ^= 1
    good = [version_event(), lights, heavy, lights, heavy, lights]
    path, out = tmp_path / "events.out.events.summary.1.0.host_MS", tmp_path / "a.out.events.summary.1.0.host"
    path.write_bytes(b"".join([*good[:3], bad, bad, *good[3:5], lost, bad, lost, *good[5:]]))

    check = repair(str(path), str(out))

    assert out.read_bytes() == b"".join(good)
    assert [damaged.reason for damaged in check.damage] == ["payload", "payload", "length", "payload", "length"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["GOOD"], "--out"),
        (["GOOD", "--out", "GOOD"], "exists"),
        (["GOOD", "--out", "LINK"], "exists"),
        (["missing.tfevents.1", "--out", "OUT"], "'missing.tfevents.1' is not a file"),
        (["NOTES", "--out", "OUT"], "is not an event file"),
        (["GOOD", "--out", "notes.txt"], "'notes.txt' does not have the name of such an event file"),
        (["GOOD", "--out", "events.out.tfevents.1"], "does not have the name of such an event file"),
        (["EMPTY", "--out", "OUT"], "has no intact record"),
        (["GOOD", "--out", "no/such/folder/x.out.events.summary.1.0.h"], "No such file or directory"),
    ],
)
def test_errors_are_one_line_and_nothing_is_written(
    tmp_path: Path, command: Command, arguments: list[str], message: str
) -> None:
    """No file is ever overwritten, least of all the damaged one."""
    good = loss_run(tmp_path, range(3))
    names = {"GOOD": good, "OUT": tmp_path / "b.out.events.summary.1.0.host"}
    names |= {"NOTES": tmp_path / "notes.txt", "LINK": tmp_path / "link.out.events.summary.1.0.h"}
    names |= {"EMPTY": tmp_path / "empty.out.events.summary.1.0.h"}
    names["NOTES"].touch()
    names["EMPTY"].write_bytes(bytes(100))
    names["LINK"].symlink_to(tmp_path / "nowhere")
    before = {path: path.is_symlink() or path.read_bytes() for path in tmp_path.iterdir()}

    done = command("repair", *[names.get(argument, argument) for argument in arguments])

    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert message in line
    assert {path: path.is_symlink() or path.read_bytes() for path in tmp_path.iterdir()} == before


def test_malformed_message_is_left_out_although_its_checksum_is_correct(tmp_path: Path, command: Command) -> None:
    """An intact frame around a malformed message stops other readers, so it counts as damage."""
    path = write_run(tmp_path, [framing.frame(b"\xff" * 30), scalar_event(2.0, 0, {"loss": 1.0})])
    out = tmp_path / "b.out.events.summary.1.0.host"

    command("repair", path, "--out", out)

    assert out.read_bytes() == version_event() + scalar_event(2.0, 0, {"loss": 1.0})
