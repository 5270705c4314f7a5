"""Reads one value of a summary, in either dialect: its tag, its kind, and the location of its content."""

from toposcope.server.reading.scan.kinds import (
    AUDIO,
    HISTOGRAM,
    IMAGE,
    LANDSCAPE,
    METADATA_ONLY,
    MINDSPORE,
    SCALAR,
    TENSOR,
    TEXT,
)
from toposcope.server.reading.scan.scalars import widen
from toposcope.server.reading.scan.state import ScanState
from toposcope.server.reading.scan.wire import FIELD_HEAD_BYTES, read_field, u32, u64

_EXACT_BYTES = 10


def _read_usual_value(data: memoryview, at: int, end: int, dialect: int, state: ScanState) -> bool:
    """Read a value that is a tag of at most 127 bytes, a float and perhaps its double; return False for others."""
    if end - at < 7 or data[at] != 10 or data[at + 1] > 127:
        return False
    tag = at + 2
    scalar = tag + data[at + 1]
    after = scalar + 5
    if after > end or data[scalar] != (29 if dialect == MINDSPORE else 21):
        return False
    if after == end:
        state.bits = widen(u32(data, scalar + 1), 8, 23)
    elif after + _EXACT_BYTES == end and data[after] == 0xA1 and data[after + 1] == 0x06:  # Key 801.
        state.bits = u64(data, after + 2)
        state.has_doubles = True
    else:
        return False
    state.kind = SCALAR
    state.tag_start = tag
    state.tag_end = scalar
    state.metadata_start = 0
    state.metadata_end = 0
    state.tail = 0
    state.value_end = end
    return True


def read_value(data: memoryview, at: int, end: int, size: int, dialect: int, state: ScanState) -> bool:
    """Read the summary value data[at:end] into state; return False if it is malformed.

    If the value ends beyond data[:size], state.tail is where the part begins that was not read.
    """
    edge = end
    if end > size:
        edge = size - FIELD_HEAD_BYTES
    elif _read_usual_value(data, at, end, dialect, state):
        return True
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
        after = read_field(data, at, end, state)
        key = state.key
        content = state.content
        if after < 0:
            return False
        if key == 10:
            state.tag_start = content
            state.tag_end = after
        elif key == 34:
            kind = IMAGE
            state.payload_start = content
            state.payload_end = after
        elif key == 66:
            kind = TENSOR
            state.payload_start = content
            state.payload_end = after
        elif key == 801:
            exact = u64(data, content)
            has_exact = True
        elif dialect == MINDSPORE:
            if key == 29:
                kind = SCALAR
                bits = widen(u32(data, content), 8, 23)
            elif key == 74 or key == 82 or (key == 810 and kind == 0):
                kind = HISTOGRAM if key == 74 else LANDSCAPE if key == 82 else TEXT
                state.payload_start = content
                state.payload_end = after
        elif key == 21:
            kind = SCALAR
            bits = widen(u32(data, content), 8, 23)
        elif key == 42 or key == 50:
            kind = HISTOGRAM if key == 42 else AUDIO
            state.payload_start = content
            state.payload_end = after
        elif key == 74:
            state.metadata_start = content
            state.metadata_end = after
        at = after
    if kind == 0 and state.metadata_end > 0:
        kind = METADATA_ONLY
    state.kind = kind
    state.bits = exact if has_exact else bits
    if has_exact:
        state.has_doubles = True
    return True
