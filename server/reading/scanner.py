"""Reads one event file window by window; remembers its tags and what in it is damaged."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

from toposcope.proto import framing, tensorboard_pb2
from toposcope.proto.framing import HEADER_BYTES
from toposcope.server.reading.counters import Counters
from toposcope.server.reading.record import ReadAt, payload_is_sound
from toposcope.server.reading.scan import DIALECTS, KINDS, LIGHT_BYTES, State, next_header, scan
from toposcope.server.reading.scan_buffers import Part, ScanBuffers
from toposcope.server.reading.tag_table import Entry, TagTable, make_entry

_LONGEST_TAIL = 1 << 16
_FRAME_BYTES = HEADER_BYTES + framing.FOOTER_BYTES
_FAR = 1 << 60


class Damage(NamedTuple):
    """A place in an event file where no record could be read."""

    offset: int
    reason: str
    """"payload": its crc or its message is wrong; "length": reading went on at the next sound header."""


class Read(NamedTuple):
    """How to go on after a window."""

    next_offset: int
    """Where in the file the next window begins."""
    wanted: int
    """How many bytes the next window has at the least."""
    worth_reading_at: int
    """How large the file must be before the next window holds something new."""


class Rows(NamedTuple):
    """What some windows held."""

    parts: list[Part]
    heavy: npt.NDArray[np.int64]
    """Where in the file the records begin whose payloads are still to be verified."""


class Piece(NamedTuple):
    """What a stretch of the file held that was read ahead of its turn."""

    start: int
    """Where in the file its first record begins."""
    end: int
    """Where reading goes on."""
    rows: Rows
    counters: Counters
    entries: list[Entry]
    """The tags that its parts are numbered by."""


class Scanner:
    """Turns the windows of one event file, read in order, into columns. Not safe for threads.

    Args:
        dialect: one of DIALECTS.
        read_at: reads what of a heavy record lies beyond the window.
        bad_records: where records begin whose payload is known to be damaged; they are skipped.
        light: payloads of so many bytes or more are not verified.
    """

    def __init__(
        self, dialect: str, read_at: ReadAt, bad_records: frozenset[int] = frozenset(), light: int = LIGHT_BYTES
    ) -> None:
        self.dialect = dialect
        self.damage: list[Damage] = []
        self.torn: set[int] = set()
        """Where damaged records begin some rows of which were read before the damage was met."""
        self.counters = Counters()
        self.table = TagTable()
        self._read_at = read_at
        self._verified = -1
        self._bad_records = sorted(bad_records)
        self._state = State()
        self._state.light = light
        self._is_lost = False

    def read(self, scratch: ScanBuffers, size: int, offset: int, available: int) -> Read:
        """Read scratch.window[:size], which holds the bytes of a file of `available` bytes from `offset` on.

        The rows gather in scratch until they are taken.
        """
        state = self._state
        state.begin(offset)
        if not state.is_inside:
            state.position = state.next = 0
        if not self._is_lost or self._seek_header(scratch, size, 0):
            self._scan(scratch, size, available - offset)
        if state.is_cut:
            return Read(offset + state.at, state.wanted, 0)
        next_offset = offset + state.position
        if self._is_lost:
            return Read(next_offset, 0, offset + size + 1)
        # A light record that was cut off is read whole; of a heavy one that is not complete yet nothing is.
        length = state.next - state.position
        wanted = length if length < state.light + _FRAME_BYTES else 0
        return Read(next_offset, wanted, next_offset + max(length, HEADER_BYTES))

    def has_room(self, scratch: ScanBuffers, size: int) -> bool:
        """Say whether the rows of another window fit into scratch."""
        return scratch.has_room(self._state.partial_rows, size)

    def take(self, scratch: ScanBuffers) -> Rows:
        """Take the rows out of scratch."""
        state = self._state
        parts = scratch.parts(state.partial_rows if state.is_inside else state.rows, self.table.entries)
        heavy = scratch.heavy[: state.heavy_records].copy()
        state.rows = state.partial_rows = state.heavy_records = 0
        self.counters.add(state)
        state.events = state.summaries = state.first_wall = state.last_wall = 0
        return Rows(parts, heavy)

    def _scan(self, scratch: ScanBuffers, size: int, available: int) -> None:
        """Scan to the end of the window, past new tags and damage."""
        state, data, rows = self._state, scratch.data, scratch.rows
        while True:
            bad = self._next_bad_record()
            scan(data, size, min(size, bad), available, DIALECTS[self.dialect], self.table.table, rows, state)
            if state.has_new_tag:
                self._enter_tag(scratch)
            elif state.has_bad_payload:
                self._skip()
            elif state.has_bad_header:
                self.damage.append(Damage(state.base + state.position, "length"))
                if not self._seek_header(scratch, size, state.position + 1):
                    return
            elif not state.is_cut and state.position == bad <= size - HEADER_BYTES:
                self._pass_bad_record(scratch, bad)
            else:
                return

    def _next_bad_record(self) -> int:
        """Return where in the window the next record begins that is known to be damaged."""
        at = bisect_left(self._bad_records, self._state.base + self._state.position)
        return self._bad_records[at] - self._state.base if at < len(self._bad_records) else _FAR

    def _pass_bad_record(self, scratch: ScanBuffers, at: int) -> None:
        """Skip a record that is known to be damaged, unless something else stands there by now."""
        header = framing.read_header(scratch.window[at : at + HEADER_BYTES].tobytes())
        if framing.header_is_sound(header) and header.length < _FAR:
            self._state.next = at + header.length + _FRAME_BYTES
            self._skip()
        else:
            self._bad_records.remove(self._state.base + at)

    def _skip(self) -> None:
        """Go on behind the record at hand, which is damaged."""
        state = self._state
        self.damage.append(Damage(state.base + state.position, "payload"))
        if state.position < 0:
            self.torn.add(state.base + state.position)
        state.is_inside = False
        state.position = state.next

    def _seek_header(self, scratch: ScanBuffers, size: int, at: int) -> bool:
        """Go to the first sound header from a place on; False: there is none, the next window goes on from there."""
        found = next_header(scratch.data, at, size)
        self._is_lost = found < 0
        self._state.position = found if found >= 0 else max(at, size - HEADER_BYTES + 1)
        return found >= 0

    def _enter_tag(self, scratch: ScanBuffers) -> None:
        """Enter the tag at hand into the table; a heavy record that brings one is verified first."""
        state = self._state
        if self._is_heavy and not self._verify():
            self._skip()
            return
        metadata = scratch.window[state.metadata_start : state.metadata_end].tobytes()
        if state.tail and not metadata:
            metadata = self._metadata_behind(state.base + state.tail, state.value_end - state.tail)
        self._enter(make_entry(scratch.window[state.tag_start : state.tag_end].tobytes(), state.kind, metadata))

    @property
    def _is_heavy(self) -> bool:
        """Say whether the record at hand was not verified when it was opened."""
        return self._state.next - self._state.position - _FRAME_BYTES >= self._state.light

    def _verify(self) -> bool:
        state = self._state
        record = state.base + state.position
        if self._verified != record and payload_is_sound(
            self._read_at, record, state.next - state.position - _FRAME_BYTES
        ):
            self._verified = record
        return self._verified == record

    def _enter(self, entry: Entry) -> int:
        table = self.table.table
        number = self.table.enter(entry)
        if self.table.table is not table:
            self._state.slot = 0  # Slots were renumbered.
        return number

    def _metadata_behind(self, offset: int, length: int) -> bytes:
        """Return TensorBoard's metadata, which stand behind a heavy value; empty when there are none."""
        if length > _LONGEST_TAIL or KINDS[self._state.kind] != "tensor":
            return b""
        try:
            value = tensorboard_pb2.Summary.Value.FromString(self._read_at(offset, length))
        except DecodeError:
            return b""
        return value.metadata.SerializeToString()

    def restore(self, entries: Sequence[Entry], counters: Counters, damage: Sequence[Damage]) -> None:
        """Take up, before anything is read, where another scanner stood between two records."""
        self.table = TagTable(entries)
        self.counters.add(counters)
        self.damage += damage

    @property
    def is_between_records(self) -> bool:
        """Say whether the next window begins with a record, as far as is known."""
        return not (self._state.is_inside or self._is_lost)

    @property
    def can_read_ahead(self) -> bool:
        """Say whether records may be read ahead of their turn: nothing is at hand, and no damage is known."""
        return self.is_between_records and not self._bad_records

    def fork(self) -> "Scanner":
        """Return a scanner for read_ahead that knows the tags met so far; it may run in another thread."""
        other = Scanner(self.dialect, self._read_at, light=self._state.light)
        other.table = self.table.copy()
        return other

    def read_ahead(self, scratch: ScanBuffers, size: int, offset: int, limit: int, available: int) -> Piece | None:
        """Read the records of a window that begin before `limit`, from the first sound header on.

        Whether that is where a record begins is known when what comes before was read. Stops before anything out of
        the ordinary: damage, a heavy record that the window lacks the end of, a tag whose plugin an earlier value
        may have named. None: there is no header.
        """
        state, data, rows = self._state, scratch.data, scratch.rows
        state.begin(offset)
        start = next_header(data, 0, min(size, _LONGEST_TAIL))
        if start < 0:
            return None
        state.position = start
        while True:
            scan(data, size, limit - offset, available - offset, DIALECTS[self.dialect], self.table.table, rows, state)
            is_unclear = KINDS[state.kind] == "tensor" and not state.metadata_end
            if not state.has_new_tag or self._is_heavy or (is_unclear and self.dialect == "tensorboard"):
                break
            self._enter_tag(scratch)
        state.is_inside = False  # What was read of a record at hand is read again in its turn.
        end = offset + state.position
        return Piece(offset + start, end, self.take(scratch), self.counters, self.table.entries)

    def agrees(self, piece: Piece) -> bool:
        """Say whether the tags of a piece are what they are here: the first value of a tag names its plugin."""
        entries = [piece.entries[part.number] for part in piece.rows.parts]
        numbers = [self.table.find(entry.name, entry.kind) for entry in entries]
        known = zip(entries, numbers, strict=True)
        return all(number is None or self.table.entries[number] == entry for entry, number in known)

    def join(self, piece: Piece) -> Rows:
        """Take over a piece that begins where this scanner stands; return its rows under this scanner's numbers."""
        self.counters.add(piece.counters)
        parts = [Part(self._number(piece.entries[part.number]), part.points) for part in piece.rows.parts]
        return Rows(parts, piece.rows.heavy)

    def _number(self, entry: Entry) -> int:
        number = self.table.find(entry.name, entry.kind)
        return self._enter(entry) if number is None else number
