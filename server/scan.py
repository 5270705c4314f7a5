# cython: annotation_typing=False, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Event-file bytes to columns: one pass over a window of records, compiled by Cython or run as it is.

Every index is checked against the window by the code itself, so that the compiled form needs no other check;
the uncompiled form, run by the same tests, raises IndexError where one was forgotten.
"""

from typing import NamedTuple

import cython
import google_crc32c
import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError
from toposcope.proto import tensorboard_pb2

MINDSPORE = cython.declare(cython.int, 0)
TENSORBOARD = cython.declare(cython.int, 1)
DIALECTS = {"mindspore": 0, "tensorboard": 1}

# What the fields of a summary value hold; the numbers index _PLUGINS.
_SCALAR = cython.declare(cython.int, 1)
_IMAGE = cython.declare(cython.int, 2)
_TENSOR = cython.declare(cython.int, 3)
_HISTOGRAM = cython.declare(cython.int, 4)
_LANDSCAPE = cython.declare(cython.int, 5)
_TEXT = cython.declare(cython.int, 6)
_AUDIO = cython.declare(cython.int, 7)
_METADATA_ONLY = cython.declare(cython.int, 8)
_PLUGINS = ["", "scalar", "image", "tensor", "histogram", "landscape", "text", "audio", "metadata"]
_TENSORBOARD_PLUGINS = {"scalars": "scalar", "images": "image", "histograms": "histogram", "": "tensor"}

# Why _scan stopped, at state[_POSITION].
_ENDED = cython.declare(cython.int, 0)  # The window ends here, perhaps in the middle of a record.
_NEW_TAG = cython.declare(cython.int, 1)  # The tag table lacks a tag; scan again once it is there.
_BAD_HEADER = cython.declare(cython.int, 2)  # The length is damaged: where the next record begins is unknown.
_BAD_PAYLOAD = cython.declare(cython.int, 3)  # The payload is damaged; the next record begins at state[_NEXT].

# Places in the state array.
_POSITION = cython.declare(cython.int, 0)  # In the window: where the record at hand begins.
_NEXT = cython.declare(cython.int, 1)  # In the window, or beyond it: where that record ends.
_RESUME = cython.declare(cython.int, 2)  # In the window: the value that brought a new tag; 0: none.
_ROWS = cython.declare(cython.int, 3)  # Rows of complete records.
_PARTIAL_ROWS = cython.declare(cython.int, 4)  # Rows including those of the record at hand.
_PREVIOUS = cython.declare(cython.int, 5)  # Slot of the last tag.
_TAG_START = cython.declare(cython.int, 6)  # In the window: the value at hand.
_TAG_END = cython.declare(cython.int, 7)
_CODE = cython.declare(cython.int, 8)
_TENSOR_START = cython.declare(cython.int, 9)
_TENSOR_END = cython.declare(cython.int, 10)
_METADATA_START = cython.declare(cython.int, 11)
_METADATA_END = cython.declare(cython.int, 12)
_SUMMARIES = cython.declare(cython.int, 13)  # Events that hold summaries.
_MIN_STEP = cython.declare(cython.int, 14)
_MAX_STEP = cython.declare(cython.int, 15)
_FIRST_WALL = cython.declare(cython.int, 16)  # Bits of doubles: of positive ones these sort as the doubles do.
_LAST_WALL = cython.declare(cython.int, 17)
_STATES = 18

# Columns of the tag table, an open-addressing hash table with _WIDTH numbers a slot.
_NAME = cython.declare(cython.int, 0)  # Where the tag's bytes begin in names.
_NAME_LENGTH = cython.declare(cython.int, 1)
_FIELD = cython.declare(cython.int, 2)  # The code of the field that brought the tag.
_TAG = cython.declare(cython.int, 3)  # Index into Scan.tags; -1: the slot is free.
_IS_SCALAR = cython.declare(cython.int, 4)
_FOLLOWER = cython.declare(cython.int, 5)  # Slot of the tag that came next the last time.
_WIDTH = cython.declare(cython.int, 6)

# TensorBoard's codes of the data types that a scalar may have.
_TB_FLOAT = cython.declare(cython.int, 1)
_TB_DOUBLE = cython.declare(cython.int, 2)
_TB_INT32 = cython.declare(cython.int, 3)
_TB_INT16 = cython.declare(cython.int, 5)
_TB_INT8 = cython.declare(cython.int, 6)
_TB_INT64 = cython.declare(cython.int, 9)
_TB_BFLOAT16 = cython.declare(cython.int, 14)
_TB_HALF = cython.declare(cython.int, 19)

_HEADER_BYTES = cython.declare(cython.int, 12)
_FOOTER_BYTES = cython.declare(cython.int, 4)
_SMALLEST_ROW = 7  # Bytes of the smallest encoded scalar: bounds the rows of a window.
_ONES_32 = cython.declare(cython.ulonglong, 0xFFFFFFFF)
_ONES_64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
_FNV_OFFSET = cython.declare(cython.ulonglong, 2166136261)
_LONGEST = cython.declare(cython.ulonglong, 1 << 47)  # Bytes; a longer payload is no payload.
_MASK_DELTA = cython.declare(cython.ulonglong, 0xA282EAD8)
_INFINITY = cython.declare(cython.ulonglong, 0x7FF0000000000000)


class Columns(NamedTuple):
    """Scalars in file order, one row a point."""

    tag: npt.NDArray[np.int32]
    """Index into Scan.tags."""
    step: npt.NDArray[np.int64]
    wall_time: npt.NDArray[np.float64]
    """Seconds since 1970."""
    value: npt.NDArray[np.float64]


class Tag(NamedTuple):
    """A tag of one event file and the plugin it belongs to."""

    plugin: str
    name: str


class Damage(NamedTuple):
    """Bytes of an event file that hold no readable record."""

    offset: int
    reason: str


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


_CRC_TABLES = memoryview(_crc_tables())


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(data="const unsigned char[::1]", at=cython.Py_ssize_t)
@cython.returns(cython.ulonglong)
def _u32(data: memoryview, at: int) -> int:
    """Return the little-endian 32-bit number at a place of data."""
    return (
        cython.cast(cython.ulonglong, data[at])
        | (cython.cast(cython.ulonglong, data[at + 1]) << 8)
        | (cython.cast(cython.ulonglong, data[at + 2]) << 16)
        | (cython.cast(cython.ulonglong, data[at + 3]) << 24)
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(data="const unsigned char[::1]", at=cython.Py_ssize_t)
@cython.returns(cython.ulonglong)
def _u64(data: memoryview, at: int) -> int:
    """Return the little-endian 64-bit number at a place of data."""
    return _u32(data, at) | (_u32(data, at + 4) << 32)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    data="const unsigned char[::1]",
    tables="const unsigned int[::1]",
    at=cython.Py_ssize_t,
    end=cython.Py_ssize_t,
    crc=cython.uint,
    low=cython.uint,
    high=cython.uint,
)
@cython.returns(cython.ulonglong)
def _masked_crc(data: memoryview, at: int, end: int, tables: memoryview) -> int:
    """Return the masked crc32c of data[at:end]."""
    if cython.compiled:
        crc = 0
        crc = ~crc
        while at + 8 <= end:
            low = crc ^ cython.cast(cython.uint, _u32(data, at))
            high = cython.cast(cython.uint, _u32(data, at + 4))
            crc = (
                tables[1792 + (low & 0xFF)]
                ^ tables[1536 + ((low >> 8) & 0xFF)]
                ^ tables[1280 + ((low >> 16) & 0xFF)]
                ^ tables[1024 + (low >> 24)]
                ^ tables[768 + (high & 0xFF)]
                ^ tables[512 + ((high >> 8) & 0xFF)]
                ^ tables[256 + ((high >> 16) & 0xFF)]
                ^ tables[high >> 24]
            )
            at += 8
        while at < end:
            crc = (crc >> 8) ^ tables[(crc ^ data[at]) & 0xFF]
            at += 1
        crc = ~crc
    else:
        crc = google_crc32c.value(bytes(data[at:end]))
    return (((crc >> 15) | (cython.cast(cython.ulonglong, crc) << 17)) + _MASK_DELTA) & _ONES_32


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    data="const unsigned char[::1]",
    at=cython.Py_ssize_t,
    end=cython.Py_ssize_t,
    shift=cython.int,
    number=cython.ulonglong,
    byte=cython.ulonglong,
)
@cython.returns((cython.ulonglong, cython.Py_ssize_t))
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    data="const unsigned char[::1]",
    at=cython.Py_ssize_t,
    end=cython.Py_ssize_t,
    key=cython.ulonglong,
    after=cython.Py_ssize_t,
    number=cython.ulonglong,
    wire=cython.int,
)
@cython.returns((cython.ulonglong, cython.Py_ssize_t, cython.Py_ssize_t))
def _field(data: memoryview, at: int, end: int) -> tuple[int, int, int]:
    """Read a field: (key, place of its content, place after it); the last place is -1 when it is malformed.

    The content of a length-delimited field begins after its length.
    """
    key, at = _varint(data, at, end)
    if at < 0 or (key >> 3) == 0 or (key >> 3) > 0x1FFFFFFF:
        return 0, 0, -1
    wire = cython.cast(cython.int, key & 7)
    if wire == 2:
        number, at = _varint(data, at, end)
        if at < 0 or number > cython.cast(cython.ulonglong, end - at):
            return 0, 0, -1
        return key, at, at + cython.cast(cython.Py_ssize_t, number)
    if wire == 0:
        number, after = _varint(data, at, end)
        return key, at, after
    if wire == 1 and at + 8 <= end:
        return key, at, at + 8
    if wire == 5 and at + 4 <= end:
        return key, at, at + 4
    return 0, 0, -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(bits=cython.ulonglong, exponent=cython.ulonglong, mantissa=cython.ulonglong, sign=cython.ulonglong)
@cython.returns(cython.ulonglong)
def _widen(bits: int) -> int:
    """Return the bits of the double that equals the float32 with these bits."""
    sign = (bits >> 31) << 63
    exponent = (bits >> 23) & 0xFF
    mantissa = bits & 0x7FFFFF
    if exponent == 0xFF:
        return sign | _INFINITY | (mantissa << 29)
    if exponent == 0:
        if mantissa == 0:
            return sign
        exponent = 1
        while mantissa < 0x800000:  # A subnormal float32 is a normal double.
            mantissa <<= 1
            exponent -= 1
        mantissa &= 0x7FFFFF
    return sign | ((exponent + 896) << 52) | (mantissa << 29)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(bits=cython.ulonglong, exponent=cython.ulonglong, mantissa=cython.ulonglong, sign=cython.ulonglong)
@cython.returns(cython.ulonglong)
def _widen_half(bits: int) -> int:
    """Return the bits of the double that equals the float16 with these bits."""
    sign = (bits >> 15) << 63
    exponent = (bits >> 10) & 0x1F
    mantissa = bits & 0x3FF
    if exponent == 0x1F:
        return sign | _INFINITY | (mantissa << 42)
    if exponent == 0:
        if mantissa == 0:
            return sign
        exponent = 1
        while mantissa < 0x400:
            mantissa <<= 1
            exponent -= 1
        mantissa &= 0x3FF
    return sign | ((exponent + 1008) << 52) | (mantissa << 42)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(dtype=cython.ulonglong)
@cython.returns(cython.int)
def _element_bytes(dtype: int) -> int:
    """Return the bytes of an element of TensorBoard's data type; 0 when it cannot be a scalar's."""
    if dtype == _TB_DOUBLE or dtype == _TB_INT64 or dtype == 23:
        return 8
    if dtype == _TB_FLOAT or dtype == _TB_INT32 or dtype == 22:
        return 4
    if dtype == _TB_INT16 or dtype == 17 or dtype == _TB_HALF or dtype == _TB_BFLOAT16:
        return 2
    if dtype == 4 or dtype == _TB_INT8 or dtype == 10:
        return 1
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    bits=cython.ulonglong,
    dtype=cython.ulonglong,
    width=cython.int,
    is_signed=cython.bint,
    row=cython.Py_ssize_t,
    out_bits="unsigned long long[::1]",
    out_value="double[::1]",
)
@cython.returns(cython.void)
def _store(bits: int, dtype: int, row: int, out_bits: memoryview, out_value: memoryview) -> None:
    """Store an element, given as its little-endian bits, as a double; both outputs are views of one column."""
    if dtype == _TB_FLOAT:
        out_bits[row] = _widen(bits & _ONES_32)
    elif dtype == _TB_DOUBLE:
        out_bits[row] = bits
    elif dtype == _TB_BFLOAT16:
        out_bits[row] = _widen((bits & 0xFFFF) << 16)
    elif dtype == _TB_HALF:
        out_bits[row] = _widen_half(bits & 0xFFFF)
    else:
        width = 8 * _element_bytes(dtype)
        bits &= _ONES_64 >> (64 - width)
        is_signed = dtype == _TB_INT8 or dtype == _TB_INT16 or dtype == _TB_INT32 or dtype == _TB_INT64
        if is_signed and bits >> (width - 1):
            bits = (_ONES_64 >> (64 - width)) - bits + 1
            out_value[row] = -cython.cast(cython.double, bits)
        else:
            out_value[row] = cython.cast(cython.double, bits)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    data="const unsigned char[::1]",
    at=cython.Py_ssize_t,
    end=cython.Py_ssize_t,
    row=cython.Py_ssize_t,
    out_bits="unsigned long long[::1]",
    out_value="double[::1]",
    key=cython.ulonglong,
    field=cython.ulonglong,
    content=cython.Py_ssize_t,
    after=cython.Py_ssize_t,
    start=cython.Py_ssize_t,
    size=cython.Py_ssize_t,
    dtype=cython.ulonglong,
    bits=cython.ulonglong,
    has_bits=cython.bint,
    k=cython.Py_ssize_t,
    i=cython.Py_ssize_t,
)
@cython.returns(cython.bint)
def _tensor_scalar(data: memoryview, at: int, end: int, row: int, out_bits: memoryview, out_value: memoryview) -> bool:
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
            bits |= cython.cast(cython.ulonglong, data[start + i]) << (8 * i)
    elif not has_bits:
        bits = 0  # Protobuf leaves out values that are all zero.
    _store(bits, dtype, row, out_bits, out_value)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    data="const unsigned char[::1]",
    start=cython.Py_ssize_t,
    length=cython.Py_ssize_t,
    names="const unsigned char[::1]",
    name=cython.Py_ssize_t,
    k=cython.Py_ssize_t,
)
@cython.returns(cython.bint)
def _is_name(data: memoryview, start: int, length: int, names: memoryview, name: int) -> bool:
    """Say whether data[start:][:length] equals names[name:][:length]."""
    for k in range(length):
        if data[start + k] != names[name + k]:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    data="const unsigned char[::1]",
    start=cython.Py_ssize_t,
    length=cython.Py_ssize_t,
    code=cython.longlong,
    table="const long long[::1]",
    slots=cython.Py_ssize_t,
    names="const unsigned char[::1]",
    hashed=cython.ulonglong,
    k=cython.Py_ssize_t,
    slot=cython.Py_ssize_t,
    at=cython.Py_ssize_t,
)
@cython.returns(cython.Py_ssize_t)
def _find(
    data: memoryview, start: int, length: int, code: int, table: memoryview, slots: int, names: memoryview
) -> int:
    """Return the slot of the tag data[start:][:length] that came in this field, or of the free slot it belongs in.

    slots is a power of two; the hash is FNV-1a.
    """
    hashed = _FNV_OFFSET ^ cython.cast(cython.ulonglong, code)
    for k in range(length):
        hashed = ((hashed ^ data[start + k]) * 16777619) & _ONES_32
    slot = cython.cast(cython.Py_ssize_t, hashed) & (slots - 1)
    while True:
        at = slot * _WIDTH
        if table[at + _TAG] < 0 or (
            table[at + _FIELD] == code
            and table[at + _NAME_LENGTH] == length
            and _is_name(data, start, length, names, table[at + _NAME])
        ):
            return slot
        slot = (slot + 1) & (slots - 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    data="const unsigned char[::1]",
    at=cython.Py_ssize_t,
    end=cython.Py_ssize_t,
    dialect=cython.int,
    state="long long[::1]",
    key=cython.ulonglong,
    content=cython.Py_ssize_t,
    after=cython.Py_ssize_t,
    code=cython.longlong,
    bits=cython.ulonglong,
    exact=cython.ulonglong,
    has_exact=cython.bint,
)
@cython.returns((cython.bint, cython.ulonglong))
def _value(data: memoryview, at: int, end: int, dialect: int, state: memoryview) -> tuple[bool, int]:
    """Read the summary value data[at:end] into state; return (it is sound, bits of the scalar as a double)."""
    code = 0
    bits = 0
    exact = 0
    has_exact = False
    state[_TAG_START] = 0
    state[_TAG_END] = 0
    state[_METADATA_START] = 0
    state[_METADATA_END] = 0
    while at < end:
        key, content, after = _field(data, at, end)
        if after < 0:
            return False, 0
        if key == 10:
            state[_TAG_START] = content
            state[_TAG_END] = after
        elif key == 34:
            code = _IMAGE
        elif key == 66:
            code = _TENSOR
            state[_TENSOR_START] = content
            state[_TENSOR_END] = after
        elif dialect == MINDSPORE:
            if key == 29:
                code = _SCALAR
                bits = _widen(_u32(data, content))
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
            bits = _widen(_u32(data, content))
        elif key == 42:
            code = _HISTOGRAM
        elif key == 50:
            code = _AUDIO
        elif key == 74:
            state[_METADATA_START] = content
            state[_METADATA_END] = after
        at = after
    if code == 0 and state[_METADATA_END] > 0:
        code = _METADATA_ONLY
    state[_CODE] = code
    if has_exact:
        return True, exact
    return True, bits


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    data="const unsigned char[::1]",
    size=cython.Py_ssize_t,
    dialect=cython.int,
    tables="const unsigned int[::1]",
    table="long long[::1]",
    slots=cython.Py_ssize_t,
    names="const unsigned char[::1]",
    out_tag="int[::1]",
    out_step="long long[::1]",
    out_wall="unsigned long long[::1]",
    out_bits="unsigned long long[::1]",
    out_value="double[::1]",
    state="long long[::1]",
    at=cython.Py_ssize_t,
    start=cython.Py_ssize_t,
    end=cython.Py_ssize_t,
    length=cython.ulonglong,
    key=cython.ulonglong,
    content=cython.Py_ssize_t,
    after=cython.Py_ssize_t,
    wall=cython.ulonglong,
    step_bits=cython.ulonglong,
    step=cython.longlong,
    summaries_from=cython.Py_ssize_t,
    has_summary=cython.bint,
    value_at=cython.Py_ssize_t,
    value_start=cython.Py_ssize_t,
    value_end=cython.Py_ssize_t,
    is_sound=cython.bint,
    bits=cython.ulonglong,
    tag_length=cython.Py_ssize_t,
    slot=cython.Py_ssize_t,
    guess=cython.Py_ssize_t,
    previous=cython.Py_ssize_t,
    row=cython.Py_ssize_t,
    position=cython.Py_ssize_t,
)
@cython.returns(cython.int)
def _scan(
    data: memoryview,
    size: int,
    dialect: int,
    tables: memoryview,
    table: memoryview,
    slots: int,
    names: memoryview,
    out_tag: memoryview,
    out_step: memoryview,
    out_wall: memoryview,
    out_bits: memoryview,
    out_value: memoryview,
    state: memoryview,
) -> int:
    """Scan the records of data[:size] from state[_POSITION] on; return why it stopped."""
    previous = state[_PREVIOUS]
    while True:
        position = state[_POSITION]
        if size - position < _HEADER_BYTES:
            state[_NEXT] = position + _HEADER_BYTES
            return _ENDED
        if _masked_crc(data, position, position + 8, tables) != _u32(data, position + 8):
            return _BAD_HEADER
        length = _u64(data, position)
        if length > _LONGEST:
            return _BAD_HEADER
        start = position + _HEADER_BYTES
        state[_NEXT] = start + cython.cast(cython.Py_ssize_t, length) + _FOOTER_BYTES
        if state[_NEXT] > size:
            return _ENDED
        end = start + cython.cast(cython.Py_ssize_t, length)
        row = state[_ROWS]
        if state[_RESUME] > 0:
            row = state[_PARTIAL_ROWS]
        elif _masked_crc(data, start, end, tables) != _u32(data, end):
            return _BAD_PAYLOAD

        wall = 0
        step_bits = 0
        has_summary = False
        summaries_from = start
        at = start
        while at < end:
            key, content, after = _field(data, at, end)
            if after < 0:
                return _BAD_PAYLOAD
            if key == 9:
                wall = _u64(data, content)
            elif key == 16:
                step_bits, at = _varint(data, content, after)
            elif key == 42:
                has_summary = True
            elif key == 26 or key == 34:  # The other members of the oneof replace a summary before them.
                has_summary = False
                summaries_from = after
            at = after
        step = cython.cast(cython.longlong, step_bits)
        if not cython.compiled and step >= 2**63:
            step -= 2**64

        at = summaries_from
        while has_summary and at < end:
            key, content, after = _field(data, at, end)
            at = after
            if key != 42 or after <= state[_RESUME]:
                continue
            value_at = content
            if state[_RESUME] > 0:
                value_at = state[_RESUME]
                state[_RESUME] = 0
            while value_at < after:
                key, value_start, value_end = _field(data, value_at, after)
                if value_end < 0:
                    return _BAD_PAYLOAD
                if key != 10:
                    value_at = value_end
                    continue
                is_sound, bits = _value(data, value_start, value_end, dialect, state)
                if not is_sound:
                    return _BAD_PAYLOAD
                if state[_CODE] == 0:
                    value_at = value_end
                    continue
                tag_length = state[_TAG_END] - state[_TAG_START]
                guess = table[previous * _WIDTH + _FOLLOWER]
                if (
                    table[guess * _WIDTH + _TAG] >= 0
                    and table[guess * _WIDTH + _FIELD] == state[_CODE]
                    and table[guess * _WIDTH + _NAME_LENGTH] == tag_length
                    and _is_name(data, state[_TAG_START], tag_length, names, table[guess * _WIDTH + _NAME])
                ):
                    slot = guess
                else:
                    slot = _find(data, state[_TAG_START], tag_length, state[_CODE], table, slots, names)
                    if table[slot * _WIDTH + _TAG] < 0:
                        state[_RESUME] = value_at
                        state[_PARTIAL_ROWS] = row
                        state[_PREVIOUS] = previous
                        return _NEW_TAG
                    table[previous * _WIDTH + _FOLLOWER] = slot
                previous = slot
                if table[slot * _WIDTH + _IS_SCALAR]:
                    if state[_CODE] == _TENSOR:
                        if not _tensor_scalar(data, state[_TENSOR_START], state[_TENSOR_END], row, out_bits, out_value):
                            return _BAD_PAYLOAD
                    else:
                        out_bits[row] = bits
                    out_tag[row] = cython.cast(cython.int, table[slot * _WIDTH + _TAG])
                    out_step[row] = step
                    out_wall[row] = wall
                    row += 1
                value_at = value_end

        if wall < _INFINITY and wall > 0:
            if state[_FIRST_WALL] == 0 or wall < cython.cast(cython.ulonglong, state[_FIRST_WALL]):
                state[_FIRST_WALL] = wall
            if wall > cython.cast(cython.ulonglong, state[_LAST_WALL]):
                state[_LAST_WALL] = wall
        if has_summary:
            if state[_SUMMARIES] == 0 or step < state[_MIN_STEP]:
                state[_MIN_STEP] = step
            if state[_SUMMARIES] == 0 or step > state[_MAX_STEP]:
                state[_MAX_STEP] = step
            state[_SUMMARIES] += 1
        state[_ROWS] = row
        state[_PREVIOUS] = previous
        state[_POSITION] = state[_NEXT]


@cython.ccall
@cython.locals(
    data="const unsigned char[::1]",
    at=cython.Py_ssize_t,
    size=cython.Py_ssize_t,
    tables="const unsigned int[::1]",
    found=cython.Py_ssize_t,
)
def _next_header(data: memoryview, at: int, size: int, tables: memoryview) -> int:
    """Return the first place from `at` on where a sound header stands in data[:size], or -1."""
    found = -1
    with cython.nogil:
        while at + _HEADER_BYTES <= size:
            if _masked_crc(data, at, at + 8, tables) == _u32(data, at + 8) and _u64(data, at) <= _LONGEST:
                found = at
                break
            at += 1
    return found


@cython.ccall
@cython.locals(
    data="const unsigned char[::1]",
    size=cython.Py_ssize_t,
    dialect=cython.int,
    tables="const unsigned int[::1]",
    table="long long[::1]",
    slots=cython.Py_ssize_t,
    names="const unsigned char[::1]",
    out_tag="int[::1]",
    out_step="long long[::1]",
    out_wall="unsigned long long[::1]",
    out_bits="unsigned long long[::1]",
    out_value="double[::1]",
    state="long long[::1]",
    answer=cython.int,
)
def _scan_without_gil(
    data: memoryview,
    size: int,
    dialect: int,
    tables: memoryview,
    table: memoryview,
    slots: int,
    names: memoryview,
    out_tag: memoryview,
    out_step: memoryview,
    out_wall: memoryview,
    out_bits: memoryview,
    out_value: memoryview,
    state: memoryview,
) -> int:
    """Call _scan while other threads run."""
    with cython.nogil:
        answer = _scan(
            data,
            size,
            dialect,
            tables,
            table,
            slots,
            names,
            out_tag,
            out_step,
            out_wall,
            out_bits,
            out_value,
            state,
        )
    return answer


class Scan:
    """Turns the windows of one event file into columns; remembers the tags it met and what was damaged.

    Not safe for threads; the pass over a window runs without the GIL.
    """

    def __init__(self, dialect: int) -> None:
        self.tags: list[Tag] = []
        self.damage: list[Damage] = []
        self._dialect = dialect
        self._ids: dict[Tag, int] = {}
        self._names = bytearray(1024)
        self._names_end = 0
        self._slots = 64
        self._used = 0
        self._table = _empty_table(self._slots)
        self._state = memoryview(np.zeros(_STATES, np.int64))
        self._is_lost = False

    @property
    def steps(self) -> tuple[int, int] | None:
        """Smallest and largest step of the events that hold summaries; None when there are none."""
        return (self._state[_MIN_STEP], self._state[_MAX_STEP]) if self._state[_SUMMARIES] else None

    @property
    def wall_times(self) -> tuple[float, float] | None:
        """Smallest and largest wall_time of all events, in seconds since 1970; None when there are none."""
        if not self._state[_FIRST_WALL]:
            return None
        first, last = np.array([self._state[_FIRST_WALL], self._state[_LAST_WALL]], np.int64).view(np.float64)
        return float(first), float(last)

    def read(self, window: bytearray, size: int, offset: int) -> tuple[Columns, int, int]:
        """Read the records of window[:size], which begins at a record or in damage.

        Args:
            window: bytes of the file.
            size: how many of them to read.
            offset: where in the file the window begins.

        Returns:
            The points of the complete records; the offset in the file where the next window should begin; and the
            offset up to which the file must reach before it is worth reading on.
        """
        capacity = size // _SMALLEST_ROW + 1
        tag, step = np.empty(capacity, np.int32), np.empty(capacity, np.int64)
        wall_time, value = np.empty(capacity, np.float64), np.empty(capacity, np.float64)
        outputs = tuple(
            memoryview(array) for array in (tag, step, wall_time.view(np.uint64), value.view(np.uint64), value)
        )
        state, data = self._state, memoryview(window)
        state[_POSITION] = state[_ROWS] = state[_RESUME] = 0
        if self._is_lost and not self._seek_header(data, size, 0):
            return _columns(tag, step, wall_time, value, 0), offset + state[_POSITION], offset + size + 1
        while True:
            answer = _scan_without_gil(
                data,
                size,
                self._dialect,
                _CRC_TABLES,
                self._table,
                self._slots,
                memoryview(self._names),
                *outputs,
                state,
            )
            if answer == _NEW_TAG:
                self._learn_tag(window)
            elif answer == _BAD_PAYLOAD:
                self.damage.append(Damage(offset + state[_POSITION], "payload"))
                state[_RESUME] = 0
                state[_POSITION] = state[_NEXT]
            elif answer == _BAD_HEADER:
                self.damage.append(Damage(offset + state[_POSITION], "length"))
                if not self._seek_header(data, size, state[_POSITION] + 1):
                    rows = state[_ROWS]
                    return _columns(tag, step, wall_time, value, rows), offset + state[_POSITION], offset + size + 1
            else:
                rows = state[_ROWS]
                return _columns(tag, step, wall_time, value, rows), offset + state[_POSITION], offset + state[_NEXT]

    def _seek_header(self, data: memoryview, size: int, at: int) -> bool:
        """Move state[_POSITION] to the first sound header from a place on; False: to where the search must go on."""
        found = _next_header(data, at, size, _CRC_TABLES)
        self._is_lost = found < 0
        self._state[_POSITION] = found if found >= 0 else max(at, size - _HEADER_BYTES + 1)
        return found >= 0

    def _learn_tag(self, window: bytearray) -> None:
        """Enter the tag at hand into the table."""
        state = self._state
        code = state[_CODE]
        name = bytes(window[state[_TAG_START] : state[_TAG_END]])
        plugin = _PLUGINS[code]
        if self._dialect == TENSORBOARD and code in (_TENSOR, _METADATA_ONLY):
            plugin = _tensorboard_plugin(bytes(window[state[_METADATA_START] : state[_METADATA_END]]))
        tag = Tag(plugin, name.decode("utf-8", "replace"))
        number = self._ids.setdefault(tag, len(self.tags))
        if number == len(self.tags):
            self.tags.append(tag)
        if 2 * (self._used + 1) > self._slots:
            self._grow()
        self._enter(name, code, number, plugin == "scalar")

    def _enter(self, name: bytes, code: int, number: int, is_scalar: bool) -> None:
        slot = _find_slot(name, code, self._table, self._slots, memoryview(self._names))
        row = [self._names_end, len(name), code, number, is_scalar, slot]
        for column, cell in enumerate(row):
            self._table[slot * _WIDTH + column] = int(cell)
        end = self._names_end + len(name)
        if end > len(self._names):  # A new array: memoryviews of the old one may still stand.
            self._names = bytearray(self._names) + bytearray(end)
        self._names[self._names_end : end] = name
        self._names_end = end
        self._used += 1

    def _grow(self) -> None:
        """Double the table."""
        old, names = np.asarray(self._table).reshape(-1, _WIDTH), bytes(self._names)
        self._slots *= 2
        self._used = 0
        self._table = _empty_table(self._slots)
        self._names_end = 0
        self._state[_PREVIOUS] = 0
        for start, length, code, number, is_scalar, _ in old[old[:, _TAG] >= 0].tolist():
            self._enter(names[start : start + length], code, number, is_scalar)


def _empty_table(slots: int) -> memoryview:
    table = np.zeros((slots, _WIDTH), np.int64)
    table[:, _TAG] = -1
    return memoryview(table.reshape(-1))


def _columns(
    tag: npt.NDArray[np.int32],
    step: npt.NDArray[np.int64],
    wall_time: npt.NDArray[np.float64],
    value: npt.NDArray[np.float64],
    rows: int,
) -> Columns:
    """Return the first rows, copied so that the window's large arrays can go."""
    return Columns(tag[:rows].copy(), step[:rows].copy(), wall_time[:rows].copy(), value[:rows].copy())


@cython.ccall
def _find_slot(name: bytes, code: int, table: memoryview, slots: int, names: memoryview) -> int:
    slot: int = _find(memoryview(name or b"\0"), 0, len(name), code, table, slots, names)
    return slot


def _tensorboard_plugin(metadata: bytes) -> str:
    """Return the plugin that a value's metadata names, in our words where we have one; "tensor" for none."""
    try:
        name = tensorboard_pb2.SummaryMetadata.FromString(metadata).plugin_data.plugin_name
    except (DecodeError, UnicodeDecodeError):
        name = ""
    return _TENSORBOARD_PLUGINS.get(name, name)
