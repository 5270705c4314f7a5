"""Turns one event file into columns, window by window, and records its tags and its damage."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

from toposcope.proto import framing, tensorboard_pb2
from toposcope.proto.framing import HEADER_BYTES
from toposcope.server.reading.declared_plugins import DeclaredPlugins
from toposcope.server.reading.records.counters import Counters
from toposcope.server.reading.records.marks import read_end
from toposcope.server.reading.records.record import ReadAt, payload_bytes, payload_is_sound
from toposcope.server.reading.scan import DIALECTS, KINDS, LARGE_RECORD_BYTES, ScanState, next_header, scan
from toposcope.server.reading.series import time_units
from toposcope.server.reading.series.series import Float64s
from toposcope.server.reading.tag_table import Entry, TagTable, make_entry
from toposcope.server.reading.windows.scan_buffers import Part, ScanBuffers

_MAX_METADATA_BYTES = 1 << 16
_FRAME_BYTES = HEADER_BYTES + framing.FOOTER_BYTES
_NEVER = 1 << 60


class Damage(NamedTuple):
    """An offset in an event file at which no record could be read."""

    offset: int
    reason: str
    """
    "payload": the crc or the message of the record is invalid, which is skipped.
    "length": its header is invalid; reading continues at the next valid header.
    """


class NextWindow(NamedTuple):
    """Where reading continues."""

    offset: int
    """Where in the file the next window begins."""
    min_bytes: int
    """How many bytes it must have at least."""
    min_file_size: int
    """How large the file must be before the next window contains anything new."""


class ScannedRows(NamedTuple):
    """Contents of some windows."""

    parts: list[Part]
    large: npt.NDArray[np.int64]
    """Offsets in the file of the records whose payloads are not verified yet."""


class Piece(NamedTuple):
    """Contents of a window that was read before those that precede it."""

    start: int
    """Where in the file its first record begins."""
    end: int
    """Where in the file its last record ends."""
    rows: ScannedRows
    counters: Counters
    entries: list[Entry]
    """Its tags; the numbers of its parts are indices into them."""


class Scanner:
    """Turns the windows of one event file, read in order, into columns. Not thread-safe.

    Args:
        dialect: one of DIALECTS.
        read_at: reads the part of a large record that is beyond the window.
        bad_records: offsets of records with damaged payloads; they are skipped.
        large_bytes: payloads of this many bytes or more are not verified.
        declared: the plugins of tags without metadata, if other files of the run declare them.
    """

    def __init__(
        self,
        dialect: str,
        read_at: ReadAt,
        bad_records: frozenset[int] = frozenset(),
        large_bytes: int = LARGE_RECORD_BYTES,
        declared: DeclaredPlugins | None = None,
    ) -> None:
        self.dialect = dialect
        self.damage: list[Damage] = []
        self.partially_read: set[int] = set()
        """Offsets of damaged records some rows of which were read before the damage was found."""
        self.counters = Counters()
        self.table = TagTable()
        self.read_at = read_at
        """Reads the file, as it is open now."""
        self._declared = declared if dialect == "tensorboard" else None
        self._verified_record = -1
        self._bad_records = sorted(bad_records)
        self._state = ScanState()
        self._state.large_bytes = large_bytes
        self.is_seeking = False
        """Whether damage was found, and no valid header after it yet."""

    def read(self, buffers: ScanBuffers, size: int, offset: int, available: int) -> NextWindow:
        """Read buffers.window[:size], which contains the bytes from `offset` on of a file of `available` bytes.

        The rows accumulate in buffers until take_rows() is called.
        """
        state = self._state
        state.move_window(offset)
        if not state.is_inside:
            state.position = state.next = 0
        if not self.is_seeking or self._seek_header(buffers, size, 0):
            self._scan(buffers, size, available - offset)
        if state.is_cut:
            return NextWindow(offset + state.at, state.needed, 0)
        next_offset = offset + state.position
        if self.is_seeking:
            return NextWindow(next_offset, 0, offset + size + 1)
        # A small record that was cut off needs a window that contains it; a large one is read once it is complete.
        length = state.next - state.position
        min_bytes = length if length < state.large_bytes + _FRAME_BYTES else 0
        return NextWindow(next_offset, min_bytes, next_offset + max(length, HEADER_BYTES))

    def has_room(self, buffers: ScanBuffers, size: int) -> bool:
        """Return whether the rows of another window of `size` bytes fit into buffers."""
        return buffers.has_room(self._state.partial_rows, size)

    def take_rows(self, buffers: ScanBuffers) -> ScannedRows:
        """Return the rows in buffers, which are free again afterwards."""
        state = self._state
        rows = state.partial_rows if state.is_inside else state.rows
        self._convert_times(buffers.wall_time[:rows])
        parts = buffers.split_by_tag(rows, self.table.entries, bool(state.has_doubles))
        state.has_doubles = False
        large = buffers.large[: state.large_records].copy()
        state.rows = state.partial_rows = state.large_records = 0
        self.counters.add(state)
        if state.end_start:
            self._read_end()
        state.events = state.summaries = state.heartbeats = state.first_wall = state.last_wall = state.end_start = 0
        return ScannedRows(parts, large)

    def _convert_times(self, wall_times: Float64s) -> None:
        """Convert wall times to seconds: those of the rows, and of the state."""
        state = self._state
        time_units.to_seconds(wall_times)
        if state.last_wall >= time_units.LARGEST_BITS:
            self.counters.time_unit = time_units.unit_of_bits(state.last_wall)
            first, last = map(time_units.seconds_bits, (state.first_wall, state.last_wall))
            state.first_wall, state.last_wall = first, max(first, last)
        state.heartbeat_wall, state.end_wall = map(time_units.seconds_bits, (state.heartbeat_wall, state.end_wall))

    def _read_end(self) -> None:
        """Read the last end mark that was scanned, which may be in a large record, and so not verified."""
        state = self._state
        length = payload_bytes(self.read_at, state.end_record)
        if length is None or not payload_is_sound(self.read_at, state.end_record, length):
            return
        content = self.read_at(state.end_record + state.end_start, state.end_length)
        end = read_end(content, state.end_wall, is_session_log=bool(state.end_is_session_log))
        self.counters.end = end or self.counters.end

    def _scan(self, buffers: ScanBuffers, size: int, available: int) -> None:
        """Scan to the end of the window; add new tags and skip damage."""
        state, data, rows = self._state, buffers.data, buffers.rows
        while True:
            bad = self._next_bad_record()
            scan(data, size, min(size, bad), available, DIALECTS[self.dialect], self.table.table, rows, state)
            if state.has_new_tag:
                self._add_tag(buffers)
            elif state.has_bad_payload:
                self._skip()
            elif state.has_bad_header:
                self.damage.append(Damage(state.base + state.position, "length"))
                if not self._seek_header(buffers, size, state.position + 1):
                    return
            elif not state.is_cut and state.position == bad <= size - HEADER_BYTES:
                self._skip_bad_record(buffers, bad)
            else:
                return

    def _next_bad_record(self) -> int:
        """Return where in the window the next known damaged record begins."""
        at = bisect_left(self._bad_records, self._state.base + self._state.position)
        return self._bad_records[at] - self._state.base if at < len(self._bad_records) else _NEVER

    def _skip_bad_record(self, buffers: ScanBuffers, at: int) -> None:
        """Skip a known damaged record, unless there is no valid header at its offset any more."""
        header = framing.read_header(buffers.window[at : at + HEADER_BYTES].tobytes())
        if framing.header_is_sound(header) and header.length < _NEVER:
            self._state.next = at + header.length + _FRAME_BYTES
            self._skip()
        else:
            self._bad_records.remove(self._state.base + at)

    def _skip(self) -> None:
        """Skip the current record, which is damaged."""
        state = self._state
        self.damage.append(Damage(state.base + state.position, "payload"))
        if state.position < 0:
            self.partially_read.add(state.base + state.position)
        state.is_inside = False
        state.position = state.next

    def _seek_header(self, buffers: ScanBuffers, size: int, at: int) -> bool:
        """Go to the first valid header from `at` on; return False if the search continues in the next window."""
        header = next_header(buffers.data, at, size)
        self.is_seeking = header < 0
        self._state.position = header if header >= 0 else max(at, size - HEADER_BYTES + 1)
        return header >= 0

    def _add_tag(self, buffers: ScanBuffers) -> None:
        """Add the current tag to the table; a large record is verified first."""
        state = self._state
        if self._is_large and not self._verify():
            self._skip()
            return
        metadata = bytes(buffers.data[state.metadata_start : state.metadata_end])
        if state.tail and not metadata:
            metadata = self._read_metadata(state.base + state.tail, state.value_end - state.tail)
        name = bytes(buffers.data[state.tag_start : state.tag_end])
        entry = make_entry(name, state.kind, metadata)
        if self._declared is not None and entry.tag.plugin == "tensor":
            entry = self._declared.find(name, state.kind) or entry
        self._add(entry)

    @property
    def _is_large(self) -> bool:
        """Whether the current record was not verified when it was opened."""
        return self._state.next - self._state.position - _FRAME_BYTES >= self._state.large_bytes

    def _verify(self) -> bool:
        state = self._state
        record = state.base + state.position
        length = state.next - state.position - _FRAME_BYTES
        if self._verified_record != record and payload_is_sound(self.read_at, record, length):
            self._verified_record = record
        return self._verified_record == record

    def _add(self, entry: Entry) -> int:
        table = self.table.table
        number = self.table.add(entry)
        if self.table.table is not table:
            self._state.slot = 0  # Slots were renumbered.
        return number

    def _read_metadata(self, offset: int, length: int) -> bytes:
        """Return TensorBoard's metadata, which follow the content of a large value; empty if there are none."""
        if length > _MAX_METADATA_BYTES or KINDS[self._state.kind] != "tensor":
            return b""
        try:
            value = tensorboard_pb2.Summary.Value.FromString(self.read_at(offset, length))
        except DecodeError:
            return b""
        return value.metadata.SerializeToString()

    def restore(self, entries: Sequence[Entry], counters: Counters, damage: Sequence[Damage]) -> None:
        """Continue, before anything is read, where another scanner stopped between two records."""
        self.table = TagTable(entries)
        self.counters.add(counters)
        self.damage += damage

    @property
    def is_between_records(self) -> bool:
        """Whether the next window begins with a record, as far as is known."""
        return not (self._state.is_inside or self.is_seeking)

    @property
    def can_read_ahead(self) -> bool:
        """Whether windows may be read in parallel: no record is unfinished and no damaged record is known."""
        return self.is_between_records and not self._bad_records

    def fork(self) -> "Scanner":
        """Return a scanner for read_ahead() with the same tags; it may run in another thread."""
        other = Scanner(self.dialect, self.read_at, large_bytes=self._state.large_bytes)
        other.table = self.table.copy()
        return other

    def read_ahead(self, buffers: ScanBuffers, size: int, offset: int, limit: int, available: int) -> Piece | None:
        """Read the records of a window that begin before `limit`, from the first valid header on.

        Whether a record really begins there is known once all before it was read. Reading stops before damage, a large
        record whose end is not in the window, and a tag whose plugin an earlier value may define. Returns None if there
        is no header.
        """
        state, data, rows = self._state, buffers.data, buffers.rows
        state.move_window(offset)
        start = next_header(data, 0, min(size, _MAX_METADATA_BYTES))
        if start < 0:
            return None
        state.position = start
        while True:
            scan(data, size, limit - offset, available - offset, DIALECTS[self.dialect], self.table.table, rows, state)
            is_unclear = KINDS[state.kind] == "tensor" and not state.metadata_end
            if not state.has_new_tag or self._is_large or (is_unclear and self.dialect == "tensorboard"):
                break
            self._add_tag(buffers)
        state.is_inside = False  # A record that was not finished is read again.
        end = offset + state.position
        return Piece(offset + start, end, self.take_rows(buffers), self.counters, self.table.entries)

    def has_same_tags(self, piece: Piece) -> bool:
        """Return whether the tags of a piece have the same plugins here: a tag's first value defines its plugin."""
        entries = [piece.entries[part.number] for part in piece.rows.parts]
        numbers = [self.table.find(entry.name, entry.kind) for entry in entries]
        numbered = zip(entries, numbers, strict=True)
        return all(number is None or self.table.entries[number] == entry for entry, number in numbered)

    def join(self, piece: Piece) -> ScannedRows:
        """Continue after a piece that begins where this scanner stopped; return its rows, with new tag numbers."""
        self.counters.add(piece.counters)
        parts = [Part(self._number(piece.entries[part.number]), part.points) for part in piece.rows.parts]
        return ScannedRows(parts, piece.rows.large)

    def _number(self, entry: Entry) -> int:
        number = self.table.find(entry.name, entry.kind)
        return self._add(entry) if number is None else number
