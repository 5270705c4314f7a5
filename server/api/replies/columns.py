"""Columns of numbers in replies: as lists in JSON, and in as few bytes as hold them exactly in CBOR."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson
from fastapi import Request, Response

from toposcope.server.api.replies.cbor import MEDIA_TYPE, encode_cbor
from toposcope.server.api.replies.json_reply import json_numbers, json_reply
from toposcope.server.budget.cancellation import check
from toposcope.server.reading.series.series import Float64s, Int64s, expand

Numbers = range | npt.NDArray[Any]
"""A column: integers at regular distances, or integers or floats of 32 or 64 bits."""
Column = Callable[[Numbers], Any]
"""Turns a column into a part of a reply."""
_LONG = 1 << 15
"""Numbers of a column that are encoded at a time."""
_FEWEST_REGULAR = 3
"""Integers at regular distances from which on their first one and the distance take fewer bytes."""


def accepts_cbor(request: Request) -> bool:
    """Return whether the client names CBOR in its Accept header; a client that accepts anything gets JSON."""
    return MEDIA_TYPE in request.headers.get("accept", "")


def json_column(column: Numbers) -> Any:
    """Return a column for json_reply; a long one is encoded part by part, so that other threads run meanwhile."""
    if len(column) > _LONG:
        parts = (column[begin : begin + _LONG] for begin in range(0, len(column), _LONG))
        return orjson.Fragment(b"[%s]" % b",".join(map(_json_numbers, parts)))
    if isinstance(column, range):
        return expand(column)
    return json_numbers(column.astype(np.float64, copy=False)) if column.dtype.kind == "f" else column


def _json_numbers(column: Numbers) -> bytes:
    """Return the numbers of a column, separated by commas."""
    check()
    return orjson.dumps(json_column(column), option=orjson.OPT_SERIALIZE_NUMPY)[1:-1]


def cbor_column(column: Numbers) -> Any:
    """Return a column for encode_cbor.

    Floats have 32 bits if that holds every one exactly, else 64. Integers at regular distances are
    `{"start", "stride", "count"}`; others have 32 bits if all fit, else 64.
    """
    if isinstance(column, range):
        return _regular(column.start, column.step, len(column)) if column else _NONE
    if column.dtype.kind == "f":
        return column if column.dtype == np.float32 else _floats(column)
    return _integers(column)


_NONE = np.empty(0, np.int32)


def _regular(start: int, stride: int, count: int) -> dict[str, int]:
    return {"start": start, "stride": stride, "count": count}


def _floats(column: Float64s) -> Any:
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        if len(column) and np.float32(first := column.item(0)) != first and not np.isnan(first):
            return column  # Most columns of doubles: their first one shows it.
        narrow = column.astype(np.float32)
    same = narrow == column
    return narrow if same.all() or (same | np.isnan(column)).all() else column


def _integers(column: npt.NDArray[np.int32] | Int64s) -> Any:
    if len(column) >= _FEWEST_REGULAR:
        start, stride = int(column[0]), int(column[1]) - int(column[0])
        # Overflowing differences wrap around; the last integer shows that none did.
        if start + stride * (len(column) - 1) == int(column[-1]) and (column[1:] - column[:-1] == stride).all():
            return _regular(start, stride, len(column))
    narrow = column.astype(np.int32, copy=False)
    return narrow if (narrow == column).all() else column


def columns_reply(content: dict[str, Any], is_cbor: bool) -> Response:
    """Return content with columns made by cbor_column or json_column as a reply."""
    headers = {"Vary": "Accept"}
    if is_cbor:
        return Response(encode_cbor(content), media_type=MEDIA_TYPE, headers=headers)
    return json_reply(content, headers)
