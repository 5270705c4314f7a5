"""JSON replies: NumPy columns as they are, numbers that JSON lacks as strings."""

from typing import Annotated, Any

import numpy as np
import orjson
from fastapi import Response
from pydantic import WithJsonSchema

from toposcope.server.json_text import number_text
from toposcope.server.series import Float64s

Number = Annotated[
    float | str,
    WithJsonSchema({"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]}),
]
"""A double; JSON has no NaN and no infinities, they are the strings "NaN", "Infinity" and "-Infinity"."""


def json_reply(content: dict[str, Any]) -> Response:
    """Encode content, whose columns may be NumPy arrays; models are declared on the routes, not applied."""
    return Response(orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY), media_type="application/json")


def numbers(column: Float64s) -> Float64s | list[float | str]:
    """Return a column for json_reply."""
    if np.isfinite(column).all():
        return np.ascontiguousarray(column)
    return [number_text(value) if not np.isfinite(value) else value for value in column.tolist()]
