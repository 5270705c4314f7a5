"""Plain data as JSON has it: numbers that it lacks as texts, texts that have no UTF-8 spelled out."""

import math
from typing import Any

import numpy as np

from toposcope.proto.wire import text_bytes

_INTEGERS = range(-(2**63), 2**64)


def number_text(value: float) -> str:
    """Return a double as text from which the same double can be read."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(value)


def in_json(value: Any) -> Any:
    """Return plain data as orjson takes it.

    NamedTuples become objects, arrays lists, NaN and infinities the texts "NaN", "Infinity" and "-Infinity", integers
    beyond 64 bits their digits.
    """
    match value:
        case str():
            return text_bytes(value).decode()
        case float() if not math.isfinite(value):
            return number_text(value)
        case int() if value not in _INTEGERS:
            return str(value)
        case dict():
            return {in_json(name): in_json(item) for name, item in value.items()}
        case tuple() if hasattr(value, "_asdict"):
            return in_json(value._asdict())
        case np.ndarray():
            return in_json(value.tolist())
        case list() | tuple():
            return [in_json(item) for item in value]
        case _:
            return value
