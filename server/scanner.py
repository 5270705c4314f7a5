"""Reads one event file window by window; remembers its tags and what in it is damaged."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto.framing import HEADER_BYTES
from toposcope.server.scan import DIALECTS, SMALLEST_ROW, Rows, State, next_header, scan
from toposcope.server.tag_table import Tag, TagTable


class Columns(NamedTuple):
    """Scalars in file order, one row a point."""

    tag: npt.NDArray[np.int32]
    """Index into Scanner.tags."""
    step: npt.NDArray[np.int64]
    wall_time: npt.NDArray[np.float64]
    """Seconds since 1970."""
    value: npt.NDArray[np.float64]


class Damage(NamedTuple):
    """A place in an event file where no record could be read."""

    offset: int
    reason: str
    """"payload": its crc or its message is wrong; "length": reading went on at the next sound header."""


class Read(NamedTuple):
    """What one window held."""

    columns: Columns
    next_offset: int
    """Where in the file the next window begins."""
    worth_reading_at: int
    """How large the file must be before the next window holds something new."""


class Scanner:
    """Turns the windows of one event file, read in order, into columns. Not safe for threads."""

    def __init__(self, dialect: str) -> None:
        self.damage: list[Damage] = []
        self._dialect = DIALECTS[dialect]
        self._table = TagTable()
        self._state = State()
        self._is_lost = False

    @property
    def tags(self) -> list[Tag]:
        """All tags met so far, of whatever plugin."""
        return self._table.tags

    @property
    def steps(self) -> tuple[int, int] | None:
        """Smallest and largest step of the events that hold summaries; None when there are none."""
        return (self._state.min_step, self._state.max_step) if self._state.summaries else None

    @property
    def wall_times(self) -> tuple[float, float] | None:
        """Smallest and largest wall_time of all events, in seconds since 1970; None when there are none."""
        if not self._state.first_wall:
            return None
        first, last = np.array([self._state.first_wall, self._state.last_wall], np.uint64).view(np.float64)
        return float(first), float(last)

    def read(self, window: bytearray, size: int, offset: int) -> Read:
        """Read window[:size], which holds the bytes of the file from `offset` on."""
        columns = _empty_columns(size // SMALLEST_ROW + 1)
        state = self._state
        state.position = state.next = state.rows = state.resume = 0
        if not self._is_lost or self._seek_header(window, size, 0):
            self._scan(window, size, offset, columns)
        # Copies, so that the arrays made for the most rows the window could hold can go.
        tag, step, wall_time, value = columns
        rows = slice(state.rows)
        read = Columns(tag[rows].copy(), step[rows].copy(), wall_time[rows].copy(), value[rows].copy())
        next_offset = offset + state.position
        return Read(read, next_offset, offset + size + 1 if self._is_lost else offset + state.next)

    def _scan(self, window: bytearray, size: int, offset: int, columns: Columns) -> None:
        """Scan to the end of the window, past new tags and damage."""
        state, data = self._state, memoryview(window)
        bits = columns.value.view(np.uint64)
        wall_bits = columns.wall_time.view(np.uint64)
        rows = Rows(columns.tag.data, columns.step.data, wall_bits.data, bits.data, columns.value.data)
        while True:
            scan(data, size, self._dialect, self._table.table, rows, state)
            if state.has_new_tag:
                self._enter_tag(window)
            elif state.has_bad_payload:
                self.damage.append(Damage(offset + state.position, "payload"))
                state.resume = 0
                state.position = state.next
            elif state.has_bad_header:
                self.damage.append(Damage(offset + state.position, "length"))
                if not self._seek_header(window, size, state.position + 1):
                    return
            else:
                return

    def _seek_header(self, window: bytearray, size: int, at: int) -> bool:
        """Go to the first sound header from a place on; False: there is none, the next window goes on from there."""
        found = next_header(memoryview(window), at, size)
        self._is_lost = found < 0
        self._state.position = found if found >= 0 else max(at, size - HEADER_BYTES + 1)
        return found >= 0

    def _enter_tag(self, window: bytearray) -> None:
        """Enter the tag at hand into the table."""
        state = self._state
        name = bytes(window[state.tag_start : state.tag_end])
        metadata = bytes(window[state.metadata_start : state.metadata_end])
        slots = self._table.table
        self._table.enter(name, state.code, metadata)
        if self._table.table is not slots:
            state.slot = 0  # Slots were renumbered.


def _empty_columns(rows: int) -> Columns:
    return Columns(np.empty(rows, np.int32), np.empty(rows, np.int64), np.empty(rows), np.empty(rows))
