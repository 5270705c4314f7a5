"""Encoded segments of the index: damage is always detected."""

from pathlib import Path

import numpy as np
import pytest
from support.event_files import loss_run

from toposcope.proto.file_name import parse_file_name
from toposcope.server.places.place import Buffer, Status
from toposcope.server.reading.event_file import EventFile
from toposcope.server.reading.index.index import Index
from toposcope.server.reading.index.segment import Segment, read_segment
from toposcope.server.reading.series.series import Points
from toposcope.server.reading.tag_table import Tag

LOSS = Tag("scalar", "loss")
REJECTIONS = (ValueError, LookupError, TypeError)
"""Errors that the index treats as damage; DamagedSegmentError is a ValueError."""


class BytesFile:
    """An open file with some content."""

    def __init__(self, content: bytes) -> None:
        self.status = Status(len(content), 0.0, 0)
        self._content = content

    def read(self, offset: int, length: int) -> bytes:
        return self._content[offset : offset + length]

    def read_into(self, buffer: Buffer, offset: int) -> int:
        content = self.read(offset, len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def next_data(self, offset: int) -> int:
        return offset

    def close(self) -> None:
        """Nothing is open."""


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


def is_rejected_or_equal(content: bytes, whole: Segment) -> bool:
    """Return whether bytes are rejected or decode to the same segment."""
    try:
        other = read_segment(BytesFile(content))
    except REJECTIONS:
        return True
    points, expected = other.series[LOSS], whole.series[LOSS]
    assert isinstance(points, Points)
    assert isinstance(expected, Points)
    is_same = [np.array_equal(a, b) for a, b in zip(points, expected, strict=True)]
    return all(is_same) and (other.start, other.end, other.identity) == (whole.start, whole.end, whole.identity)


def test_segment_round_trip(stored: bytes) -> None:
    """Steps, wall times and values are those of the file."""
    segment = read_segment(BytesFile(stored))

    assert segment.series[LOSS].step.tolist() == list(range(10))
    assert segment.series[LOSS].wall_time.tolist() == [2.0 + i for i in range(10)]
    assert (segment.start, segment.version.dialect, segment.counters.events) == (0, "mindspore", 11)


def test_every_changed_byte_of_the_head_is_detected(stored: bytes) -> None:
    """Whatever a byte of the head is changed to, the segment is rejected or decodes to the same."""
    whole = read_segment(BytesFile(stored))
    wrong = [
        (at, value)
        for at in range(24)
        for value in range(256)
        if not is_rejected_or_equal(stored[:at] + bytes([value]) + stored[at + 1 :], whole)
    ]
    assert not wrong


def test_every_flipped_byte_is_detected(stored: bytes) -> None:
    """A segment with any byte flipped is rejected."""
    whole = read_segment(BytesFile(stored))
    for at in range(len(stored)):
        changed = bytearray(stored)
        changed[at] ^= 0xFF
        assert is_rejected_or_equal(bytes(changed), whole), f"byte {at}"


def test_truncated_segment_is_rejected(stored: bytes) -> None:
    """No prefix of a segment is a valid segment."""
    for size in range(len(stored)):
        with pytest.raises(REJECTIONS):
            read_segment(BytesFile(stored[:size]))
