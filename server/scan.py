# cython: annotation_typing=False, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Event-file bytes to columns: one pass over a window of records, compiled by Cython or run as it is.

The C types are in toposcope.server.scan.pxd; without a C compiler this file runs as it is. Every index is checked
against the window by the code itself, so that the compiled form needs no other check; the uncompiled form, run by the
same tests, raises IndexError where one was forgotten.
"""

import cython
import google_crc32c
import numpy as np
import numpy.typing as npt

_MINDSPORE = 0
DIALECTS = {"mindspore": 0, "tensorboard": 1}

# What the fields of a summary value hold; the numbers index PLUGINS.
_SCALAR = 1
_IMAGE = 2
_TENSOR = 3
_HISTOGRAM = 4
_LANDSCAPE = 5
_TEXT = 6
_AUDIO = 7
_METADATA_ONLY = 8
PLUGINS = ["", "scalar", "image", "tensor", "histogram", "landscape", "text", "audio", "metadata"]

# Columns of the tag table, an open-addressing hash table with one row a slot; TagTable writes it.
_NAME = 0  # Where the tag's bytes begin in names.
_NAME_LENGTH = 1
_FIELD = 2  # The code of the field that brought the tag.
_TAG = 3  # Number of the tag; -1: the slot is free.
_IS_SCALAR = 4
_FOLLOWER = 5  # Slot of the tag that came next the last time.

# TensorBoard's codes of the data types that a scalar may have.
_TB_FLOAT = 1
_TB_DOUBLE = 2
_TB_INT32 = 3
_TB_UINT8 = 4
_TB_INT16 = 5
_TB_INT8 = 6
_TB_INT64 = 9
_TB_BOOL = 10
_TB_BFLOAT16 = 14
_TB_UINT16 = 17
_TB_HALF = 19
_TB_UINT32 = 22
_TB_UINT64 = 23

_HEADER_BYTES = 12
_FOOTER_BYTES = 4
SMALLEST_ROW = 7
"""Bytes of the smallest encoded scalar: bounds the rows of a window."""
_ONE = 1
_ONES_32 = 0xFFFFFFFF
_ONES_64 = 0xFFFFFFFFFFFFFFFF
_FNV_OFFSET = 2166136261
_LONGEST = 1 << 47  # Bytes; a longer payload is no payload.
_MASK_DELTA = 0xA282EAD8
_INFINITY = 0x7FF0000000000000


class Rows:
    """The columns that a scan fills, one row a scalar; `bits` and `value` are two views of one column."""

    def __init__(self, tag: memoryview, step: memoryview, wall_time: memoryview, bits: memoryview, value: memoryview):
        self.tag = tag
        self.step = step
        self.wall_time = wall_time
        self.bits = bits
        self.value = value


class Table:
    """The tags known so far: rows of the columns above, a power of two of them, and the bytes of their names."""

    def __init__(self, slots: memoryview, names: memoryview):
        self.slots = slots
        self.names = names
        self.count = len(slots)


class State:
    """Where a scan stands: in the window, in the record and value at hand, and what it has seen so far.

    Places are in the window. The types of its members are in toposcope.server.scan.pxd.
    """

    def __init__(self) -> None:
        # Why the scan stopped, all False: the window ends at `position`, perhaps in the middle of a record.
        self.has_new_tag = False
        """The tag table lacks the tag at hand; enter it and scan again."""
        self.has_bad_header = False
        """The length at `position` is damaged: where the next record begins is unknown."""
        self.has_bad_payload = False
        """The payload of the record at `position` is damaged; the next one begins at `next`."""

        self.position = 0
        """Where the record at hand begins."""
        self.next = 0
        """Where it ends, or, when its header is cut off, where that would end; may lie beyond the window."""
        self.resume = 0
        """Where in that record the value with the new tag begins; 0: none."""
        self.rows = 0
        """Rows of complete records."""
        self.partial_rows = 0
        """Rows including those of the record at hand."""
        self.slot = 0
        """Slot of the last tag."""

        self.code = 0
        """What the value at hand holds: index into PLUGINS."""
        self.tag_start = self.tag_end = 0
        self.tensor_start = self.tensor_end = 0
        self.metadata_start = self.metadata_end = 0

        self.wall_time = 0
        """Bits of the double."""
        self.step = 0
        self.has_summary = False
        self.summary = 0
        """Where in the record to look for its summary."""

        self.summaries = 0
        """Events that hold summaries."""
        self.min_step = self.max_step = 0
        self.first_wall = self.last_wall = 0
        """Bits of the smallest and the largest wall_time; 0: none yet. Bits of positive doubles sort as they do."""


def _crc_tables() -> npt.NDArray[np.uint32]:
    """Return the eight tables of slicing-by-8 crc32c, one after the other."""
    tables = np.zeros((8, 256), np.uint32)
    crc = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        crc = np.where(crc & 1, (crc >> 1) ^ np.uint32(0x82F63B78), crc >> 1).astype(np.uint32)
    tables[0] = crc
    for k in range(1, 8):
        tables[k] = (tables[k - 1] >> 8) ^ tables[0][tables[k - 1] & 0xFF]
    return tables.reshape(-1)


_CRC_TABLES = _crc_tables().data


def _u32(data: memoryview, at: int) -> int:
    """Return the little-endian 32-bit number at a place of data."""
    number = data[at + 3]
    number = (number << 8) | data[at + 2]
    number = (number << 8) | data[at + 1]
    return (number << 8) | data[at]


def _u64(data: memoryview, at: int) -> int:
    """Return the little-endian 64-bit number at a place of data."""
    return _u32(data, at) | (_u32(data, at + 4) << 32)


def _masked_crc(data: memoryview, at: int, end: int) -> int:
    """Return the masked crc32c of data[at:end]."""
    if cython.compiled:
        crc = 0
        crc = ~crc
        while at + 8 <= end:
            low = crc ^ _u32(data, at)
            high = _u32(data, at + 4)
            crc = (
                _CRC_TABLES[1792 + (low & 0xFF)]
                ^ _CRC_TABLES[1536 + ((low >> 8) & 0xFF)]
                ^ _CRC_TABLES[1280 + ((low >> 16) & 0xFF)]
                ^ _CRC_TABLES[1024 + (low >> 24)]
                ^ _CRC_TABLES[768 + (high & 0xFF)]
                ^ _CRC_TABLES[512 + ((high >> 8) & 0xFF)]
                ^ _CRC_TABLES[256 + ((high >> 16) & 0xFF)]
                ^ _CRC_TABLES[high >> 24]
            )
            at += 8
        while at < end:
            crc = (crc >> 8) ^ _CRC_TABLES[(crc ^ data[at]) & 0xFF]
            at += 1
        crc = ~crc
    else:
        crc = google_crc32c.value(bytes(data[at:end]))
    return (((crc >> 15) | (crc << 17)) + _MASK_DELTA) & _ONES_32


def _varint(data: memoryview, at: int, end: int) -> tuple[int, int]:
    """Read a varint: (number, place after it); the place is -1 when it is longer than ten bytes or than data."""
    number = 0
    shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        number |= ((byte & 0x7F) << shift) & _ONES_64
        if byte < 0x80:
            return number, at
        shift += 7
    return 0, -1


def _field(data: memoryview, at: int, end: int) -> tuple[int, int, int]:
    """Read a field: (key, place of its content, place after it); the last place is -1 when it is malformed.

    The content of a length-delimited field begins after its length.
    """
    key, at = _varint(data, at, end)
    if at < 0 or (key >> 3) == 0 or (key >> 3) > 0x1FFFFFFF:
        return 0, 0, -1
    wire = key & 7
    if wire == 2:
        number, at = _varint(data, at, end)
        if at < 0 or number > end - at:
            return 0, 0, -1
        return key, at, at + number
    if wire == 0:
        number, after = _varint(data, at, end)
        return key, at, after
    if wire == 1 and at + 8 <= end:
        return key, at, at + 8
    if wire == 5 and at + 4 <= end:
        return key, at, at + 4
    return 0, 0, -1


def _widen(bits: int, exponent_bits: int, mantissa_bits: int) -> int:
    """Return the bits of the double that equals a narrower float.

    float32 has 8 bits of exponent and 23 of mantissa, float16 5 and 10, bfloat16 8 and 7 (IEEE 754).
    """
    sign = (bits >> (exponent_bits + mantissa_bits)) << 63
    largest = (_ONE << exponent_bits) - 1
    exponent = (bits >> mantissa_bits) & largest
    hidden = _ONE << mantissa_bits
    mantissa = bits & (hidden - 1)
    if exponent == largest:
        return sign | _INFINITY | (mantissa << (52 - mantissa_bits))
    if exponent == 0:
        if mantissa == 0:
            return sign
        exponent = 1
        while mantissa < hidden:  # What is subnormal there is a normal double.
            mantissa <<= 1
            exponent -= 1
        mantissa &= hidden - 1
    return sign | ((exponent + 1023 - (largest >> 1)) << 52) | (mantissa << (52 - mantissa_bits))


def _element_bytes(dtype: int) -> int:
    """Return the bytes of an element of TensorBoard's data type; 0 when it cannot be a scalar's."""
    if dtype in (_TB_DOUBLE, _TB_INT64, _TB_UINT64):
        return 8
    if dtype in (_TB_FLOAT, _TB_INT32, _TB_UINT32):
        return 4
    if dtype in (_TB_INT16, _TB_UINT16, _TB_HALF, _TB_BFLOAT16):
        return 2
    if dtype in (_TB_INT8, _TB_UINT8, _TB_BOOL):
        return 1
    return 0


def _store(bits: int, dtype: int, row: int, rows: Rows) -> None:
    """Store an element, given as its little-endian bits, as a double; both outputs are views of one column."""
    if dtype == _TB_FLOAT:
        rows.bits[row] = _widen(bits & _ONES_32, 8, 23)
    elif dtype == _TB_DOUBLE:
        rows.bits[row] = bits
    elif dtype == _TB_BFLOAT16:
        rows.bits[row] = _widen(bits & 0xFFFF, 8, 7)
    elif dtype == _TB_HALF:
        rows.bits[row] = _widen(bits & 0xFFFF, 5, 10)
    else:
        width = 8 * _element_bytes(dtype)
        bits &= _ONES_64 >> (64 - width)
        is_signed = dtype in (_TB_INT8, _TB_INT16, _TB_INT32, _TB_INT64)
        if is_signed and bits >> (width - 1):
            bits = (_ONES_64 >> (64 - width)) - bits + 1
            magnitude = bits
            rows.value[row] = -magnitude
        else:
            rows.value[row] = bits


def _tensor_scalar(data: memoryview, at: int, end: int, row: int, rows: Rows) -> bool:
    """Store the first element of the TensorBoard tensor in data[at:end]; False when it has none that is a number."""
    dtype = 0
    bits = 0
    has_bits = False
    start = 0
    size = 0
    while at < end:
        key, content, after = _field(data, at, end)
        if after < 0:
            return False
        field = key >> 3
        if key == 8:
            dtype, at = _varint(data, content, after)
        elif key == 34:
            start = content
            size = after - content
        elif (field == 5 or field == 6 or field == 7 or field == 10 or field == 11 or field == 13 or field > 15) and (
            not has_bits and content < after
        ):
            if field == 5 and content + 4 <= after:
                bits = _u32(data, content)
            elif field == 6 and content + 8 <= after:
                bits = _u64(data, content)
            else:
                bits, at = _varint(data, content, after)
            has_bits = True
        at = after
    k = _element_bytes(dtype)
    if k == 0:
        return False
    if size >= k:
        bits = 0
        for i in range(k):
            byte = data[start + i]
            bits |= byte << (8 * i)
    elif not has_bits:
        bits = 0  # Protobuf leaves out values that are all zero.
    _store(bits, dtype, row, rows)
    return True


def _is_name(data: memoryview, start: int, length: int, names: memoryview, name: int) -> bool:
    """Say whether data[start:][:length] equals names[name:][:length]."""
    for k in range(length):  # noqa: SIM110 - all() of a generator is no loop in C.
        if data[start + k] != names[name + k]:
            return False
    return True


def _is_tag(data: memoryview, start: int, length: int, code: int, table: Table, slot: int) -> bool:
    """Say whether a slot holds the tag data[start:][:length] that came in a field of this code."""
    return (
        table.slots[slot, _TAG] >= 0
        and table.slots[slot, _FIELD] == code
        and table.slots[slot, _NAME_LENGTH] == length
        and _is_name(data, start, length, table.names, table.slots[slot, _NAME])
    )


def find_slot(data: memoryview, start: int, length: int, code: int, table: Table) -> int:
    """Return the slot of the tag data[start:][:length] that came in a field of this code, or the free slot for it."""
    hashed = _FNV_OFFSET ^ code  # FNV-1a.
    for k in range(length):
        hashed = ((hashed ^ data[start + k]) * 16777619) & _ONES_32
    slot = hashed & (table.count - 1)
    while table.slots[slot, _TAG] >= 0 and not _is_tag(data, start, length, code, table, slot):
        slot = (slot + 1) & (table.count - 1)
    return slot


def _value(data: memoryview, at: int, end: int, dialect: int, state: State) -> tuple[bool, int]:
    """Read the summary value data[at:end] into state; return (it is sound, bits of the scalar as a double)."""
    code = 0
    bits = 0
    exact = 0
    has_exact = False
    state.tag_start = 0
    state.tag_end = 0
    state.metadata_start = 0
    state.metadata_end = 0
    while at < end:
        key, content, after = _field(data, at, end)
        if after < 0:
            return False, 0
        if key == 10:
            state.tag_start = content
            state.tag_end = after
        elif key == 34:
            code = _IMAGE
        elif key == 66:
            code = _TENSOR
            state.tensor_start = content
            state.tensor_end = after
        elif dialect == _MINDSPORE:
            if key == 29:
                code = _SCALAR
                bits = _widen(_u32(data, content), 8, 23)
            elif key == 801:
                exact = _u64(data, content)
                has_exact = True
            elif key == 74:
                code = _HISTOGRAM
            elif key == 82:
                code = _LANDSCAPE
            elif key == 810 and code == 0:
                code = _TEXT
        elif key == 21:
            code = _SCALAR
            bits = _widen(_u32(data, content), 8, 23)
        elif key == 42:
            code = _HISTOGRAM
        elif key == 50:
            code = _AUDIO
        elif key == 74:
            state.metadata_start = content
            state.metadata_end = after
        at = after
    if code == 0 and state.metadata_end > 0:
        code = _METADATA_ONLY
    state.code = code
    if has_exact:
        return True, exact
    return True, bits


def _envelope(data: memoryview, at: int, end: int, state: State) -> bool:
    """Read the event data[at:end] into state, its summary excepted; False when it is malformed."""
    state.wall_time = 0
    state.step = 0
    state.has_summary = False
    state.summary = at
    while at < end:
        key, content, after = _field(data, at, end)
        if after < 0:
            return False
        if key == 9:
            state.wall_time = _u64(data, content)
        elif key == 16:
            step, content = _varint(data, content, after)
            state.step = step if cython.compiled or step < 2**63 else step - 2**64
        elif key == 42:
            state.has_summary = True
        elif key == 26 or key == 34:  # The other members of the oneof replace a summary before them.
            state.has_summary = False
            state.summary = after
        at = after
    return True


def _summary(data: memoryview, at: int, end: int, dialect: int, table: Table, rows: Rows, state: State) -> bool:
    """Append the scalars of the summary data[at:end] to rows; False when the scan must stop, state says why."""
    while at < end:
        key, content, after = _field(data, at, end)
        if after < 0:
            state.has_bad_payload = True
            return False
        if key == 10:
            is_sound, bits = _value(data, content, after, dialect, state)
            if not is_sound:
                state.has_bad_payload = True
                return False
            if state.code != 0 and not _row(data, at, bits, table, rows, state):
                return False
        at = after
    return True


def _row(data: memoryview, at: int, bits: int, table: Table, rows: Rows, state: State) -> bool:
    """Append the value at hand to rows if it is a scalar; False when the scan must stop, state says why."""
    length = state.tag_end - state.tag_start
    slot = table.slots[state.slot, _FOLLOWER]  # Trainings record their tags in the same order again and again.
    if not _is_tag(data, state.tag_start, length, state.code, table, slot):
        slot = find_slot(data, state.tag_start, length, state.code, table)
        if table.slots[slot, _TAG] < 0:
            state.resume = at
            state.has_new_tag = True
            return False
        table.slots[state.slot, _FOLLOWER] = slot
    state.slot = slot
    if table.slots[slot, _IS_SCALAR] == 0:
        return True
    row = state.partial_rows
    if state.code != _TENSOR:
        rows.bits[row] = bits
    elif not _tensor_scalar(data, state.tensor_start, state.tensor_end, row, rows):
        state.has_bad_payload = True
        return False
    rows.tag[row] = table.slots[slot, _TAG]
    rows.step[row] = state.step
    rows.wall_time[row] = state.wall_time
    state.partial_rows = row + 1
    return True


def _event(data: memoryview, start: int, end: int, dialect: int, table: Table, rows: Rows, state: State) -> bool:
    """Read the event data[start:end]; False when the scan must stop, state says why."""
    if not _envelope(data, start, end, state):
        state.has_bad_payload = True
        return False
    at = state.summary
    resume = state.resume
    while state.has_summary and at < end:
        key, content, after = _field(data, at, end)
        at = after
        if key == 42 and after > resume:
            if resume > content:
                content = resume
            if not _summary(data, content, after, dialect, table, rows, state):
                return False
    return True


def _commit(state: State) -> None:
    """Take the record at hand as read and go on to the next."""
    if 0 < state.wall_time < _INFINITY:
        if state.first_wall == 0 or state.wall_time < state.first_wall:
            state.first_wall = state.wall_time
        if state.wall_time > state.last_wall:
            state.last_wall = state.wall_time
    if state.has_summary:
        if state.summaries == 0 or state.step < state.min_step:
            state.min_step = state.step
        if state.summaries == 0 or state.step > state.max_step:
            state.max_step = state.step
        state.summaries += 1
    state.rows = state.partial_rows
    state.resume = 0
    state.position = state.next


def _records(data: memoryview, size: int, dialect: int, table: Table, rows: Rows, state: State) -> None:
    while True:
        position = state.position
        if size - position < _HEADER_BYTES:
            state.next = position + _HEADER_BYTES
            return
        length = _u64(data, position)
        if _masked_crc(data, position, position + 8) != _u32(data, position + 8) or length > _LONGEST:
            state.has_bad_header = True
            return
        start = position + _HEADER_BYTES
        end = start + length
        state.next = end + _FOOTER_BYTES
        if state.next > size:
            return
        if state.resume == 0:
            state.partial_rows = state.rows
            if _masked_crc(data, start, end) != _u32(data, end):
                state.has_bad_payload = True
                return
        if not _event(data, start, end, dialect, table, rows, state):
            return
        _commit(state)


def scan(data: memoryview, size: int, dialect: int, table: Table, rows: Rows, state: State) -> None:
    """Scan the records of data[:size] from state.position on, without the GIL.

    Args:
        data: bytes of an event file.
        size: how many of them to scan.
        dialect: one of DIALECTS.
        table: the tags known so far.
        rows: receives the scalars of complete records, up to state.rows; at least size / SMALLEST_ROW rows.
        state: says afterwards how far it came and why it stopped.
    """
    state.has_new_tag = False
    state.has_bad_header = False
    state.has_bad_payload = False
    with cython.nogil:
        _records(data, size, dialect, table, rows, state)


def next_header(data: memoryview, at: int, size: int) -> int:
    """Return the first place from `at` on where a sound header stands in data[:size], or -1."""
    found = -1
    with cython.nogil:
        while at + _HEADER_BYTES <= size:
            if _masked_crc(data, at, at + 8) == _u32(data, at + 8) and _u64(data, at) <= _LONGEST:
                found = at
                break
            at += 1
    return found
