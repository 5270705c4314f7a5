"""Segments of the index as bytes: whole, or known to be damaged."""

from pathlib import Path

import numpy as np
import pytest
from support.event_files import loss_run

from toposcope.proto.file_name import parse_file_name
from toposcope.server.reading.event_file import EventFile
from toposcope.server.reading.index import Index
from toposcope.server.reading.segment import Segment, decode
from toposcope.server.reading.tag_table import Tag

LOSS = Tag("scalar", "loss")
REFUSALS = (ValueError, LookupError, TypeError)
"""What the index takes for damage; DamagedSegmentError is a ValueError."""


@pytest.fixture
def stored(tmp_path: Path) -> bytes:
    """Return the bytes of a small segment."""
    path = loss_run(tmp_path / "run", range(10))
    name = parse_file_name(path.name)
    assert name is not None
    file = EventFile(str(path), name, Index(tmp_path / "index"))
    file.read(1 << 30)
    file.save(is_quiet=True)
    (segment,) = (tmp_path / "index").rglob("*-*")
    return segment.read_bytes()


def is_refused_or_equal(content: bytes, whole: Segment) -> bool:
    """Say whether bytes are refused, or else mean what the whole segment does."""
    try:
        other = decode(memoryview(content))
    except REFUSALS:
        return True
    is_same = [np.array_equal(a, b) for a, b in zip(other.series[LOSS], whole.series[LOSS], strict=True)]
    return all(is_same) and (other.start, other.end, other.identity) == (whole.start, whole.end, whole.identity)


def test_segment_comes_back_as_it_was(stored: bytes) -> None:
    """Steps, wall times and values are those of the file."""
    segment = decode(memoryview(stored))

    assert segment.series[LOSS].step.tolist() == list(range(10))
    assert segment.series[LOSS].wall_time.tolist() == [2.0 + i for i in range(10)]
    assert (segment.start, segment.version.dialect, segment.counters.events) == (0, "mindspore", 11)


def test_no_changed_byte_of_the_head_goes_unnoticed(stored: bytes) -> None:
    """Whatever a byte of the head is changed to, the segment is refused or means the same."""
    whole = decode(memoryview(stored))
    wrong = [
        (at, value)
        for at in range(24)
        for value in range(256)
        if not is_refused_or_equal(stored[:at] + bytes([value]) + stored[at + 1 :], whole)
    ]
    assert not wrong


def test_no_flipped_byte_goes_unnoticed(stored: bytes) -> None:
    """A segment with any byte flipped is refused."""
    whole = decode(memoryview(stored))
    for at in range(len(stored)):
        changed = bytearray(stored)
        changed[at] ^= 0xFF
        assert is_refused_or_equal(bytes(changed), whole), f"byte {at}"


def test_truncated_segment_is_refused(stored: bytes) -> None:
    """No beginning of a segment is taken for the whole."""
    for size in range(len(stored)):
        with pytest.raises(REFUSALS):
            decode(memoryview(stored[:size]))
