"""Texts of both dialects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.summary_values import strings, tensorboard_tensor

from toposcope.server.values.text import MAX_CELLS, Text, read_text


def test_texts_of_the_recorder_are_the_payload() -> None:
    """Invalid UTF-8 is replaced."""
    assert read_text("größer\n**one**".encode(), "text") == Text((), ["größer\n**one**"])
    assert read_text(b"a\xff\xed\xa0\x80", "text") == Text((), ["a\ufffd\ufffd\ufffd\ufffd"])


def test_texts_of_tensorboard_are_string_tensors() -> None:
    """A scalar, a list, or a table in row-major order."""
    assert read_text(strings(b"one", dims=[]).SerializeToString(), "tensor") == Text((), ["one"])
    assert read_text(strings(b"one").SerializeToString(), "tensor") == Text((1,), ["one"])
    table = strings(b"a", b"\xff", b"c", b"d", dims=[2, 2]).SerializeToString()
    assert read_text(table, "tensor") == Text((2, 2), ["a", "\ufffd", "c", "d"])


def test_too_large_table_is_an_error() -> None:
    """Few bytes may contain many empty texts."""
    table = strings(*[b""] * (MAX_CELLS + 1)).SerializeToString()

    with pytest.raises(ValueError, match="10001 texts: expected at most 10000"):
        read_text(table, "tensor")


def test_numeric_tensor_is_an_error() -> None:
    """A tensor of another data type is invalid."""
    with pytest.raises(ValueError, match="expected a tensor of strings"):
        read_text(tensorboard_tensor(1, [1], float_val=[1]).SerializeToString(), "tensor")


@given(st.binary(max_size=60), st.integers(0, 20), st.sampled_from(["text", "tensor"]))
def test_arbitrary_bytes_are_text_or_a_value_error(noise: bytes, at: int, kind: str) -> None:
    """No other exception is raised."""
    sound = strings(b"a", b"b").SerializeToString()
    try:
        text = read_text(sound[:at] + noise + sound[at:], kind)
    except ValueError:
        return
    assert all(each.encode() is not None for each in text.texts)
