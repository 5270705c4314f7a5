"""Attributes of nodes as text, truncated to limits."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

from toposcope.server.graphs.model.wire_fields import Span, nested_fields

_LONGEST_NAME = 200
_LARGEST_VALUE = 1 << 20
"""Maximum bytes of a value that is decoded."""
MAX_ELEMENTS = 20
"""Maximum number of elements of a tensor that are shown."""


class Text(NamedTuple):
    """A value as text; truncated text ends in "…"."""

    text: str
    length: int | None = None
    """Length of the full value, if it was truncated."""
    unit: str | None = None
    """Unit of length: "characters", "elements" or "bytes"."""


class Attribute(NamedTuple):
    """An attribute of a node."""

    name: str
    value: Text


class Attributes(NamedTuple):
    """Attributes of a node, in file order."""

    listed: list[Attribute]
    total: int
    """Number of attributes, listed or not."""


class Room(NamedTuple):
    """Limits on the attributes of a node."""

    characters: int
    """Maximum characters of a value."""
    attributes: int


def attribute(name: bytes | str, value: Text) -> Attribute:
    """Return an attribute, with its name truncated if it is very long."""
    return Attribute(decoded(name)[:_LONGEST_NAME], value)


def text(value: str, most: int) -> Text:
    """Return a text, truncated to so many characters."""
    return Text(value) if len(value) <= most else Text(value[:most] + "…", len(value), "characters")


def attribute_at(payload: bytes, span: Span, name_field: int, show: Callable[[bytes], Attribute]) -> Attribute:
    """Return the attribute whose message is at a position; only its name if it is very large or malformed.

    Args:
        payload: the encoded graph.
        span: position of the message.
        name_field: field number of its name.
        show: converts an encoded message to an attribute.

    Raises:
        GraphError: the message is very large, and its fields are malformed.
    """
    size = span[1] - span[0]
    if size > _LARGEST_VALUE:
        names = [payload[start:end] for field, start, end in nested_fields(payload, *span) if field == name_field]
        return attribute(names[-1] if names else b"", Text("…", size, "bytes"))
    try:
        return show(payload[slice(*span)])
    except (DecodeError, UnicodeDecodeError):
        return Attribute("", Text("…", size, "bytes"))


def attributes_at(
    payload: bytes, spans: Sequence[Span], name_field: int, show: Callable[[bytes], Attribute], room: Room
) -> Attributes:
    """Return the attributes whose messages are at these positions, within limits; see attribute_at."""
    listed = [attribute_at(payload, span, name_field, show) for span in spans[: room.attributes]]
    return Attributes(listed, len(spans))


def first_elements(content: bytes, dtype: np.dtype[Any]) -> tuple[int, npt.NDArray[Any]]:
    """Return (number of elements, the first elements) of a tensor stored as bytes."""
    count = len(content) // dtype.itemsize
    return count, np.frombuffer(content, dtype, min(count, MAX_ELEMENTS))


def tensor_text(type_and_shape: str, count: int, items: Iterable[str], most: int) -> Text:
    """Return a tensor as text: its type and shape, then as many of its `count` elements as fit."""
    if not count:
        return Text(type_and_shape)
    shown = elements(items, count, most)
    return Text(f"{type_and_shape}: {shown.text}", shown.length, shown.unit)


def quoted(value: str, most: int) -> str:
    """Return a text as an element of a list."""
    return f'"{text(value, most).text}"'


def elements(items: Iterable[str], count: int, most: int, brackets: str = "[]") -> Text:
    """Return a list of `count` items as text; only as many items are consumed as fit."""
    shown: list[str] = []
    room = most
    first = ""
    for item in items:
        first = first or item
        if len(item) > room:
            break
        shown.append(item)
        room -= len(item) + 2
    if len(shown) == count:
        return Text(f"{brackets[0]}{', '.join(shown)}{brackets[1]}")
    # If no item fits, a part of the first one is shown.
    beginning = "".join(f"{each}, " for each in shown) or first[:most]
    return Text(f"{brackets[0]}{beginning}…{brackets[1]}", count, "elements")


def number(value: float | int | bool) -> str:
    """Return a number as text; bools as in JSON."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def single(value: float) -> str:
    """Return the shortest text of a float32."""
    return str(np.float32(value))


def dimensions(sizes: Iterable[int]) -> str:
    """Return a shape as text, with "?" for unknown dimensions."""
    return "[" + ", ".join("?" if size < 0 else str(size) for size in sizes) + "]"


def decoded(content: bytes | str) -> str:
    """Decode UTF-8; invalid bytes become "�"."""
    return content if isinstance(content, str) else content.decode("utf-8", "replace")
