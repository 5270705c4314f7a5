"""Converts scalars to doubles: narrower floats, and the single number of a TensorBoard tensor."""

from toposcope.server.reading.scan.state import Rows, ScanState
from toposcope.server.reading.scan.wire import MASK_32, MASK_64, read_field, read_varint, u32, u64

# TensorFlow's DataType numbers of the types that a scalar may have.
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

_ONE = 1
INFINITY = 0x7FF0000000000000
"""The bits of an infinite double."""


def widen(bits: int, exponent_bits: int, mantissa_bits: int) -> int:
    """Return the bits of the double that equals a narrower float.

    float32 has 8 bits of exponent and 23 of mantissa, float16 5 and 10, bfloat16 8 and 7 (IEEE 754).
    """
    sign = (bits >> (exponent_bits + mantissa_bits)) << 63
    largest = (_ONE << exponent_bits) - 1
    exponent = (bits >> mantissa_bits) & largest
    hidden = _ONE << mantissa_bits
    mantissa = bits & (hidden - 1)
    if exponent == largest:
        return sign | INFINITY | (mantissa << (52 - mantissa_bits))
    if exponent == 0:
        if mantissa == 0:
            return sign
        exponent = 1
        while mantissa < hidden:  # Every subnormal narrower float is a normal double.
            mantissa <<= 1
            exponent -= 1
        mantissa &= hidden - 1
    return sign | ((exponent + 1023 - (largest >> 1)) << 52) | (mantissa << (52 - mantissa_bits))


def _element_bytes(dtype: int) -> int:
    """Return the size in bytes of an element of a TensorFlow data type; 0 if no scalar may have the type."""
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
    """Convert an element, passed as its little-endian bits, to a double and store it in a row."""
    if dtype == _TB_FLOAT:
        rows.bits[row] = widen(bits & MASK_32, 8, 23)
    elif dtype == _TB_DOUBLE:
        rows.bits[row] = bits
    elif dtype == _TB_BFLOAT16:
        rows.bits[row] = widen(bits & 0xFFFF, 8, 7)
    elif dtype == _TB_HALF:
        rows.bits[row] = widen(bits & 0xFFFF, 5, 10)
    else:
        width = 8 * _element_bytes(dtype)
        bits &= MASK_64 >> (64 - width)
        is_signed = dtype in (_TB_INT8, _TB_INT16, _TB_INT32, _TB_INT64)
        if is_signed and bits >> (width - 1):
            bits = (MASK_64 >> (64 - width)) - bits + 1
            magnitude = bits
            rows.value[row] = -magnitude
        else:
            rows.value[row] = bits


def store_tensor_scalar(data: memoryview, at: int, end: int, row: int, rows: Rows, state: ScanState) -> bool:
    """Store the first element of the TensorBoard tensor in data[at:end]; return False if it is not a number."""
    dtype = 0
    bits = 0
    has_bits = False
    start = 0
    size = 0
    while at < end:
        after = read_field(data, at, end, state)
        key = state.key
        content = state.content
        if after < 0:
            return False
        field = key >> 3
        if key == 8:
            read_varint(data, content, after, state)
            dtype = state.number
        elif key == 34:
            start = content
            size = after - content
        elif (field == 5 or field == 6 or field == 7 or field == 10 or field == 11 or field == 13 or field > 15) and (
            not has_bits and content < after
        ):
            if field == 5 and content + 4 <= after:
                bits = u32(data, content)
            elif field == 6 and content + 8 <= after:
                bits = u64(data, content)
            else:
                read_varint(data, content, after, state)
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
        bits = 0  # Writers omit a tensor's content if it is all zero.
    _store(bits, dtype, row, rows)
    return True
