"""Fuzzes the scan of event files, compiled and uncompiled, against the slow reader: make fuzz.

`fuzz_scan.py CORPUS [libFuzzer's options]` lets atheris look for inputs that take new ways through the uncompiled scan
and through Scanner, which it traces; the compiled scan reads the same bytes. `fuzz_scan.py --random SECONDS CORPUS`
needs no atheris: it reads the corpus and then random mutations of it, for a build of the scan with AddressSanitizer.

An input is a byte for the dialect and for how the rest is cut into records, one for the size of a window, one for what
counts as heavy, then bytes. What must hold: nothing is raised and nothing hangs; the compiled and the uncompiled scan
agree, whatever the windows where no record is heavy; both agree with the slow reader about records that protobuf would
have written as they are (of others the scan checks less: it leaves messages inside a payload to who asks for them).
"""

import math
import random
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from google.protobuf.message import DecodeError, EncodeError
from server.reading.test_scan import PARTS, UNCOMPILED, Row, expected_of, read_fast, use_scan

from toposcope.proto import framing, lineage_pb2, summary_pb2, tensorboard_pb2
from toposcope.server.reading.scan import LIGHT_BYTES
from toposcope.server.reading.scan import compiled as compiled_scan

EVENTS = {
    "mindspore": summary_pb2.Event,
    "tensorboard": tensorboard_pb2.Event,
    "lineage": lineage_pb2.LineageEvent,
}
DIALECTS = list(EVENTS)
LIGHT = [LIGHT_BYTES, 30, 100, 1]
_LONGEST_CHANGE = 16


def encode_input(dialect: str, content: bytes) -> bytes:
    """Return the input that reads content as the bytes of a file."""
    return bytes([DIALECTS.index(dialect), 255, 0]) + content


def check(data: bytes) -> None:
    """Read what an input says in every way there is.

    Raises:
        AssertionError: two ways disagree.
    """
    if len(data) < 3:
        return
    dialect, content = DIALECTS[data[0] % 3], data[3:]
    if data[0] & 0x80:  # Checksums that fit are not found by chance.
        content = b"".join(framing.frame(payload) for payload in _split(content))
    window, light = 20 + 3 * data[1], LIGHT[data[2] % len(LIGHT)]
    compiled = _read(compiled_scan, content, dialect, window, light)
    assert _read(UNCOMPILED, content, dialect, window, light) == compiled
    if light > len(content):
        assert _read(compiled_scan, content, dialect, 2 * window + 1, light) == compiled
    if all(_is_canonical(payload, dialect) for payload in _payloads(content)):
        rows, damage = expected_of(content, dialect)
        assert (_unordered(rows), damage) == (_unordered(compiled[0]), compiled[1])


def _split(content: bytes) -> Iterator[bytes]:
    """Cut bytes into payloads; the first byte of each says how long it is."""
    at = 0
    while at < len(content):
        length = content[at]
        yield content[at + 1 : at + 1 + length]
        at += 1 + length


def _read(form: object, content: bytes, dialect: str, window: int, light: int) -> tuple[list[Row], list[int]]:
    with pytest.MonkeyPatch.context() as patch:
        use_scan(form, patch)
        return read_fast(content, dialect, window, light)


def _unordered(rows: list[Row]) -> list[tuple[object, ...]]:
    """Return rows as far as protobuf settles them: it writes maps in any order, and widens no NaN bit for bit."""
    return sorted(
        (*row[:-1], "NaN" if row[0] == "scalar" and _is_nan(row[-1]) else str(sorted(row[-1]))) for row in rows
    )


def _is_nan(number: bytes) -> bool:
    return math.isnan(struct.unpack("<d", number)[0])


def _payloads(content: bytes) -> Iterator[bytes]:
    """Yield the payload behind every sound header, where a record may begin."""
    for at in range(len(content) - framing.HEADER_BYTES + 1):
        header = framing.read_header(content[at : at + framing.HEADER_BYTES])
        if framing.header_is_sound(header):
            yield content[at + framing.HEADER_BYTES :][: header.length]


def _is_canonical(payload: bytes, dialect: str) -> bool:
    """Say whether protobuf would have written a payload like this, all its fields known."""
    try:
        event = EVENTS[dialect].FromString(payload)
    except (DecodeError, UnicodeDecodeError):
        return False
    if dialect != "lineage" and not all(_is_known(value) for value in event.summary.value):
        return False
    try:
        whole = sorted(event.SerializeToString())
    except EncodeError:  # A required field is missing, which nobody minds when reading.
        return False
    event.DiscardUnknownFields()
    return whole == sorted(payload) == sorted(event.SerializeToString())


def _is_known(value: Any) -> bool:
    """Say whether the slow reader knows what a value is: no tensor, and no broken text, which it has as bytes."""
    is_tensorboard = isinstance(value, tensorboard_pb2.Summary.Value)
    text = value.metadata.plugin_data.plugin_name if is_tensorboard else value.text
    return isinstance(value.tag, str) and isinstance(text, str) and not (is_tensorboard and value.HasField("tensor"))


def read_corpus(folder: Path) -> list[bytes]:
    """Return the inputs of a corpus."""
    return [path.read_bytes() for path in sorted(folder.iterdir())]


def mutate(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Return an input with a few changes at random places, some of them taken from another input."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at, length = chance.randrange(len(changed) + 1), chance.randint(1, _LONGEST_CHANGE)
        source = chance.randrange(len(other) + 1)
        match chance.randrange(5):
            case 0:
                changed[at : at + length] = other[source : source + length]
            case 1:
                changed[at:at] = other[source : source + chance.choice([length, 300])]
            case 2:
                del changed[at : at + length]
            case 3:
                changed[at : at + 1] = bytes([chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])])
            case 4:
                changed[at : at + length] = chance.choice([b"\xff" * 9 + b"\x01", bytes(8), b"\xff" * 4])
    return bytes(changed)


def run_random(seconds: float, folder: Path) -> int:
    """Check a corpus, then mutations of it for so many seconds; return how many inputs were read."""
    corpus = read_corpus(folder)
    chance = random.Random(int(time.time()))
    done, ends = 0, time.monotonic() + seconds
    for data in corpus:
        check(data)
        done += 1
    while time.monotonic() < ends:
        data = mutate(chance.choice(corpus), chance.choice(corpus), chance)
        try:
            check(data)
        except BaseException:
            Path("crash-random").write_bytes(data)
            raise
        done += 1
    return done


def run_guided(arguments: list[str]) -> None:
    """Let atheris look for inputs; ends the process."""
    import atheris

    from toposcope.server.reading import scan_buffers, scanner, tag_table

    for owner in (*PARTS, scan_buffers, scanner, tag_table):
        for holder in (owner, *(each for each in vars(owner).values() if isinstance(each, type))):
            if getattr(holder, "__module__", owner.__name__) != owner.__name__:
                continue
            for name, function in list(vars(holder).items()):
                if isinstance(function, FunctionType) and function.__module__ == owner.__name__:
                    setattr(holder, name, atheris.instrument_func(function))
    atheris.Setup(arguments, check)
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--random"]:
        print(run_random(float(sys.argv[2]), Path(sys.argv[3])), "inputs read, nothing found")
    else:
        run_guided(sys.argv)
