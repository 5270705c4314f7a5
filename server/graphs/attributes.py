"""Attributes of nodes as text, cut where they are long."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

from toposcope.server.graphs.wire_fields import Span, nested_fields

_LONGEST_NAME = 200
_LARGEST_VALUE = 1 << 20
"""Bytes of a value that is decoded to be shown."""
MOST_ELEMENTS = 20
"""Elements of a tensor that are shown."""


class Text(NamedTuple):
    """A value as text; what was cut ends in "…"."""

    text: str
    length: int | None = None
    """How long it is in full, when it was cut."""
    unit: str | None = None
    """What length counts: "characters", "elements" or "bytes"."""


class Attribute(NamedTuple):
    """A setting of a node."""

    name: str
    value: Text


class Attributes(NamedTuple):
    """Settings of a node, in the order of the file."""

    listed: list[Attribute]
    total: int
    """How many there are, listed or not."""


class Room(NamedTuple):
    """How much of a node's attributes is asked for."""

    characters: int
    """Of one value."""
    attributes: int


def attribute(name: bytes | str, value: Text) -> Attribute:
    """Return an attribute, its name cut if it is very long."""
    return Attribute(decoded(name)[:_LONGEST_NAME], value)


def text(value: str, most: int) -> Text:
    """Return a text, cut after so many characters."""
    return Text(value) if len(value) <= most else Text(value[:most] + "…", len(value), "characters")


def attribute_at(payload: bytes, span: Span, name_field: int, show: Callable[[bytes], Attribute]) -> Attribute:
    """Return the attribute whose message is at a place; of one that is very large or malformed only the name.

    Args:
        payload: what holds it.
        span: where it is.
        name_field: number of the field of its name.
        show: returns the attribute that a message, given its bytes, is.

    Raises:
        GraphError: it is very large, and its fields cannot be told apart.
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
    """Return the attributes whose messages are at these places, as many as there is room for; see attribute_at."""
    listed = [attribute_at(payload, span, name_field, show) for span in spans[: room.attributes]]
    return Attributes(listed, len(spans))


def first_elements(content: bytes, dtype: np.dtype[Any]) -> tuple[int, npt.NDArray[Any]]:
    """Return (number of elements, the first of them) of a tensor stored as bytes."""
    count = len(content) // dtype.itemsize
    return count, np.frombuffer(content, dtype, min(count, MOST_ELEMENTS))


def tensor_text(type_and_shape: str, count: int, items: Iterable[str], most: int) -> Text:
    """Return a tensor as text: its type and shape, then its `count` elements, as many as fit."""
    if not count:
        return Text(type_and_shape)
    shown = elements(items, count, most)
    return Text(f"{type_and_shape}: {shown.text}", shown.length, shown.unit)


def quoted(value: str, most: int) -> str:
    """Return a text as it stands in a list."""
    return f'"{text(value, most).text}"'


def elements(items: Iterable[str], count: int, most: int, brackets: str = "[]") -> Text:
    """Return a list of `count` items, of which no more are asked for than fit."""
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
    # Of a first item that is too long a part is better than nothing.
    begun = "".join(f"{each}, " for each in shown) or first[:most]
    return Text(f"{brackets[0]}{begun}…{brackets[1]}", count, "elements")


def number(value: float | int | bool) -> str:
    """Return a number; bools as JSON has them."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def single(value: float) -> str:
    """Return a float32 with no more digits than it has."""
    return str(np.float32(value))


def dimensions(sizes: Iterable[int]) -> str:
    """Return a shape; "?" where a size is unknown."""
    return "[" + ", ".join("?" if size < 0 else str(size) for size in sizes) + "]"


def decoded(content: bytes | str) -> str:
    """Return what should be UTF-8 as text; what is not shows as "�"."""
    return content if isinstance(content, str) else content.decode("utf-8", "replace")
