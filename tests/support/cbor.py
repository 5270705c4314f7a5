"""A plain decoder of CBOR (RFC 8949) with typed arrays (RFC 8746), for what the server sends."""

import struct
from typing import Any

import numpy as np

TYPED_ARRAYS = {64: "u1", 70: "<u4", 78: "<i4", 79: "<i8", 85: "<f4", 86: "<f8"}


def decode_cbor(content: bytes) -> Any:
    """Return the data item that the content is; typed arrays become NumPy arrays."""
    item, end = _item(content, 0)
    assert end == len(content), f"{len(content) - end} bytes after the item"
    return item


def _item(content: bytes, at: int) -> tuple[Any, int]:
    kind, low = content[at] >> 5, content[at] & 31
    if kind == 7:
        if low == 27:
            return struct.unpack_from(">d", content, at + 1)[0], at + 9
        return {20: False, 21: True, 22: None}[low], at + 1
    size = {24: 1, 25: 2, 26: 4, 27: 8}.get(low, 0)
    number = int.from_bytes(content[at + 1 : at + 1 + size], "big") if size else low
    at += 1 + size
    if kind == 0:
        return number, at
    if kind == 1:
        return -1 - number, at
    if kind in (2, 3):
        part = content[at : at + number]
        return part if kind == 2 else part.decode(), at + number
    if kind == 6:
        part, at = _item(content, at)
        return np.frombuffer(part, TYPED_ARRAYS[number]), at
    items = []
    for _ in range(number * (2 if kind == 5 else 1)):
        item, at = _item(content, at)
        items.append(item)
    return (dict(zip(items[::2], items[1::2], strict=True)) if kind == 5 else items), at


def numbers_of(column: Any) -> list[float]:
    """Return a column of a reply as a list: an array, integers at regular distances, or an empty list."""
    if isinstance(column, dict):
        start, stride, count = column["start"], column["stride"], column["count"]
        return [start + stride * place for place in range(count)]
    return list(column)
