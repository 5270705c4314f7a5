"""Texts of both dialects."""

from typing import NamedTuple

from toposcope.server.values.tensor import read_strings

MAX_CELLS = 10_000
"""Limit on the texts of a table."""


class Text(NamedTuple):
    """A text, or a list or table of texts."""

    dims: tuple[int, ...]
    """Dimensions of a table, rows first; () for a single text."""
    texts: list[str]
    """In row-major order; invalid UTF-8 is replaced by U+FFFD."""


def read_text(payload: bytes, kind: str) -> Text:
    """Decode the texts of a value.

    Args:
        payload: the text itself with kind "text"; or a string tensor of TensorBoard with kind "tensor".
        kind: the field that contained the payload, one of scan.KINDS.

    Raises:
        ValueError: the payload is not a tensor of at most MAX_CELLS strings.
    """
    if kind != "tensor":
        return Text((), [payload.decode("utf-8", "replace")])
    dims, strings = read_strings(payload)
    if len(strings) > MAX_CELLS:
        raise ValueError(f"a table has {len(strings)} texts: expected at most {MAX_CELLS}")
    return Text(dims, [str(string, "utf-8", "replace") for string in strings])
