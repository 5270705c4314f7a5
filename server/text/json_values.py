"""Conversion of plain data to JSON values: numbers that JSON lacks become strings, invalid UTF-8 is escaped."""

import math
from typing import Any

import numpy as np

from toposcope.proto.wire import text_bytes

_INTEGERS = range(-(2**63), 2**64)


def number_text(value: float) -> str:
    """Return the shortest text that parses to the same double; "NaN", "Infinity" or "-Infinity" if it is not finite."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(value)


def json_value(value: Any) -> Any:
    """Return plain data in a form that orjson can encode.

    NamedTuples become objects and arrays lists; NaN and infinities become the strings "NaN", "Infinity" and
    "-Infinity"; integers beyond 64 bits become strings of their digits.
    """
    match value:
        case str():
            return text_bytes(value).decode()
        case float() if not math.isfinite(value):
            return number_text(value)
        case int() if value not in _INTEGERS:
            return str(value)
        case dict():
            return {json_value(name): json_value(item) for name, item in value.items()}
        case tuple() if hasattr(value, "_asdict"):
            return json_value(value._asdict())
        case np.ndarray():
            return json_value(value.tolist())
        case list() | tuple():
            return [json_value(item) for item in value]
        case _:
            return value
