"""Fields of encoded messages."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.proto.summary_pb2 import Event
from toposcope.proto.tensorboard_pb2 import TensorProto
from toposcope.proto.wire import varint
from toposcope.server.values import fields as module
from toposcope.server.values.fields import double, fields, integer, integers


def contents(message: bytes) -> list[tuple[int, bytes]]:
    """Return the fields of a message."""
    return [(number, bytes(content)) for number, content in fields(memoryview(message))]


def test_every_wire_type_is_read() -> None:
    """Doubles, varints, floats and bytes, in order."""
    event = Event(wall_time=1.0, step=300)
    value = event.summary.value.add(tag="loss", scalar_value=0.5)

    (wall_time, step, summary) = contents(event.SerializeToString())
    ((_, value_bytes),) = contents(summary[1])

    assert (wall_time[0], double(memoryview(wall_time[1]))) == (1, 1.0)
    assert (step[0], integer(memoryview(step[1]))) == (2, 300)
    assert contents(value_bytes) == [(1, b"loss"), (3, np.float32(0.5).tobytes())]
    assert value_bytes == value.SerializeToString()


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20))
def test_numbers_equal_those_of_protobuf(numbers: list[int]) -> None:
    """Varints of one to ten bytes, packed or in separate fields."""
    ((_, packed),) = contents(TensorProto(int64_val=numbers).SerializeToString()) or [(10, b"")]
    single = [content for _, content in contents(b"".join(b"\x50" + varint(number) for number in numbers))]

    assert integers([memoryview(packed)]).tolist() == numbers
    assert integers([memoryview(content) for content in single]).tolist() == numbers
    assert [integer(memoryview(content)) for content in single] == numbers


def test_long_packed_fields_are_read_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number across two chunks is read correctly."""
    monkeypatch.setattr(module, "_CHUNK_BYTES", 11)
    numbers = [1, 2**63 - 1, 127, 128, -1, 0, 2**40] * 5
    packed = b"".join(varint(number) for number in numbers)

    assert integers([memoryview(packed)]).tolist() == numbers


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (b"\x0a", "a varint is incomplete"),
        (b"\x0a\x05abc", "field 1 ends at byte 7 of a message of 5 bytes"),
        (b"\x09abc", "field 1 ends at byte 9 of a message of 4 bytes"),
        (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "ends at byte"),
        (b"\x0b\x0c", "a field has the unsupported wire type 3"),
        (b"\xff" * 12, "a varint is incomplete"),
        (b"\x08\x01" * (module.MAX_FIELDS + 1), "more than 131072 fields"),
    ],
)
def test_malformed_messages_are_errors(message: bytes, error: str) -> None:
    """Lengths beyond the message and unknown types are errors."""
    with pytest.raises(ValueError, match=re.escape(error)):
        contents(message)


@pytest.mark.parametrize("packed", [b"\x80", b"\x01\x80", b"\xff" * 10 + b"\x01"])
def test_malformed_numbers_are_errors(packed: bytes) -> None:
    """A varint has at most ten bytes."""
    with pytest.raises(ValueError, match="varint"):
        integers([memoryview(packed)])
    with pytest.raises(ValueError, match=r"varint|more bytes"):
        integer(memoryview(packed))
