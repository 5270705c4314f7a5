"""Reads the event of a record into rows: first its envelope, then the values of its summary, one row each."""

from toposcope.server.reading.scan.kinds import (
    ALERT,
    CODE,
    CONSOLE,
    CUSTOM,
    DATASET_GRAPH,
    END,
    ENVIRONMENT,
    EVALUATION,
    GRAPH,
    HEARTBEAT,
    LINEAGE,
    MINDSPORE,
    OTHER,
    TENSOR,
    TRAIN,
)
from toposcope.server.reading.scan.scalars import store_tensor_scalar
from toposcope.server.reading.scan.state import Rows, ScanState
from toposcope.server.reading.scan.tags import (
    FOLLOWER,
    STORED,
    STORES_METADATA,
    STORES_SCALAR,
    TAG,
    Table,
    is_tag,
    slot_of,
)
from toposcope.server.reading.scan.uncompiled import cython
from toposcope.server.reading.scan.values import read_value
from toposcope.server.reading.scan.wire import FIELD_HEAD_BYTES, read_field, read_varint, u64

FOOTER_BYTES = 4
"""The crc after a record's event."""
_USUAL_ENVELOPE_BYTES = 13
_VALUE_START_BYTES = 1 << 16  # Searched for the fields of a large value before the whole value is read.
_LARGEST_READ = 64 << 20  # What a value must be read whole for, its tag or a scalar, is shorter.


def _member_kind(dialect: int, key: int) -> int:
    """Return the kind of a field that an event has instead of a summary: an index into KINDS, END or 0."""
    if dialect == LINEAGE:
        if key == 50:
            return TRAIN
        if key == 58:
            return EVALUATION
        if key == 74:
            return DATASET_GRAPH
        if key == 82:
            return CUSTOM
    elif key == 34:
        return GRAPH
    elif key == 58 and dialect != MINDSPORE:  # TensorBoard's SessionLog.
        return END
    return 0


def _own_kind(dialect: int, key: int) -> int:
    """Return the kind of a field of our own, which is not a member of the oneof: as _member_kind(), or HEARTBEAT."""
    if dialect != LINEAGE:
        if key == 840:
            return HEARTBEAT
        if key == 850:
            return END
        if key == 858:
            return CONSOLE
        if key == 866:
            return ENVIRONMENT
        if key == 874:
            return CODE
        if key == 882:
            return ALERT
    return 0


def _read_usual_envelope(data: memoryview, end: int, state: ScanState) -> bool:
    """Read an event that is a wall time, a step and a summary, in this order, as most are; return False for others."""
    at = state.at
    if end - at < _USUAL_ENVELOPE_BYTES or data[at] != 9 or data[at + 9] != 16:
        return False
    after = read_varint(data, at + 10, end, state)
    if after < 0 or after >= end or data[after] != 42:
        return False
    step = state.number
    content = read_varint(data, after + 1, end, state)
    if content < 0 or state.number != end - content:
        return False
    state.wall_time = u64(data, at + 1)
    state.step = step if cython.compiled or step < 2**63 else step - 2**64
    state.has_envelope = True
    state.has_summary = True
    state.member_kind = OTHER
    state.at = content
    state.summary_end = end
    return True


def _read_envelope(data: memoryview, end: int, edge: int, dialect: int, state: ScanState) -> bool:
    """Read the event up to `end`, except its summary; return False if the scan must stop (state has the reason)."""
    at = state.at
    while at < end:
        if at > edge:
            return cut(at, FIELD_HEAD_BYTES, state)
        after = read_field(data, at, end, state)
        key = state.key
        content = state.content
        if after < 0:
            state.has_bad_payload = True
            return False
        if key == 9:
            state.wall_time = u64(data, content)
        elif key == 16:
            read_varint(data, content, after, state)
            state.step = state.number if cython.compiled or state.number < 2**63 else state.number - 2**64
        elif key == 42 and dialect != LINEAGE:
            state.has_summary = True
            state.member_kind = OTHER
        elif key >= 800:
            kind = _own_kind(dialect, key)
            # A member of the oneof excludes them.
            if kind > state.member_kind and (state.member_kind == 0 or state.member_kind >= CONSOLE):
                state.member_kind = kind
                state.member_key = key
                state.member_start = content
                state.member_end = after
                if kind == HEARTBEAT:
                    read_varint(data, content, after, state)
                    state.heartbeat = state.number
        elif key == 26 or _member_kind(dialect, key) != 0:  # The last member of a oneof replaces those before.
            state.has_summary = False
            state.summary = after
            state.member_kind = _member_kind(dialect, key) or OTHER
            state.member_key = key
            state.member_start = content
            state.member_end = after
        at = after
    state.has_envelope = True
    state.at = state.summary
    return True


def cut(at: int, needed: int, state: ScanState) -> bool:
    """Stop inside the record; the next window begins `at`."""
    if needed > _LARGEST_READ:
        state.has_bad_payload = True
        return False
    state.is_cut = True
    state.at = at
    state.needed = needed
    return False


def _is_incomplete(size: int, state: ScanState) -> bool:
    """Return whether something that is needed of the current value is beyond data[:size]."""
    return state.kind == 0 or state.tag_end == 0 or state.tag_end > size or state.metadata_end > size


def _append_row(data: memoryview, at: int, size: int, table: Table, rows: Rows, state: ScanState) -> bool:
    """Append the current value, which begins `at`, to rows; return False if the scan must stop."""
    length = state.tag_end - state.tag_start
    slot = table.slots[state.slot, FOLLOWER]  # Most trainings record their tags in the same order at every step.
    if not is_tag(data, state.tag_start, length, state.kind, table, slot):
        slot = slot_of(data, state.tag_start, length, state.kind, table)
        if table.slots[slot, TAG] < 0:
            state.at = at
            state.has_new_tag = True
            return False
        table.slots[state.slot, FOLLOWER] = slot
    state.slot = slot
    row = state.partial_rows
    if table.slots[slot, STORED] != STORES_SCALAR:
        start = state.payload_start
        end = state.payload_end
        if table.slots[slot, STORED] == STORES_METADATA:
            if state.tail > 0 and state.metadata_end == 0:
                return cut(at, state.value_end - at, state)
            start = state.metadata_start
            end = state.metadata_end
            if end == 0:
                start = end = state.position
        rows.bits[row] = state.base + state.position
        rows.start[row] = start - state.position
        rows.length[row] = end - start
    elif state.kind != TENSOR:
        rows.bits[row] = state.bits
    elif state.payload_end > size:
        return cut(at, state.value_end - at, state)
    elif not store_tensor_scalar(data, state.payload_start, state.payload_end, row, rows, state):
        state.has_bad_payload = True
        return False
    else:
        state.has_doubles = True
    rows.tag[row] = table.slots[slot, TAG]
    rows.step[row] = state.step
    rows.wall_time[row] = state.wall_time
    state.partial_rows = row + 1
    return True


def _read_summary(
    data: memoryview, size: int, edge: int, dialect: int, table: Table, rows: Rows, state: ScanState
) -> bool:
    """Append the values of the current summary to rows; return False if the scan must stop."""
    at = state.at
    end = state.summary_end
    while at < end:
        if at > edge:
            return cut(at, FIELD_HEAD_BYTES, state)
        after = read_field(data, at, end, state)
        key = state.key
        content = state.content
        if after < 0:
            state.has_bad_payload = True
            return False
        if key == 10:
            if after > size and after - at < state.large_bytes:
                return cut(at, after - at, state)
            if not read_value(data, content, after, size, dialect, state):
                state.has_bad_payload = True
                return False
            if after > size and _is_incomplete(size, state):
                needed = after - at
                if size - at < _VALUE_START_BYTES < needed:
                    needed = _VALUE_START_BYTES
                return cut(at, needed, state)
            if state.kind != 0 and not _append_row(data, at, size, table, rows, state):
                return False
        at = after
    state.at = at
    return True


def read_event(data: memoryview, size: int, dialect: int, table: Table, rows: Rows, state: ScanState) -> bool:
    """Continue reading the current event; return False if the scan must stop."""
    end = state.next - FOOTER_BYTES
    edge = end
    if end > size:
        edge = size - FIELD_HEAD_BYTES
    if (
        not state.has_envelope
        and not (end <= size and dialect != LINEAGE and _read_usual_envelope(data, end, state))
        and not _read_envelope(data, end, edge, dialect, state)
    ):
        return False
    if 0 < state.member_kind < HEARTBEAT:
        state.kind = state.member_kind
        state.tag_start = state.tag_end = 0
        state.metadata_start = state.metadata_end = 0
        state.tail = 0
        state.payload_start = state.member_start
        state.payload_end = state.member_end
        if not _append_row(data, state.at, size, table, rows, state):
            return False
    while state.has_summary and state.at < end:
        if state.at < 0:  # The summary begins before this window, which contains the end of the event.
            return cut(state.at, FIELD_HEAD_BYTES, state)
        if state.at >= state.summary_end:
            if state.at > edge:
                return cut(state.at, FIELD_HEAD_BYTES, state)
            after = read_field(data, state.at, end, state)
            key = state.key
            content = state.content
            if after < 0:
                state.has_bad_payload = True
                return False
            state.at = after
            if key == 42:
                state.at = content
                state.summary_end = after
        if state.at < state.summary_end and not _read_summary(data, size, edge, dialect, table, rows, state):
            return False
    return True
