# cython: annotation_typing=False, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Event-file bytes to columns: one pass over a window of records, compiled by Cython or run as it is.

The C types are in toposcope.server.reading.scan.pxd; without a C compiler this file runs as it is. Every index is
checked against the window by the code itself, so that the compiled form needs no other check; the uncompiled form, run
by the same tests, raises IndexError where one was forgotten.
"""

import cython
import google_crc32c
import numpy as np
import numpy.typing as npt

_MINDSPORE = 0
_LINEAGE = 2
DIALECTS = {"mindspore": 0, "tensorboard": 1, "lineage": 2}
"""Of files; lineage files are MindSpore's, with events of their own."""

# What a field holds that becomes a row; the numbers index KINDS.
_SCALAR = 1
_IMAGE = 2
_TENSOR = 3
_HISTOGRAM = 4
_LANDSCAPE = 5
_TEXT = 6
_AUDIO = 7
_METADATA_ONLY = 8
_GRAPH = 9
_TRAIN = 10
_EVALUATION = 11
_DATASET_GRAPH = 12
_CUSTOM = 13
KINDS = [
    *("", "scalar", "image", "tensor", "histogram", "landscape", "text", "audio", "metadata"),
    *("graph", "train", "evaluation", "dataset_graph", "custom"),
]

# Columns of the tag table, an open-addressing hash table with one row a slot; TagTable writes it.
_NAME = 0  # Where the tag's bytes begin in names.
_NAME_LENGTH = 1
_FIELD = 2  # The kind of the field that brought the tag.
_TAG = 3  # Number of the tag; -1: the slot is free.
_STORES = 4  # What a row of the tag stores, one of the three below.
_FOLLOWER = 5  # Slot of the tag that came next the last time.

_STORES_SCALAR = 1
_STORES_FIELD = 2  # Where the field's content stands in the file.
_STORES_METADATA = 3  # Where TensorBoard's metadata of the value stand.
STORES = {"scalar": 1, "field": 2, "metadata": 3}

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
_HEAD_BYTES = 20  # The most that key and length, or key and number, of a field take.
_VALUE_HEAD_BYTES = 1 << 16  # Where the fields of a heavy value are looked for before the value is read whole.
_LARGEST_READ = 64 << 20  # Bytes; what a value must be read whole for, its tag or a scalar, is shorter.
LIGHT_BYTES = 4096
"""Shorter payloads are read and verified, longer ones hopped over where they do not lie in the window anyway."""
SMALLEST_ROW = 4
"""Bytes of the smallest value that becomes a row: bounds the rows of a window."""
_ONE = 1
_ONES_32 = 0xFFFFFFFF
_ONES_64 = 0xFFFFFFFFFFFFFFFF
_FNV_OFFSET = 2166136261
_LONGEST = 1 << 47  # Bytes; a longer payload is no payload.
_LONGEST_EVENT = 0xFFFFFF00  # Protobuf's messages are shorter than 2 GiB.
_MASK_DELTA = 0xA282EAD8
_INFINITY = 0x7FF0000000000000


class Rows:
    """The columns that a scan fills, one row a value; `bits` and `value` are two views of one column.

    A scalar's row holds its value. Another value's holds where in the file its record begins (`bits`), where in the
    record its payload does (`start`) and how long that is (`length`), in bytes.
    """

    def __init__(
        self,
        tag: memoryview,
        step: memoryview,
        wall_time: memoryview,
        bits: memoryview,
        value: memoryview,
        start: memoryview,
        length: memoryview,
        heavy: memoryview,
    ):
        self.tag = tag
        self.step = step
        self.wall_time = wall_time
        self.bits = bits
        self.value = value
        self.start = start
        self.length = length
        self.heavy = heavy
        """Where in the file the records begin whose payload was not verified; no row each, but a list of their own."""


class Table:
    """The tags known so far: rows of the columns above, a power of two of them, and the bytes of their names."""

    def __init__(self, slots: memoryview, names: memoryview):
        self.slots = slots
        self.names = names
        self.names_end = 0
        self.count = len(slots)


class State:
    """Where a scan stands: in the window, in the record and value at hand, and what it has seen so far.

    Places are in the window. The types of its members are in toposcope.server.reading.scan.pxd.
    """

    def __init__(self) -> None:
        # Why the scan stopped, all False: the window, or what was to be scanned of it, ends at `position`.
        self.has_new_tag = False
        """The tag table lacks the tag at hand; enter it and scan again."""
        self.has_bad_header = False
        """The length at `position` is damaged: where the next record begins is unknown."""
        self.has_bad_payload = False
        """The payload of the record at `position` is damaged; the next one begins at `next`."""
        self.is_cut = False
        """Go on with a window that begins at `at`, inside the record, and holds `wanted` bytes or more."""

        self.light = LIGHT_BYTES
        self.base = 0
        """Where in the file the window begins."""
        self.position = 0
        """Where the record at hand begins; below 0 when that was before the window."""
        self.next = 0
        """Where it ends, or, when its header is cut off, where that would end; may lie beyond the window."""
        self.is_inside = False
        """The record at hand is being read."""
        self.has_envelope = False
        """All of it that is no summary was read."""
        self.at = 0
        """Where to read on in it."""
        self.wanted = 0
        self.summary_end = 0
        """Where the summary at hand ends."""
        self.rows = 0
        """Rows of complete records."""
        self.partial_rows = 0
        """Rows including those of the record at hand."""
        self.heavy_records = 0
        """Entries of Rows.heavy."""
        self.slot = 0
        """Slot of the last tag."""

        self.key = self.content = self.number = 0
        """Of the field at hand: number and wire type, where its content begins, and the last varint."""
        self.kind = 0
        """What the value at hand holds: index into KINDS."""
        self.tag_start = self.tag_end = 0
        self.payload_start = self.payload_end = 0
        self.metadata_start = self.metadata_end = 0
        self.tail = 0
        """Where the part of the value begins that the window lacks; 0: none."""
        self.value_end = 0
        self.bits = 0
        """Of the scalar at hand, as a double."""

        self.wall_time = 0
        """Bits of the double."""
        self.step = 0
        self.has_summary = False
        self.summary = 0
        """Where in the record to look for its summary."""
        self.member_kind = 0
        """What the event holds in the place of a summary: index into KINDS; 0: nothing that becomes a row."""
        self.member_start = self.member_end = 0

        self.events = 0
        self.summaries = 0
        """Events that hold summaries."""
        self.min_step = self.max_step = 0
        self.first_wall = self.last_wall = 0
        """Bits of the smallest and the largest wall_time; 0: none yet. Bits of positive doubles sort as they do."""

    def begin(self, base: int) -> None:
        """Go over to a window that begins at a place of the file: where the record at hand begins, or at `at`."""
        shift = base - self.base
        self.base = base
        self.position -= shift
        self.next -= shift
        self.at -= shift
        self.summary -= shift
        self.summary_end -= shift
        self.member_start -= shift
        self.member_end -= shift


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
        if at + 4 <= end:
            low = crc ^ _u32(data, at)
            crc = (
                _CRC_TABLES[768 + (low & 0xFF)]
                ^ _CRC_TABLES[512 + ((low >> 8) & 0xFF)]
                ^ _CRC_TABLES[256 + ((low >> 16) & 0xFF)]
                ^ _CRC_TABLES[low >> 24]
            )
            at += 4
        while at < end:
            crc = (crc >> 8) ^ _CRC_TABLES[(crc ^ data[at]) & 0xFF]
            at += 1
        crc = ~crc
    else:
        crc = google_crc32c.value(bytes(data[at:end]))
    return (((crc >> 15) | (crc << 17)) + _MASK_DELTA) & _ONES_32


def _varint(data: memoryview, at: int, end: int, state: State) -> int:
    """Read a varint into state.number; return the place after it, -1 when it is longer than ten bytes or than data."""
    number = 0
    shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        number |= ((byte & 0x7F) << shift) & _ONES_64
        if byte < 0x80:
            state.number = number
            return at
        shift += 7
    return -1


def _field(data: memoryview, at: int, end: int, state: State) -> int:
    """Read a field into state.key and state.content; return the place after it, -1 when it is malformed.

    The content of a length-delimited field begins after its length.
    """
    at = _varint(data, at, end, state)
    if at < 0 or (state.number >> 3) == 0 or (state.number >> 3) > 0x1FFFFFFF:
        return -1
    state.key = state.number
    state.content = at
    wire = state.key & 7
    if wire == 2:
        at = _varint(data, at, end, state)
        if at < 0 or state.number > end - at:
            return -1
        state.content = at
        return at + state.number
    if wire == 0:
        return _varint(data, at, end, state)
    if wire == 1 and at + 8 <= end:
        return at + 8
    if wire == 5 and at + 4 <= end:
        return at + 4
    return -1


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


def _tensor_scalar(data: memoryview, at: int, end: int, row: int, rows: Rows, state: State) -> bool:
    """Store the first element of the TensorBoard tensor in data[at:end]; False when it has none that is a number."""
    dtype = 0
    bits = 0
    has_bits = False
    start = 0
    size = 0
    while at < end:
        after = _field(data, at, end, state)
        key = state.key
        content = state.content
        if after < 0:
            return False
        field = key >> 3
        if key == 8:
            _varint(data, content, after, state)
            dtype = state.number
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
                _varint(data, content, after, state)
                bits = state.number
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


def _is_name(data: memoryview, start: int, length: int, table: Table, name: int) -> bool:
    """Say whether data[start:][:length] equals the names of the table from a place on."""
    for k in range(length):  # noqa: SIM110 - all() of a generator is no loop in C.
        if data[start + k] != table.names[name + k]:
            return False
    return True


def _is_tag(data: memoryview, start: int, length: int, kind: int, table: Table, slot: int) -> bool:
    """Say whether a slot holds the tag data[start:][:length] that came in a field of this kind."""
    return (
        table.slots[slot, _TAG] >= 0
        and table.slots[slot, _FIELD] == kind
        and table.slots[slot, _NAME_LENGTH] == length
        and _is_name(data, start, length, table, table.slots[slot, _NAME])
    )


def _find_slot(data: memoryview, start: int, length: int, kind: int, table: Table) -> int:
    """Return the slot of the tag data[start:][:length] that came in a field of this kind, or the free slot for it."""
    hashed = _FNV_OFFSET ^ kind  # FNV-1a.
    for k in range(length):
        hashed = ((hashed ^ data[start + k]) * 16777619) & _ONES_32
    slot = hashed & (table.count - 1)
    while table.slots[slot, _TAG] >= 0 and not _is_tag(data, start, length, kind, table, slot):
        slot = (slot + 1) & (table.count - 1)
    return slot


def _value(data: memoryview, at: int, end: int, size: int, dialect: int, state: State) -> bool:
    """Read the summary value data[at:end] into state; False when it is malformed.

    Of a value that ends beyond data[:size], state.tail is where the part begins that was not read.
    """
    edge = end
    if end > size:
        edge = size - _HEAD_BYTES
    kind = 0
    bits = 0
    exact = 0
    has_exact = False
    state.tag_start = 0
    state.tag_end = 0
    state.metadata_start = 0
    state.metadata_end = 0
    state.tail = 0
    state.value_end = end
    while at < end:
        if at > edge:
            state.tail = at
            break
        after = _field(data, at, end, state)
        key = state.key
        content = state.content
        if after < 0:
            return False
        if key == 10:
            state.tag_start = content
            state.tag_end = after
        elif key == 34:
            kind = _IMAGE
            state.payload_start = content
            state.payload_end = after
        elif key == 66:
            kind = _TENSOR
            state.payload_start = content
            state.payload_end = after
        elif dialect == _MINDSPORE:
            if key == 29:
                kind = _SCALAR
                bits = _widen(_u32(data, content), 8, 23)
            elif key == 801:
                exact = _u64(data, content)
                has_exact = True
            elif key == 74 or key == 82 or (key == 810 and kind == 0):
                kind = _HISTOGRAM if key == 74 else _LANDSCAPE if key == 82 else _TEXT
                state.payload_start = content
                state.payload_end = after
        elif key == 21:
            kind = _SCALAR
            bits = _widen(_u32(data, content), 8, 23)
        elif key == 42 or key == 50:
            kind = _HISTOGRAM if key == 42 else _AUDIO
            state.payload_start = content
            state.payload_end = after
        elif key == 74:
            state.metadata_start = content
            state.metadata_end = after
        at = after
    if kind == 0 and state.metadata_end > 0:
        kind = _METADATA_ONLY
    state.kind = kind
    state.bits = exact if has_exact else bits
    return True


def _member(dialect: int, key: int) -> int:
    """Return what a field holds that stands in the place of an event's summary: index into KINDS, or 0."""
    if dialect == _LINEAGE:
        if key == 50:
            return _TRAIN
        if key == 58:
            return _EVALUATION
        if key == 74:
            return _DATASET_GRAPH
        if key == 82:
            return _CUSTOM
    elif key == 34:
        return _GRAPH
    return 0


def _envelope(data: memoryview, end: int, edge: int, dialect: int, state: State) -> bool:
    """Read the event up to `end` into state, its summary excepted; False when the scan must stop, state says why."""
    at = state.at
    while at < end:
        if at > edge:
            return _cut(at, _HEAD_BYTES, state)
        after = _field(data, at, end, state)
        key = state.key
        content = state.content
        if after < 0:
            state.has_bad_payload = True
            return False
        if key == 9:
            state.wall_time = _u64(data, content)
        elif key == 16:
            _varint(data, content, after, state)
            state.step = state.number if cython.compiled or state.number < 2**63 else state.number - 2**64
        elif key == 42 and dialect != _LINEAGE:
            state.has_summary = True
            state.member_kind = 0
        elif key == 26 or _member(dialect, key) != 0:  # The members of the oneof replace one another.
            state.has_summary = False
            state.summary = after
            state.member_kind = _member(dialect, key)
            state.member_start = content
            state.member_end = after
        at = after
    state.has_envelope = True
    state.at = state.summary
    return True


def _cut(at: int, wanted: int, state: State) -> bool:
    """Stop inside the record, to go on with a window that begins `at`."""
    if wanted > _LARGEST_READ:
        state.has_bad_payload = True
        return False
    state.is_cut = True
    state.at = at
    state.wanted = wanted
    return False


def _summary(data: memoryview, size: int, edge: int, dialect: int, table: Table, rows: Rows, state: State) -> bool:
    """Append the values of the summary at hand to rows; False when the scan must stop, state says why."""
    at = state.at
    end = state.summary_end
    while at < end:
        if at > edge:
            return _cut(at, _HEAD_BYTES, state)
        after = _field(data, at, end, state)
        key = state.key
        content = state.content
        if after < 0:
            state.has_bad_payload = True
            return False
        if key == 10:
            if after > size and after - at < state.light:
                return _cut(at, after - at, state)
            if not _value(data, content, after, size, dialect, state):
                state.has_bad_payload = True
                return False
            if after > size and _lacks(size, state):
                wanted = after - at
                if size - at < _VALUE_HEAD_BYTES < wanted:
                    wanted = _VALUE_HEAD_BYTES
                return _cut(at, wanted, state)
            if state.kind != 0 and not _row(data, at, size, table, rows, state):
                return False
        at = after
    state.at = at
    return True


def _lacks(size: int, state: State) -> bool:
    """Say whether what must be known of the value at hand lies beyond data[:size]."""
    return state.kind == 0 or state.tag_end == 0 or state.tag_end > size or state.metadata_end > size


def _row(data: memoryview, at: int, size: int, table: Table, rows: Rows, state: State) -> bool:
    """Append the value at hand, which begins `at`, to rows; False when the scan must stop, state says why."""
    length = state.tag_end - state.tag_start
    slot = table.slots[state.slot, _FOLLOWER]  # Trainings record their tags in the same order again and again.
    if not _is_tag(data, state.tag_start, length, state.kind, table, slot):
        slot = _find_slot(data, state.tag_start, length, state.kind, table)
        if table.slots[slot, _TAG] < 0:
            state.at = at
            state.has_new_tag = True
            return False
        table.slots[state.slot, _FOLLOWER] = slot
    state.slot = slot
    row = state.partial_rows
    if table.slots[slot, _STORES] != _STORES_SCALAR:
        start = state.payload_start
        end = state.payload_end
        if table.slots[slot, _STORES] == _STORES_METADATA:
            if state.tail > 0 and state.metadata_end == 0:
                return _cut(at, state.value_end - at, state)
            start = state.metadata_start
            end = state.metadata_end
            if end == 0:
                start = end = state.position
        rows.bits[row] = state.base + state.position
        rows.start[row] = start - state.position
        rows.length[row] = end - start
    elif state.kind != _TENSOR:
        rows.bits[row] = state.bits
    elif state.payload_end > size:
        return _cut(at, state.value_end - at, state)
    elif not _tensor_scalar(data, state.payload_start, state.payload_end, row, rows, state):
        state.has_bad_payload = True
        return False
    rows.tag[row] = table.slots[slot, _TAG]
    rows.step[row] = state.step
    rows.wall_time[row] = state.wall_time
    state.partial_rows = row + 1
    return True


def _event(data: memoryview, size: int, dialect: int, table: Table, rows: Rows, state: State) -> bool:
    """Read on in the event at hand; False when the scan must stop, state says why."""
    end = state.next - _FOOTER_BYTES
    edge = end
    if end > size:
        edge = size - _HEAD_BYTES
    if not state.has_envelope and not _envelope(data, end, edge, dialect, state):
        return False
    if state.member_kind != 0:
        state.kind = state.member_kind
        state.tag_start = state.tag_end = 0
        state.metadata_start = state.metadata_end = 0
        state.tail = 0
        state.payload_start = state.member_start
        state.payload_end = state.member_end
        if not _row(data, state.at, size, table, rows, state):
            return False
    while state.has_summary and state.at < end:
        if state.at < 0:  # The summary begins before the window in which the rest of the event ended.
            return _cut(state.at, _HEAD_BYTES, state)
        if state.at >= state.summary_end:
            if state.at > edge:
                return _cut(state.at, _HEAD_BYTES, state)
            after = _field(data, state.at, end, state)
            key = state.key
            content = state.content
            if after < 0:
                state.has_bad_payload = True
                return False
            state.at = after
            if key == 42:
                state.at = content
                state.summary_end = after
        if state.at < state.summary_end and not _summary(data, size, edge, dialect, table, rows, state):
            return False
    return True


def _open(data: memoryview, size: int, available: int, rows: Rows, state: State) -> bool:
    """Read the header of the record at hand, and verify a light one; False when the scan must stop, state says why."""
    position = state.position
    if size - position < _HEADER_BYTES:
        state.next = position + _HEADER_BYTES
        return False
    length = _u64(data, position)
    if _masked_crc(data, position, position + 8) != _u32(data, position + 8) or length > _LONGEST:
        state.has_bad_header = True
        return False
    start = position + _HEADER_BYTES
    end = start + length
    state.next = end + _FOOTER_BYTES
    if state.next > available or (length < state.light and state.next > size):
        return False
    if length > _LONGEST_EVENT or (length < state.light and _masked_crc(data, start, end) != _u32(data, end)):
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


def _commit(rows: Rows, state: State) -> None:
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
    if state.next - state.position - _HEADER_BYTES - _FOOTER_BYTES >= state.light:
        rows.heavy[state.heavy_records] = state.base + state.position
        state.heavy_records += 1
    state.events += 1
    state.rows = state.partial_rows
    state.is_inside = False
    state.position = state.next


def _records(
    data: memoryview, size: int, limit: int, available: int, dialect: int, table: Table, rows: Rows, state: State
) -> None:
    while state.is_inside or (state.position < limit and _open(data, size, available, rows, state)):
        if not _event(data, size, dialect, table, rows, state):
            return
        _commit(rows, state)


def _pointer(data: memoryview) -> memoryview:
    """Return data as the functions above take it: in C a bare pointer, as a view is a large struct to pass on."""
    return cython.address(data[0]) if cython.compiled else data


def scan(
    data: memoryview, size: int, limit: int, available: int, dialect: int, table: Table, rows: Rows, state: State
) -> None:
    """Scan the records of data[:size] from where state stands, without the GIL.

    Args:
        data: bytes of an event file.
        size: how many of them to scan.
        limit: only records that begin before it.
        available: where the file ends; records that end beyond it are not complete yet.
        dialect: one of DIALECTS.
        table: the tags known so far.
        rows: receives the values, up to state.rows; at least size / SMALLEST_ROW rows.
        state: says afterwards how far it came and why it stopped.
    """
    state.has_new_tag = False
    state.has_bad_header = False
    state.has_bad_payload = False
    state.is_cut = False
    content = _pointer(data)
    with cython.nogil:
        _records(content, size, limit, available, dialect, table, rows, state)


def next_header(data: memoryview, at: int, size: int) -> int:
    """Return the first place from `at` on where a sound header stands in data[:size], or -1."""
    found = -1
    content = _pointer(data)
    with cython.nogil:
        while at + _HEADER_BYTES <= size:
            if _masked_crc(content, at, at + 8) == _u32(content, at + 8) and _u64(content, at) <= _LONGEST:
                found = at
                break
            at += 1
    return found


def find_slot(name: memoryview, length: int, kind: int, table: Table) -> int:
    """Return the slot of the tag name[:length] that came in a field of this kind, or the free slot for it."""
    return _find_slot(_pointer(name), 0, length, kind, table)


def insert(name: memoryview, length: int, kind: int, number: int, stores: int, table: Table) -> None:
    """Put a tag into its free slot; there must be room for it and for its name."""
    slot = find_slot(name, length, kind, table)
    for k in range(length):
        table.names[table.names_end + k] = name[k]
    table.slots[slot, _NAME] = table.names_end
    table.slots[slot, _NAME_LENGTH] = length
    table.slots[slot, _FIELD] = kind
    table.slots[slot, _TAG] = number
    table.slots[slot, _STORES] = stores
    table.slots[slot, _FOLLOWER] = slot
    table.names_end += length
