"""JSON replies: NumPy columns as they are, numbers that JSON lacks as strings."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import orjson
from fastapi import Response
from pydantic import WithJsonSchema

from toposcope.server.json_values import in_json, number_text
from toposcope.server.reading.series import Float64s

Number = Annotated[
    float | str,
    WithJsonSchema({"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]}),
]
"""A double; JSON has no NaN and no infinities, they are the strings "NaN", "Infinity" and "-Infinity"."""


def json_reply(content: dict[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    """Encode content, whose columns may be NumPy arrays; models are declared on the routes, not applied."""
    try:
        body = orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    except orjson.JSONEncodeError:  # The name of a file is no UTF-8.
        body = orjson.dumps(in_json(content), option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(body, media_type="application/json", headers=headers)


def is_known(etag: str, if_none_match: str | None) -> bool:
    """Say whether an If-None-Match header names the reply of an ETag, by weak comparison (RFC 9110, 13.1.2)."""
    known = [each.strip().removeprefix("W/") for each in (if_none_match or "").split(",")]
    return etag.removeprefix("W/") in known or "*" in known


def numbers(column: Float64s) -> Float64s | list[float | str]:
    """Return a column for json_reply."""
    if np.isfinite(column).all():
        return np.ascontiguousarray(column)
    return [number_text(value) if not np.isfinite(value) else value for value in column.tolist()]
