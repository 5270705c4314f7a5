"""JSON replies: NumPy columns are encoded directly, numbers that JSON lacks as strings."""

import math
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import orjson
from fastapi import Response
from pydantic import WithJsonSchema

from toposcope.server.reading.series.series import Float64s
from toposcope.server.reading.series.series_summary import all_finite
from toposcope.server.text.json_values import json_value, number_text

Number = Annotated[
    float | str,
    WithJsonSchema({"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]}),
]
"""A double; NaN and infinities, which JSON lacks, are the strings "NaN", "Infinity" and "-Infinity"."""


def json_reply(content: dict[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    """Return content as JSON; columns may be NumPy arrays. The models declared on routes are not applied."""
    try:
        body = orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    except orjson.JSONEncodeError:  # A file name is not valid UTF-8.
        body = orjson.dumps(json_value(content), option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(body, media_type="application/json", headers=headers)


def etag_matches(etag: str, if_none_match: str | None) -> bool:
    """Return whether an If-None-Match header matches an ETag, by weak comparison (RFC 9110, 13.1.2)."""
    tags = [tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")]
    return etag.removeprefix("W/") in tags or "*" in tags


def json_number(value: float | None) -> float | str | None:
    """Return a number for json_reply; None stays None."""
    return value if value is None or math.isfinite(value) else number_text(value)


def json_numbers(column: Float64s) -> Float64s | list[float | str]:
    """Return a column of doubles for json_reply."""
    if not len(column) or all_finite(column):
        return np.ascontiguousarray(column)
    return [number_text(value) if not np.isfinite(value) else value for value in column.tolist()]
