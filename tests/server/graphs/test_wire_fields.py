"""Fields of encoded messages, located without decoding them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.proto.graph_pb2 import NodeProto
from toposcope.server.graphs.model.limits import GraphError
from toposcope.server.graphs.model.wire_fields import message_bytes, nested_fields


def test_nested_fields_are_located_and_numbers_are_skipped() -> None:
    """Positions are those of the content, without key and length."""
    node = NodeProto(name="ab", op_type="Add", output_i=2**40)
    payload = b"..." + node.SerializeToString() + b"..."

    fields = [(number, payload[start:end]) for number, start, end in nested_fields(payload, 3, len(payload) - 3)]

    assert fields == [(2, b"ab"), (3, b"Add")]


def test_fixed_width_numbers_are_skipped() -> None:
    """Numbers of four and eight bytes are not length-delimited."""
    payload = b"\x09" + b"\x0a" * 8 + b"\x15" + b"\x0a" * 4 + b"\x1a\x01x"

    assert list(nested_fields(payload, 0, len(payload))) == [(3, 16, 17)]


@given(st.binary(max_size=40))
def test_any_bytes_are_fields_or_an_error(payload: bytes) -> None:
    """Fields are in the message and do not overlap; anything else is an error."""
    last = 0
    with suppress(GraphError):
        for _, start, end in nested_fields(payload, 0, len(payload)):
            assert last < start <= end <= len(payload)
            last = end


def test_only_large_fields_of_large_messages_are_omitted() -> None:
    """Inputs and names are kept, very large attribute values are omitted."""
    node = NodeProto(name="n", full_name="a/n")
    node.attribute.add(name="big").value.str_val = "x" * (1 << 20)
    node.attribute.add(name="small").value.int_val = 1
    node.input.add(name="m")
    payload = node.SerializeToString()

    short = NodeProto.FromString(message_bytes(payload, (0, len(payload))))

    assert (short.name, short.full_name, short.input[0].name) == ("n", "a/n", "m")
    assert [each.name for each in short.attribute] == ["small"]


def test_messages_with_too_many_small_fields_are_errors() -> None:
    """A million inputs exceed the limit."""
    payload = b"\x0a\x00" * (2 << 20)

    with pytest.raises(GraphError, match="a node has 4,194,304 bytes"):
        message_bytes(payload, (0, len(payload)))
