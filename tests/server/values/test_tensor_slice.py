"""Parsing of tensor slices."""

import re
from types import EllipsisType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.server.values.tensor_slice import parse_slice

CUBE = np.arange(60).reshape(3, 4, 5)
NUMBERS = st.none() | st.integers(-7, 7)


def written(part: object) -> str:
    """Return a part of an index as text."""
    if part is ...:
        return "..."
    if isinstance(part, slice):
        ends = [part.start, part.stop, part.step]
        text = ":".join("" if end is None else str(end) for end in ends)
        return text.removesuffix(":") if part.step is None else text
    return str(part)


@given(st.lists(st.builds(slice, NUMBERS, NUMBERS, NUMBERS.filter(bool)) | st.integers(-3, 2), max_size=3), st.data())
def test_slices_equal_those_of_numpy(parts: list[slice | int | EllipsisType], data: st.DataObject) -> None:
    """Indices, ranges with steps, negative numbers, and "..." at any position."""
    if data.draw(st.booleans()):
        parts.insert(data.draw(st.integers(0, len(parts))), ...)
    inner = ", ".join(written(part) for part in parts)

    for text in (inner, f"[{inner}]"):
        np.testing.assert_array_equal(CUBE[parse_slice(text, CUBE.shape)], CUBE[tuple(parts)])


def test_empty_slice_selects_all() -> None:
    """Also of a scalar."""
    assert [parse_slice(text, (2, 3)) for text in ("", "[]", " [ ] ")] == [(), (), ()]
    assert parse_slice("", ()) == ()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[3]", "part 1 is 3: expected -3 to 2 in [3, 4, 5]"),
        ("[0,-5]", "part 2 is -5: expected -4 to 3"),
        ("[..., 5]", "part 2 is 5: expected -5 to 4"),
        ("[0,...,0,9]", "part 4 is 9: expected -5 to 4"),
        ("[0,0,0,0]", "has 4 parts, but the tensor has 3 dimensions: [3, 4, 5]"),
        ("[...,...]", "expected '...' at most once"),
        ("[::0]", "the step of '::0' must not be 0"),
        ("[a]", "expected an index, a range start:stop:step or '...' instead of 'a'"),
        ("[1,,2]", "instead of ''"),
        ("[1.5]", "instead of '1.5'"),
        ("[None]", "instead of 'None'"),
        ("[1:2:3:4]", "instead of '1:2:3:4'"),
        ("[٣]", "instead of '٣'"),
        ("9" * 500, "instead of"),
    ],
)
def test_invalid_slices_are_errors(text: str, error: str) -> None:
    """The error contains the text and the invalid part."""
    with pytest.raises(ValueError, match=re.escape(error)) as raised:
        parse_slice(text, CUBE.shape)
    assert repr(text) in str(raised.value)
