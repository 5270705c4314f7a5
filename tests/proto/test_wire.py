"""The hand-written encoding is equal to protobuf's."""

from hypothesis import given
from hypothesis import strategies as st

from toposcope.proto.summary_pb2 import Event, Summary
from toposcope.proto.wire import WireType, bytes_head, key, text_bytes, varint

INT64 = st.integers(-(2**63), 2**63 - 1)


@given(INT64 | st.integers(0, 2**22))
def test_varints_match_protobuf(number: int) -> None:
    """Integers of all sizes and signs are encoded as in the field of a message."""
    assert b"\x10" + varint(number) == Event(step=number).SerializePartialToString()


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=300))
def test_strings_match_protobuf(text: str) -> None:
    """Strings of any length are encoded as in fields with small and large numbers."""
    content = text_bytes(text)

    assert bytes_head(1, len(content)) + content == Summary.Value(tag=text).SerializeToString()
    assert bytes_head(101, len(content)) + content == Summary.Value(text=text).SerializeToString()


def test_keys_match_protobuf() -> None:
    """A key consists of the field number and the wire type."""
    assert key(1, WireType.DOUBLE) == Event(wall_time=0.5).SerializeToString()[:1]
    assert key(100, WireType.DOUBLE) == Summary.Value(scalar_double=0.5).SerializeToString()[:2]
