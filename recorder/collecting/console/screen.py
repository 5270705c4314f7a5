"""Screen: turns what is written to a stream into lines, as a terminal would show them."""

import re
from typing import NamedTuple

_MAX_CHARACTERS = 16_384
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# CSI sequences; then OSC sequences (titles, links), other escape sequences and control characters, which are left out.
_PARTS = re.compile(
    r"(?P<text>[^\x00-\x08\x0a-\x1f\x7f]+)|(?P<line>\n)|(?P<return>\r)|\x1b\[(?P<number>\d{0,4})[\d;?]*(?P<csi>[@-~])"
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b?[\x00-\x7f]"
)


class Line(NamedTuple):
    """A finished line."""

    wall_time: float
    """When it was last written to, in seconds since 1970."""
    text: str


class _Row:
    """A line that can still be rewritten."""

    def __init__(self) -> None:
        self.wall_time = 0.0
        self.text = ""
        self.is_overwritten = False
        """Whether the next text replaces what is there: the cursor is in the first column."""


class Screen:
    """The lines of one stream from the cursor on; those above it are finished when take_finished() is called.

    A progress bar returns to the beginning of its line, or moves the cursor up to it: the last state remains. A text
    that is shorter than what it overwrites replaces all of it. A line has at most 16,384 characters.
    """

    def __init__(self) -> None:
        self._rows = [_Row()]
        self._cursor = 0

    def write(self, wall_time: float, text: str) -> None:
        """Add what was written at a time."""
        if _CONTROL.search(text) is None:
            first, *others = text.split("\n")
            self._put(wall_time, first)
            for other in others:
                self._end_line(wall_time)
                self._put(wall_time, other)
            return
        for part in _PARTS.finditer(text):
            if part["text"]:
                self._put(wall_time, part["text"])
            elif part["line"]:
                self._end_line(wall_time)
            elif part["return"]:
                self._rows[self._cursor].is_overwritten = True
            elif part["csi"]:
                self._control(part["csi"], int(part["number"] or 0))

    def take_finished(self) -> list[Line]:
        """Remove and return the lines above the cursor."""
        finished, self._rows, self._cursor = self._rows[: self._cursor], self._rows[self._cursor :], 0
        return [Line(row.wall_time, row.text.rstrip()) for row in finished]

    def take_all(self) -> list[Line]:
        """Remove and return all lines; the one at the cursor only if it contains text."""
        rows, self._rows, self._cursor = self._rows, [_Row()], 0
        while rows and not rows[-1].text.strip():
            rows.pop()
        return [Line(row.wall_time, row.text.rstrip()) for row in rows]

    def _put(self, wall_time: float, text: str) -> None:
        if not text:
            return
        row = self._rows[self._cursor]
        row.wall_time = wall_time
        if row.is_overwritten:
            row.text, row.is_overwritten = text[:_MAX_CHARACTERS], False
        elif len(row.text) < _MAX_CHARACTERS:
            row.text += text[: _MAX_CHARACTERS - len(row.text)]

    def _end_line(self, wall_time: float) -> None:
        row = self._rows[self._cursor]
        row.wall_time = row.wall_time or wall_time
        self._cursor += 1
        if self._cursor == len(self._rows):
            self._rows.append(_Row())
        self._rows[self._cursor].is_overwritten = True

    def _control(self, command: str, number: int) -> None:
        """Move the cursor or erase, as ECMA-48 defines the command."""
        row = self._rows[self._cursor]
        if command in ("A", "F"):
            self._cursor = max(0, self._cursor - max(1, number))
            self._rows[self._cursor].is_overwritten = True
        elif command in ("B", "E"):
            self._cursor = min(len(self._rows) - 1, self._cursor + max(1, number))
            self._rows[self._cursor].is_overwritten = True
        elif command == "G" and number <= 1:
            row.is_overwritten = True
        elif command == "K" and (number == 2 or row.is_overwritten):
            row.text = ""
        elif command == "J" and number in (0, 2):
            del self._rows[self._cursor + 1 :]
            row.text = "" if row.is_overwritten or number == 2 else row.text
