"""Texts of both dialects."""

from typing import NamedTuple

from toposcope.server.values.tensor import read_strings

MOST_CELLS = 10_000
"""A table with more texts is refused."""


class Text(NamedTuple):
    """A text, or a list or table of texts."""

    dims: tuple[int, ...]
    """Sizes of a table, rows first; () for a text alone."""
    texts: list[str]
    """In row-major order; bytes that are no UTF-8 as U+FFFD."""


def read_text(payload: bytes, kind: str) -> Text:
    """Return the texts of a value.

    Args:
        payload: the text itself, of kind "text"; or TensorBoard's tensor of strings, of kind "tensor".
        kind: what field it stood in, one of scan.KINDS.

    Raises:
        ValueError: the payload is no tensor of strings, or of more than MOST_CELLS.
    """
    if kind != "tensor":
        return Text((), [payload.decode("utf-8", "replace")])
    dims, strings = read_strings(payload)
    if len(strings) > MOST_CELLS:
        raise ValueError(f"a table has {len(strings)} texts: expected {MOST_CELLS} at most")
    return Text(dims, [str(string, "utf-8", "replace") for string in strings])
