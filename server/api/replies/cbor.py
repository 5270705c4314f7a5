"""Encodes replies as CBOR (RFC 8949): the data of the JSON reply, with columns as typed arrays (RFC 8746)."""

import struct
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.proto.wire import text_bytes

MEDIA_TYPE = "application/cbor"
_UNSIGNED, _NEGATIVE, _BYTES, _TEXT, _LIST, _MAP, _TAG = (kind << 5 for kind in range(7))
_TAGS = (("u1", 64), ("<u4", 70), ("<i4", 78), ("<i8", 79), ("<f4", 85), ("<f8", 86))
_TYPED_ARRAYS = {np.dtype(name): tag for name, tag in _TAGS}
"""Tags of little-endian arrays, by the type of their elements."""
_SIZES = ((8, ">BB"), (16, ">BH"), (32, ">BI"), (64, ">BQ"))
_LONGEST_CACHED = 1000
"""Characters of a text whose encoding is kept."""
_BYTE = [bytes((number,)) for number in range(256)]


def encode_cbor(value: Any) -> bytes:
    """Return plain data as CBOR.

    Args:
        value: None, booleans, numbers, text, lists, dictionaries with text keys, and one-dimensional arrays of bytes,
            or of 32 or 64-bit integers or floats. Text that is not valid UTF-8 is escaped, as in JSON replies.

    Raises:
        TypeError: it contains something else.
    """
    parts: list[bytes] = []
    _append(value, parts)
    return b"".join(parts)


def _append(value: Any, parts: list[bytes]) -> None:
    append = _APPENDERS.get(type(value))
    if append is None:
        raise TypeError(f"{value!r} cannot be encoded: expected plain data or an array")
    append(value, parts)


def _append_integer(value: int, parts: list[bytes]) -> None:
    parts.append(_head(_UNSIGNED, value) if value >= 0 else _head(_NEGATIVE, -1 - value))


def _append_dictionary(value: dict[str, Any], parts: list[bytes]) -> None:
    parts.append(_head(_MAP, len(value)))
    for name, item in value.items():
        parts.append(_text(name))
        append = _APPENDERS.get(type(item), _append)
        append(item, parts)


def _append_list(value: list[Any], parts: list[bytes]) -> None:
    parts.append(_head(_LIST, len(value)))
    for item in value:
        _append(item, parts)


def _append_array(array: npt.NDArray[Any], parts: list[bytes]) -> None:
    little_endian = array if array.dtype in _TYPED_ARRAYS else array.astype(array.dtype.newbyteorder("<"))
    tag = _TYPED_ARRAYS.get(little_endian.dtype)
    if tag is None or array.ndim != 1:
        message = f"an array of {array.dtype} of shape {array.shape} cannot be encoded"
        raise TypeError(f"{message}: expected bytes, 32 or 64-bit integers or floats of shape (n,)")
    parts += (_head(_TAG, tag), _head(_BYTES, little_endian.nbytes), little_endian.tobytes())


def _append_text(text: str, parts: list[bytes]) -> None:
    parts.append(_text(text) if len(text) <= _LONGEST_CACHED else _text.__wrapped__(text))


@lru_cache(4096)  # Names of keys, runs and tags are repeated in each series.
def _text(text: str) -> bytes:
    content = text_bytes(text)
    return _head(_TEXT, len(content)) + content


def _head(kind: int, number: int) -> bytes:
    """Return the initial byte of an item, with its argument (RFC 8949, 3)."""
    if number < 24:
        return _BYTE[kind | number]
    for additional, (size, form) in enumerate(_SIZES, 24):
        if number >> size == 0:
            return struct.pack(form, kind | additional, number)
    raise TypeError(f"{number} cannot be encoded: expected at most 64 bits")


_APPENDERS: dict[type, Callable[[Any, list[bytes]], None]] = {
    type(None): lambda _, parts: parts.append(b"\xf6"),
    bool: lambda value, parts: parts.append(b"\xf5" if value else b"\xf4"),
    int: _append_integer,
    float: lambda value, parts: parts.append(struct.pack(">Bd", 0xFB, value)),
    str: _append_text,
    dict: _append_dictionary,
    list: _append_list,
    np.ndarray: _append_array,
}
