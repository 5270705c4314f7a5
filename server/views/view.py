"""A view of a page as it is saved, and what its name and workspace may contain."""

import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

LARGEST_VIEW = 1 << 20
"""Bytes of a workspace in JSON, and characters of an address."""
LARGEST_FILE = 4 * LARGEST_VIEW
"""Bytes of the file of a view or link: a workspace, and an address of up to three bytes a character."""
DEEPEST = 32
"""Levels of objects and lists in a workspace."""
LONGEST_NAME, LONGEST_PAGE = 200, 100
_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
LINE_PATTERN = rf"^[^{_CONTROLS}]*[^{_CONTROLS}\s][^{_CONTROLS}]*$"
"""What checked_line accepts, for the OpenAPI document."""

Workspace = dict[str, Any]


class ListedView(NamedTuple):
    """A saved view without what it shows."""

    name: str
    page: str
    version: str
    """Differs after each change."""
    changed: float
    """Seconds since 1970."""


class View(NamedTuple):
    """A saved view."""

    listed: ListedView
    address: str
    workspace: Workspace | None


class ViewContent(NamedTuple):
    """A view to save."""

    page: str
    address: str
    workspace: Workspace | None


def checked_line(text: str) -> str:
    """Return one line of text without surrounding spaces.

    Raises:
        ValueError: it is empty or has several lines.
    """
    if re.search(f"[{_CONTROLS}]", text):
        raise ValueError("expected one line of text without control characters")
    if not text.strip():
        raise ValueError("expected a text that is not blank")
    return text.strip()


def checked_workspace(workspace: Workspace) -> Workspace:
    """Return a workspace that can be stored exactly.

    Raises:
        ValueError: it is too large, nested too deeply, or contains numbers that JSON lacks.
    """
    for value, depth in _values(workspace):
        if depth > DEEPEST:
            raise ValueError(f"expected at most {DEEPEST} levels of objects and lists")
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"expected JSON, found the number {value}")
    try:
        size = len(orjson.dumps(workspace))
    except orjson.JSONEncodeError as error:
        raise ValueError(f"expected JSON that can be stored: {error}") from None
    if size > LARGEST_VIEW:
        raise ValueError(f"expected at most {LARGEST_VIEW} bytes, found {size}")
    return workspace


def _values(top: Any) -> Iterator[tuple[Any, int]]:
    """Yield all values with the number of objects and lists that they are in, themselves included."""
    waiting = [(top, 0)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, dict | list):
            depth += 1
            waiting.extend((item, depth) for item in (value.values() if isinstance(value, dict) else value))
        yield value, depth
        if depth > DEEPEST:
            return
