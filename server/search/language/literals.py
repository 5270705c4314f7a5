"""Values in a search: numbers, points in time, durations and texts with "*"."""

import math
import re
from datetime import datetime

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(s|m|h|d)", re.ASCII)
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def number(text: str) -> float | None:
    """Return a number, which may be NaN or infinite; None if the text is none."""
    try:
        return float(text)
    except ValueError:
        return None


def point_in_time(text: str) -> float | None:
    """Return an ISO 8601 date or time, local unless it has an offset, in seconds since 1970; None if it is none."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def duration(text: str) -> float | None:
    """Return a duration such as 90, 90s, 1.5h or 2d, in seconds; None if the text is none."""
    match = _DURATION.fullmatch(text)
    seconds = float(match[1]) * _SECONDS[match[2]] if match else number(text)
    return seconds if seconds is not None and math.isfinite(seconds) else None


class Pattern:
    """A text to look for, ignoring case, in which "*" stands for any text."""

    def __init__(self, text: str) -> None:
        self._parts = text.casefold().split("*")

    @property
    def longest_part(self) -> str:
        """The longest text between "*"; every text that matches contains it."""
        return max(self._parts, key=len)

    def equals(self, text: str) -> bool:
        """Return whether a casefolded text matches as a whole."""
        first, *rest = self._parts
        if not rest:
            return text == first
        last = rest.pop()
        if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
            return False
        return _in_order(rest, text, len(first), len(text) - len(last))

    def is_in(self, text: str) -> bool:
        """Return whether a part of a casefolded text matches."""
        return _in_order(self._parts, text, 0, len(text))


def _in_order(parts: list[str], text: str, start: int, end: int) -> bool:
    """Return whether parts follow one another, without overlap, in text[start:end]."""
    for part in parts:
        start = text.find(part, start, end)
        if start < 0:
            return False
        start += len(part)
    return True
