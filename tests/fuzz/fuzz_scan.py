"""Fuzzes the scan of event files, compiled and uncompiled, against the slow reader: make fuzz.

`fuzz_scan.py CORPUS [libFuzzer options]` uses atheris to search for inputs that reach new code paths in the uncompiled
scan and in Scanner, which are instrumented; the compiled scan reads the same bytes.
`fuzz_scan.py --random SECONDS CORPUS` does not require atheris: it reads the corpus and then random mutations of it,
with a build of the scan that uses AddressSanitizer.

An input consists of one byte for the dialect and for how the content is split into records, one for the window size,
one for the size from which records are large, and the content. The properties checked are: reading raises no error and
terminates; the compiled and the uncompiled scan agree, for all window sizes if no record is large; both agree with the
slow reader on records in the form that protobuf writes. For other records the scan is less strict than protobuf: it
does not parse messages inside a payload.
"""

import math
import random
import struct
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from google.protobuf.message import DecodeError, EncodeError
from server.reading.test_scan import MODULES, UNCOMPILED, Row, expected_of, read_fast, use_scan

from toposcope.proto import framing, lineage_pb2, summary_pb2, tensorboard_pb2
from toposcope.server.reading.scan import LARGE_RECORD_BYTES

compiled_scan = import_module("toposcope.server.reading.scan.compiled")
EVENTS: dict[str, Any] = {
    "mindspore": summary_pb2.Event,
    "tensorboard": tensorboard_pb2.Event,
    "lineage": lineage_pb2.LineageEvent,
}
DIALECTS = list(EVENTS)
LARGE = [LARGE_RECORD_BYTES, 30, 100, 1]
_MAX_CHANGE_BYTES = 16


def encode_input(dialect: str, content: bytes) -> bytes:
    """Return the input whose file has the given content."""
    return bytes([DIALECTS.index(dialect), 255, 0]) + content


def check(data: bytes) -> None:
    """Read an input with all readers.

    Raises:
        AssertionError: two readers disagree.
    """
    if len(data) < 3:
        return
    dialect, content = DIALECTS[data[0] % 3], data[3:]
    if data[0] & 0x80:  # Valid checksums cannot be found by mutation.
        content = b"".join(framing.frame(payload) for payload in _split(content))
    window, large = 20 + 3 * data[1], LARGE[data[2] % len(LARGE)]
    compiled = _read(compiled_scan, content, dialect, window, large)
    assert _read(UNCOMPILED, content, dialect, window, large) == compiled
    if large > len(content):
        assert _read(compiled_scan, content, dialect, 2 * window + 1, large) == compiled
    if all(_is_canonical(payload, dialect) for payload in _payloads(content)):
        rows, damage = expected_of(content, dialect)
        assert (_unordered(rows), damage) == (_unordered(compiled[0]), compiled[1])


def _split(content: bytes) -> Iterator[bytes]:
    """Split bytes into payloads; the first byte of each is its length."""
    start = 0
    while start < len(content):
        length = content[start]
        yield content[start + 1 : start + 1 + length]
        start += 1 + length


def _read(scan: object, content: bytes, dialect: str, window: int, large: int) -> tuple[list[Row], list[int]]:
    with pytest.MonkeyPatch.context() as patch:
        use_scan(scan, patch)
        return read_fast(content, dialect, window, large)


def _unordered(rows: list[Row]) -> list[tuple[object, ...]]:
    """Return rows without what protobuf leaves open: the order of maps, and the bits of a NaN."""
    return sorted(
        (*row[:-1], "NaN" if row[0] == "scalar" and _is_nan(row[-1]) else str(sorted(row[-1]))) for row in rows
    )


def _is_nan(number: bytes) -> bool:
    return math.isnan(struct.unpack("<d", number)[0])


def _payloads(content: bytes) -> Iterator[bytes]:
    """Yield the payload after every valid header, at each offset where a record may start."""
    for offset in range(len(content) - framing.HEADER_BYTES + 1):
        header = framing.read_header(content[offset : offset + framing.HEADER_BYTES])
        if framing.header_is_sound(header):
            yield content[offset + framing.HEADER_BYTES :][: header.length]


def _is_canonical(payload: bytes, dialect: str) -> bool:
    """Return whether protobuf would write the payload in this form, and all its fields are known."""
    try:
        event = EVENTS[dialect].FromString(payload)
    except (DecodeError, UnicodeDecodeError):
        return False
    if dialect != "lineage" and not all(_is_comparable(value) for value in event.summary.value):
        return False
    try:
        serialized = sorted(event.SerializeToString())
    except EncodeError:  # A required field is missing, which readers ignore.
        return False
    event.DiscardUnknownFields()
    return serialized == sorted(payload) == sorted(event.SerializeToString())


def _is_comparable(value: Any) -> bool:
    """Return whether the slow reader interprets a value like the scan: not tensors, nor invalid UTF-8."""
    is_tensorboard = isinstance(value, tensorboard_pb2.Summary.Value)
    text = value.metadata.plugin_data.plugin_name if is_tensorboard else value.text
    return isinstance(value.tag, str) and isinstance(text, str) and not (is_tensorboard and value.HasField("tensor"))


def read_corpus(folder: Path) -> list[bytes]:
    """Return the inputs of a corpus."""
    return [path.read_bytes() for path in sorted(folder.iterdir())]


def mutate(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Return an input with a few random changes, some of them copied from another input."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        offset, length = chance.randrange(len(changed) + 1), chance.randint(1, _MAX_CHANGE_BYTES)
        source = chance.randrange(len(other) + 1)
        match chance.randrange(5):
            case 0:
                changed[offset : offset + length] = other[source : source + length]
            case 1:
                changed[offset:offset] = other[source : source + chance.choice([length, 300])]
            case 2:
                del changed[offset : offset + length]
            case 3:
                changed[offset : offset + 1] = bytes([chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])])
            case 4:
                changed[offset : offset + length] = chance.choice([b"\xff" * 9 + b"\x01", bytes(8), b"\xff" * 4])
    return bytes(changed)


def run_random(seconds: float, folder: Path) -> int:
    """Check a corpus, then mutations of it for the given time; return the number of inputs."""
    corpus = read_corpus(folder)
    chance = random.Random(int(time.time()))
    count, deadline = 0, time.monotonic() + seconds
    for data in corpus:
        check(data)
        count += 1
    while time.monotonic() < deadline:
        data = mutate(chance.choice(corpus), chance.choice(corpus), chance)
        try:
            check(data)
        except BaseException:
            Path("crash-random").write_bytes(data)
            raise
        count += 1
    return count


def run_guided(arguments: list[str]) -> None:
    """Search for inputs with atheris, which exits the process at the end."""
    import atheris

    from toposcope.server.reading import tag_table
    from toposcope.server.reading.windows import scan_buffers, scanner

    for module in (*MODULES, scan_buffers, scanner, tag_table):
        for namespace in (module, *(member for member in vars(module).values() if isinstance(member, type))):
            if getattr(namespace, "__module__", module.__name__) != module.__name__:
                continue
            for name, function in list(vars(namespace).items()):
                if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                    setattr(namespace, name, atheris.instrument_func(function))
    atheris.Setup(arguments, check)
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--random"]:
        print(run_random(float(sys.argv[2]), Path(sys.argv[3])), "inputs read, no difference found")
    else:
        run_guided(sys.argv)
