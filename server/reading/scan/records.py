"""Scans the records of a window: opens and verifies each, reads its event into rows, and marks it as read."""

from toposcope.server.reading.scan.checksum import masked_crc
from toposcope.server.reading.scan.events import FOOTER_BYTES, read_event
from toposcope.server.reading.scan.kinds import HEARTBEAT
from toposcope.server.reading.scan.scalars import INFINITY
from toposcope.server.reading.scan.state import Rows, ScanState
from toposcope.server.reading.scan.tags import Table
from toposcope.server.reading.scan.uncompiled import cython
from toposcope.server.reading.scan.wire import pointer, u32, u64

_HEADER_BYTES = 12  # The length of the payload, and its crc.
_LONGEST_PAYLOAD = 1 << 47  # A longer payload means that the header is damaged.
_LONGEST_EVENT = 0xFFFFFF00  # Protobuf's messages are shorter than 2 GiB.


def _open_record(data: memoryview, size: int, available: int, state: ScanState) -> bool:
    """Read the header of the next record and verify a small payload; return False if the scan must stop."""
    position = state.position
    if size - position < _HEADER_BYTES:
        state.next = position + _HEADER_BYTES
        return False
    length = u64(data, position)
    if masked_crc(data, position, position + 8) != u32(data, position + 8) or length > _LONGEST_PAYLOAD:
        state.has_bad_header = True
        return False
    start = position + _HEADER_BYTES
    end = start + length
    state.next = end + FOOTER_BYTES
    if state.next > available or (length < state.large_bytes and state.next > size):
        return False
    if length > _LONGEST_EVENT or (length < state.large_bytes and masked_crc(data, start, end) != u32(data, end)):
        state.has_bad_payload = True
        return False
    state.is_inside = True
    state.has_envelope = False
    state.has_summary = False
    state.wall_time = 0
    state.step = 0
    state.at = start
    state.summary = start
    state.summary_end = 0
    state.member_kind = 0
    state.partial_rows = state.rows
    return True


def _finish_record(rows: Rows, state: ScanState) -> None:
    """Mark the current record as read and move on to the next."""
    if state.member_kind < HEARTBEAT:
        _count_event(state)
    elif state.member_kind == HEARTBEAT:
        state.heartbeats += 1
        state.phase = state.heartbeat
        state.heartbeat_wall = state.wall_time
    else:
        state.events += 1
        state.end_record = state.base + state.position
        state.end_start = state.member_start - state.position
        state.end_length = state.member_end - state.member_start
        state.end_is_session_log = state.member_key == 58
        state.end_wall = state.wall_time
    if state.next - state.position - _HEADER_BYTES - FOOTER_BYTES >= state.large_bytes:
        rows.large[state.large_records] = state.base + state.position
        state.large_records += 1
    state.rows = state.partial_rows
    state.is_inside = False
    state.position = state.next


def _count_event(state: ScanState) -> None:
    """Count the current event, which is neither a heartbeat nor an end mark."""
    state.events += 1
    if 0 < state.wall_time < INFINITY:
        if state.first_wall == 0:
            state.first_wall = state.wall_time
        if state.wall_time > state.last_wall:
            state.last_wall = state.wall_time
    if state.has_summary:
        if state.summaries == 0 or state.step < state.min_step:
            state.min_step = state.step
        if state.summaries == 0 or state.step > state.max_step:
            state.max_step = state.step
        state.summaries += 1


def _scan_records(
    data: memoryview, size: int, limit: int, available: int, dialect: int, table: Table, rows: Rows, state: ScanState
) -> None:
    while state.is_inside or (state.position < limit and _open_record(data, size, available, state)):
        if not read_event(data, size, dialect, table, rows, state):
            return
        _finish_record(rows, state)


def scan(
    data: memoryview, size: int, limit: int, available: int, dialect: int, table: Table, rows: Rows, state: ScanState
) -> None:
    """Scan the records of data[:size] from state.position on, without the GIL.

    Args:
        data: bytes of an event file.
        size: number of bytes to scan.
        limit: records that begin here or later are not scanned.
        available: where the file ends; records that end beyond it are not complete yet.
        dialect: one of DIALECTS.
        table: the tags read so far.
        rows: receives the values, up to state.rows; at least size / SMALLEST_ROW rows.
        state: contains afterwards how far the scan got and why it stopped.
    """
    state.has_new_tag = False
    state.has_bad_header = False
    state.has_bad_payload = False
    state.is_cut = False
    content = pointer(data)
    with cython.nogil:
        _scan_records(content, size, limit, available, dialect, table, rows, state)


def next_header(data: memoryview, at: int, size: int) -> int:
    """Return the offset of the first valid record header in data[at:size], or -1."""
    header = -1
    content = pointer(data)
    with cython.nogil:
        while at + _HEADER_BYTES <= size:
            if masked_crc(content, at, at + 8) == u32(content, at + 8) and u64(content, at) <= _LONGEST_PAYLOAD:
                header = at
                break
            at += 1
    return header
