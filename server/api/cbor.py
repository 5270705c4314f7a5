"""Encodes replies as CBOR (RFC 8949): the data of the JSON reply, with columns as typed arrays (RFC 8746)."""

import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.proto.wire import text_bytes

MEDIA_TYPE = "application/cbor"
_UNSIGNED, _NEGATIVE, _BYTES, _TEXT, _LIST, _MAP, _TAG = (kind << 5 for kind in range(7))
_FALSE, _TRUE, _NULL, _DOUBLE = b"\xf4", b"\xf5", b"\xf6", b"\xfb"
_TYPED_ARRAYS = {"i4": 78, "i8": 79, "f4": 85, "f8": 86}
"""Tags of little-endian arrays, by the kind and the size in bytes of their elements."""


def encode_cbor(value: Any) -> bytes:
    """Return plain data as CBOR.

    Args:
        value: None, booleans, numbers, text, lists, tuples, dictionaries with text keys, and one-dimensional arrays of
            32 or 64-bit integers or floats. Text that is not valid UTF-8 is escaped, as in JSON replies.

    Raises:
        TypeError: it contains something else.
    """
    parts: list[bytes | memoryview] = []
    _append(value, parts)
    return b"".join(parts)


def _append(value: Any, parts: list[bytes | memoryview]) -> None:
    if value is None:
        parts.append(_NULL)
    elif isinstance(value, bool):
        parts.append(_TRUE if value else _FALSE)
    elif isinstance(value, int):
        parts.append(_head(_UNSIGNED, value) if value >= 0 else _head(_NEGATIVE, -1 - value))
    elif isinstance(value, float):
        parts.append(_DOUBLE + struct.pack(">d", value))
    elif isinstance(value, str):
        text = text_bytes(value)
        parts += (_head(_TEXT, len(text)), text)
    elif isinstance(value, np.ndarray):
        _append_array(value, parts)
    elif isinstance(value, dict):
        parts.append(_head(_MAP, len(value)))
        for name, item in value.items():
            _append(name, parts)
            _append(item, parts)
    elif isinstance(value, (list, tuple)):
        parts.append(_head(_LIST, len(value)))
        for item in value:
            _append(item, parts)
    else:
        raise TypeError(f"{value!r} cannot be encoded: expected plain data or an array")


def _append_array(array: npt.NDArray[Any], parts: list[bytes | memoryview]) -> None:
    tag = _TYPED_ARRAYS.get(f"{array.dtype.kind}{array.dtype.itemsize}")
    if tag is None or array.ndim != 1:
        raise TypeError(f"an array of {array.dtype}, shape {array.shape}, cannot be encoded: expected numbers, shape (n,)")
    little_endian = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    parts += (_head(_TAG, tag), _head(_BYTES, little_endian.nbytes), little_endian.data.cast("B"))


def _head(kind: int, number: int) -> bytes:
    """Return the initial byte of an item, with its argument (RFC 8949, 3)."""
    if number < 24:
        return bytes([kind | number])
    for additional, (size, form) in enumerate(((8, ">B"), (16, ">H"), (32, ">I"), (64, ">Q")), 24):
        if number >> size == 0:
            return bytes([kind | additional]) + struct.pack(form, number)
    raise TypeError(f"{number} cannot be encoded: expected at most 64 bits")
